//! One snippet in the built-in interpreter.

use super::{classify, last_value, quotient, value};
use monty::MontyRun;
use monty_types::{CompileOptions, PrintWriter, ResourceLimits, ResourceTracker};
use qa_scoring::snippet::{Snippet, SnippetReply};
use std::time::Duration;

/// Depth of calls at which CPython stops as well.
const DEPTH: usize = 1_000;

/// Maximum size of a value that is created in one operation \[bytes\]; larger ones are refused
/// before they are created. Values that grow step by step are limited by the memory of the process.
const LARGEST: usize = 1 << 27;

/// The interpreter rounds the decimal notation `2.675` to two places, which gives 2.68; Python
/// rounds the binary number, which is slightly smaller, and gives 2.67. The interpreter's
/// formatting is exact, so this function rounds by formatting.
const ROUND: &str = "\
_round_as_before = round
def round(number, ndigits=None):
    if isinstance(number, float) and isinstance(ndigits, int) and 0 <= ndigits <= 15:
        return float('{:.{}f}'.format(number, ndigits))
    return _round_as_before(number, ndigits)

";

/// Runs a snippet in a new interpreter. Its printed output is discarded.
pub(super) fn run(snippet: &Snippet) -> SnippetReply {
    let code = match last_value::rewrite(&snippet.code).map(quotient::rewrite) {
        // `from __future__` imports must come first, so the function cannot be put in front of
        // them.
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
