//! One snippet in the built-in interpreter.

use super::{classify, last_value, quotient, value};
use monty::MontyRun;
use monty_types::{CompileOptions, PrintWriter, ResourceLimits, ResourceTracker};
use qa_scoring::snippet::{Snippet, SnippetReply};
use std::time::Duration;

/// Depth of calls at which CPython stops as well.
const DEPTH: usize = 1_000;

/// The largest value that may be asked for at once (bytes): what is larger is refused before it is made.
/// Values that grow step by step meet the limit of the process.
const LARGEST: usize = 1 << 27;

/// The interpreter rounds `2.675` to two places as if it were written so, which gives 2.68; Python rounds
/// the binary number, which is a little less, and gives 2.67. The interpreter's formatting is exact, so
/// it serves for both.
const ROUND: &str = "\
_round_as_before = round
def round(number, ndigits=None):
    if isinstance(number, float) and isinstance(ndigits, int) and 0 <= ndigits <= 15:
        return float('{:.{}f}'.format(number, ndigits))
    return _round_as_before(number, ndigits)

";

/// Runs a snippet afresh. What it prints is lost.
pub(super) fn run(snippet: &Snippet) -> SnippetReply {
    let code = match last_value::rewrite(&snippet.code).map(quotient::rewrite) {
        // Imports from the future must come first, and then this cannot stand before them.
        Ok(code) if code.contains("round") && !code.contains("__future__") => {
            format!("{ROUND}{code}")
        }
        Ok(code) => code,
        Err(reason) => return SnippetReply::Failed { reason },
    };
    let (names, values) = match &snippet.df {
        Some(table) => (vec!["df".to_owned()], vec![value::table(table)]),
        None => (Vec::new(), Vec::new()),
    };
    let program = match MontyRun::new(code, "snippet.py", names, CompileOptions::default()) {
        Ok(program) => program,
        Err(error) => return classify::refused(&error),
    };
    let limits = ResourceLimits {
        max_duration: Some(Duration::from_millis(u64::from(snippet.time_limit_ms))),
        max_memory: Some(LARGEST),
        max_recursion_depth: DEPTH,
        ..ResourceLimits::default()
    };
    match program.run(values, ResourceTracker::new(limits), PrintWriter::Disabled) {
        Ok(object) => match value::out(object) {
            Some(value) => SnippetReply::Value(value),
            None => SnippetReply::Failed {
                reason: "the value is too large".to_owned(),
            },
        },
        Err(error) => classify::raised(&error, &snippet.code),
    }
}
