//! Makes text safe to show on a terminal. All output goes through this module.
//!
//! Names of tools and agents, and much else that is shown, come from models, servers and files. A
//! terminal acts on control characters (it moves the cursor, changes its title, answers queries), and
//! characters that change the writing direction make a line look different from its content. So both
//! are shown as escapes, here and not in each command.

use crate::secrets;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// Width of the terminal on standard output \[columns\]; `None` if that is not a terminal.
#[must_use]
pub fn width() -> Option<usize> {
    let terminal = console::Term::stdout();
    let size = terminal.is_term().then(|| terminal.size_checked());
    size.flatten().map(|(_, columns)| usize::from(columns))
}

/// `text` without keys and with control characters as `\u001b`. Line ends and tabs stay. JSON uses the
/// same escapes, so JSON remains valid and keeps its meaning.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    let clean = secrets::scrub().line(text);
    if clean.contains(acts) {
        Cow::Owned(escaped(&clean, acts))
    } else {
        clean
    }
}

/// The name of a tool or an agent as it may be shown in a line of its own: a line end or a tab in it
/// would make one name look like two lines, and two names that differ in a character without width look the same.
#[must_use]
pub fn shown_name(name: &str) -> String {
    escaped(name, |char| {
        acts(char) || matches!(char, '\n' | '\t') || is_invisible(char)
    })
}

/// Whether the character is drawn as nothing (Unicode's property `Default_Ignorable_Code_Point`).
#[must_use]
pub fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// A path in a line of its own, see [`shown_name`].
#[must_use]
pub fn shown_path(path: impl AsRef<Path>) -> String {
    shown_name(&path.as_ref().to_string_lossy())
}

/// `word` as one word of a POSIX shell, for commands that messages suggest: names and paths come from others, and
/// `$(...)` in one would be executed by whoever copies the command. A plain word stays as it is.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c);
    let word = shown_name(word);
    // Some shells replace `=NAME` by the place of a program.
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A path as [`shell_word`]; a name that begins with `-` is not taken for an option.
#[must_use]
pub fn shell_path(path: impl AsRef<Path>) -> String {
    let path = path.as_ref().to_string_lossy();
    let here = if path.starts_with('-') { "./" } else { "" };
    shell_word(&format!("{here}{path}"))
}

fn escaped(text: &str, acts: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if acts(char) {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{:04x}", u32::from(char));
        } else {
            out.push(char);
        }
    }
    out
}

/// Whether a terminal does anything else with the character than show it. Line ends and tabs do not count.
#[must_use]
pub fn acts(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        // Marks, embeddings, overrides and isolates of writing direction; separators of lines.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        char => char.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_as_escapes() {
        let cases = [
            ("plain – text\n\twith lines", "plain – text\n\twith lines"),
            (
                "\u{1b}[2J\u{1b}]0;title\u{7}",
                "\\u001b[2J\\u001b]0;title\\u0007",
            ),
            (
                "over\rwritten\u{8}\u{7f}",
                "over\\u000dwritten\\u0008\\u007f",
            ),
            ("\u{9b}31m\u{85}", "\\u009b31m\\u0085"),
            (
                "abc\u{202e}fed\u{2066}\u{200f}",
                "abc\\u202efed\\u2066\\u200f",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn a_name_stays_in_its_line() {
        assert_eq!(
            shown_name("order\nscore 100\t\u{2028}é\r\u{200b}"),
            "order\\u000ascore 100\\u0009\\u2028é\\u000d\\u200b"
        );
        assert_eq!(shown_name("openai:m - é"), "openai:m - é");
    }

    #[test]
    fn a_word_of_a_command_is_one_word_for_a_shell() {
        for plain in ["runs/1", "openai:m@v1.2", "qty=3", "übung"] {
            assert_eq!(shell_word(plain), plain);
        }
        for (word, shown) in [
            ("", "''"),
            ("a b", "'a b'"),
            ("$(touch x)", "'$(touch x)'"),
            ("`x`;y", "'`x`;y'"),
            ("it's", "'it'\\''s'"),
            ("~", "'~'"),
            ("=ls", "'=ls'"),
            ("a\nb", "'a\\u000ab'"),
        ] {
            assert_eq!(shell_word(word), shown);
        }
        assert_eq!(shell_path("-rf"), "./-rf");
        assert_eq!(shell_path("-r f"), "'./-r f'");
    }

    #[test]
    fn json_stays_json_and_means_the_same() {
        let value = serde_json::json!({"agent": "a\u{1b}\u{7f}\u{9b}\u{202e}b"});
        let text = value.to_string();
        let read: serde_json::Value = serde_json::from_str(&shown(&text)).unwrap();
        assert_eq!(read, value);
    }
}
