//! The forms in which a table is written: for a terminal, as Markdown, LaTeX and HTML.

use super::table::{PaperCell, PaperRow, PaperRowOrigin, PaperTable};
use crate::text_table::TextTable;
use run_engine::terminal::shown_name;

/// A table in words. Each is in one line: names in them come from folders of others.
struct InWords {
    title: String,
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
    /// Commands of cells without a run, each once, in the order of the table.
    commands: Vec<String>,
}

impl PaperTable {
    fn in_words(&self) -> InWords {
        let mut commands: Vec<&str> = Vec::new();
        let cells = self.rows.iter().flat_map(|row| &row.cells);
        // A table that compares has a line for each given figure only, so other commands would
        // belong to no line.
        let cells = cells.filter(|cell| self.compare.is_none() || cell.published.is_some());
        for command in cells.filter_map(|cell| cell.command.as_deref()) {
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        if let Some(with) = self.compare {
            let further = [with.into(), "ours", "difference", "tolerance", "verdict"];
            let stubs = self.stubs.iter().map(String::as_str);
            return InWords {
                title: shown_name(&self.title),
                heads: in_lines(stubs.chain(further)),
                rows: self
                    .compared()
                    .map(|found| in_lines(found.labels.iter().cloned().chain(found.words())))
                    .collect(),
                notes: in_lines(&self.notes),
                commands: in_lines(commands),
            };
        }
        let row = |row: &PaperRow| {
            let mut labels = row.labels.clone();
            if let (PaperRowOrigin::Paper, Some(first)) = (row.origin, labels.first_mut()) {
                first.push_str(" (paper)");
            }
            labels.extend(row.cells.iter().map(|cell| words(cell, &commands)));
            in_lines(labels)
        };
        InWords {
            title: shown_name(&self.title),
            heads: in_lines(self.stubs.iter().chain(&self.columns)),
            rows: self.rows.iter().map(row).collect(),
            notes: in_lines(&self.notes),
            commands: in_lines(commands),
        }
    }

    /// The table for a terminal of this width \[columns\]: columns that do not fit stand below the others.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let table = self.in_words();
        let widest = |at: usize| {
            let cells = table.rows.iter().filter_map(|row| row.get(at));
            let cells = cells
                .map(String::as_str)
                .chain(table.heads.get(at).map(String::as_str));
            cells
                // Two more for the space between columns.
                .map(|cell| cell.chars().count() + 2)
                .max()
                .unwrap_or(0)
        };
        let stubs = self.stubs.len();
        // The labels stand in every part, or its figures would belong to nothing.
        let room: usize = (0..stubs).map(widest).sum();
        let mut parts: Vec<(Vec<usize>, usize)> = Vec::new();
        for at in stubs..table.heads.len() {
            let wide = widest(at);
            match parts
                .last_mut()
                .filter(|(_, used)| room + used + wide <= width)
            {
                Some((columns, used)) => {
                    columns.push(at);
                    *used += wide;
                }
                None => parts.push((vec![at], wide)),
            }
        }
        let mut text = format!("{}: {}\n", self.place, table.title);
        for (columns, _) in &parts {
            let columns: Vec<usize> = (0..stubs).chain(columns.iter().copied()).collect();
            let heads = columns.iter().filter_map(|at| table.heads.get(*at));
            let row = |row: &Vec<String>| {
                let cells = columns.iter().filter_map(|at| row.get(*at).cloned());
                cells.collect::<Vec<_>>()
            };
            let rows = table.rows.iter().map(row);
            text.push_str(&TextTable::new("", heads.cloned(), rows).text());
        }
        for note in &table.notes {
            text.push_str(&format!("  {note}\n"));
        }
        for (at, command) in (1..).zip(&table.commands) {
            text.push_str(&format!("  [{at}] {command}\n"));
        }
        text
    }

