//! Fenced code blocks.

use crate::cut::{after, before, cut};

/// The inside of the first code fence that is opened and closed.
///
/// The word after the opening fence (`json`, `python`) is not part of it.
///
/// ```
/// use reply_text::mark::{first_fence, last_fence};
/// let reply = "```json\n{}\n```\nor\n```python\n1 + 1\n```";
/// assert_eq!(first_fence(reply), Some("\n{}\n"));
/// assert_eq!(last_fence(reply), Some("1 + 1"));
/// ```
#[must_use]
pub fn first_fence(text: &str) -> Option<&str> {
    let open = text.find("```")? + 3;
    let inside = after(text, open);
    let close = inside.find("```")?;
    Some(without_language(before(inside, close)))
}

/// The inside of a fence without the name of its language.
fn without_language(inside: &str) -> &str {
    let word = inside
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(inside.len());
    let rest = after(inside, word);
    // A word followed by more of the line is code, not a language.
    let line_ends = rest.starts_with(['\n', '\r'])
        || rest
            .trim_start_matches([' ', '\t'])
            .starts_with(['\n', '\r']);
    if line_ends { rest } else { inside }
}

/// The inside of the last code fence, trimmed: what the published evaluator of the finance tasks
/// runs.
///
/// A fence is three backticks, a word or nothing, white space that holds a line break, then
/// everything up to the next three backticks.
#[must_use]
pub fn last_fence(text: &str) -> Option<&str> {
    let mut last = None;
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find("```")) {
        let open = at + open + 3;
        match body(text, open) {
            Some((from, to)) => {
                last = Some(cut(text, from, to));
                at = to + 3;
            }
            // The last three of four backticks may still open a fence, one character later.
            None => at = open - 2,
        }
    }
    last.map(|code| code.trim_matches(is_space))
}

/// Start and end of the code of a fence whose backticks end at `open`.
fn body(text: &str, open: usize) -> Option<(usize, usize)> {
    let rest = after(text, open);
    let word = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(rest.len());
    let space = after(rest, word);
    let space_len = space.find(|c: char| !is_space(c)).unwrap_or(space.len());
    let from = open + word + before(space, space_len).rfind('\n')? + 1;
    let to = from + after(text, from).find("```")?;
    Some((from, to))
}

/// White space as Python's patterns count it: that of Unicode and four control characters.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// A fenced block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence<'a> {
    /// The first word of what stands behind the opening marks, without signs around it: `python` of `{python}`.
    pub language: &'a str,
    /// The lines inside.
    pub code: &'a str,
}

/// Every fenced block, also of tildes, and a last one that the reply does not close, as where it was cut off.
///
/// ```
/// use reply_text::mark::fences;
/// let reply = "So:\n~~~python\n1 + 1\n~~~\nprints\n```\n2";
/// let found: Vec<_> = fences(reply).iter().map(|fence| (fence.language, fence.code)).collect();
/// assert_eq!(found, [("python", "1 + 1\n"), ("", "2")]);
/// assert!(fences("about ~5, or ```2```").is_empty());
/// ```
#[must_use]
pub fn fences(text: &str) -> Vec<Fence<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((open, marks)) = mark(text, at) {
        let inside = open + marks.len();
        // The closing mark is looked for before the end of the line: otherwise each mark of a long
        // line would have the line read to its end.
        let end = after(text, inside)
            .find(marks)
            .map(|length| inside + length);
        let to = end.unwrap_or(text.len());
        let next = to + marks.len();
        let Some((line, _)) = cut(text, inside, to).split_once('\n') else {
            // Marks that open and close in one line are not a block.
            at = next;
            continue;
        };
        let from = inside + line.len() + 1;
        let word = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let end = word.find(|c: char| !(c.is_alphanumeric() || "_+#-".contains(c)));
        found.push(Fence {
            language: before(word, end.unwrap_or(word.len())),
            code: cut(text, from, to),
        });
        at = next;
    }
    found
}

/// The next marks that may open a fence from `at` on, and where they begin; further backticks behind three belong to
/// them, and tildes count at the start of a line only.
fn mark(text: &str, at: usize) -> Option<(usize, &str)> {
    let rest = after(text, at);
    let is_start = |open: usize| {
        let line = before(rest, open).trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
        line.is_empty() || line.ends_with('\n')
    };
    let is_mark = |open: &usize| {
        let marks = after(rest, *open);
        marks.starts_with("```") || marks.starts_with("~~~") && is_start(*open)
    };
    let mut signs = rest.match_indices(['`', '~']).map(|(open, _)| open);
    let open = signs.find(is_mark)?;
    let marks = after(rest, open);
    let sign = marks.chars().next()?;
    let end = marks.find(|c| c != sign).unwrap_or(marks.len());
    Some((at + open, before(marks, end)))
}

/// The text without its fenced blocks.
#[must_use]
pub fn without_fences(text: &str) -> String {
    // Every second piece lies outside; an open block at the end goes too, as it was cut off.
    text.split("```")
        .step_by(2)
        .collect::<Vec<&str>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences() {
        assert_eq!(first_fence("x ```json\n{}\n``` y"), Some("\n{}\n"));
        assert_eq!(first_fence("```A,B```"), Some("A,B"));
        assert_eq!(first_fence("``` open"), None);
        assert_eq!(last_fence("```python\n1\n``` ```\n2\n```"), Some("2"));
        assert_eq!(last_fence("t ```python\n40+2``` m"), Some("40+2"));
        assert_eq!(last_fence("```python 1```"), None);
        assert_eq!(last_fence("````\nx\n```"), Some("x"));
    }
}
