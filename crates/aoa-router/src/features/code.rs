//! Program code in a text.

use regex::Regex;
use std::sync::LazyLock;

/// Lines that hardly occur in prose; `return` only where it is indented, because sentences on the
/// return on equity are not code.
///
/// The alternatives: a Python function, an import, a class, an assignment of a call, an indented return.
static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^\s*(?:(?:async\s+)?def\s+\w+\s*\(",
        r"|import\s+[\w.]+(?:\s+as\s+\w+)?;?\s*$",
        r"|from\s+[\w.]+\s+import\s+\S",
        r"|class\s+\w+\s*(?:\(.*\))?\s*[:{]",
        r"|(?:let\s+|const\s+|var\s+)?[A-Za-z_][\w.\[\]]*\s*=\s*[A-Za-z_][\w.]*\(.*",
        r")|^\s+return\b",
    ))
    .ok()
});

/// Whether there is a fenced block, or two lines or more of code.
pub(super) fn is_in(text: &str) -> bool {
    let fences = text.lines().filter(|line| {
        let line = line.trim_start();
        line.starts_with("```") || line.starts_with("~~~")
    });
    // Two are enough: the rest of a long text is not read. One alone opens a block that nothing closes.
    if fences.take(2).count() == 2 {
        return true;
    }
    // `None` only if the pattern above were wrong, and then the test below fails; a library must not panic for it.
    let Some(pattern) = LINE.as_ref() else {
        return false;
    };
    let lines = text.lines().filter(|line| pattern.is_match(line));
    lines.take(2).count() == 2
}

#[cfg(test)]
mod tests {
    use super::is_in;

    #[test]
    fn code_and_prose() {
        let cases = [
            ("def npv(rate, flows):\n    return sum(flows)", true),
            ("import math\nx = math.sqrt(2)", true),
            ("```\nanything\n```", true),
            ("```\nnever closed", false),
            ("from math import sqrt\nclass Loan:", true),
            ("let total = sum(values)\nlet mean = total / 2", false),
            ("import math", false),
            (
                "Import duties rose.\nreturn on equity fell\nreturn on assets too",
                false,
            ),
            ("x = 5\ny = 7", false),
            ("The class of shares:\nimport of goods", false),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_in(text), expected, "{text}");
        }
    }
}
