//! The page as Markdown.

use crate::absent;
use crate::row::Section;
use std::fmt::Write as _;

const HEAD: &str = "\
# Replication

What of the published numbers comes out again, with what shows it. This page is written by
`cargo xtask replicate`; `cargo xtask replicate --check` computes everything anew and compares, and
`cargo xtask replicate edt` shows one section. Everything is computed from files in this repository;
no clock and no number of threads has a part in a figure, so the page is the same each time.

*same* means equal or equal as printed, *within* means inside the tolerance of the row.
";

/// The whole page.
#[must_use]
pub fn page(sections: &[Section]) -> String {
    let mut text = HEAD.to_owned();
    let rows: usize = sections.iter().map(|section| section.rows.len()).sum();
    let missed: usize = sections
        .iter()
        .map(|section| section.missed().count())
        .sum();
    let _ = writeln!(
        text,
        "\n{rows} rows, {} of them reproduced, {missed} missed.",
        rows - missed
    );
    let _ = writeln!(text, "\n| section | rows | missed |\n|---|---|---|");
    for section in sections {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            section.title,
            section.rows.len(),
            section.missed().count()
        );
    }
    for section in sections {
        text.push('\n');
        text.push_str(&section_text(section));
    }
    text.push('\n');
    text.push_str(&absent::text());
    text
}

/// One section of it.
#[must_use]
pub fn section_text(section: &Section) -> String {
    let mut text = format!("## {}\n\n{}\n", section.title, section.about.trim());
    let _ = writeln!(
        text,
        "\n| where | what | published | ours | tolerance | verdict | shown by |\n\
         |---|---|---|---|---|---|---|"
    );
    for row in &section.rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | `{}` |",
            row.place,
            row.what,
            row.published,
            row.ours,
            row.tolerance,
            row.verdict.word(),
            row.command
        );
    }
    for note in &section.notes {
        let _ = writeln!(text, "\n{note}");
    }
    text
}
