// Made from wit/evaluator, not by hand.
#[allow(dead_code, clippy::all)]
pub mod bakeoff {
    pub mod evaluator {
        /// What an evaluator is asked about, and what it answers.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod types {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            /// Which readings are better.
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum Direction {
                /// Lower ones.
                LowerIsBetter,
                /// Higher ones.
                HigherIsBetter,
            }
            impl ::core::fmt::Debug for Direction {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Direction::LowerIsBetter => {
                            f.debug_tuple("Direction::LowerIsBetter").finish()
                        }
                        Direction::HigherIsBetter => {
                            f.debug_tuple("Direction::HigherIsBetter").finish()
                        }
                    }
                }
            }
            impl Direction {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> Direction {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => Direction::LowerIsBetter,
                        1 => Direction::HigherIsBetter,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// Two ends, both included. They are finite, and the first is not above the second.
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct Range {
                /// The lower end.
                pub low: f64,
                /// The upper end.
                pub high: f64,
            }
            impl ::core::fmt::Debug for Range {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Range")
                        .field("low", &self.low)
                        .field("high", &self.high)
                        .finish()
                }
            }
            crate::bitflags! {
                #[doc =
                " What a criterion is worked out from. A variant that lacks it has no reading, and the user is told"]
                #[doc = " before anything is measured."] #[derive(PartialEq, Eq,
                PartialOrd, Ord, Hash, Debug, Clone, Copy)] pub struct Needs : u8 { #[doc
                =
                " The text of the variant's source. A prototype that is brought as a component has none."]
                const SOURCE = 1 << 0; #[doc = " The variant's answers to many inputs."]
                const ANSWERS = 1 << 1; #[doc =
                " How long calls took. The evaluator is then called after the race."]
                const SAMPLES = 1 << 2; }
            }
            /// A number that the evaluator gives about a variant, or about each of its answers.
            #[derive(Clone)]
            pub struct Criterion {
                /// Its name: 1 to 64 characters of `a-z`, `0-9` and `-`. The experiment file writes
                /// `evaluator:NAME`.
                pub name: _rt::String,
                /// What it says, in a sentence; for people.
                pub summary: _rt::String,
                /// The unit of its readings, of at most 20 characters; may be empty.
                pub unit: _rt::String,
                /// Which readings are better.
                pub direction: Direction,
                /// The range that every reading is in. Without one, readings are compared by ratio and must be above
                /// 0; or the user says how to scale them.
                pub range: Option<Range>,
                /// True if it is about each answer. The host then takes the mean, and compares two variants input by
                /// input, with a verdict that holds at the declared confidence.
                pub per_answer: bool,
                /// What it is worked out from.
                pub needs: Needs,
            }
            impl ::core::fmt::Debug for Criterion {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Criterion")
                        .field("name", &self.name)
                        .field("summary", &self.summary)
                        .field("unit", &self.unit)
                        .field("direction", &self.direction)
                        .field("range", &self.range)
                        .field("per-answer", &self.per_answer)
                        .field("needs", &self.needs)
                        .finish()
                }
            }
            /// A reading of one criterion.
            #[derive(Clone)]
            pub struct Reading {
                /// The name of the criterion.
                pub criterion: _rt::String,
                /// The number: finite, and within the criterion's range.
                pub value: f64,
                /// How well it is known, by the evaluator's own account; the value lies within. Two variants whose
                /// intervals overlap are not told apart by it.
                pub interval: Option<Range>,
                /// For a criterion that is about each answer: the number of the answer, from 0.
                pub answer: Option<u32>,
                /// What a person should know of this reading, in a sentence.
                pub note: Option<_rt::String>,
            }
            impl ::core::fmt::Debug for Reading {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Reading")
                        .field("criterion", &self.criterion)
                        .field("value", &self.value)
                        .field("interval", &self.interval)
                        .field("answer", &self.answer)
                        .field("note", &self.note)
                        .finish()
                }
            }
            /// A call of the variant.
            #[derive(Clone)]
            pub struct Answer {
                /// The number of the case, as in `cases`.
                pub case: u32,
                /// The arguments in WAVE, each as a text of its own.
                pub arguments: _rt::Vec<_rt::String>,
                /// The answer in WAVE; none if the function returns nothing.
                pub answer: Option<_rt::String>,
            }
            impl ::core::fmt::Debug for Answer {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Answer")
                        .field("case", &self.case)
                        .field("arguments", &self.arguments)
                        .field("answer", &self.answer)
                        .finish()
                }
            }
            /// Several calls, timed together.
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct Sample {
                /// CPU time of all of them, less what calls that do nothing take, in nanoseconds.
                pub duration: u64,
                /// The number of calls.
                pub calls: u32,
                /// The number of the replica, a process of its own; samples of one replica resemble each other.
                pub replica: u32,
            }
            impl ::core::fmt::Debug for Sample {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Sample")
                        .field("duration", &self.duration)
                        .field("calls", &self.calls)
                        .field("replica", &self.replica)
                        .finish()
                }
            }
            /// Why there is no answer.
            #[derive(Clone)]
            pub enum Error {
                /// There is no such evidence of this variant.
                Unavailable(_rt::String),
                /// Anything else.
                Other(_rt::String),
            }
            impl ::core::fmt::Debug for Error {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Error::Unavailable(e) => {
                            f.debug_tuple("Error::Unavailable").field(e).finish()
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
            /// All that is known of one variant. Nothing is handed over before it is asked for.
            #[derive(Debug)]
            #[repr(transparent)]
            pub struct Evidence {
                handle: _rt::Resource<Evidence>,
            }
            impl Evidence {
                #[doc(hidden)]
                pub unsafe fn from_handle(handle: u32) -> Self {
                    Self {
                        handle: unsafe { _rt::Resource::from_handle(handle) },
                    }
                }
                #[doc(hidden)]
                pub fn take_handle(&self) -> u32 {
                    _rt::Resource::take_handle(&self.handle)
                }
                #[doc(hidden)]
                pub fn handle(&self) -> u32 {
                    _rt::Resource::handle(&self.handle)
                }
            }
            unsafe impl _rt::WasmResource for Evidence {
                #[inline]
                unsafe fn drop(_handle: u32) {
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "bakeoff:evaluator/types@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "[resource-drop]evidence"]
                        fn drop(_: i32);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn drop(_: i32) {
                        unreachable!()
                    }
                    unsafe {
                        drop(_handle as i32);
                    }
                }
            }
            impl Evidence {
                #[allow(unused_unsafe, clippy::all)]
                /// The name of the variant, as the user wrote it.
                #[allow(async_fn_in_trait)]
                pub fn variant_name(&self) -> _rt::String {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 2 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 2
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "bakeoff:evaluator/types@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]evidence.variant-name"]
                            fn wit_import1(_: i32, _: *mut u8);
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import1(_: i32, _: *mut u8) {
                            unreachable!()
                        }
                        wit_import1((self).handle() as i32, ptr0);
                        let l2 = *ptr0.add(0).cast::<*mut u8>();
                        let l3 = *ptr0
                            .add(::core::mem::size_of::<*const u8>())
                            .cast::<usize>();
                        let len4 = l3;
                        let bytes4 = _rt::Vec::from_raw_parts(l2.cast(), len4, len4);
                        let result5 = _rt::string_lift(bytes4);
                        result5
                    }
                }
            }
            impl Evidence {
                #[allow(unused_unsafe, clippy::all)]
                /// The cases, in order: their sizes, names or calls.
                #[allow(async_fn_in_trait)]
                pub fn cases(&self) -> _rt::Vec<_rt::String> {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 2 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 2
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "bakeoff:evaluator/types@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]evidence.cases"]
                            fn wit_import1(_: i32, _: *mut u8);
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import1(_: i32, _: *mut u8) {
                            unreachable!()
                        }
                        wit_import1((self).handle() as i32, ptr0);
                        let l2 = *ptr0.add(0).cast::<*mut u8>();
                        let l3 = *ptr0
                            .add(::core::mem::size_of::<*const u8>())
                            .cast::<usize>();
                        let base7 = l2;
                        let len7 = l3;
                        let mut result7 = _rt::Vec::with_capacity(len7);
                        for i in 0..len7 {
                            let base = base7
                                .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                            let e7 = {
                                let l4 = *base.add(0).cast::<*mut u8>();
                                let l5 = *base
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len6 = l5;
                                let bytes6 = _rt::Vec::from_raw_parts(
                                    l4.cast(),
                                    len6,
                                    len6,
                                );
                                _rt::string_lift(bytes6)
                            };
                            result7.push(e7);
                        }
                        _rt::cabi_dealloc(
                            base7,
                            len7 * (2 * ::core::mem::size_of::<*const u8>()),
                            ::core::mem::size_of::<*const u8>(),
                        );
                        let result8 = result7;
                        result8
                    }
                }
            }
            impl Evidence {
                #[allow(unused_unsafe, clippy::all)]
                /// The names of the variant's source files; empty for a component that was brought.
                #[allow(async_fn_in_trait)]
                pub fn sources(&self) -> _rt::Vec<_rt::String> {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 2 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 2
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "bakeoff:evaluator/types@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]evidence.sources"]
                            fn wit_import1(_: i32, _: *mut u8);
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import1(_: i32, _: *mut u8) {
                            unreachable!()
                        }
                        wit_import1((self).handle() as i32, ptr0);
                        let l2 = *ptr0.add(0).cast::<*mut u8>();
                        let l3 = *ptr0
                            .add(::core::mem::size_of::<*const u8>())
                            .cast::<usize>();
                        let base7 = l2;
                        let len7 = l3;
                        let mut result7 = _rt::Vec::with_capacity(len7);
                        for i in 0..len7 {
                            let base = base7
                                .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                            let e7 = {
                                let l4 = *base.add(0).cast::<*mut u8>();
                                let l5 = *base
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len6 = l5;
                                let bytes6 = _rt::Vec::from_raw_parts(
                                    l4.cast(),
                                    len6,
                                    len6,
                                );
                                _rt::string_lift(bytes6)
                            };
                            result7.push(e7);
                        }
                        _rt::cabi_dealloc(
                            base7,
                            len7 * (2 * ::core::mem::size_of::<*const u8>()),
                            ::core::mem::size_of::<*const u8>(),
                        );
                        let result8 = result7;
                        result8
                    }
                }
            }
            impl Evidence {
                #[allow(unused_unsafe, clippy::all)]
                /// The text of a source file.
                #[allow(async_fn_in_trait)]
                pub fn read_source(&self, name: &str) -> Result<_rt::String, Error> {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 4 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 4
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let vec0 = name;
                        let ptr0 = vec0.as_ptr().cast::<u8>();
                        let len0 = vec0.len();
                        let ptr1 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "bakeoff:evaluator/types@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]evidence.read-source"]
                            fn wit_import2(_: i32, _: *mut u8, _: usize, _: *mut u8);
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import2(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        ) {
                            unreachable!()
                        }
                        wit_import2((self).handle() as i32, ptr0.cast_mut(), len0, ptr1);
                        let l3 = i32::from(*ptr1.add(0).cast::<u8>());
                        let result15 = match l3 {
                            0 => {
                                let e = {
                                    let l4 = *ptr1
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l5 = *ptr1
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len6 = l5;
                                    let bytes6 = _rt::Vec::from_raw_parts(
                                        l4.cast(),
                                        len6,
                                        len6,
                                    );
                                    _rt::string_lift(bytes6)
                                };
                                Ok(e)
                            }
                            1 => {
                                let e = {
                                    let l7 = i32::from(
                                        *ptr1.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                    );
                                    let v14 = match l7 {
                                        0 => {
                                            let e14 = {
                                                let l8 = *ptr1
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l9 = *ptr1
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len10 = l9;
                                                let bytes10 = _rt::Vec::from_raw_parts(
                                                    l8.cast(),
                                                    len10,
                                                    len10,
                                                );
                                                _rt::string_lift(bytes10)
                                            };
                                            Error::Unavailable(e14)
                                        }
                                        n => {
                                            debug_assert_eq!(n, 1, "invalid enum discriminant");
                                            let e14 = {
                                                let l11 = *ptr1
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l12 = *ptr1
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len13 = l12;
                                                let bytes13 = _rt::Vec::from_raw_parts(
                                                    l11.cast(),
                                                    len13,
                                                    len13,
                                                );
                                                _rt::string_lift(bytes13)
                                            };
                                            Error::Other(e14)
                                        }
                                    };
                                    v14
                                };
                                Err(e)
                            }
                            _ => _rt::invalid_enum_discriminant(),
                        };
                        result15
                    }
                }
            }
            impl Evidence {
                #[allow(unused_unsafe, clippy::all)]
                /// The size of the variant's component, in bytes.
                #[allow(async_fn_in_trait)]
                pub fn component_size(&self) -> u64 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "bakeoff:evaluator/types@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]evidence.component-size"]
                            fn wit_import0(_: i32) -> i64;
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import0(_: i32) -> i64 {
                            unreachable!()
                        }
                        let ret = wit_import0((self).handle() as i32);
                        ret as u64
                    }
                }
            }
            impl Evidence {
                #[allow(unused_unsafe, clippy::all)]
                /// The number of answers; 0 unless a criterion needs answers. Two variants answered the same inputs in
                /// the same order, one of them perhaps more.
                #[allow(async_fn_in_trait)]
                pub fn answer_count(&self) -> u32 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "bakeoff:evaluator/types@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]evidence.answer-count"]
                            fn wit_import0(_: i32) -> i32;
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import0(_: i32) -> i32 {
                            unreachable!()
                        }
                        let ret = wit_import0((self).handle() as i32);
                        ret as u32
                    }
                }
            }
            impl Evidence {
                #[allow(unused_unsafe, clippy::all)]
                /// One answer, by its number from 0.
                #[allow(async_fn_in_trait)]
                pub fn read_answer(&self, number: u32) -> Result<Answer, Error> {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 7 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 7
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "bakeoff:evaluator/types@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]evidence.read-answer"]
                            fn wit_import1(_: i32, _: i32, _: *mut u8);
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import1(_: i32, _: i32, _: *mut u8) {
                            unreachable!()
                        }
                        wit_import1((self).handle() as i32, _rt::as_i32(&number), ptr0);
                        let l2 = i32::from(*ptr0.add(0).cast::<u8>());
                        let result22 = match l2 {
                            0 => {
                                let e = {
                                    let l3 = *ptr0
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<i32>();
                                    let l4 = *ptr0
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l5 = *ptr0
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let base9 = l4;
                                    let len9 = l5;
                                    let mut result9 = _rt::Vec::with_capacity(len9);
                                    for i in 0..len9 {
                                        let base = base9
                                            .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                        let e9 = {
                                            let l6 = *base.add(0).cast::<*mut u8>();
                                            let l7 = *base
                                                .add(::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len8 = l7;
                                            let bytes8 = _rt::Vec::from_raw_parts(
                                                l6.cast(),
                                                len8,
                                                len8,
                                            );
                                            _rt::string_lift(bytes8)
                                        };
                                        result9.push(e9);
                                    }
                                    _rt::cabi_dealloc(
                                        base9,
                                        len9 * (2 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    );
                                    let l10 = i32::from(
                                        *ptr0
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>(),
                                    );
                                    Answer {
                                        case: l3 as u32,
                                        arguments: result9,
                                        answer: match l10 {
                                            0 => None,
                                            1 => {
                                                let e = {
                                                    let l11 = *ptr0
                                                        .add(5 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<*mut u8>();
                                                    let l12 = *ptr0
                                                        .add(6 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<usize>();
                                                    let len13 = l12;
                                                    let bytes13 = _rt::Vec::from_raw_parts(
                                                        l11.cast(),
                                                        len13,
                                                        len13,
                                                    );
                                                    _rt::string_lift(bytes13)
                                                };
                                                Some(e)
                                            }
                                            _ => _rt::invalid_enum_discriminant(),
                                        },
                                    }
                                };
                                Ok(e)
                            }
                            1 => {
                                let e = {
                                    let l14 = i32::from(
                                        *ptr0.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                    );
                                    let v21 = match l14 {
                                        0 => {
                                            let e21 = {
                                                let l15 = *ptr0
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l16 = *ptr0
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len17 = l16;
                                                let bytes17 = _rt::Vec::from_raw_parts(
                                                    l15.cast(),
                                                    len17,
                                                    len17,
                                                );
                                                _rt::string_lift(bytes17)
                                            };
                                            Error::Unavailable(e21)
                                        }
                                        n => {
                                            debug_assert_eq!(n, 1, "invalid enum discriminant");
                                            let e21 = {
                                                let l18 = *ptr0
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l19 = *ptr0
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len20 = l19;
                                                let bytes20 = _rt::Vec::from_raw_parts(
                                                    l18.cast(),
                                                    len20,
                                                    len20,
                                                );
                                                _rt::string_lift(bytes20)
                                            };
                                            Error::Other(e21)
                                        }
                                    };
                                    v21
                                };
                                Err(e)
                            }
                            _ => _rt::invalid_enum_discriminant(),
                        };
                        result22
                    }
                }
            }
            impl Evidence {
                #[allow(unused_unsafe, clippy::all)]
                /// The samples of a case, in the order of the race; empty unless a criterion needs samples.
                #[allow(async_fn_in_trait)]
                pub fn samples(&self, case: u32) -> _rt::Vec<Sample> {
                    unsafe {
                        #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                        #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                        struct RetArea(
                            [::core::mem::MaybeUninit<
                                u8,
                            >; 2 * ::core::mem::size_of::<*const u8>()],
                        );
                        let mut ret_area = RetArea(
                            [::core::mem::MaybeUninit::uninit(); 2
                                * ::core::mem::size_of::<*const u8>()],
                        );
                        let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                        #[cfg(target_arch = "wasm32")]
                        #[link(wasm_import_module = "bakeoff:evaluator/types@0.1.0")]
                        unsafe extern "C" {
                            #[link_name = "[method]evidence.samples"]
                            fn wit_import1(_: i32, _: i32, _: *mut u8);
                        }
                        #[cfg(not(target_arch = "wasm32"))]
                        unsafe extern "C" fn wit_import1(_: i32, _: i32, _: *mut u8) {
                            unreachable!()
                        }
                        wit_import1((self).handle() as i32, _rt::as_i32(&case), ptr0);
                        let l2 = *ptr0.add(0).cast::<*mut u8>();
                        let l3 = *ptr0
                            .add(::core::mem::size_of::<*const u8>())
                            .cast::<usize>();
                        let len4 = l3;
                        let result5 = <_ as From<
                            _rt::Vec<_>,
                        >>::from(_rt::Vec::from_raw_parts(l2.cast(), len4, len4));
                        result5
                    }
                }
            }
        }
    }
}
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod bakeoff {
        pub mod evaluator {
            /// What an evaluator exports.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod evaluate {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Criterion = super::super::super::super::bakeoff::evaluator::types::Criterion;
                pub type Evidence = super::super::super::super::bakeoff::evaluator::types::Evidence;
                pub type Reading = super::super::super::super::bakeoff::evaluator::types::Reading;
                pub type Error = super::super::super::super::bakeoff::evaluator::types::Error;
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_describe_cabi<T_: Guest>() -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result0 = { T_::describe() };
                        let ptr1 = (&raw mut _RET_AREA.0).cast::<u8>();
                        let vec8 = result0;
                        let len8 = vec8.len();
                        let layout8 = _rt::alloc::Layout::from_size_align(
                                vec8.len() * (40 + 6 * ::core::mem::size_of::<*const u8>()),
                                8,
                            )
                            .unwrap();
                        let (result8, _cleanup8) = crate::rt::Cleanup::new(layout8);
                        if let Some(cleanup) = _cleanup8 {
                            cleanup.forget();
                        }
                        for (i, e) in vec8.into_iter().enumerate() {
                            let base = result8
                                .add(i * (40 + 6 * ::core::mem::size_of::<*const u8>()));
                            {
                                let super::super::super::super::bakeoff::evaluator::types::Criterion {
                                    name: name2,
                                    summary: summary2,
                                    unit: unit2,
                                    direction: direction2,
                                    range: range2,
                                    per_answer: per_answer2,
                                    needs: needs2,
                                } = e;
                                let vec3 = (name2.into_bytes()).into_boxed_slice();
                                let ptr3 = vec3.as_ptr().cast::<u8>();
                                let len3 = vec3.len();
                                ::core::mem::forget(vec3);
                                *base
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len3;
                                *base.add(0).cast::<*mut u8>() = ptr3.cast_mut();
                                let vec4 = (summary2.into_bytes()).into_boxed_slice();
                                let ptr4 = vec4.as_ptr().cast::<u8>();
                                let len4 = vec4.len();
                                ::core::mem::forget(vec4);
                                *base
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len4;
                                *base
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr4.cast_mut();
                                let vec5 = (unit2.into_bytes()).into_boxed_slice();
                                let ptr5 = vec5.as_ptr().cast::<u8>();
                                let len5 = vec5.len();
                                ::core::mem::forget(vec5);
                                *base
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len5;
                                *base
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr5.cast_mut();
                                *base
                                    .add(6 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (direction2.clone() as i32) as u8;
                                match range2 {
                                    Some(e) => {
                                        *base
                                            .add(8 + 6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        let super::super::super::super::bakeoff::evaluator::types::Range {
                                            low: low6,
                                            high: high6,
                                        } = e;
                                        *base
                                            .add(16 + 6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<f64>() = _rt::as_f64(low6);
                                        *base
                                            .add(24 + 6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<f64>() = _rt::as_f64(high6);
                                    }
                                    None => {
                                        *base
                                            .add(8 + 6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                *base
                                    .add(32 + 6 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (match per_answer2 {
                                    true => 1,
                                    false => 0,
                                }) as u8;
                                let flags7 = needs2;
                                *base
                                    .add(33 + 6 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = ((flags7.bits() >> 0) as i32) as u8;
                            }
                        }
                        *ptr1.add(::core::mem::size_of::<*const u8>()).cast::<usize>() = len8;
                        *ptr1.add(0).cast::<*mut u8>() = result8;
                        ptr1
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_describe<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = *arg0.add(0).cast::<*mut u8>();
                        let l1 = *arg0
                            .add(::core::mem::size_of::<*const u8>())
                            .cast::<usize>();
                        let base8 = l0;
                        let len8 = l1;
                        for i in 0..len8 {
                            let base = base8
                                .add(i * (40 + 6 * ::core::mem::size_of::<*const u8>()));
                            {
                                let l2 = *base.add(0).cast::<*mut u8>();
                                let l3 = *base
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l2, l3, 1);
                                let l4 = *base
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l5 = *base
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l4, l5, 1);
                                let l6 = *base
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l7 = *base
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l6, l7, 1);
                            }
                        }
                        _rt::cabi_dealloc(
                            base8,
                            len8 * (40 + 6 * ::core::mem::size_of::<*const u8>()),
                            8,
                        );
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_evaluate_cabi<T_: Guest>(arg0: i32) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result1 = {
                            let handle0;
                            T_::evaluate({
                                handle0 = super::super::super::super::bakeoff::evaluator::types::Evidence::from_handle(
                                    arg0 as u32,
                                );
                                &handle0
                            })
                        };
                        let ptr2 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result1 {
                            Ok(e) => {
                                *ptr2.add(0).cast::<u8>() = (0i32) as u8;
                                let vec7 = e;
                                let len7 = vec7.len();
                                let layout7 = _rt::alloc::Layout::from_size_align(
                                        vec7.len() * (48 + 4 * ::core::mem::size_of::<*const u8>()),
                                        8,
                                    )
                                    .unwrap();
                                let (result7, _cleanup7) = crate::rt::Cleanup::new(layout7);
                                if let Some(cleanup) = _cleanup7 {
                                    cleanup.forget();
                                }
                                for (i, e) in vec7.into_iter().enumerate() {
                                    let base = result7
                                        .add(i * (48 + 4 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let super::super::super::super::bakeoff::evaluator::types::Reading {
                                            criterion: criterion3,
                                            value: value3,
                                            interval: interval3,
                                            answer: answer3,
                                            note: note3,
                                        } = e;
                                        let vec4 = (criterion3.into_bytes()).into_boxed_slice();
                                        let ptr4 = vec4.as_ptr().cast::<u8>();
                                        let len4 = vec4.len();
                                        ::core::mem::forget(vec4);
                                        *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len4;
                                        *base.add(0).cast::<*mut u8>() = ptr4.cast_mut();
                                        *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<f64>() = _rt::as_f64(value3);
                                        match interval3 {
                                            Some(e) => {
                                                *base
                                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                let super::super::super::super::bakeoff::evaluator::types::Range {
                                                    low: low5,
                                                    high: high5,
                                                } = e;
                                                *base
                                                    .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<f64>() = _rt::as_f64(low5);
                                                *base
                                                    .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<f64>() = _rt::as_f64(high5);
                                            }
                                            None => {
                                                *base
                                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match answer3 {
                                            Some(e) => {
                                                *base
                                                    .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *base
                                                    .add(36 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i32>() = _rt::as_i32(e);
                                            }
                                            None => {
                                                *base
                                                    .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match note3 {
                                            Some(e) => {
                                                *base
                                                    .add(40 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                let vec6 = (e.into_bytes()).into_boxed_slice();
                                                let ptr6 = vec6.as_ptr().cast::<u8>();
                                                let len6 = vec6.len();
                                                ::core::mem::forget(vec6);
                                                *base
                                                    .add(40 + 4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len6;
                                                *base
                                                    .add(40 + 3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr6.cast_mut();
                                            }
                                            None => {
                                                *base
                                                    .add(40 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                    }
                                }
                                *ptr2
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len7;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = result7;
                            }
                            Err(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                use super::super::super::super::bakeoff::evaluator::types::Error as V10;
                                match e {
                                    V10::Unavailable(e) => {
                                        *ptr2
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                        let vec8 = (e.into_bytes()).into_boxed_slice();
                                        let ptr8 = vec8.as_ptr().cast::<u8>();
                                        let len8 = vec8.len();
                                        ::core::mem::forget(vec8);
                                        *ptr2
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len8;
                                        *ptr2
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr8.cast_mut();
                                    }
                                    V10::Other(e) => {
                                        *ptr2
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        let vec9 = (e.into_bytes()).into_boxed_slice();
                                        let ptr9 = vec9.as_ptr().cast::<u8>();
                                        let len9 = vec9.len();
                                        ::core::mem::forget(vec9);
                                        *ptr2
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len9;
                                        *ptr2
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr9.cast_mut();
                                    }
                                }
                            }
                        };
                        ptr2
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_evaluate<T_: Guest>(arg0: *mut u8) {
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
                                let base8 = l1;
                                let len8 = l2;
                                for i in 0..len8 {
                                    let base = base8
                                        .add(i * (48 + 4 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let l3 = *base.add(0).cast::<*mut u8>();
                                        let l4 = *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l3, l4, 1);
                                        let l5 = i32::from(
                                            *base
                                                .add(40 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<u8>(),
                                        );
                                        match l5 {
                                            0 => {}
                                            _ => {
                                                let l6 = *base
                                                    .add(40 + 3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l7 = *base
                                                    .add(40 + 4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l6, l7, 1);
                                            }
                                        }
                                    }
                                }
                                _rt::cabi_dealloc(
                                    base8,
                                    len8 * (48 + 4 * ::core::mem::size_of::<*const u8>()),
                                    8,
                                );
                            }
                            _ => {
                                let l9 = i32::from(
                                    *arg0.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                match l9 {
                                    0 => {
                                        let l10 = *arg0
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l11 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l10, l11, 1);
                                    }
                                    _ => {
                                        let l12 = *arg0
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l13 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l12, l13, 1);
                                    }
                                }
                            }
                        }
                    }
                }
                pub trait Guest {
                    /// Returns the criteria that it gives readings of, always the same ones. Called before anything is
                    /// measured.
                    #[allow(async_fn_in_trait)]
                    fn describe() -> _rt::Vec<Criterion>;
                    /// Returns the readings of one variant. Called once for each, on a fresh instance.
                    #[allow(async_fn_in_trait)]
                    fn evaluate(evidence: &Evidence) -> Result<_rt::Vec<Reading>, Error>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_bakeoff_evaluator_evaluate_0_1_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "bakeoff:evaluator/evaluate@0.1.0#describe")] unsafe extern "C"
                        fn export_describe() -> * mut u8 { unsafe { $($path_to_types)*::
                        _export_describe_cabi::<$ty > () } } #[unsafe (export_name =
                        "cabi_post_bakeoff:evaluator/evaluate@0.1.0#describe")] unsafe
                        extern "C" fn _post_return_describe(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_describe::<$ty > (arg0) } }
                        #[unsafe (export_name =
                        "bakeoff:evaluator/evaluate@0.1.0#evaluate")] unsafe extern "C"
                        fn export_evaluate(arg0 : i32,) -> * mut u8 { unsafe {
                        $($path_to_types)*:: _export_evaluate_cabi::<$ty > (arg0) } }
                        #[unsafe (export_name =
                        "cabi_post_bakeoff:evaluator/evaluate@0.1.0#evaluate")] unsafe
                        extern "C" fn _post_return_evaluate(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_evaluate::<$ty > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_bakeoff_evaluator_evaluate_0_1_0_cabi;
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
    use core::fmt;
    use core::marker;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// A type which represents a component model resource, either imported or
    /// exported into this component.
    ///
    /// This is a low-level wrapper which handles the lifetime of the resource
    /// (namely this has a destructor). The `T` provided defines the component model
    /// intrinsics that this wrapper uses.
    ///
    /// One of the chief purposes of this type is to provide `Deref` implementations
    /// to access the underlying data when it is owned.
    ///
    /// This type is primarily used in generated code for exported and imported
    /// resources.
    #[repr(transparent)]
    pub struct Resource<T: WasmResource> {
        handle: AtomicU32,
        _marker: marker::PhantomData<T>,
    }
    /// A trait which all wasm resources implement, namely providing the ability to
    /// drop a resource.
    ///
    /// This generally is implemented by generated code, not user-facing code.
    #[allow(clippy::missing_safety_doc)]
    pub unsafe trait WasmResource {
        /// Invokes the `[resource-drop]...` intrinsic.
        unsafe fn drop(handle: u32);
    }
    impl<T: WasmResource> Resource<T> {
        #[doc(hidden)]
        pub unsafe fn from_handle(handle: u32) -> Self {
            debug_assert!(handle != 0 && handle != u32::MAX);
            Self {
                handle: AtomicU32::new(handle),
                _marker: marker::PhantomData,
            }
        }
        /// Takes ownership of the handle owned by `resource`.
        ///
        /// Note that this ideally would be `into_handle` taking `Resource<T>` by
        /// ownership. The code generator does not enable that in all situations,
        /// unfortunately, so this is provided instead.
        ///
        /// Also note that `take_handle` is in theory only ever called on values
        /// owned by a generated function. For example a generated function might
        /// take `Resource<T>` as an argument but then call `take_handle` on a
        /// reference to that argument. In that sense the dynamic nature of
        /// `take_handle` should only be exposed internally to generated code, not
        /// to user code.
        #[doc(hidden)]
        pub fn take_handle(resource: &Resource<T>) -> u32 {
            resource.handle.swap(u32::MAX, Relaxed)
        }
        #[doc(hidden)]
        pub fn handle(resource: &Resource<T>) -> u32 {
            resource.handle.load(Relaxed)
        }
    }
    impl<T: WasmResource> fmt::Debug for Resource<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Resource").field("handle", &self.handle).finish()
        }
    }
    impl<T: WasmResource> Drop for Resource<T> {
        fn drop(&mut self) {
            unsafe {
                match self.handle.load(Relaxed) {
                    u32::MAX => {}
                    other => T::drop(other),
                }
            }
        }
    }
    pub unsafe fn string_lift(bytes: Vec<u8>) -> String {
        if cfg!(debug_assertions) {
            String::from_utf8(bytes).unwrap()
        } else {
            unsafe { String::from_utf8_unchecked(bytes) }
        }
    }
    pub unsafe fn cabi_dealloc(ptr: *mut u8, size: usize, align: usize) {
        if size == 0 {
            return;
        }
        unsafe {
            let layout = alloc::Layout::from_size_align_unchecked(size, align);
            alloc::dealloc(ptr, layout);
        }
    }
    pub unsafe fn invalid_enum_discriminant<T>() -> T {
        if cfg!(debug_assertions) {
            panic!("invalid enum discriminant")
        } else {
            unsafe { core::hint::unreachable_unchecked() }
        }
    }
    pub fn as_i32<T: AsI32>(t: T) -> i32 {
        t.as_i32()
    }
    pub trait AsI32 {
        fn as_i32(self) -> i32;
    }
    impl<'a, T: Copy + AsI32> AsI32 for &'a T {
        fn as_i32(self) -> i32 {
            (*self).as_i32()
        }
    }
    impl AsI32 for i32 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for u32 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for i16 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for u16 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for i8 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for u8 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for char {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for usize {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    #[cfg(target_arch = "wasm32")]
    pub fn run_ctors_once() {
        crate::rt::run_ctors_once();
    }
    pub fn as_f64<T: AsF64>(t: T) -> f64 {
        t.as_f64()
    }
    pub trait AsF64 {
        fn as_f64(self) -> f64;
    }
    impl<'a, T: Copy + AsF64> AsF64 for &'a T {
        fn as_f64(self) -> f64 {
            (*self).as_f64()
        }
    }
    impl AsF64 for f64 {
        #[inline]
        fn as_f64(self) -> f64 {
            self as f64
        }
    }
    pub use alloc_crate::alloc;
    extern crate alloc as alloc_crate;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export_evaluator_world{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_evaluator_world!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_evaluator_impl {
    ($ty:ident) => {
        self::export_evaluator_world!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::bakeoff::evaluator::evaluate::__export_bakeoff_evaluator_evaluate_0_1_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::bakeoff::evaluator::evaluate);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.60.0:bakeoff:evaluator@0.1.0:evaluator:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1193] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xa9\x08\x01A\x02\x01\
A\x08\x01B(\x01m\x02\x0flower-is-better\x10higher-is-better\x04\0\x09direction\x03\
\0\0\x01r\x02\x03lowu\x04highu\x04\0\x05range\x03\0\x02\x01n\x03\x06source\x07an\
swers\x07samples\x04\0\x05needs\x03\0\x04\x01k\x03\x01r\x07\x04names\x07summarys\
\x04units\x09direction\x01\x05range\x06\x0aper-answer\x7f\x05needs\x05\x04\0\x09\
criterion\x03\0\x07\x01ky\x01ks\x01r\x05\x09criterions\x05valueu\x08interval\x06\
\x06answer\x09\x04note\x0a\x04\0\x07reading\x03\0\x0b\x01ps\x01r\x03\x04casey\x09\
arguments\x0d\x06answer\x0a\x04\0\x06answer\x03\0\x0e\x01r\x03\x08durationw\x05c\
allsy\x07replicay\x04\0\x06sample\x03\0\x10\x01q\x02\x0bunavailable\x01s\0\x05ot\
her\x01s\0\x04\0\x05error\x03\0\x12\x04\0\x08evidence\x03\x01\x01h\x14\x01@\x01\x04\
self\x15\0s\x04\0\x1d[method]evidence.variant-name\x01\x16\x01@\x01\x04self\x15\0\
\x0d\x04\0\x16[method]evidence.cases\x01\x17\x04\0\x18[method]evidence.sources\x01\
\x17\x01j\x01s\x01\x13\x01@\x02\x04self\x15\x04names\0\x18\x04\0\x1c[method]evid\
ence.read-source\x01\x19\x01@\x01\x04self\x15\0w\x04\0\x1f[method]evidence.compo\
nent-size\x01\x1a\x01@\x01\x04self\x15\0y\x04\0\x1d[method]evidence.answer-count\
\x01\x1b\x01j\x01\x0f\x01\x13\x01@\x02\x04self\x15\x06numbery\0\x1c\x04\0\x1c[me\
thod]evidence.read-answer\x01\x1d\x01p\x11\x01@\x02\x04self\x15\x04casey\0\x1e\x04\
\0\x18[method]evidence.samples\x01\x1f\x03\0\x1dbakeoff:evaluator/types@0.1.0\x05\
\0\x02\x03\0\0\x09criterion\x02\x03\0\0\x08evidence\x02\x03\0\0\x07reading\x02\x03\
\0\0\x05error\x01B\x10\x02\x03\x02\x01\x01\x04\0\x09criterion\x03\0\0\x02\x03\x02\
\x01\x02\x04\0\x08evidence\x03\0\x02\x02\x03\x02\x01\x03\x04\0\x07reading\x03\0\x04\
\x02\x03\x02\x01\x04\x04\0\x05error\x03\0\x06\x01p\x01\x01@\0\0\x08\x04\0\x08des\
cribe\x01\x09\x01h\x03\x01p\x05\x01j\x01\x0b\x01\x07\x01@\x01\x08evidence\x0a\0\x0c\
\x04\0\x08evaluate\x01\x0d\x04\0\x20bakeoff:evaluator/evaluate@0.1.0\x05\x05\x04\
\0!bakeoff:evaluator/evaluator@0.1.0\x04\0\x0b\x0f\x01\0\x09evaluator\x03\0\0\0G\
\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.254.2\x10wit-bindgen\
-rust\x060.60.0";
        };
    };
}
#[doc(inline)]
pub use __export_evaluator_impl as export_evaluator_world;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.60.0:bakeoff:evaluator@0.1.0:evaluator-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1034] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xea\x06\x01A\x02\x01\
A\x02\x01B(\x01m\x02\x0flower-is-better\x10higher-is-better\x04\0\x09direction\x03\
\0\0\x01r\x02\x03lowu\x04highu\x04\0\x05range\x03\0\x02\x01n\x03\x06source\x07an\
swers\x07samples\x04\0\x05needs\x03\0\x04\x01k\x03\x01r\x07\x04names\x07summarys\
\x04units\x09direction\x01\x05range\x06\x0aper-answer\x7f\x05needs\x05\x04\0\x09\
criterion\x03\0\x07\x01ky\x01ks\x01r\x05\x09criterions\x05valueu\x08interval\x06\
\x06answer\x09\x04note\x0a\x04\0\x07reading\x03\0\x0b\x01ps\x01r\x03\x04casey\x09\
arguments\x0d\x06answer\x0a\x04\0\x06answer\x03\0\x0e\x01r\x03\x08durationw\x05c\
allsy\x07replicay\x04\0\x06sample\x03\0\x10\x01q\x02\x0bunavailable\x01s\0\x05ot\
her\x01s\0\x04\0\x05error\x03\0\x12\x04\0\x08evidence\x03\x01\x01h\x14\x01@\x01\x04\
self\x15\0s\x04\0\x1d[method]evidence.variant-name\x01\x16\x01@\x01\x04self\x15\0\
\x0d\x04\0\x16[method]evidence.cases\x01\x17\x04\0\x18[method]evidence.sources\x01\
\x17\x01j\x01s\x01\x13\x01@\x02\x04self\x15\x04names\0\x18\x04\0\x1c[method]evid\
ence.read-source\x01\x19\x01@\x01\x04self\x15\0w\x04\0\x1f[method]evidence.compo\
nent-size\x01\x1a\x01@\x01\x04self\x15\0y\x04\0\x1d[method]evidence.answer-count\
\x01\x1b\x01j\x01\x0f\x01\x13\x01@\x02\x04self\x15\x06numbery\0\x1c\x04\0\x1c[me\
thod]evidence.read-answer\x01\x1d\x01p\x11\x01@\x02\x04self\x15\x04casey\0\x1e\x04\
\0\x18[method]evidence.samples\x01\x1f\x03\0\x1dbakeoff:evaluator/types@0.1.0\x05\
\0\x04\0Abakeoff:evaluator/evaluator-with-all-of-its-exports-removed@0.1.0\x04\0\
\x0b/\x01\0)evaluator-with-all-of-its-exports-removed\x03\0\0\0G\x09producers\x01\
\x0cprocessed-by\x02\x0dwit-component\x070.254.2\x10wit-bindgen-rust\x060.60.0";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    crate::rt::maybe_link_cabi_realloc();
}
