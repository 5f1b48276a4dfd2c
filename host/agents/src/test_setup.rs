//! Files that decide how tests run.

use super::test_patterns::matches;

/// Patterns of files that decide which tests run, and how, without being tests: those of build systems, of runners of
/// tests, and of tools that start programs or set their variables.
const TEST_SETUP_PATTERNS: [&str; 58] = [
    // Build systems.
    "**/Makefile",
    "**/makefile",
    "**/GNUmakefile",
    "**/*.mk",
    "**/*.mak",
    "**/justfile",
    "**/Justfile",
    "**/.justfile",
    "**/Taskfile.*",
    "**/CMakeLists.txt",
    "**/CMakePresets.json",
    "**/*.cmake",
    "**/meson.build",
    "**/configure",
    "**/BUILD",
    "**/BUILD.bazel",
    "**/*.bzl",
    // Rust.
    "**/Cargo.toml",
    "**/.cargo/**",
    "**/build.rs",
    "**/rust-toolchain",
    "**/rust-toolchain.toml",
    "**/nextest.toml",
    // JavaScript.
    "**/package.json",
    "**/.npmrc",
    "**/jest.config.*",
    "**/vitest.*",
    "**/vite.config.*",
    "**/babel.config.*",
    "**/.babelrc*",
    "**/.mocharc*",
    "**/karma.conf.*",
    "**/playwright.config.*",
    "**/cypress.config.*",
    "**/tsconfig*.json",
    "**/deno.json*",
    // Python.
    "**/pyproject.toml",
    "**/setup.cfg",
    "**/setup.py",
    "**/tox.ini",
    "**/noxfile.py",
    "**/pytest.toml",
    "**/sitecustomize.py",
    // Java, .NET, Go, Ruby, PHP.
    "**/pom.xml",
    "**/.mvn/**",
    "**/build.gradle*",
    "**/settings.gradle*",
    "**/gradle.properties",
    "**/build.xml",
    "**/*.csproj",
    "**/go.mod",
    "**/go.work",
    "**/Gemfile",
    "**/Rakefile",
    "**/composer.json",
    "**/phpunit.xml*",
    // Variables and machines.
    "**/.env*",
    "**/Dockerfile*",
];

/// Returns true for a file that decides how tests run.
pub(crate) fn decides_how_tests_run(path: &str) -> bool {
    TEST_SETUP_PATTERNS
        .iter()
        .any(|pattern| matches(pattern, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_how_tests_run_is_found_in_every_folder_and_nothing_else() {
        for file in [
            "Makefile",
            "deep/er/GNUmakefile",
            "rules.mk",
            "Cargo.toml",
            "crates/a/Cargo.toml",
            ".cargo/config.toml",
            "a/.cargo/config",
            "build.rs",
            "web/package.json",
            "vitest.config.ts",
            "setup.py",
            "build.gradle.kts",
            ".env",
            ".envrc",
        ] {
            assert!(decides_how_tests_run(file), "{file}");
        }
        for other in [
            "src/main.rs",
            "src/rebuild.rs",
            "Makefile.md",
            "docs/Cargo.toml.txt",
            "cargo/config.toml",
            "mk",
        ] {
            assert!(!decides_how_tests_run(other), "{other}");
        }
    }
}
