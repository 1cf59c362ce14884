//! Tables in a text.

use serde::de::IgnoredAny;

/// Places at which a JSON list of lists is looked for. A hostile text could otherwise make every
/// bracket the start of a long parse.
const MOST_STARTS: usize = 64;

/// Rows of all tables; 0 where there is none.
pub(super) fn rows(text: &str) -> u64 {
    lines(text) + html(text) + json(text)
}

/// Lines with two separators or more, less header rules; 0 where there are fewer than two.
fn lines(text: &str) -> u64 {
    let (mut all, mut rules) = (0, 0);
    for line in text.lines() {
        // One separator also occurs in prose and in code; a table of two columns has outer ones as
        // a rule.
        if line.matches(['|', '\t']).count() < 2 {
            continue;
        }
        all += 1;
        let is_rule = |c| matches!(c, '|' | '-' | ':' | '+' | '=' | ' ' | '\t');
        if line.contains(['-', '=']) && line.chars().all(is_rule) {
            rules += 1;
        }
    }
    if all < 2 { 0 } else { all - rules }
}

/// Rows behind the opening of an HTML table.
fn html(text: &str) -> u64 {
    let text = text.to_ascii_lowercase();
    if count_tags(&text, "<table") == 0 {
        return 0;
    }
    count_tags(&text, "<tr")
}

/// Opening tags of this name.
fn count_tags(text: &str, tag: &str) -> u64 {
    let opened = text.match_indices(tag).filter(|(at, _)| {
        // `<tr` is also the beginning of `<track>`.
        let next = text
            .get(at + tag.len()..)
            .and_then(|rest| rest.chars().next());
        matches!(next, Some('>' | ' ' | '\n' | '\t' | '\r' | '/'))
    });
    opened.count() as u64
}

/// Inner lists of JSON lists of lists.
/// At most 64 beginnings are tried; a list inside a list that was read is not tried again.
fn json(text: &str) -> u64 {
    let (mut rows, mut end) = (0, 0);
    let starts = text.match_indices('[').filter(|(at, _)| {
        let inner = text.get(at + 1..).map(str::trim_start);
        inner.is_some_and(|rest| rest.starts_with('['))
    });
    for (at, _) in starts.take(MOST_STARTS) {
        if at < end {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let mut values =
            serde_json::Deserializer::from_str(rest).into_iter::<Vec<Vec<IgnoredAny>>>();
        if let Some(Ok(list)) = values.next() {
            rows += list.len() as u64;
            end = at + values.byte_offset();
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn tables_of_three_kinds() {
        let cases = [
            ("", 0),
            ("a | b\nc | d", 0),
            ("a | b | c", 0),
            ("a | b | c\nd | e | f", 2),
            ("| a | b |\n|:--|--:|\n| 1 | 2 |", 2),
            ("a\tb\tc\nprose\nd\te\tf", 2),
            (
                "<TABLE border=1><tr><td>1</td></tr><TR class='x'></TR></TABLE>",
                2,
            ),
            ("<tr><tr>", 0),
            ("<tables><tr></tables>", 0),
            ("data = [[1, 2], [3, 4], [5, 6]] and more", 3),
            ("[ [\"a\"]\n, [\"b\"] ]", 2),
            ("[[not json", 0),
            ("[[1, 2], 3]", 0),
            ("[[[1], [2]], [[3]]]", 2),
        ];
        for (text, expected) in cases {
            assert_eq!(rows(text), expected, "{text}");
        }
    }

    #[test]
    fn hostile_brackets_are_survived() {
        assert_eq!(rows(&"[".repeat(100_000)), 0);
        assert_eq!(rows(&"[[1,".repeat(50_000)), 0);
    }
}
