//! The macro by which generated bindings define `flags` types.

/// Defines a type for a set of flags: `bitflags! { pub struct Colours: u8 { const RED = 1 << 0; } }`.
///
/// ```
/// bakeoff_guest::bitflags! {
///     #[derive(PartialEq, Eq, Debug, Clone, Copy)]
///     pub struct Colours: u8 {
///         const RED = 1 << 0;
///         const BLUE = 1 << 1;
///     }
/// }
/// let mut colours = Colours::RED;
/// colours.set(Colours::BLUE, true);
/// assert_eq!(colours, Colours::all());
/// colours.remove(Colours::RED);
/// assert_eq!(colours, !Colours::RED);
/// assert!(!colours.contains(Colours::RED) && (colours & Colours::RED).is_empty());
/// assert_eq!(Colours::from_bits_retain(2).bits(), Colours::BLUE.bits());
/// assert_eq!(Colours::empty() | (colours ^ Colours::all()), Colours::RED);
/// ```
#[macro_export]
macro_rules! bitflags {
    (
        $(#[$meta:meta])*
        pub struct $name:ident: $repr:ty {
            $($(#[$flag_meta:meta])* const $flag:ident = $value:expr;)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name($repr);

        impl $name {
            $($(#[$flag_meta])* pub const $flag: Self = Self($value);)*

            /// No flag.
            pub const fn empty() -> Self {
                Self(0)
            }

            /// Every flag.
            pub const fn all() -> Self {
                Self(0 $(| Self::$flag.0)*)
            }

            /// The flags as an integer.
            pub const fn bits(&self) -> $repr {
                self.0
            }

            /// The flags of an integer, unknown ones included.
            pub const fn from_bits_retain(bits: $repr) -> Self {
                Self(bits)
            }

            /// Returns true if no flag is set.
            pub const fn is_empty(&self) -> bool {
                self.0 == 0
            }

            /// Returns true if all of the other's flags are set.
            pub const fn contains(&self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// Sets the other's flags.
            pub fn insert(&mut self, other: Self) {
                self.0 |= other.0;
            }

            /// Clears the other's flags.
            pub fn remove(&mut self, other: Self) {
                self.0 &= !other.0;
            }

            /// Sets or clears the other's flags.
            pub fn set(&mut self, other: Self, value: bool) {
                if value { self.insert(other) } else { self.remove(other) }
            }
        }

        impl ::std::ops::BitOr for $name {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl ::std::ops::BitAnd for $name {
            type Output = Self;
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl ::std::ops::BitXor for $name {
            type Output = Self;
            fn bitxor(self, other: Self) -> Self {
                Self(self.0 ^ other.0)
            }
        }

        impl ::std::ops::Not for $name {
            type Output = Self;
            fn not(self) -> Self {
                Self(!self.0 & Self::all().0)
            }
        }

        impl ::std::ops::BitOrAssign for $name {
            fn bitor_assign(&mut self, other: Self) {
                self.0 |= other.0;
            }
        }
    };
}
