// Made from wit/proposer, not by hand.
#[allow(dead_code, clippy::all)]
pub mod bakeoff {
    pub mod completions {
        /// A model that the user of the host chose, within the bounds that the user set.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod completions {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            /// Why there is no completion. The host goes on, and so may the component.
            #[derive(Clone)]
            pub enum Error {
                /// The user named no model; the text says how to.
                NoModel(_rt::String),
                /// The call was not made, since it could pass the user's budget.
                BudgetExhausted(_rt::String),
                /// The model cannot be reached.
                Unavailable(_rt::String),
                /// The model declined to answer.
                Refused(_rt::String),
                /// There was a reply, and it cannot be used: cut off, too late, too long, malformed.
                Unusable(_rt::String),
                /// More completions were asked for than one call of `propose` may have.
                TooMany(_rt::String),
                /// The prompt is longer than it may be.
                TooLarge(_rt::String),
                /// Anything else.
                Other(_rt::String),
            }
            impl ::core::fmt::Debug for Error {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Error::NoModel(e) => {
                            f.debug_tuple("Error::NoModel").field(e).finish()
                        }
                        Error::BudgetExhausted(e) => {
                            f.debug_tuple("Error::BudgetExhausted").field(e).finish()
                        }
                        Error::Unavailable(e) => {
                            f.debug_tuple("Error::Unavailable").field(e).finish()
                        }
                        Error::Refused(e) => {
                            f.debug_tuple("Error::Refused").field(e).finish()
                        }
                        Error::Unusable(e) => {
                            f.debug_tuple("Error::Unusable").field(e).finish()
                        }
                        Error::TooMany(e) => {
                            f.debug_tuple("Error::TooMany").field(e).finish()
                        }
                        Error::TooLarge(e) => {
                            f.debug_tuple("Error::TooLarge").field(e).finish()
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
            #[allow(unused_unsafe, clippy::all)]
            /// Returns the reply of a model to a prompt, with at most so many tokens (and at most those that the host
            /// allows). Each is paid for by the host's user, once: asked again after an interruption, it is known.
            #[allow(async_fn_in_trait)]
            pub fn complete(
                prompt: &str,
                tokens_max: u32,
            ) -> Result<_rt::String, Error> {
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
                    let vec0 = prompt;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let ptr1 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "bakeoff:completions/completions@0.1.0")]
                    unsafe extern "C" {
                        #[link_name = "complete"]
                        fn wit_import2(_: *mut u8, _: usize, _: i32, _: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import2(
                        _: *mut u8,
                        _: usize,
                        _: i32,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import2(ptr0.cast_mut(), len0, _rt::as_i32(&tokens_max), ptr1);
                    let l3 = i32::from(*ptr1.add(0).cast::<u8>());
                    let result33 = match l3 {
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
                                let v32 = match l7 {
                                    0 => {
                                        let e32 = {
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
                                        Error::NoModel(e32)
                                    }
                                    1 => {
                                        let e32 = {
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
                                        Error::BudgetExhausted(e32)
                                    }
                                    2 => {
                                        let e32 = {
                                            let l14 = *ptr1
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l15 = *ptr1
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len16 = l15;
                                            let bytes16 = _rt::Vec::from_raw_parts(
                                                l14.cast(),
                                                len16,
                                                len16,
                                            );
                                            _rt::string_lift(bytes16)
                                        };
                                        Error::Unavailable(e32)
                                    }
                                    3 => {
                                        let e32 = {
                                            let l17 = *ptr1
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l18 = *ptr1
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len19 = l18;
                                            let bytes19 = _rt::Vec::from_raw_parts(
                                                l17.cast(),
                                                len19,
                                                len19,
                                            );
                                            _rt::string_lift(bytes19)
                                        };
                                        Error::Refused(e32)
                                    }
                                    4 => {
                                        let e32 = {
                                            let l20 = *ptr1
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l21 = *ptr1
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len22 = l21;
                                            let bytes22 = _rt::Vec::from_raw_parts(
                                                l20.cast(),
                                                len22,
                                                len22,
                                            );
                                            _rt::string_lift(bytes22)
                                        };
                                        Error::Unusable(e32)
                                    }
                                    5 => {
                                        let e32 = {
                                            let l23 = *ptr1
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l24 = *ptr1
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len25 = l24;
                                            let bytes25 = _rt::Vec::from_raw_parts(
                                                l23.cast(),
                                                len25,
                                                len25,
                                            );
                                            _rt::string_lift(bytes25)
                                        };
                                        Error::TooMany(e32)
                                    }
                                    6 => {
                                        let e32 = {
                                            let l26 = *ptr1
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l27 = *ptr1
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len28 = l27;
                                            let bytes28 = _rt::Vec::from_raw_parts(
                                                l26.cast(),
                                                len28,
                                                len28,
                                            );
                                            _rt::string_lift(bytes28)
                                        };
                                        Error::TooLarge(e32)
                                    }
                                    n => {
                                        debug_assert_eq!(n, 7, "invalid enum discriminant");
                                        let e32 = {
                                            let l29 = *ptr1
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l30 = *ptr1
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len31 = l30;
                                            let bytes31 = _rt::Vec::from_raw_parts(
                                                l29.cast(),
                                                len31,
                                                len31,
                                            );
                                            _rt::string_lift(bytes31)
                                        };
                                        Error::Other(e32)
                                    }
                                };
                                v32
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result33
                }
            }
        }
    }
    pub mod proposer {
        /// What a proposer is told, and what it answers.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod types {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            /// A file by its name.
            #[derive(Clone)]
            pub struct SourceFile {
                /// Its name.
                pub name: _rt::String,
                /// Its text.
                pub text: _rt::String,
            }
            impl ::core::fmt::Debug for SourceFile {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("SourceFile")
                        .field("name", &self.name)
                        .field("text", &self.text)
                        .finish()
                }
            }
            /// A parameter of an approach, with the values that are tried.
            #[derive(Clone)]
            pub struct Parameter {
                /// Its name, by which a prototype asks for its value.
                pub name: _rt::String,
                /// The values, as a prototype gets them.
                pub values: _rt::Vec<_rt::String>,
            }
            impl ::core::fmt::Debug for Parameter {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Parameter")
                        .field("name", &self.name)
                        .field("values", &self.values)
                        .finish()
                }
            }
            /// The problem.
            #[derive(Clone)]
            pub struct Problem {
                /// The question, in the user's words.
                pub statement: _rt::String,
                /// The function that is called, as the experiment file names it.
                pub call: _rt::String,
                /// The same in Rust.
                pub signature: _rt::String,
                /// The interface.
                pub wit: _rt::Vec<SourceFile>,
                /// What makes the inputs and judges answers; none for a component, or where calls are listed.
                pub workload: Option<SourceFile>,
                /// The cases that are measured: their sizes, names or calls.
                pub cases: _rt::Vec<_rt::String>,
            }
            impl ::core::fmt::Debug for Problem {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Problem")
                        .field("statement", &self.statement)
                        .field("call", &self.call)
                        .field("signature", &self.signature)
                        .field("wit", &self.wit)
                        .field("workload", &self.workload)
                        .field("cases", &self.cases)
                        .finish()
                }
            }
            /// An approach that there is.
            #[derive(Clone)]
            pub struct Approach {
                /// Its name.
                pub name: _rt::String,
                /// What it does; may be empty.
                pub description: _rt::String,
                /// Its files; none for a component that was brought.
                pub files: _rt::Vec<SourceFile>,
                /// Its parameters.
                pub parameters: _rt::Vec<Parameter>,
            }
            impl ::core::fmt::Debug for Approach {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Approach")
                        .field("name", &self.name)
                        .field("description", &self.description)
                        .field("files", &self.files)
                        .field("parameters", &self.parameters)
                        .finish()
                }
            }
            /// A number about a variant.
            #[derive(Clone)]
            pub struct Reading {
                /// What it is from: `time`, `peak-memory`, `assess:NAME`, ...
                pub source: _rt::String,
                /// The number.
                pub value: f64,
                /// Its unit.
                pub unit: _rt::String,
            }
            impl ::core::fmt::Debug for Reading {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Reading")
                        .field("source", &self.source)
                        .field("value", &self.value)
                        .field("unit", &self.unit)
                        .finish()
                }
            }
            /// What a run said of a variant.
            #[derive(Clone)]
            pub struct Outcome {
                /// The name of its approach.
                pub approach: _rt::String,
                /// The values of its parameters, by name.
                pub parameters: _rt::Vec<(_rt::String, _rt::String)>,
                /// Why it has no result, if it has none.
                pub failure: Option<_rt::String>,
                /// Its rank; 1 is best, and tied variants share one.
                pub rank: Option<u32>,
                /// The weighted mean of its scores, from 0 to 1.
                pub total: Option<f64>,
                /// Its readings.
                pub readings: _rt::Vec<Reading>,
            }
            impl ::core::fmt::Debug for Outcome {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Outcome")
                        .field("approach", &self.approach)
                        .field("parameters", &self.parameters)
                        .field("failure", &self.failure)
                        .field("rank", &self.rank)
                        .field("total", &self.total)
                        .field("readings", &self.readings)
                        .finish()
                }
            }
            /// An approach that is proposed.
            #[derive(Clone)]
            pub struct Proposal {
                /// Its name; the host makes one of it that is free.
                pub name: _rt::String,
                /// What it does, in a sentence.
                pub description: _rt::String,
                /// Its parameters. Each combination of values becomes a variant.
                pub parameters: _rt::Vec<Parameter>,
                /// Its files. This version of the host takes one Rust file.
                pub files: _rt::Vec<SourceFile>,
            }
            impl ::core::fmt::Debug for Proposal {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Proposal")
                        .field("name", &self.name)
                        .field("description", &self.description)
                        .field("parameters", &self.parameters)
                        .field("files", &self.files)
                        .finish()
                }
            }
            /// Why there are no proposals.
            #[derive(Clone)]
            pub enum Error {
                /// Nothing can be proposed for such a problem, or nothing more.
                NothingToPropose(_rt::String),
                /// Anything else.
                Other(_rt::String),
            }
            impl ::core::fmt::Debug for Error {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Error::NothingToPropose(e) => {
                            f.debug_tuple("Error::NothingToPropose").field(e).finish()
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
        pub mod proposer {
            /// What a proposer exports.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod propose {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Problem = super::super::super::super::bakeoff::proposer::types::Problem;
                pub type Approach = super::super::super::super::bakeoff::proposer::types::Approach;
                pub type Outcome = super::super::super::super::bakeoff::proposer::types::Outcome;
                pub type Proposal = super::super::super::super::bakeoff::proposer::types::Proposal;
                pub type Error = super::super::super::super::bakeoff::proposer::types::Error;
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_propose_cabi<T_: Guest>(arg0: *mut u8) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result95 = {
                            let l0 = *arg0.add(0).cast::<*mut u8>();
                            let l1 = *arg0
                                .add(::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len2 = l1;
                            let bytes2 = _rt::Vec::from_raw_parts(l0.cast(), len2, len2);
                            let l3 = *arg0
                                .add(2 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l4 = *arg0
                                .add(3 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len5 = l4;
                            let bytes5 = _rt::Vec::from_raw_parts(l3.cast(), len5, len5);
                            let l6 = *arg0
                                .add(4 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l7 = *arg0
                                .add(5 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len8 = l7;
                            let bytes8 = _rt::Vec::from_raw_parts(l6.cast(), len8, len8);
                            let l9 = *arg0
                                .add(6 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l10 = *arg0
                                .add(7 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base17 = l9;
                            let len17 = l10;
                            let mut result17 = _rt::Vec::with_capacity(len17);
                            for i in 0..len17 {
                                let base = base17
                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                let e17 = {
                                    let l11 = *base.add(0).cast::<*mut u8>();
                                    let l12 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len13 = l12;
                                    let bytes13 = _rt::Vec::from_raw_parts(
                                        l11.cast(),
                                        len13,
                                        len13,
                                    );
                                    let l14 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l15 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len16 = l15;
                                    let bytes16 = _rt::Vec::from_raw_parts(
                                        l14.cast(),
                                        len16,
                                        len16,
                                    );
                                    super::super::super::super::bakeoff::proposer::types::SourceFile {
                                        name: _rt::string_lift(bytes13),
                                        text: _rt::string_lift(bytes16),
                                    }
                                };
                                result17.push(e17);
                            }
                            _rt::cabi_dealloc(
                                base17,
                                len17 * (4 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            let l18 = i32::from(
                                *arg0
                                    .add(8 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>(),
                            );
                            let l25 = *arg0
                                .add(13 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l26 = *arg0
                                .add(14 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base30 = l25;
                            let len30 = l26;
                            let mut result30 = _rt::Vec::with_capacity(len30);
                            for i in 0..len30 {
                                let base = base30
                                    .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                let e30 = {
                                    let l27 = *base.add(0).cast::<*mut u8>();
                                    let l28 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len29 = l28;
                                    let bytes29 = _rt::Vec::from_raw_parts(
                                        l27.cast(),
                                        len29,
                                        len29,
                                    );
                                    _rt::string_lift(bytes29)
                                };
                                result30.push(e30);
                            }
                            _rt::cabi_dealloc(
                                base30,
                                len30 * (2 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            let l31 = *arg0
                                .add(15 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l32 = *arg0
                                .add(16 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base60 = l31;
                            let len60 = l32;
                            let mut result60 = _rt::Vec::with_capacity(len60);
                            for i in 0..len60 {
                                let base = base60
                                    .add(i * (8 * ::core::mem::size_of::<*const u8>()));
                                let e60 = {
                                    let l33 = *base.add(0).cast::<*mut u8>();
                                    let l34 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len35 = l34;
                                    let bytes35 = _rt::Vec::from_raw_parts(
                                        l33.cast(),
                                        len35,
                                        len35,
                                    );
                                    let l36 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l37 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len38 = l37;
                                    let bytes38 = _rt::Vec::from_raw_parts(
                                        l36.cast(),
                                        len38,
                                        len38,
                                    );
                                    let l39 = *base
                                        .add(4 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l40 = *base
                                        .add(5 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let base47 = l39;
                                    let len47 = l40;
                                    let mut result47 = _rt::Vec::with_capacity(len47);
                                    for i in 0..len47 {
                                        let base = base47
                                            .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                        let e47 = {
                                            let l41 = *base.add(0).cast::<*mut u8>();
                                            let l42 = *base
                                                .add(::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len43 = l42;
                                            let bytes43 = _rt::Vec::from_raw_parts(
                                                l41.cast(),
                                                len43,
                                                len43,
                                            );
                                            let l44 = *base
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l45 = *base
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len46 = l45;
                                            let bytes46 = _rt::Vec::from_raw_parts(
                                                l44.cast(),
                                                len46,
                                                len46,
                                            );
                                            super::super::super::super::bakeoff::proposer::types::SourceFile {
                                                name: _rt::string_lift(bytes43),
                                                text: _rt::string_lift(bytes46),
                                            }
                                        };
                                        result47.push(e47);
                                    }
                                    _rt::cabi_dealloc(
                                        base47,
                                        len47 * (4 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    );
                                    let l48 = *base
                                        .add(6 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l49 = *base
                                        .add(7 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let base59 = l48;
                                    let len59 = l49;
                                    let mut result59 = _rt::Vec::with_capacity(len59);
                                    for i in 0..len59 {
                                        let base = base59
                                            .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                        let e59 = {
                                            let l50 = *base.add(0).cast::<*mut u8>();
                                            let l51 = *base
                                                .add(::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len52 = l51;
                                            let bytes52 = _rt::Vec::from_raw_parts(
                                                l50.cast(),
                                                len52,
                                                len52,
                                            );
                                            let l53 = *base
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l54 = *base
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let base58 = l53;
                                            let len58 = l54;
                                            let mut result58 = _rt::Vec::with_capacity(len58);
                                            for i in 0..len58 {
                                                let base = base58
                                                    .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                                let e58 = {
                                                    let l55 = *base.add(0).cast::<*mut u8>();
                                                    let l56 = *base
                                                        .add(::core::mem::size_of::<*const u8>())
                                                        .cast::<usize>();
                                                    let len57 = l56;
                                                    let bytes57 = _rt::Vec::from_raw_parts(
                                                        l55.cast(),
                                                        len57,
                                                        len57,
                                                    );
                                                    _rt::string_lift(bytes57)
                                                };
                                                result58.push(e58);
                                            }
                                            _rt::cabi_dealloc(
                                                base58,
                                                len58 * (2 * ::core::mem::size_of::<*const u8>()),
                                                ::core::mem::size_of::<*const u8>(),
                                            );
                                            super::super::super::super::bakeoff::proposer::types::Parameter {
                                                name: _rt::string_lift(bytes52),
                                                values: result58,
                                            }
                                        };
                                        result59.push(e59);
                                    }
                                    _rt::cabi_dealloc(
                                        base59,
                                        len59 * (4 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    );
                                    super::super::super::super::bakeoff::proposer::types::Approach {
                                        name: _rt::string_lift(bytes35),
                                        description: _rt::string_lift(bytes38),
                                        files: result47,
                                        parameters: result59,
                                    }
                                };
                                result60.push(e60);
                            }
                            _rt::cabi_dealloc(
                                base60,
                                len60 * (8 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            let l61 = *arg0
                                .add(17 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l62 = *arg0
                                .add(18 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base93 = l61;
                            let len93 = l62;
                            let mut result93 = _rt::Vec::with_capacity(len93);
                            for i in 0..len93 {
                                let base = base93
                                    .add(i * (32 + 8 * ::core::mem::size_of::<*const u8>()));
                                let e93 = {
                                    let l63 = *base.add(0).cast::<*mut u8>();
                                    let l64 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len65 = l64;
                                    let bytes65 = _rt::Vec::from_raw_parts(
                                        l63.cast(),
                                        len65,
                                        len65,
                                    );
                                    let l66 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l67 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let base74 = l66;
                                    let len74 = l67;
                                    let mut result74 = _rt::Vec::with_capacity(len74);
                                    for i in 0..len74 {
                                        let base = base74
                                            .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                        let e74 = {
                                            let l68 = *base.add(0).cast::<*mut u8>();
                                            let l69 = *base
                                                .add(::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len70 = l69;
                                            let bytes70 = _rt::Vec::from_raw_parts(
                                                l68.cast(),
                                                len70,
                                                len70,
                                            );
                                            let l71 = *base
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l72 = *base
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len73 = l72;
                                            let bytes73 = _rt::Vec::from_raw_parts(
                                                l71.cast(),
                                                len73,
                                                len73,
                                            );
                                            (_rt::string_lift(bytes70), _rt::string_lift(bytes73))
                                        };
                                        result74.push(e74);
                                    }
                                    _rt::cabi_dealloc(
                                        base74,
                                        len74 * (4 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    );
                                    let l75 = i32::from(
                                        *base
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>(),
                                    );
                                    let l79 = i32::from(
                                        *base
                                            .add(7 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>(),
                                    );
                                    let l81 = i32::from(
                                        *base
                                            .add(16 + 6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>(),
                                    );
                                    let l83 = *base
                                        .add(32 + 6 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l84 = *base
                                        .add(32 + 7 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let base92 = l83;
                                    let len92 = l84;
                                    let mut result92 = _rt::Vec::with_capacity(len92);
                                    for i in 0..len92 {
                                        let base = base92
                                            .add(i * (8 + 4 * ::core::mem::size_of::<*const u8>()));
                                        let e92 = {
                                            let l85 = *base.add(0).cast::<*mut u8>();
                                            let l86 = *base
                                                .add(::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len87 = l86;
                                            let bytes87 = _rt::Vec::from_raw_parts(
                                                l85.cast(),
                                                len87,
                                                len87,
                                            );
                                            let l88 = *base
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<f64>();
                                            let l89 = *base
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l90 = *base
                                                .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len91 = l90;
                                            let bytes91 = _rt::Vec::from_raw_parts(
                                                l89.cast(),
                                                len91,
                                                len91,
                                            );
                                            super::super::super::super::bakeoff::proposer::types::Reading {
                                                source: _rt::string_lift(bytes87),
                                                value: l88,
                                                unit: _rt::string_lift(bytes91),
                                            }
                                        };
                                        result92.push(e92);
                                    }
                                    _rt::cabi_dealloc(
                                        base92,
                                        len92 * (8 + 4 * ::core::mem::size_of::<*const u8>()),
                                        8,
                                    );
                                    super::super::super::super::bakeoff::proposer::types::Outcome {
                                        approach: _rt::string_lift(bytes65),
                                        parameters: result74,
                                        failure: match l75 {
                                            0 => None,
                                            1 => {
                                                let e = {
                                                    let l76 = *base
                                                        .add(5 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<*mut u8>();
                                                    let l77 = *base
                                                        .add(6 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<usize>();
                                                    let len78 = l77;
                                                    let bytes78 = _rt::Vec::from_raw_parts(
                                                        l76.cast(),
                                                        len78,
                                                        len78,
                                                    );
                                                    _rt::string_lift(bytes78)
                                                };
                                                Some(e)
                                            }
                                            _ => _rt::invalid_enum_discriminant(),
                                        },
                                        rank: match l79 {
                                            0 => None,
                                            1 => {
                                                let e = {
                                                    let l80 = *base
                                                        .add(4 + 7 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<i32>();
                                                    l80 as u32
                                                };
                                                Some(e)
                                            }
                                            _ => _rt::invalid_enum_discriminant(),
                                        },
                                        total: match l81 {
                                            0 => None,
                                            1 => {
                                                let e = {
                                                    let l82 = *base
                                                        .add(24 + 6 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<f64>();
                                                    l82
                                                };
                                                Some(e)
                                            }
                                            _ => _rt::invalid_enum_discriminant(),
                                        },
                                        readings: result92,
                                    }
                                };
                                result93.push(e93);
                            }
                            _rt::cabi_dealloc(
                                base93,
                                len93 * (32 + 8 * ::core::mem::size_of::<*const u8>()),
                                8,
                            );
                            let l94 = *arg0
                                .add(19 * ::core::mem::size_of::<*const u8>())
                                .cast::<i32>();
                            T_::propose(
                                super::super::super::super::bakeoff::proposer::types::Problem {
                                    statement: _rt::string_lift(bytes2),
                                    call: _rt::string_lift(bytes5),
                                    signature: _rt::string_lift(bytes8),
                                    wit: result17,
                                    workload: match l18 {
                                        0 => None,
                                        1 => {
                                            let e = {
                                                let l19 = *arg0
                                                    .add(9 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l20 = *arg0
                                                    .add(10 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len21 = l20;
                                                let bytes21 = _rt::Vec::from_raw_parts(
                                                    l19.cast(),
                                                    len21,
                                                    len21,
                                                );
                                                let l22 = *arg0
                                                    .add(11 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l23 = *arg0
                                                    .add(12 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len24 = l23;
                                                let bytes24 = _rt::Vec::from_raw_parts(
                                                    l22.cast(),
                                                    len24,
                                                    len24,
                                                );
                                                super::super::super::super::bakeoff::proposer::types::SourceFile {
                                                    name: _rt::string_lift(bytes21),
                                                    text: _rt::string_lift(bytes24),
                                                }
                                            };
                                            Some(e)
                                        }
                                        _ => _rt::invalid_enum_discriminant(),
                                    },
                                    cases: result30,
                                },
                                result60,
                                result93,
                                l94 as u32,
                            )
                        };
                        _rt::cabi_dealloc(
                            arg0,
                            20 * ::core::mem::size_of::<*const u8>(),
                            ::core::mem::size_of::<*const u8>(),
                        );
                        let ptr96 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result95 {
                            Ok(e) => {
                                *ptr96.add(0).cast::<u8>() = (0i32) as u8;
                                let vec109 = e;
                                let len109 = vec109.len();
                                let layout109 = _rt::alloc::Layout::from_size_align(
                                        vec109.len() * (8 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    )
                                    .unwrap();
                                let (result109, _cleanup109) = crate::rt::Cleanup::new(
                                    layout109,
                                );
                                if let Some(cleanup) = _cleanup109 {
                                    cleanup.forget();
                                }
                                for (i, e) in vec109.into_iter().enumerate() {
                                    let base = result109
                                        .add(i * (8 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let super::super::super::super::bakeoff::proposer::types::Proposal {
                                            name: name97,
                                            description: description97,
                                            parameters: parameters97,
                                            files: files97,
                                        } = e;
                                        let vec98 = (name97.into_bytes()).into_boxed_slice();
                                        let ptr98 = vec98.as_ptr().cast::<u8>();
                                        let len98 = vec98.len();
                                        ::core::mem::forget(vec98);
                                        *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len98;
                                        *base.add(0).cast::<*mut u8>() = ptr98.cast_mut();
                                        let vec99 = (description97.into_bytes()).into_boxed_slice();
                                        let ptr99 = vec99.as_ptr().cast::<u8>();
                                        let len99 = vec99.len();
                                        ::core::mem::forget(vec99);
                                        *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len99;
                                        *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr99.cast_mut();
                                        let vec104 = parameters97;
                                        let len104 = vec104.len();
                                        let layout104 = _rt::alloc::Layout::from_size_align(
                                                vec104.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                                ::core::mem::size_of::<*const u8>(),
                                            )
                                            .unwrap();
                                        let (result104, _cleanup104) = crate::rt::Cleanup::new(
                                            layout104,
                                        );
                                        if let Some(cleanup) = _cleanup104 {
                                            cleanup.forget();
                                        }
                                        for (i, e) in vec104.into_iter().enumerate() {
                                            let base = result104
                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let super::super::super::super::bakeoff::proposer::types::Parameter {
                                                    name: name100,
                                                    values: values100,
                                                } = e;
                                                let vec101 = (name100.into_bytes()).into_boxed_slice();
                                                let ptr101 = vec101.as_ptr().cast::<u8>();
                                                let len101 = vec101.len();
                                                ::core::mem::forget(vec101);
                                                *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len101;
                                                *base.add(0).cast::<*mut u8>() = ptr101.cast_mut();
                                                let vec103 = values100;
                                                let len103 = vec103.len();
                                                let layout103 = _rt::alloc::Layout::from_size_align(
                                                        vec103.len() * (2 * ::core::mem::size_of::<*const u8>()),
                                                        ::core::mem::size_of::<*const u8>(),
                                                    )
                                                    .unwrap();
                                                let (result103, _cleanup103) = crate::rt::Cleanup::new(
                                                    layout103,
                                                );
                                                if let Some(cleanup) = _cleanup103 {
                                                    cleanup.forget();
                                                }
                                                for (i, e) in vec103.into_iter().enumerate() {
                                                    let base = result103
                                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let vec102 = (e.into_bytes()).into_boxed_slice();
                                                        let ptr102 = vec102.as_ptr().cast::<u8>();
                                                        let len102 = vec102.len();
                                                        ::core::mem::forget(vec102);
                                                        *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len102;
                                                        *base.add(0).cast::<*mut u8>() = ptr102.cast_mut();
                                                    }
                                                }
                                                *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len103;
                                                *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = result103;
                                            }
                                        }
                                        *base
                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len104;
                                        *base
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = result104;
                                        let vec108 = files97;
                                        let len108 = vec108.len();
                                        let layout108 = _rt::alloc::Layout::from_size_align(
                                                vec108.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                                ::core::mem::size_of::<*const u8>(),
                                            )
                                            .unwrap();
                                        let (result108, _cleanup108) = crate::rt::Cleanup::new(
                                            layout108,
                                        );
                                        if let Some(cleanup) = _cleanup108 {
                                            cleanup.forget();
                                        }
                                        for (i, e) in vec108.into_iter().enumerate() {
                                            let base = result108
                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let super::super::super::super::bakeoff::proposer::types::SourceFile {
                                                    name: name105,
                                                    text: text105,
                                                } = e;
                                                let vec106 = (name105.into_bytes()).into_boxed_slice();
                                                let ptr106 = vec106.as_ptr().cast::<u8>();
                                                let len106 = vec106.len();
                                                ::core::mem::forget(vec106);
                                                *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len106;
                                                *base.add(0).cast::<*mut u8>() = ptr106.cast_mut();
                                                let vec107 = (text105.into_bytes()).into_boxed_slice();
                                                let ptr107 = vec107.as_ptr().cast::<u8>();
                                                let len107 = vec107.len();
                                                ::core::mem::forget(vec107);
                                                *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len107;
                                                *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr107.cast_mut();
                                            }
                                        }
                                        *base
                                            .add(7 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len108;
                                        *base
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = result108;
                                    }
                                }
                                *ptr96
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len109;
                                *ptr96
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = result109;
                            }
                            Err(e) => {
                                *ptr96.add(0).cast::<u8>() = (1i32) as u8;
                                use super::super::super::super::bakeoff::proposer::types::Error as V112;
                                match e {
                                    V112::NothingToPropose(e) => {
                                        *ptr96
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                        let vec110 = (e.into_bytes()).into_boxed_slice();
                                        let ptr110 = vec110.as_ptr().cast::<u8>();
                                        let len110 = vec110.len();
                                        ::core::mem::forget(vec110);
                                        *ptr96
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len110;
                                        *ptr96
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr110.cast_mut();
                                    }
                                    V112::Other(e) => {
                                        *ptr96
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        let vec111 = (e.into_bytes()).into_boxed_slice();
                                        let ptr111 = vec111.as_ptr().cast::<u8>();
                                        let len111 = vec111.len();
                                        ::core::mem::forget(vec111);
                                        *ptr96
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len111;
                                        *ptr96
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr111.cast_mut();
                                    }
                                }
                            }
                        };
                        ptr96
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_propose<T_: Guest>(arg0: *mut u8) {
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
                                        .add(i * (8 * ::core::mem::size_of::<*const u8>()));
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
                                        _rt::cabi_dealloc(l5, l6, 1);
                                        let l7 = *base
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l8 = *base
                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let base16 = l7;
                                        let len16 = l8;
                                        for i in 0..len16 {
                                            let base = base16
                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let l9 = *base.add(0).cast::<*mut u8>();
                                                let l10 = *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l9, l10, 1);
                                                let l11 = *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l12 = *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base15 = l11;
                                                let len15 = l12;
                                                for i in 0..len15 {
                                                    let base = base15
                                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
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
                                                    len15 * (2 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                            }
                                        }
                                        _rt::cabi_dealloc(
                                            base16,
                                            len16 * (4 * ::core::mem::size_of::<*const u8>()),
                                            ::core::mem::size_of::<*const u8>(),
                                        );
                                        let l17 = *base
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l18 = *base
                                            .add(7 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let base23 = l17;
                                        let len23 = l18;
                                        for i in 0..len23 {
                                            let base = base23
                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let l19 = *base.add(0).cast::<*mut u8>();
                                                let l20 = *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l19, l20, 1);
                                                let l21 = *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l22 = *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l21, l22, 1);
                                            }
                                        }
                                        _rt::cabi_dealloc(
                                            base23,
                                            len23 * (4 * ::core::mem::size_of::<*const u8>()),
                                            ::core::mem::size_of::<*const u8>(),
                                        );
                                    }
                                }
                                _rt::cabi_dealloc(
                                    base24,
                                    len24 * (8 * ::core::mem::size_of::<*const u8>()),
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
                    /// Returns approaches to a problem, `count` at most: more are dropped. `known` are those that there are,
                    /// `outcomes` what the last run said of them, empty if there was none. Each proposal is built, called and
                    /// judged as any prototype is.
                    #[allow(async_fn_in_trait)]
                    fn propose(
                        problem: Problem,
                        known: _rt::Vec<Approach>,
                        outcomes: _rt::Vec<Outcome>,
                        count: u32,
                    ) -> Result<_rt::Vec<Proposal>, Error>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_bakeoff_proposer_propose_0_1_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "bakeoff:proposer/propose@0.1.0#propose")] unsafe extern "C" fn
                        export_propose(arg0 : * mut u8,) -> * mut u8 { unsafe {
                        $($path_to_types)*:: _export_propose_cabi::<$ty > (arg0) } }
                        #[unsafe (export_name =
                        "cabi_post_bakeoff:proposer/propose@0.1.0#propose")] unsafe
                        extern "C" fn _post_return_propose(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_propose::<$ty > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_bakeoff_proposer_propose_0_1_0_cabi;
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
    pub unsafe fn string_lift(bytes: Vec<u8>) -> String {
        if cfg!(debug_assertions) {
            String::from_utf8(bytes).unwrap()
        } else {
            unsafe { String::from_utf8_unchecked(bytes) }
        }
    }
    pub unsafe fn invalid_enum_discriminant<T>() -> T {
        if cfg!(debug_assertions) {
            panic!("invalid enum discriminant")
        } else {
            unsafe { core::hint::unreachable_unchecked() }
        }
    }
    #[cfg(target_arch = "wasm32")]
    pub fn run_ctors_once() {
        crate::rt::run_ctors_once();
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
    pub use alloc_crate::alloc;
    extern crate alloc as alloc_crate;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export_proposer_world{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_proposer_world!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_proposer_impl {
    ($ty:ident) => {
        self::export_proposer_world!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::bakeoff::proposer::propose::__export_bakeoff_proposer_propose_0_1_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::bakeoff::proposer::propose);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.60.0:bakeoff:proposer@0.1.0:proposer:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1089] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xc2\x07\x01A\x02\x01\
A\x0b\x01B\x1a\x01r\x02\x04names\x04texts\x04\0\x0bsource-file\x03\0\0\x01ps\x01\
r\x02\x04names\x06values\x02\x04\0\x09parameter\x03\0\x03\x01p\x01\x01k\x01\x01r\
\x06\x09statements\x04calls\x09signatures\x03wit\x05\x08workload\x06\x05cases\x02\
\x04\0\x07problem\x03\0\x07\x01p\x04\x01r\x04\x04names\x0bdescriptions\x05files\x05\
\x0aparameters\x09\x04\0\x08approach\x03\0\x0a\x01r\x03\x06sources\x05valueu\x04\
units\x04\0\x07reading\x03\0\x0c\x01o\x02ss\x01p\x0e\x01ks\x01ky\x01ku\x01p\x0d\x01\
r\x06\x08approachs\x0aparameters\x0f\x07failure\x10\x04rank\x11\x05total\x12\x08\
readings\x13\x04\0\x07outcome\x03\0\x14\x01r\x04\x04names\x0bdescriptions\x0apar\
ameters\x09\x05files\x05\x04\0\x08proposal\x03\0\x16\x01q\x02\x12nothing-to-prop\
ose\x01s\0\x05other\x01s\0\x04\0\x05error\x03\0\x18\x03\0\x1cbakeoff:proposer/ty\
pes@0.1.0\x05\0\x01B\x05\x01q\x08\x08no-model\x01s\0\x10budget-exhausted\x01s\0\x0b\
unavailable\x01s\0\x07refused\x01s\0\x08unusable\x01s\0\x08too-many\x01s\0\x09to\
o-large\x01s\0\x05other\x01s\0\x04\0\x05error\x03\0\0\x01j\x01s\x01\x01\x01@\x02\
\x06prompts\x0atokens-maxy\0\x02\x04\0\x08complete\x01\x03\x03\0%bakeoff:complet\
ions/completions@0.1.0\x05\x01\x02\x03\0\0\x07problem\x02\x03\0\0\x08approach\x02\
\x03\0\0\x07outcome\x02\x03\0\0\x08proposal\x02\x03\0\0\x05error\x01B\x10\x02\x03\
\x02\x01\x02\x04\0\x07problem\x03\0\0\x02\x03\x02\x01\x03\x04\0\x08approach\x03\0\
\x02\x02\x03\x02\x01\x04\x04\0\x07outcome\x03\0\x04\x02\x03\x02\x01\x05\x04\0\x08\
proposal\x03\0\x06\x02\x03\x02\x01\x06\x04\0\x05error\x03\0\x08\x01p\x03\x01p\x05\
\x01p\x07\x01j\x01\x0c\x01\x09\x01@\x04\x07problem\x01\x05known\x0a\x08outcomes\x0b\
\x05county\0\x0d\x04\0\x07propose\x01\x0e\x04\0\x1ebakeoff:proposer/propose@0.1.\
0\x05\x07\x04\0\x1fbakeoff:proposer/proposer@0.1.0\x04\0\x0b\x0e\x01\0\x08propos\
er\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.254.2\x10\
wit-bindgen-rust\x060.60.0";
        };
    };
}
#[doc(inline)]
pub use __export_proposer_impl as export_proposer_world;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.60.0:bakeoff:proposer@0.1.0:proposer-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 900] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xe5\x05\x01A\x02\x01\
A\x04\x01B\x1a\x01r\x02\x04names\x04texts\x04\0\x0bsource-file\x03\0\0\x01ps\x01\
r\x02\x04names\x06values\x02\x04\0\x09parameter\x03\0\x03\x01p\x01\x01k\x01\x01r\
\x06\x09statements\x04calls\x09signatures\x03wit\x05\x08workload\x06\x05cases\x02\
\x04\0\x07problem\x03\0\x07\x01p\x04\x01r\x04\x04names\x0bdescriptions\x05files\x05\
\x0aparameters\x09\x04\0\x08approach\x03\0\x0a\x01r\x03\x06sources\x05valueu\x04\
units\x04\0\x07reading\x03\0\x0c\x01o\x02ss\x01p\x0e\x01ks\x01ky\x01ku\x01p\x0d\x01\
r\x06\x08approachs\x0aparameters\x0f\x07failure\x10\x04rank\x11\x05total\x12\x08\
readings\x13\x04\0\x07outcome\x03\0\x14\x01r\x04\x04names\x0bdescriptions\x0apar\
ameters\x09\x05files\x05\x04\0\x08proposal\x03\0\x16\x01q\x02\x12nothing-to-prop\
ose\x01s\0\x05other\x01s\0\x04\0\x05error\x03\0\x18\x03\0\x1cbakeoff:proposer/ty\
pes@0.1.0\x05\0\x01B\x05\x01q\x08\x08no-model\x01s\0\x10budget-exhausted\x01s\0\x0b\
unavailable\x01s\0\x07refused\x01s\0\x08unusable\x01s\0\x08too-many\x01s\0\x09to\
o-large\x01s\0\x05other\x01s\0\x04\0\x05error\x03\0\0\x01j\x01s\x01\x01\x01@\x02\
\x06prompts\x0atokens-maxy\0\x02\x04\0\x08complete\x01\x03\x03\0%bakeoff:complet\
ions/completions@0.1.0\x05\x01\x04\0?bakeoff:proposer/proposer-with-all-of-its-e\
xports-removed@0.1.0\x04\0\x0b.\x01\0(proposer-with-all-of-its-exports-removed\x03\
\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.254.2\x10wit-\
bindgen-rust\x060.60.0";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    crate::rt::maybe_link_cabi_realloc();
}
