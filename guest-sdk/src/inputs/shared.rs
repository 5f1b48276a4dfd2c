
// Drawing that inputs to time and inputs on which functions may differ have in common.

impl Inputs {
    pub fn argument<T: Random>(&mut self) -> T {
        T::random(self)
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.rng.below(values.len() as u64) as usize]
    }
}

/// Returns true if a type is a list.
fn is_list<T>() -> bool {
    std::any::type_name::<T>().starts_with("alloc::vec::Vec<")
}

impl Random for bool {
    fn drawn(inputs: &mut Inputs) -> Self {
        inputs.rng.bool()
    }
}

impl<T: Random> Random for Option<T> {
    fn drawn(inputs: &mut Inputs) -> Self {
        match inputs.rng.below(4) {
            0 => None,
            _ => Some(T::random(inputs)),
        }
    }
}

impl<T: Random> Random for Result<T, ()> {
    fn drawn(inputs: &mut Inputs) -> Self {
        Option::drawn(inputs).ok_or(())
    }
}

impl<T: Random, const N: usize> Random for [T; N] {
    fn drawn(inputs: &mut Inputs) -> Self {
        inputs.depth += 1;
        let items = std::array::from_fn(|_| T::random(inputs));
        inputs.depth -= 1;
        items
    }
}

impl Random for () {
    fn drawn(_: &mut Inputs) -> Self {}
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: Random),*> Random for ($($name,)*) {
            fn drawn(inputs: &mut Inputs) -> Self {
                ($($name::random(inputs),)*)
            }
        }
    )*};
}

tuples!((A)(A B)(A B C)(A B C D)(A B C D E)(A B C D E F)(A B C D E F G)(A B C D E F G H)
    (A B C D E F G H I)(A B C D E F G H I J)(A B C D E F G H I J K)(A B C D E F G H I J K L));