    /// The table as Markdown, with its heading, remarks and commands.
    #[must_use]
    pub fn markdown(&self) -> String {
        let table = self.in_words();
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = format!("## {}: {}\n\n", self.place, table.title);
        text.push_str(&line(&table.heads));
        text.push_str(&format!("|{}\n", "---|".repeat(table.heads.len())));
        for row in &table.rows {
            text.push_str(&line(row));
        }
        for note in &table.notes {
            text.push_str(&format!("\n{note}\n"));
        }
        if !table.commands.is_empty() {
            text.push_str("\nCells without a run are filled by:\n\n");
        }
        for (at, command) in (1..).zip(&table.commands) {
            text.push_str(&format!("{at}. {}\n", code_span(command)));
        }
        text
    }

    /// The table as LaTeX: an environment `table` that needs no package.
    #[must_use]
    pub fn latex(&self, paper: &str) -> String {
        let table = self.in_words();
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let columns = "l".repeat(self.stubs.len())
            + &"r".repeat(table.heads.len().saturating_sub(self.stubs.len()));
        let mut text = format!(
            "% boardroom paper {paper}\n\\begin{{table}}\n\\caption{{{}: {}}}\n\\label{{tab:{paper}-{}}}\n\
             \\begin{{tabular}}{{{columns}}}\n\\hline\n",
            tex(&self.place),
            with_code(&table.title, tex, ["\\texttt{", "}"]),
            self.id
        );
        text.push_str(&line(table.heads.iter().map(|head| tex(head)).collect()));
        text.push_str("\\hline\n");
        for row in &table.rows {
            text.push_str(&line(row.iter().map(|cell| tex(cell)).collect()));
        }
        text.push_str("\\hline\n\\end{tabular}\n");
        for note in &table.notes {
            text.push_str(&format!(
                "\\par {}\n",
                with_code(note, tex, ["\\texttt{", "}"])
            ));
        }
        for (at, command) in (1..).zip(&table.commands) {
            text.push_str(&format!("\\par [{at}] \\texttt{{{}}}\n", tex(command)));
        }
        text.push_str("\\end{table}\n");
        text
    }

