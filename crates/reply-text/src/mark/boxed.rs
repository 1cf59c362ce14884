//! `\boxed{..}` as mathematics is typeset.

use crate::cut::{before, cut};

/// What every box ends its name with: JSON turns the `\b` of `\boxed` into another sign, and some models leave the
/// backslash out.
const BOXED: &str = "oxed";

/// The inside of the last `\boxed{..}` whose brackets balance, without one layer of `\text{..}`,
/// `\mathrm{..}`, `\textbf{..}` or `\mathbf{..}` around it, and where it ends.
///
/// ```
/// use reply_text::mark::last_boxed;
/// let inside = |text| last_boxed(text).map(|(inside, _)| inside);
/// assert_eq!(inside(r"so \boxed{\text{A}}."), Some("A"));
/// assert_eq!(inside(r"\boxed{\frac{1}{2}}"), Some(r"\frac{1}{2}"));
/// assert_eq!(inside(r"\boxed{open"), None);
/// assert_eq!(inside("\u{8}oxed{5}"), Some("5"));
/// ```
#[must_use]
pub fn last_boxed(text: &str) -> Option<(&str, usize)> {
    // One pass with the open brackets on a stack: where a box begins, its inside; else nothing.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut best: Option<(usize, usize)> = None;
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'{' => {
                let name = before(text, at).trim_end_matches(' ');
                open.push(name.ends_with(BOXED).then_some(at + 1));
            }
            b'}' => {
                if let Some(Some(start)) = open.pop()
                    // By where they begin: an outer box ends after the one inside it, which is the
                    // last.
                    && best.is_none_or(|(known, _)| start > known)
                {
                    best = Some((start, at));
                }
            }
            _ => {}
        }
    }
    best.map(|(from, to)| (unwrapped(cut(text, from, to).trim()), to))
        .or_else(|| bare_box(text))
}

/// `\boxed 5`: a box without brackets up to the end of the formula or the word.
fn bare_box(text: &str) -> Option<(&str, usize)> {
    let start = text.rfind("\\boxed ")? + "\\boxed ".len();
    let inside = cut(text, start, text.len());
    let length = inside.find(['$', ' ', '\n', '\\']).unwrap_or(inside.len());
    let inside = before(inside, length).trim_end_matches('.');
    (!inside.is_empty()).then_some((inside, start + inside.len()))
}

/// The text up to the bracket that closes the one already open.
#[must_use]
pub fn balanced(text: &str) -> Option<&str> {
    let mut depth = 1_usize;
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(before(text, at));
                }
            }
            _ => {}
        }
    }
    None
}

fn unwrapped(inside: &str) -> &str {
    for command in ["\\text{", "\\mathrm{", "\\textbf{", "\\mathbf{"] {
        if let Some(rest) = inside.strip_prefix(command)
            && let Some(content) = balanced(rest)
            && content.len() + 1 == rest.len()
        {
            return content.trim();
        }
    }
    // \boxed{{64.2}}
    match inside.strip_prefix('{') {
        Some(rest) if balanced(rest).is_some_and(|content| content.len() + 1 == rest.len()) => {
            rest.strip_suffix('}').unwrap_or(inside).trim()
        }
        _ => inside,
    }
}
