//! The user's browser, started on an address: what `BROWSER` names, or what the desktop opens addresses with.

use super::commands::in_session_of_its_own;
use bakeoff_files::SearchPath;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;
use tokio::sync::oneshot;

/// The variable that names browsers, separated by colons, and what stands in it for the address.
const VARIABLE: &str = "BROWSER";
const ADDRESS: &[u8] = b"%s";
/// The program that opens an address on a desktop, and the variables of which a desktop sets one.
const OPENER: &str = "xdg-open";
const SCREENS: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];
/// The time within which a browser that cannot start has said so. One that goes on is open.
const START_TIME_MAX: Duration = Duration::from_secs(10);

/// The reason why no browser was opened.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrowserError {
    /// There is no desktop, and no browser is named.
    #[error(
        "there is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set), and BROWSER names no browser"
    )]
    NoScreen,
    /// The desktop has no program that opens addresses.
    #[error("there is no {OPENER} on the search path, and BROWSER names no browser")]
    NoOpener,
    /// Each that was tried failed, with the reasons.
    #[error("{0}")]
    Failed(String),
}

/// Opens an address in the user's browser: each of those that `BROWSER` names in turn, or that of the desktop. A browser
/// has a session of its own, and stays open when this process ends.
///
/// # Errors
/// None could be started.
pub async fn open_in_browser(address: &str) -> Result<(), BrowserError> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let named = set(VARIABLE).unwrap_or_default();
    let has_screen = SCREENS.iter().any(|name| set(name).is_some());
    let commands = commands(&named, has_screen, address, &SearchPath::of_user())?;
    let mut reasons = Vec::new();
    for command in commands {
        match started(&command).await {
            Ok(()) => return Ok(()),
            Err(why) => reasons.push(why),
        }
    }
    Err(BrowserError::Failed(reasons.join("; ")))
}

/// A command that opens an address.
#[derive(Debug, PartialEq, Eq)]
struct BrowserCommand {
    name: String,
    /// The program; `None` if it is not found where nobody else can put one.
    program: Option<PathBuf>,
    arguments: Vec<OsString>,
}

/// Returns the commands to try: at least one.
fn commands(
    named: &OsStr,
    has_screen: bool,
    address: &str,
    path: &SearchPath,
) -> Result<Vec<BrowserCommand>, BrowserError> {
    let browsers = named.as_bytes().split(|byte| *byte == b':');
    let commands: Vec<BrowserCommand> = browsers
        .filter_map(|browser| command(browser, address, path))
        .collect();
    if !commands.is_empty() {
        return Ok(commands);
    }
    if !has_screen {
        return Err(BrowserError::NoScreen);
    }
    let program = path.find(OPENER).ok_or(BrowserError::NoOpener)?;
    Ok(vec![BrowserCommand {
        name: OPENER.to_owned(),
        program: Some(program),
        arguments: vec![address.into()],
    }])
}

/// Returns a command of words, with the address in its place or at its end; `None` if there is no word.
fn command(browser: &[u8], address: &str, path: &SearchPath) -> Option<BrowserCommand> {
    let words = browser.split(u8::is_ascii_whitespace);
    let mut words = words.filter(|word| !word.is_empty());
    let first = words.next()?;
    let name = String::from_utf8_lossy(first).into_owned();
    let program = if first.contains(&b'/') {
        // A path is its user's own word.
        Some(PathBuf::from(OsStr::from_bytes(first)))
    } else {
        path.find(&name)
    };
    let mut arguments: Vec<OsString> = Vec::new();
    let mut has_address = false;
    for word in words {
        let with = with_address(word, address);
        has_address |= with.is_some();
        arguments.push(OsString::from_vec(with.unwrap_or_else(|| word.to_vec())));
    }
    if !has_address {
        arguments.push(address.into());
    }
    Some(BrowserCommand {
        name,
        program,
        arguments,
    })
}

/// Returns a word with the address in its place; `None` if it has no place for it.
fn with_address(word: &[u8], address: &str) -> Option<Vec<u8>> {
    let place = word.windows(ADDRESS.len()).position(|two| two == ADDRESS)?;
    let (before, after) = word.split_at(place);
    Some([before, address.as_bytes(), &after[ADDRESS.len()..]].concat())
}

/// Starts a browser; an error is the reason why it cannot be, or has ended at once.
async fn started(command: &BrowserCommand) -> Result<(), String> {
    let name = &command.name;
    let Some(program) = &command.program else {
        return Err(format!("there is no {name} on the search path"));
    };
    let exit = spawn(program, &command.arguments)
        .map_err(|error| format!("{name} cannot be started: {error}"))?;
    match tokio::time::timeout(START_TIME_MAX, exit).await {
        Ok(Ok(status)) if !status.success() => Err(format!("{name} failed ({status})")),
        _ => Ok(()),
    }
}

fn spawn(program: &PathBuf, arguments: &[OsString]) -> io::Result<oneshot::Receiver<ExitStatus>> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    in_session_of_its_own(&mut command, "browser")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_files::WorkingFolder;
    use std::os::unix::fs::PermissionsExt as _;

    fn program(folder: &std::path::Path, name: &str) -> PathBuf {
        let file = folder.join(name);
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    #[test]
    fn the_address_stands_in_its_place_or_at_the_end_of_each_named_browser() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let found = program(&folder, "found");
        let path = SearchPath::of(folder.as_os_str(), &WorkingFolder::default());
        let named = OsStr::new(":found --new:/x/b  --app=%s -q: :missing");
        let commands = commands(named, false, "A", &path).unwrap();
        let shown: Vec<(Option<PathBuf>, Vec<&str>)> = commands
            .iter()
            .map(|one| {
                let words = one.arguments.iter().map(|word| word.to_str().unwrap());
                (one.program.clone(), words.collect())
            })
            .collect();
        assert_eq!(
            shown,
            [
                (Some(found), vec!["--new", "A"]),
                (Some("/x/b".into()), vec!["--app=A", "-q"]),
                (None, vec!["A"]),
            ]
        );
    }

    #[test]
    fn a_browser_that_others_can_put_in_place_is_not_started() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let opener = program(&folder, OPENER);
        let found = |path: &SearchPath, has_screen| commands(OsStr::new(""), has_screen, "A", path);
        let here = SearchPath::of(folder.as_os_str(), &WorkingFolder::of(Some(&folder), None));
        assert_eq!(found(&here, true), Err(BrowserError::NoOpener));
        let path = SearchPath::of(folder.as_os_str(), &WorkingFolder::default());
        assert_eq!(found(&path, true).unwrap()[0].program, Some(opener));
        assert_eq!(found(&path, false), Err(BrowserError::NoScreen));
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
        let open = SearchPath::of(folder.as_os_str(), &WorkingFolder::default());
        assert_eq!(found(&open, true), Err(BrowserError::NoOpener));
    }
}
