//! The page as Markdown.

use crate::absent;
use crate::row::{Origin, Row, Section, Tally};
use std::fmt::Write as _;

const HEAD: &str = "\
# Replication

Which figures of the papers come out again, with what shows it. This page is written by
`cargo xtask replicate`; `cargo xtask replicate --check` computes everything anew and compares, and
`cargo xtask replicate edt` shows one section. Ours are computed from files in this repository; no
clock and no number of threads has a part in a figure, so the page is the same each time.

Each row says what ours stands beside, and the three kinds are counted apart:

- **printed in the paper**: a figure that a paper prints. Only these are replications.
- **another program's run**: what the authors' public program or the original engine gave when it was
  run, or a file that comes with it. No paper prints it; it shows that ours computes as that program does.
- **own reference**: found by this project in a second way, by a prototype, a search, an integer
  programme or an earlier measurement. It shows that two ways agree and replicates nothing.

Verdicts: *same* means equal, or equal as printed; *within*, inside the tolerance of the row; *mended*,
one of the two once a slip of the paper is mended that stands beneath the table; **differs**, that the
paper's own parts give another figure than it prints, for the reason beneath the table; **MISSED**, a
fault of ours. A row that sums up many figures counts once. Figures stand in the digits of their source.
";

/// The whole page.
#[must_use]
pub fn page(sections: &[Section]) -> String {
    let mut text = HEAD.to_owned();
    let all: Vec<&Row> = sections.iter().flat_map(|section| &section.rows).collect();
    let rows_of = |origin| Tally::of(all.iter().copied(), origin);
    let [printed, program, own] = Origin::ALL.map(rows_of);
    let missed = printed.missed + program.missed + own.missed;
    let _ = writeln!(
        text,
        "\nOf {} rows with a figure **printed in a paper**, {} come out as they stand, {} once a slip \
         is mended, and {} differ. {} rows stand beside another program's run ({} agree) and {} beside \
         an own reference ({} agree). Missed: {missed}.",
        printed.rows,
        printed.agreeing,
        printed.mended,
        printed.differing,
        program.rows,
        program.agreeing,
        own.rows,
        own.agreeing,
    );
    let _ = writeln!(
        text,
        "\n| section | printed in the paper | as they stand | mended | differ | another program's run \
         | own reference | missed |\n|---|---|---|---|---|---|---|---|"
    );
    for section in sections {
        let rows: Vec<&Row> = section.rows.iter().collect();
        text.push_str(&counts(section.title, &rows));
    }
    text.push_str(&counts("all", &all));
    for section in sections {
        text.push('\n');
        text.push_str(&section_text(section));
    }
    text.push('\n');
    text.push_str(&absent::text());
    text
}

/// A line of the table of counts.
fn counts(title: &str, rows: &[&Row]) -> String {
    let [printed, program, own] = Origin::ALL.map(|origin| Tally::of(rows.iter().copied(), origin));
    format!(
        "| {title} | {} | {} | {} | {} | {} | {} | {} |\n",
        printed.rows,
        printed.agreeing,
        printed.mended,
        printed.differing,
        program.rows,
        own.rows,
        printed.missed + program.missed + own.missed
    )
}

/// One section of it.
#[must_use]
pub fn section_text(section: &Section) -> String {
    let mut text = format!("## {}\n\n{}\n", section.title, section.about.trim());
    let kinds: Vec<String> = Origin::ALL
        .iter()
        .map(|origin| {
            let tally = Tally::of(&section.rows, *origin);
            format!("{} {}", tally.rows, origin.words())
        })
        .collect();
    let _ = writeln!(text, "\n{} rows: {}.", section.rows.len(), kinds.join(", "));
    let _ = writeln!(
        text,
        "\n| where | what | kind | compared with | ours | tolerance | verdict | shown by |\n\
         |---|---|---|---|---|---|---|---|"
    );
    for row in &section.rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | `{}` |",
            row.place,
            row.what,
            row.origin.words(),
            row.compared,
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
