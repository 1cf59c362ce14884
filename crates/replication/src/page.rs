//! The page as Markdown.

use crate::absent;
use crate::row::{Origin, Row, Section, Tally, Verdict};
use std::fmt::Write as _;

/// What stands before the result.
const HEAD: &str = "\
# Replication

With this page you can see which figures of the papers this project reproduces, and with what each of our
figures was compared. These commands compute the figures again:

```sh
cargo xtask replicate edt        # computes one section and prints it
cargo xtask replicate --check    # computes everything and compares it with this page
cargo xtask replicate            # computes everything and writes this page
```

Our figures are computed from files in this repository. They do not depend on a clock or on the number of
threads, so the page is the same each time.

## Result
";

/// What follows the result.
const READING: &str = "\
The [last sections](#beer-game) show every row. Figures that need language models, people or unpublished
data are listed under [what cannot be reproduced](#what-cannot-be-reproduced-and-why).

## How to read a row

The kind of a row says with what our figure is compared. The three kinds are counted separately:

- **printed in the paper**: a figure that a paper prints. Only these rows are replications.
- **another program's run**: output of the authors' public program or of the original engine, or a file that
  comes with it. It is not printed in a paper; the row shows that our program computes the same.
- **own reference**: found by this project in a second way: by a prototype, a search, an integer
  programme or an earlier measurement. The row shows that two ways agree and does not replicate a figure.

The verdict of a row says how the two figures compare:

- *same*: equal, or equal as printed.
- *within*: inside the tolerance of the row.
- *corrected*: same or within after an error of the paper is corrected; the text below the table names the error.
- **differs**: the paper's own parts give another figure than it prints; the text below the table gives the
  reason.
- **MISSED**: an error of ours.

A row that sums up many figures counts once. Figures have the digits of their source.
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
        "\nOf {} rows with a figure **printed in a paper**, {} agree as printed, {} agree after an \
         error of the paper is corrected, and {} differ because the paper contradicts itself. {} rows \
         compare with another program's run ({} agree) and {} with an own reference ({} agree). \
         Missed: {missed}.",
        printed.rows,
        printed.agreeing,
        printed.corrected,
        printed.differing,
        program.rows,
        program.agreeing,
        own.rows,
        own.agreeing,
    );
    let _ = writeln!(
        text,
        "\n| section | printed in the paper | as they stand | corrected | differ | another program's run \
         | own reference | missed |\n|---|---|---|---|---|---|---|---|"
    );
    for section in sections {
        let rows: Vec<&Row> = section.rows.iter().collect();
        text.push_str(&counts(section.title, &rows));
    }
    text.push_str(&counts("all", &all));
    text.push_str(&differing(&all));
    text.push('\n');
    text.push_str(READING);
    text.push('\n');
    text.push_str(&absent::text());
    for section in sections {
        text.push('\n');
        text.push_str(&section_text(section));
    }
    text
}

/// The rows that differ from what a paper prints, as a table; empty if there are none.
fn differing(rows: &[&Row]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| row.verdict == Verdict::Differs) {
        if text.is_empty() {
            text.push_str(
                "\nThe rows that differ; their sections give the reasons:\n\n\
                 | where | what | printed | ours |\n|---|---|---|---|\n",
            );
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            row.place, row.what, row.compared, row.ours
        );
    }
    text
}

/// A line of the table of counts.
fn counts(title: &str, rows: &[&Row]) -> String {
    let [printed, program, own] = Origin::ALL.map(|origin| Tally::of(rows.iter().copied(), origin));
    format!(
        "| {title} | {} | {} | {} | {} | {} | {} | {} |\n",
        printed.rows,
        printed.agreeing,
        printed.corrected,
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
    let rows = match section.rows.len() {
        1 => "1 row".to_owned(),
        many => format!("{many} rows"),
    };
    let _ = writeln!(text, "\n{rows}: {}.", kinds.join(", "));
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
