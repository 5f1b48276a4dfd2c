// Made from wit/aggregator, not by hand.
#[allow(dead_code, clippy::all)]
pub mod bakeoff {
    pub mod aggregator {
        /// What an aggregator answers.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod types {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            /// A column of a table.
            #[derive(Clone)]
            pub struct Column {
                /// Its heading.
                pub title: _rt::String,
                /// True if its cells are numbers, which are aligned at their ends.
                pub numeric: bool,
            }
            impl ::core::fmt::Debug for Column {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Column")
                        .field("title", &self.title)
                        .field("numeric", &self.numeric)
                        .finish()
                }
            }
            /// A table. Every row has as many cells as there are columns.
            #[derive(Clone)]
            pub struct Table {
                /// The columns, at least one.
                pub columns: _rt::Vec<Column>,
                /// The rows. The first cell of each is its heading.
                pub rows: _rt::Vec<_rt::Vec<_rt::String>>,
            }
            impl ::core::fmt::Debug for Table {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Table")
                        .field("columns", &self.columns)
                        .field("rows", &self.rows)
                        .finish()
                }
            }
            /// A section of the report: text, shown as it is. Nothing in it is markup.
            #[derive(Clone)]
            pub struct Section {
                /// Its heading.
                pub title: _rt::String,
                /// Its paragraphs.
                pub paragraphs: _rt::Vec<_rt::String>,
                /// The table below them.
                pub table: Option<Table>,
            }
            impl ::core::fmt::Debug for Section {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Section")
                        .field("title", &self.title)
                        .field("paragraphs", &self.paragraphs)
                        .field("table", &self.table)
                        .finish()
                }
            }
            /// Why there is no section.
            #[derive(Clone)]
            pub enum Error {
                /// The report has nothing that the aggregator could say something about.
                NotApplicable(_rt::String),
                /// Anything else.
                Other(_rt::String),
            }
            impl ::core::fmt::Debug for Error {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Error::NotApplicable(e) => {
                            f.debug_tuple("Error::NotApplicable").field(e).finish()
                        }
                        Error::Other(e) => {
                            f.debug_tuple("Error::Other").field(e).finish()
                        }
                    }
                }
            }
            impl ::core::fmt::Display for Error {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    write!(f, "{:?}", self)
                }
            }
            impl ::core::error::Error for Error {}
        }
    }
}
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod bakeoff {
        pub mod aggregator {
            /// What an aggregator exports.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod aggregate {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Section = super::super::super::super::bakeoff::aggregator::types::Section;
                pub type Error = super::super::super::super::bakeoff::aggregator::types::Error;
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_aggregate_cabi<T_: Guest>(
                    arg0: *mut u8,
                    arg1: usize,
                ) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result1 = {
                            let len0 = arg1;
                            let bytes0 = _rt::Vec::from_raw_parts(
                                arg0.cast(),
                                len0,
                                len0,
                            );
                            T_::aggregate(_rt::string_lift(bytes0))
                        };
                        let ptr2 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result1 {
                            Ok(e) => {
                                *ptr2.add(0).cast::<u8>() = (0i32) as u8;
                                let vec14 = e;
                                let len14 = vec14.len();
                                let layout14 = _rt::alloc::Layout::from_size_align(
                                        vec14.len() * (9 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    )
                                    .unwrap();
                                let (result14, _cleanup14) = crate::rt::Cleanup::new(
                                    layout14,
                                );
                                if let Some(cleanup) = _cleanup14 {
                                    cleanup.forget();
                                }
                                for (i, e) in vec14.into_iter().enumerate() {
                                    let base = result14
                                        .add(i * (9 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let super::super::super::super::bakeoff::aggregator::types::Section {
                                            title: title3,
                                            paragraphs: paragraphs3,
                                            table: table3,
                                        } = e;
                                        let vec4 = (title3.into_bytes()).into_boxed_slice();
                                        let ptr4 = vec4.as_ptr().cast::<u8>();
                                        let len4 = vec4.len();
                                        ::core::mem::forget(vec4);
                                        *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len4;
                                        *base.add(0).cast::<*mut u8>() = ptr4.cast_mut();
                                        let vec6 = paragraphs3;
                                        let len6 = vec6.len();
                                        let layout6 = _rt::alloc::Layout::from_size_align(
                                                vec6.len() * (2 * ::core::mem::size_of::<*const u8>()),
                                                ::core::mem::size_of::<*const u8>(),
                                            )
                                            .unwrap();
                                        let (result6, _cleanup6) = crate::rt::Cleanup::new(layout6);
                                        if let Some(cleanup) = _cleanup6 {
                                            cleanup.forget();
                                        }
                                        for (i, e) in vec6.into_iter().enumerate() {
                                            let base = result6
                                                .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let vec5 = (e.into_bytes()).into_boxed_slice();
                                                let ptr5 = vec5.as_ptr().cast::<u8>();
                                                let len5 = vec5.len();
                                                ::core::mem::forget(vec5);
                                                *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len5;
                                                *base.add(0).cast::<*mut u8>() = ptr5.cast_mut();
                                            }
                                        }
                                        *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len6;
                                        *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = result6;
                                        match table3 {
                                            Some(e) => {
                                                *base
                                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                let super::super::super::super::bakeoff::aggregator::types::Table {
                                                    columns: columns7,
                                                    rows: rows7,
                                                } = e;
                                                let vec10 = columns7;
                                                let len10 = vec10.len();
                                                let layout10 = _rt::alloc::Layout::from_size_align(
                                                        vec10.len() * (3 * ::core::mem::size_of::<*const u8>()),
                                                        ::core::mem::size_of::<*const u8>(),
                                                    )
                                                    .unwrap();
                                                let (result10, _cleanup10) = crate::rt::Cleanup::new(
                                                    layout10,
                                                );
                                                if let Some(cleanup) = _cleanup10 {
                                                    cleanup.forget();
                                                }
                                                for (i, e) in vec10.into_iter().enumerate() {
                                                    let base = result10
                                                        .add(i * (3 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let super::super::super::super::bakeoff::aggregator::types::Column {
                                                            title: title8,
                                                            numeric: numeric8,
                                                        } = e;
                                                        let vec9 = (title8.into_bytes()).into_boxed_slice();
                                                        let ptr9 = vec9.as_ptr().cast::<u8>();
                                                        let len9 = vec9.len();
                                                        ::core::mem::forget(vec9);
                                                        *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len9;
                                                        *base.add(0).cast::<*mut u8>() = ptr9.cast_mut();
                                                        *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (match numeric8 {
                                                            true => 1,
                                                            false => 0,
                                                        }) as u8;
                                                    }
                                                }
                                                *base
                                                    .add(6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len10;
                                                *base
                                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = result10;
                                                let vec13 = rows7;
                                                let len13 = vec13.len();
                                                let layout13 = _rt::alloc::Layout::from_size_align(
                                                        vec13.len() * (2 * ::core::mem::size_of::<*const u8>()),
                                                        ::core::mem::size_of::<*const u8>(),
                                                    )
                                                    .unwrap();
                                                let (result13, _cleanup13) = crate::rt::Cleanup::new(
                                                    layout13,
                                                );
                                                if let Some(cleanup) = _cleanup13 {
                                                    cleanup.forget();
                                                }
                                                for (i, e) in vec13.into_iter().enumerate() {
                                                    let base = result13
                                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let vec12 = e;
                                                        let len12 = vec12.len();
                                                        let layout12 = _rt::alloc::Layout::from_size_align(
                                                                vec12.len() * (2 * ::core::mem::size_of::<*const u8>()),
                                                                ::core::mem::size_of::<*const u8>(),
                                                            )
                                                            .unwrap();
                                                        let (result12, _cleanup12) = crate::rt::Cleanup::new(
                                                            layout12,
                                                        );
                                                        if let Some(cleanup) = _cleanup12 {
                                                            cleanup.forget();
                                                        }
                                                        for (i, e) in vec12.into_iter().enumerate() {
                                                            let base = result12
                                                                .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                                            {
                                                                let vec11 = (e.into_bytes()).into_boxed_slice();
                                                                let ptr11 = vec11.as_ptr().cast::<u8>();
                                                                let len11 = vec11.len();
                                                                ::core::mem::forget(vec11);
                                                                *base
                                                                    .add(::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>() = len11;
                                                                *base.add(0).cast::<*mut u8>() = ptr11.cast_mut();
                                                            }
                                                        }
                                                        *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len12;
                                                        *base.add(0).cast::<*mut u8>() = result12;
                                                    }
                                                }
                                                *base
                                                    .add(8 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len13;
                                                *base
                                                    .add(7 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = result13;
                                            }
                                            None => {
                                                *base
                                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                    }
                                }
                                *ptr2
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len14;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = result14;
                            }
                            Err(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                use super::super::super::super::bakeoff::aggregator::types::Error as V17;
                                match e {
                                    V17::NotApplicable(e) => {
                                        *ptr2
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                        let vec15 = (e.into_bytes()).into_boxed_slice();
                                        let ptr15 = vec15.as_ptr().cast::<u8>();
                                        let len15 = vec15.len();
                                        ::core::mem::forget(vec15);
                                        *ptr2
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len15;
                                        *ptr2
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr15.cast_mut();
                                    }
                                    V17::Other(e) => {
                                        *ptr2
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        let vec16 = (e.into_bytes()).into_boxed_slice();
                                        let ptr16 = vec16.as_ptr().cast::<u8>();
                                        let len16 = vec16.len();
                                        ::core::mem::forget(vec16);
                                        *ptr2
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len16;
                                        *ptr2
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr16.cast_mut();
                                    }
                                }
                            }
                        };
                        ptr2
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_aggregate<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {
                                let l1 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base24 = l1;
                                let len24 = l2;
                                for i in 0..len24 {
                                    let base = base24
                                        .add(i * (9 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let l3 = *base.add(0).cast::<*mut u8>();
                                        let l4 = *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l3, l4, 1);
                                        let l5 = *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l6 = *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let base9 = l5;
                                        let len9 = l6;
                                        for i in 0..len9 {
                                            let base = base9
                                                .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let l7 = *base.add(0).cast::<*mut u8>();
                                                let l8 = *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l7, l8, 1);
                                            }
                                        }
                                        _rt::cabi_dealloc(
                                            base9,
                                            len9 * (2 * ::core::mem::size_of::<*const u8>()),
                                            ::core::mem::size_of::<*const u8>(),
                                        );
                                        let l10 = i32::from(
                                            *base
                                                .add(4 * ::core::mem::size_of::<*const u8>())
                                                .cast::<u8>(),
                                        );
                                        match l10 {
                                            0 => {}
                                            _ => {
                                                let l11 = *base
                                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l12 = *base
                                                    .add(6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base15 = l11;
                                                let len15 = l12;
                                                for i in 0..len15 {
                                                    let base = base15
                                                        .add(i * (3 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let l13 = *base.add(0).cast::<*mut u8>();
                                                        let l14 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        _rt::cabi_dealloc(l13, l14, 1);
                                                    }
                                                }
                                                _rt::cabi_dealloc(
                                                    base15,
                                                    len15 * (3 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l16 = *base
                                                    .add(7 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l17 = *base
                                                    .add(8 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base23 = l16;
                                                let len23 = l17;
                                                for i in 0..len23 {
                                                    let base = base23
                                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let l18 = *base.add(0).cast::<*mut u8>();
                                                        let l19 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let base22 = l18;
                                                        let len22 = l19;
                                                        for i in 0..len22 {
                                                            let base = base22
                                                                .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                                            {
                                                                let l20 = *base.add(0).cast::<*mut u8>();
                                                                let l21 = *base
                                                                    .add(::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                _rt::cabi_dealloc(l20, l21, 1);
                                                            }
                                                        }
                                                        _rt::cabi_dealloc(
                                                            base22,
                                                            len22 * (2 * ::core::mem::size_of::<*const u8>()),
                                                            ::core::mem::size_of::<*const u8>(),
                                                        );
                                                    }
                                                }
                                                _rt::cabi_dealloc(
                                                    base23,
                                                    len23 * (2 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                            }
                                        }
                                    }
                                }
                                _rt::cabi_dealloc(
                                    base24,
                                    len24 * (9 * ::core::mem::size_of::<*const u8>()),
                                    ::core::mem::size_of::<*const u8>(),
                                );
                            }
                            _ => {
                                let l25 = i32::from(
                                    *arg0.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                match l25 {
                                    0 => {
                                        let l26 = *arg0
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l27 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l26, l27, 1);
                                    }
                                    _ => {
                                        let l28 = *arg0
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l29 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l28, l29, 1);
                                    }
                                }
                            }
                        }
                    }
                }
                pub trait Guest {
                    /// Returns the sections that it adds to a report, in order. `report` is the text of report.json, without
                    /// the sections of aggregators. Called once for each report, on a fresh instance; the same report has to
                    /// give the same sections.
                    #[allow(async_fn_in_trait)]
                    fn aggregate(
                        report: _rt::String,
                    ) -> Result<_rt::Vec<Section>, Error>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_bakeoff_aggregator_aggregate_0_1_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "bakeoff:aggregator/aggregate@0.1.0#aggregate")] unsafe extern
                        "C" fn export_aggregate(arg0 : * mut u8, arg1 : usize,) -> * mut
                        u8 { unsafe { $($path_to_types)*:: _export_aggregate_cabi::<$ty >
                        (arg0, arg1) } } #[unsafe (export_name =
                        "cabi_post_bakeoff:aggregator/aggregate@0.1.0#aggregate")] unsafe
                        extern "C" fn _post_return_aggregate(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_aggregate::<$ty > (arg0) } }
                        };
                    };
                }
                #[doc(hidden)]
                pub use __export_bakeoff_aggregator_aggregate_0_1_0_cabi;
                #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 4 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 4
                        * ::core::mem::size_of::<*const u8>()],
                );
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
    pub use alloc_crate::vec::Vec;
    #[cfg(target_arch = "wasm32")]
    pub fn run_ctors_once() {
        crate::rt::run_ctors_once();
    }
    pub unsafe fn string_lift(bytes: Vec<u8>) -> String {
        if cfg!(debug_assertions) {
            String::from_utf8(bytes).unwrap()
        } else {
            unsafe { String::from_utf8_unchecked(bytes) }
        }
    }
    pub use alloc_crate::alloc;
    pub unsafe fn cabi_dealloc(ptr: *mut u8, size: usize, align: usize) {
        if size == 0 {
            return;
        }
        unsafe {
            let layout = alloc::Layout::from_size_align_unchecked(size, align);
            alloc::dealloc(ptr, layout);
        }
    }
    extern crate alloc as alloc_crate;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export_aggregator_world{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_aggregator_world!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_aggregator_impl {
    ($ty:ident) => {
        self::export_aggregator_world!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::bakeoff::aggregator::aggregate::__export_bakeoff_aggregator_aggregate_0_1_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::bakeoff::aggregator::aggregate);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.60.0:bakeoff:aggregator@0.1.0:aggregator:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 502] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xf5\x02\x01A\x02\x01\
A\x06\x01B\x0c\x01r\x02\x05titles\x07numeric\x7f\x04\0\x06column\x03\0\0\x01p\x01\
\x01ps\x01p\x03\x01r\x02\x07columns\x02\x04rows\x04\x04\0\x05table\x03\0\x05\x01\
k\x06\x01r\x03\x05titles\x0aparagraphs\x03\x05table\x07\x04\0\x07section\x03\0\x08\
\x01q\x02\x0enot-applicable\x01s\0\x05other\x01s\0\x04\0\x05error\x03\0\x0a\x03\0\
\x1ebakeoff:aggregator/types@0.1.0\x05\0\x02\x03\0\0\x07section\x02\x03\0\0\x05e\
rror\x01B\x08\x02\x03\x02\x01\x01\x04\0\x07section\x03\0\0\x02\x03\x02\x01\x02\x04\
\0\x05error\x03\0\x02\x01p\x01\x01j\x01\x04\x01\x03\x01@\x01\x06reports\0\x05\x04\
\0\x09aggregate\x01\x06\x04\0\"bakeoff:aggregator/aggregate@0.1.0\x05\x03\x04\0#\
bakeoff:aggregator/aggregator@0.1.0\x04\0\x0b\x10\x01\0\x0aaggregator\x03\0\0\0G\
\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.254.2\x10wit-bindgen\
-rust\x060.60.0";
        };
    };
}
#[doc(inline)]
pub use __export_aggregator_impl as export_aggregator_world;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.60.0:bakeoff:aggregator@0.1.0:aggregator-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 432] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x8f\x02\x01A\x02\x01\
A\x02\x01B\x0c\x01r\x02\x05titles\x07numeric\x7f\x04\0\x06column\x03\0\0\x01p\x01\
\x01ps\x01p\x03\x01r\x02\x07columns\x02\x04rows\x04\x04\0\x05table\x03\0\x05\x01\
k\x06\x01r\x03\x05titles\x0aparagraphs\x03\x05table\x07\x04\0\x07section\x03\0\x08\
\x01q\x02\x0enot-applicable\x01s\0\x05other\x01s\0\x04\0\x05error\x03\0\x0a\x03\0\
\x1ebakeoff:aggregator/types@0.1.0\x05\0\x04\0Cbakeoff:aggregator/aggregator-wit\
h-all-of-its-exports-removed@0.1.0\x04\0\x0b0\x01\0*aggregator-with-all-of-its-e\
xports-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x07\
0.254.2\x10wit-bindgen-rust\x060.60.0";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    crate::rt::maybe_link_cabi_realloc();
}
