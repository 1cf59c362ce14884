//! Errors on standard error: a line for a person, or a JSON object where the command line asks for JSON.

use clap::error::{ContextKind, ContextValue};
use run_engine::error::RunError;
use run_engine::secrets;
use run_engine::terminal::{shown, shown_name};
use serde_json::json;
use std::io::Write as _;

/// Longest message \[characters\]: an error repeats what is wrong, and in a file that can be any length.
const MOST: usize = 4_000;

/// What the program prints on standard error when a command fails.
#[must_use]
pub fn failure(error: &RunError) -> String {
    // Keys are removed before it is cut, or the beginning of one could stay.
    // The first cut only bounds the work of the scrubber.
    let text = cut(&error.to_string(), 2 * MOST);
    let text = cut(&secrets::scrub().text(&text), MOST);
    if asks_for_json() {
        return object(error.kind(), error.code().into(), error.place(), &text);
    }
    // One line: a name in it must not look like the next line.
    let text = shown_name(&text);
    match error {
        // Leaving a game is not an error.
        RunError::Left(_) => format!("{text}\n"),
        _ => format!("error: {text}\n"),
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Ends the program because of a wrong command line, or after printing the help that was requested.
pub(super) fn refuse(error: &clap::Error) -> ! {
    // The help and the version were asked for, so they are not errors.
    if !error.use_stderr() {
        error.exit();
    }
    if !asks_for_json() {
        let text = error.to_string();
        let clean = plain(&text, std::env::args_os());
        if clean == text {
            // With its colours.
            error.exit();
        }
        let _ = write!(std::io::stderr(), "{clean}");
        std::process::exit(error.exit_code());
    }
    let option = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) => Some(option.as_str()),
        Some(ContextValue::Strings(options)) => options.first().map(String::as_str),
        _ => None,
    };
    // The option alone, without the name of its value.
    let option = option.and_then(|option| option.split_whitespace().next());
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    let code = error.exit_code();
    let _ = write!(std::io::stderr(), "{}", object("usage", code, option, text));
    std::process::exit(code)
}

/// The message `text` about a command line in which a program may have put a name of somebody else: it is shown as
/// in other messages.
fn plain(text: &str, words: impl Iterator<Item = std::ffi::OsString>) -> String {
    let mut text = text.to_owned();
    for word in words {
        let word = word.to_string_lossy();
        // An option may be one word with its value.
        let value = word.split_once('=').map_or(&*word, |(_, value)| value);
        for part in [&*word, value] {
            let name = shown_name(part);
            if name != part {
                text = text.replace(part, &name);
            }
        }
    }
    shown(&text).into_owned()
}

fn asks_for_json() -> bool {
    // The words themselves: a wrong command line has no options that were read.
    std::env::args_os().any(|word| word == "--json")
}

fn object(kind: &str, code: i32, place: Option<&str>, text: &str) -> String {
    let error = json!({"kind": kind, "exit_code": code, "place": place, "message": text});
    format!("{}\n", shown(&json!({"error": error}).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_the_command_line_forges_no_line() {
        let word = "x\n9 of 9 records verified\u{202e}";
        let text = format!("error: invalid value '{word}' for '--task <TASK>'\n\nUsage: x\n");
        for given in [word.to_owned(), format!("--task={word}")] {
            let clean = plain(&text, [given.into()].into_iter());
            assert_eq!(clean.lines().count(), text.lines().count() - 1, "{clean}");
            assert!(
                clean.contains("'x\\u000a9 of 9 records verified\\u202e'"),
                "{clean}"
            );
        }
        assert_eq!(
            plain("error: a\n\nUsage: x\n", ["a".into()].into_iter()),
            "error: a\n\nUsage: x\n"
        );
    }

    /// A file of a hundred megabytes may be one text in the wrong place.
    #[test]
    fn an_error_about_a_long_text_is_short() {
        let error = RunError::usage(format!("invalid type: string \"{}\"", "é".repeat(1 << 20)));
        let text = failure(&error);
        assert!(text.starts_with("error: invalid type"), "{text}");
        assert!(text.chars().count() < MOST + 10);
    }

    #[test]
    fn an_error_is_one_line_whatever_names_are_in_it() {
        let error = RunError::usage("the agent is a\n9 of 9 records verified\u{202e}\tb");
        let text = failure(&error);
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("a\\u000a9 of 9"), "{text}");
    }
}
