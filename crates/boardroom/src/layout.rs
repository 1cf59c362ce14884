//! Lays out the texts of an environment for a terminal: no word is broken at its edge, and the columns of
//! tables are aligned.

/// Fewest columns into which a text is wrapped; a narrower terminal breaks the lines itself.
const NARROWEST: usize = 20;

/// `text` in lines of at most `width` columns, broken between words, with aligned tables. Without a width
/// no line is broken. Rows of a table and words that are longer than a line stay whole.
#[must_use]
pub(crate) fn laid_out(text: &str, width: Option<usize>) -> String {
    let width = width.filter(|width| *width >= NARROWEST);
    let mut out = String::new();
    let mut table: Vec<&str> = Vec::new();
    for line in text.split_inclusive('\n') {
        if is_row(line) {
            table.push(line);
            continue;
        }
        out.push_str(&aligned(&std::mem::take(&mut table)));
        match width {
            Some(width) => wrap(line, width, &mut out),
            None => out.push_str(line),
        }
    }
    out.push_str(&aligned(&table));
    out
}

/// Whether `line` is a row of a Markdown table.
fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.len() > 1 && line.starts_with('|') && line.ends_with('|')
}

/// The rows of a table with cells of one width in each column: numbers to the right, all else to the left.
fn aligned(rows: &[&str]) -> String {
    let cells: Vec<Vec<&str>> = rows
        .iter()
        .map(|row| {
            let inner = row.trim().trim_matches('|');
            inner.split('|').map(str::trim).collect()
        })
        .collect();
    let is_rule = |row: &[&str]| {
        row.iter()
            .all(|cell| cell.contains('-') && cell.trim_matches(['-', ':']).is_empty())
    };
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let of_column = |column: usize| {
        let rows = cells.iter().filter(|row| !is_rule(row));
        rows.filter_map(move |row| row.get(column).copied())
    };
    let widths: Vec<usize> = (0..columns)
        .map(|column| of_column(column).map(|cell| cell.chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    // An empty cell or a dash stands where a number is missing, so the column is still one of
    // numbers.
    let is_number = |cell: &str| {
        cell.is_empty() || cell.starts_with(|c: char| c.is_ascii_digit() || "-+$.–".contains(c))
    };
    // The head names the column, whatever is below it.
    let to_the_right: Vec<bool> = (0..columns)
        .map(|column| of_column(column).skip(1).all(is_number))
        .collect();
    let mut out = String::new();
    for (row, line) in cells.iter().zip(rows) {
        let mut parts = Vec::new();
        for (column, (width, right)) in widths.iter().zip(&to_the_right).enumerate() {
            let cell = row.get(column).copied().unwrap_or_default();
            parts.push(if is_rule(row) {
                "-".repeat(*width)
            } else if *right {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            });
        }
        out.push_str(&format!("| {} |", parts.join(" | ")));
        out.push_str(if line.ends_with('\n') { "\n" } else { "" });
    }
    out
}

/// Appends `line`, broken between words, to `out`. Further lines are indented as the first one, and behind
/// the mark of a list.
fn wrap(line: &str, width: usize, out: &mut String) {
    let (text, end) = match line.strip_suffix('\n') {
        Some(text) => (text, "\n"),
        None => (line, ""),
    };
    if text.chars().count() <= width {
        out.push_str(line);
        return;
    }
    let spaces = text.len() - text.trim_start().len();
    let marks = ["- ", "* "].into_iter();
    // Three digits at most: a year before a full stop is not the number of a list entry.
    let numbered = text.trim_start().split_once(". ").filter(|(number, _)| {
        (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let mark = marks
        .filter(|mark| text.trim_start().starts_with(mark))
        .map(str::len)
        .next()
        .or_else(|| numbered.map(|(number, _)| number.len() + 2));
    // A deep indent must leave room for words.
    let indent = (spaces + mark.unwrap_or(0)).min(width / 2);
    let (mut column, mut is_first) = (0, true);
    // Each word with the spaces before it, so that columns of a line that is not broken stay in place.
    for word in words(text) {
        let length = word.chars().count();
        if !is_first && column + length > width {
            let word = word.trim_start();
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            out.push_str(word);
            column = indent + word.chars().count();
        } else {
            out.push_str(word);
            column += length;
        }
        is_first = false;
    }
    out.push_str(end);
}

/// The words of a line, each with the spaces before it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = rest.len() - rest.trim_start_matches(' ').len();
        let after = rest.get(begin..)?;
        let end = after.find(' ').map_or(rest.len(), |at| begin + at);
        let (word, left) = rest.split_at_checked(end)?;
        rest = left;
        (!word.is_empty()).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_broken_and_lists_are_indented() {
        let text = "1. You write your order before you see what the week brings.\nshort\n";
        let wrapped = laid_out(text, Some(24));
        assert_eq!(
            wrapped,
            "1. You write your order\n   before you see what\n   the week brings.\nshort\n"
        );
        assert_eq!(laid_out(text, None), text);
        let long = "a verylongwordthatdoesnotfitintotheline b";
        let wrapped = laid_out(long, Some(20));
        assert_eq!(wrapped, "a\nverylongwordthatdoesnotfitintotheline\nb");
        for width in 20..70 {
            let wrapped = laid_out(text, Some(width));
            assert!(wrapped.lines().all(|line| line.chars().count() <= width));
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(plain(&wrapped), plain(text), "{width}");
        }
    }

    #[test]
    fn columns_of_tables_are_aligned_and_rows_stay_whole() {
        let text = "See:\n| unit | cash |\n|---|---|\n| A | 5 |\n| Beta | -12.5 |\nDone.";
        let expected =
            "See:\n| unit |  cash |\n| ---- | ----- |\n| A    |     5 |\n| Beta | -12.5 |\nDone.";
        assert_eq!(laid_out(text, None), expected);
        let narrow = laid_out(&format!("{}{}", "| x |\n", "|y|"), Some(20));
        assert_eq!(narrow, "| x |\n| y |");
        let wide = format!("| {} | b |\n", "a ".repeat(30).trim());
        assert_eq!(laid_out(&wide, Some(20)).lines().count(), 1);
    }
}
