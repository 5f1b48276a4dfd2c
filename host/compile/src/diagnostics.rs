//! Conversion of the compiler's diagnostics to a message for the author of the file, in the child.

use super::build_protocol::{BuildTask, Compiler};
use super::exit_failure::classify_compiler_exit;
use super::failures::{build_failure, cut, with_limit};
use super::filled_bindings::implements_traits;
use super::glue::{self, BINDINGS_FILE, ROOT_FILE};
use super::limits::{DIAGNOSTICS_BYTES_MAX, MESSAGE_BYTES_MAX};
use super::scrub::without_paths;
use super::tool::ToolOutput;
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::interface::{Interface, World, rust_form, rust_name, rust_signature};
use serde::Deserialize;
use std::path::Path;

/// The input of a compilation, by which its diagnostics are explained.
pub(super) struct DiagnosticContext<'a> {
    pub(super) interface: &'a Interface,
    pub(super) task: &'a BuildTask,
    pub(super) text: &'a str,
    pub(super) compiler: &'a Compiler,
    pub(super) scratch: &'a Path,
}

/// A diagnostic of the compiler, in its JSON form.
#[derive(Deserialize)]
struct Diagnostic {
    message: String,
    code: Option<ErrorCode>,
    level: String,
    spans: Vec<Span>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct ErrorCode {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    is_primary: bool,
    label: Option<String>,
    text: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    text: String,
}

impl Diagnostic {
    fn primary(&self) -> Option<&Span> {
        self.spans.iter().find(|span| span.is_primary)
    }

    fn has_code(&self, code: &str) -> bool {
        self.code.as_ref().is_some_and(|known| known.code == code)
    }
}

/// The help for a file that uses a crate that is not allowed.
const NO_CRATES: &str = "help: a source is one file with the standard library, and those crates only that the \
     experiment allows: add `crates = [\"NAME@VERSION\"]` to `[build]` in bakeoff.toml and run `bakeoff \
     vendor`; or write what you need of it into this file; or build a component with cargo, and name it by \
     `component` (docs/languages.md)";

/// The help for a file that asks for parameters where its approach has none.
const NO_PARAMETERS: &str = "help: only an approach with a `sweep` has parameters: add a line like `sweep = { \
     arity = [2, 4, 8] }` to it";

impl DiagnosticContext<'_> {
    /// Returns the failure that follows from the output of a compiler.
    pub(super) fn explain(&self, output: &ToolOutput) -> Failure {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let (diagnostics, raw) = parse(&stderr);
        let raw = without_paths(&raw, self.compiler, self.scratch);
        if let Some(failure) = classify_compiler_exit(output.status, output.cpu, &raw) {
            return failure;
        }
        let errors = self.errors(&diagnostics);
        let bytes: usize = errors.iter().map(String::len).sum();
        if bytes > DIAGNOSTICS_BYTES_MAX {
            let message = self.in_own_files(&join(&errors));
            let failure = build_failure(FailureClass::BuildOutputLimit, message);
            return with_limit(
                failure,
                format!("diagnostics = {DIAGNOSTICS_BYTES_MAX} bytes"),
            );
        }
        // 1: the file has errors. 101: the compiler panicked.
        if output.status.code() != Some(1) || errors.is_empty() {
            let message = format!("the compiler crashed on this file\n{raw}");
            return build_failure(FailureClass::BuildCrashed, cut(message.trim_end()));
        }
        let message = self.in_own_files(&join(&errors));
        build_failure(FailureClass::BuildFailed, message)
    }

    /// Returns a message with its places in modules of the file as places in their own files.
    fn in_own_files(&self, message: &str) -> String {
        bakeoff_source::in_own_files(message, &self.task.path_shown, self.text)
    }

    /// Returns the messages of all errors, those in the author's own file first.
    fn errors(&self, diagnostics: &[Diagnostic]) -> Vec<String> {
        let mut own = Vec::new();
        let mut fit: Vec<String> = Vec::new();
        for diagnostic in diagnostics.iter().filter(|d| d.level.starts_with("error")) {
            // The compiler's final count of errors has no span and adds nothing.
            if diagnostic.spans.is_empty() && diagnostic.message.starts_with("aborting due to") {
                continue;
            }
            match self.misfit(diagnostic) {
                Some(message) if fit.contains(&message) => {}
                Some(message) => fit.push(message),
                None => own.push(self.rendered(diagnostic)),
            }
        }
        if self.calls_session() && !fit.is_empty() {
            let wanted = rust_form(self.interface.call());
            let message = format!(
                "{} does not fit the interface: {}; it wants\n{wanted}",
                self.task.path_shown,
                fit.join("; ")
            );
            fit = vec![message];
        }
        own.extend(fit);
        own
    }

    /// Returns true if the call is a session, which the file implements as a struct.
    fn calls_session(&self) -> bool {
        let is_session = self.task.world == World::Prototype && self.interface.call().is_session;
        is_session && !implements_traits(self.text)
    }

