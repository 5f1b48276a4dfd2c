//! Entry of test binaries: one that is started as a keeper is one, before its harness looks at the arguments.

#[used]
// SAFETY: the loader calls what this section lists, in order, with the standard library's own entry before it.
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    if let Some(status) = bakeoff_confine::enter_if_keeper() {
        std::process::exit(status.into());
    }
}