    /// The table as HTML, a part of a page.
    #[must_use]
    pub fn html(&self) -> String {
        let table = self.in_words();
        let line = |tag: &str, cells: &[String]| {
            let cells = cells
                .iter()
                .map(|cell| format!("<{tag}>{}</{tag}>", html(cell)));
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let code = ["<code>", "</code>"];
        let (place, title) = (html(&self.place), with_code(&table.title, html, code));
        let mut text = format!(
            "<h2 id=\"{}\">{place}: {title}</h2>\n<table>\n",
            html(&self.id)
        );
        text.push_str(&line("th", &table.heads));
        for row in &table.rows {
            text.push_str(&line("td", row));
        }
        text.push_str("</table>\n");
        for note in &table.notes {
            text.push_str(&format!("<p>{}</p>\n", with_code(note, html, code)));
        }
        for (at, command) in (1..).zip(&table.commands) {
            text.push_str(&format!("<p>[{at}] <code>{}</code></p>\n", html(command)));
        }
        text
    }
}

fn in_lines(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let texts = texts.into_iter();
    texts.map(|text| shown_name(text.as_ref())).collect()
}

/// A cell in words: `72.8 (70.1 to 75.0), paper 72.8`; `[1]` refers to the first command.
fn words(cell: &PaperCell, commands: &[&str]) -> String {
    let ours = match (&cell.shown, &cell.command) {
        (Some(shown), _) => {
            let interval = cell.interval().map(|text| format!(" ({text})"));
            let remark = cell.remark.as_ref().map(|text| format!(", {text}"));
            Some(
                std::iter::once(shown.clone())
                    .chain(interval)
                    .chain(remark)
                    .collect::<String>(),
            )
        }
        (None, Some(command)) => {
            let at = commands.iter().position(|held| held == command);
            at.map(|at| format!("[{}]", at + 1))
        }
        (None, None) => None,
    };
    match (ours, &cell.published) {
        (Some(ours), Some(published)) => format!("{ours}, paper {published}"),
        (Some(ours), None) => ours,
        (None, Some(published)) => published.clone(),
        (None, None) => "–".to_owned(),
    }
}

/// A span of code in Markdown, between more backticks than the text has in a row.
fn code_span(text: &str) -> String {
    let runs = text.split(|sign| sign != '`').map(str::len);
    let most = runs.max().unwrap_or(0);
    let (fence, space) = ("`".repeat(most + 1), if most > 0 { " " } else { "" });
    format!("{fence}{space}{text}{space}{fence}")
}

/// A sentence in another language: words between backticks, which are Markdown, stand between `code`.
fn with_code(text: &str, escaped: fn(&str) -> String, [begin, end]: [&str; 2]) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // An odd number of backticks: one belongs to a name from outside, and no pairing of them is
    // right.
    if parts.len().is_multiple_of(2) {
        return escaped(text);
    }
    let part = |(at, part): (usize, &&str)| match at % 2 {
        0 => escaped(part),
        _ => format!("{begin}{}{end}", escaped(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

/// Text for HTML.
pub(super) fn html(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    // Apostrophes stay: all attributes stand between double quotes.
    text.replace('"', "&quot;")
}

/// Text for LaTeX.
fn tex(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '–' => out.push_str("--"),
            // A backtick alone is an opening quotation mark.
            '`' => out.push_str("\\textasciigrave{}"),
            '·' => out.push_str("\\textperiodcentered{}"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::paper::table::tests::table;

    #[test]
    fn markdown_shows_figures_published_ones_and_commands() {
        assert_eq!(
            table().markdown(),
            "## Table 2: scores, 0 to 100\n\n\
             | model | basic | hard |\n|---|---|---|\n\
             | openai:a_b | 72.8 (70.1 to 75.0), paper 72.8 | [1] |\n\
             | GPT-4o (paper) | 43.8 | – |\n\n\
             A remark on `a_b`.\n\n\
             Cells without a run are filled by:\n\n1. `boardroom run x`\n"
        );
        assert_eq!(table().unfilled(), 1);
    }

    #[test]
    fn a_command_with_a_backtick_stays_in_its_span() {
        assert_eq!(super::code_span("run x"), "`run x`");
        assert_eq!(super::code_span("--out 'a`b'"), "`` --out 'a`b' ``");
    }

    #[test]
    fn latex_escapes_what_it_must() {
        let text = table().latex("markets");
        assert!(
            text.starts_with("% boardroom paper markets\n\\begin{table}\n"),
            "{text}"
        );
        assert!(!text.contains('`'), "{text}");
        for part in [
            "\\par A remark on \\texttt{a\\_b}.",
            "\\label{tab:markets-table-2}",
            "\\begin{tabular}{lrr}",
            "openai:a\\_b & 72.8 (70.1 to 75.0), paper 72.8 & [1] \\\\",
            "GPT-4o (paper) & 43.8 & -- \\\\",
            "\\par [1] \\texttt{boardroom run x}",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    /// What does not fit stands below, with the labels again.
    #[test]
    fn a_table_keeps_to_the_width_of_the_terminal() {
        let wide = table().text(200);
        let narrow = table().text(44);
        assert_eq!(wide.matches("openai:a_b").count(), 1, "{wide}");
        assert_eq!(narrow.matches("openai:a_b").count(), 2, "{narrow}");
        assert!(
            narrow
                .lines()
                .skip(1)
                .take(6)
                .all(|line| line.chars().count() <= 52),
            "{narrow}"
        );
    }

    #[test]
    fn html_escapes_what_it_must() {
        let mut table = table();
        table.title = "a < b".to_owned();
        let text = table.html();
        assert!(text.contains("Table 2: a &lt; b</h2>"), "{text}");
        assert!(text.contains("A remark on <code>a_b</code>."), "{text}");
    }
}
