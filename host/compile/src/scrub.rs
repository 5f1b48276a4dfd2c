//! Removal of this machine's paths from messages of the toolchain, in the child.

use super::build_protocol::Compiler;
use std::path::Path;

/// The path that replaces the toolchain's folder, in messages and in components.
pub(super) const TOOLCHAIN_SHOWN: &str = "/rust";

/// Returns a text with the paths of the build's folder and the toolchain's replaced: files in the
/// build's folder are named without it, files of the toolchain as if they were in [`TOOLCHAIN_SHOWN`].
pub(super) fn without_paths(text: &str, compiler: &Compiler, scratch: &Path) -> String {
    let scratch = scratch.display().to_string();
    let text = text.replace(&format!("{scratch}/"), "");
    let text = text.replace(&scratch, ".");
    let sysroot = compiler.sysroot.display().to_string();
    text.replace(&sysroot, TOOLCHAIN_SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_folder_is_in_a_message() {
        let compiler = Compiler {
            simd: Default::default(),
            edition: Default::default(),
            rustc: "/home/ann/t/bin/rustc".into(),
            linker: "/home/ann/t/lib/rust-lld".into(),
            sysroot: "/home/ann/t".into(),
        };
        let said = "/tmp/b/work/a.o, in /tmp/b/work: /home/ann/t/lib/rust-lld";
        assert_eq!(
            without_paths(said, &compiler, Path::new("/tmp/b/work")),
            "a.o, in .: /rust/lib/rust-lld"
        );
    }
}