    fn rendered(&self, diagnostic: &Diagnostic) -> String {
        let text = diagnostic
            .rendered
            .as_deref()
            .unwrap_or(&diagnostic.message);
        let file = glue::user_file(self.task.world);
        let shown = &self.task.path_shown;
        let text = without_paths(text, self.compiler, self.scratch);
        let text = text.replace(&format!("{file}:"), &format!("{shown}:"));
        match self.missing_crate_help(diagnostic) {
            Some(help) => format!("{}\n  = {help}", text.trim_end()),
            None => text.trim_end().to_owned(),
        }
    }

    /// Returns the help for a file that uses a crate that is not allowed, or asks for parameters that do not exist.
    fn missing_crate_help(&self, diagnostic: &Diagnostic) -> Option<&'static str> {
        let labels = diagnostic
            .spans
            .iter()
            .filter_map(|span| span.label.as_deref());
        let mut said = labels.chain([diagnostic.message.as_str()]);
        let asks_for_parameters = diagnostic.spans.iter().flat_map(|span| &span.text);
        let mut lines = asks_for_parameters.map(|line| line.text.as_str());
        let is_unresolved = ["E0432", "E0433"]
            .iter()
            .any(|code| diagnostic.has_code(code));
        if is_unresolved
            && !self.task.parameters
            && lines.any(|line| line.contains("bakeoff::param"))
        {
            return Some(NO_PARAMETERS);
        }
        let no_crate = is_unresolved && said.any(|text| text.contains("unlinked crate"));
        (no_crate || diagnostic.has_code("E0463")).then_some(NO_CRATES)
    }

    /// Returns the message for an error in the generated files: a function is missing or has other types.
    fn misfit(&self, diagnostic: &Diagnostic) -> Option<String> {
        let span = diagnostic.primary()?;
        match &*span.file_name {
            BINDINGS_FILE => {}
            ROOT_FILE => return Some(self.trait_form()),
            _ => return None,
        }
        let shown = &self.task.path_shown;
        if self.calls_session() {
            return Some(without_paths(
                &diagnostic.message,
                self.compiler,
                self.scratch,
            ));
        }
        let called = span
            .text
            .iter()
            .find_map(|line| glue::called_on(&line.text, self.task.world));
        let Some(name) = called else {
            let note = self.rendered(diagnostic);
            return Some(format!("{shown} does not fit the interface\n{note}"));
        };
        let wanted = self.wanted(name)?;
        if diagnostic.has_code("E0425") {
            return Some(format!(
                "{shown} has no function `{name}`; the interface wants `{wanted}`"
            ));
        }
        if diagnostic.has_code("E0603") {
            return Some(format!(
                "{shown}: `{name}` is not public; the interface wants `{wanted}`"
            ));
        }
        let note = match &span.label {
            Some(label) if !label.is_empty() && self.declared(name).is_none() => {
                format!("\n  {label}")
            }
            _ => String::new(),
        };
        let declared = self
            .declared(name)
            .map(|(line, has)| format!("\n  line {line} has `{has}`"));
        Some(format!(
            "{shown}: `{name}` does not fit the interface; it wants `{wanted}`{}{note}",
            declared.unwrap_or_default()
        ))
    }

    /// Returns the signature that the interface wants for a function.
    fn wanted(&self, name: &str) -> Option<String> {
        let exports = self.interface.exports(self.task.world);
        let function = exports
            .iter()
            .filter_map(|export| export.function.as_ref().ok());
        let mut named = function.filter(|function| rust_name(&function.name) == name);
        named.next().map(rust_signature)
    }

    /// Returns the number and text of the line that declares a function.
    fn declared(&self, name: &str) -> Option<(usize, &str)> {
        let lines = self.text.lines().enumerate();
        let mut found = lines.filter_map(|(index, line)| {
            let (before, after) = line.split_once(&format!("fn {name}"))?;
            let begins = after.starts_with(['(', '<', ' ']) && !before.contains("//");
            let signature = line.split('{').next().unwrap_or(line).trim();
            begins.then_some((index + 1, signature))
        });
        found.next()
    }

    fn trait_form(&self) -> String {
        let traits = glue::trait_paths(self.interface, self.task.world);
        format!(
            "{} does not fit the interface; it wants `pub struct Component;` that implements {}",
            self.task.path_shown,
            traits
                .iter()
                .map(|path| format!("`{path}`"))
                .collect::<Vec<_>>()
                .join(" and ")
        )
    }
}

/// Splits stderr into the compiler's diagnostics and other text.
fn parse(stderr: &str) -> (Vec<Diagnostic>, String) {
    let mut diagnostics = Vec::new();
    let mut raw = String::new();
    for line in stderr.lines() {
        match serde_json::from_str(line) {
            Ok(diagnostic) => diagnostics.push(diagnostic),
            Err(_) => {
                raw.push_str(line);
                raw.push('\n');
            }
        }
    }
    (diagnostics, raw)
}

/// Joins the errors, up to [`MESSAGE_BYTES_MAX`] bytes.
fn join(errors: &[String]) -> String {
    let mut text = String::new();
    for (index, error) in errors.iter().enumerate() {
        if index > 0 && text.len() + error.len() > MESSAGE_BYTES_MAX {
            text.push_str(&format!("\n\n… and {} more errors", errors.len() - index));
            break;
        }
        if index > 0 {
            text.push_str("\n\n");
        }
        text.push_str(&cut(error));
    }
    text
}
