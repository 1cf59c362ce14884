//! The worker's side: reads snippets, runs them, writes replies.

use super::{MEMORY, builtin, confine};
use qa_scoring::snippet::{Snippet, SnippetReply};
use std::io::{self, BufRead, Write};

/// Maximum length of a reply that is written \[bytes\].
const LONGEST_REPLY: usize = 2 << 20;

/// Drops all permissions that snippets must not have, then answers every line of `input` until it
/// ends.
///
/// # Errors
/// When the limits cannot be set, or a line cannot be read or written.
pub fn serve(input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<()> {
    confine::limits(MEMORY)?;
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let reply = match serde_json::from_str::<Snippet>(&line) {
            Ok(snippet) => builtin::run(&snippet),
            Err(e) => SnippetReply::Failed {
                reason: format!("this is not a snippet: {e}"),
            },
        };
        let mut text = serde_json::to_string(&reply)?;
        if text.len() > LONGEST_REPLY {
            text = serde_json::to_string(&SnippetReply::Failed {
                reason: "the value is too large".to_owned(),
            })?;
        }
        text.push('\n');
        output.write_all(text.as_bytes())?;
        output.flush()?;
    }
}

/// Executes the machine's Python behind Landlock and seccomp; returns only on an error.
#[cfg(all(feature = "system-python", target_os = "linux"))]
#[must_use]
pub fn become_python(python: &std::path::Path, read: &[std::path::PathBuf]) -> io::Error {
    super::jail::enter(python, read)
}

/// Always an error: this program was built without the machine's Python.
#[cfg(not(all(feature = "system-python", target_os = "linux")))]
#[must_use]
pub fn become_python(_python: &std::path::Path, _read: &[std::path::PathBuf]) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "this program was built without the feature system-python",
    )
}
