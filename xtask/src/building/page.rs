//! The page `docs/building.md`.

use super::shown;
use super::store::{ROWS, Row, Store};
use std::fmt::Write as _;

/// Number of crates that the page lists.
const LISTED: usize = 40;

/// Bytes in a megabyte, as the page counts.
const MEGABYTE: f64 = 1e6;

/// The page, from the stored figures.
#[must_use]
pub fn page(store: &Store) -> String {
    let mut text = String::from(
        "# What building costs\n\n\
         Choose what to build:\n\n\
         ```sh\n\
         cargo run --release --example beer_game            # one simulator\n\
         cargo build --release -p boardroom                 # the program\n\
         cargo build --release -p boardroom --features full # with everything that is off by default\n\
         cargo build --profile dist -p boardroom --features full # the same for other machines\n\
         cargo test                                         # the tests of the default features\n\
         .ci/run                                            # all tests in full, with all features\n\
         ```\n\n\
         `boardroom --version` lists the features of a program. If a command needs a feature that is\n\
         off, it names the feature and the build command that adds it, before it plays anything.\n\n\
         | feature | adds | default |\n\
         |---|---|---|\n\
         | `tls` | models over HTTPS | yes |\n\
         | `mcp` | `serve` and `classroom`: environments as a server | yes |\n\
         | `view` | `view`: run folders as a local page | yes |\n\
         | `cedar` | your own access policies in the office; Cedar as a second opinion on the built-in rules | no |\n\
         | `python` | an interpreter in the program, which runs the programs in answers to questions | no |\n\
         | `system-python` | the machine's Python (Linux), for programs that this interpreter cannot run | no |\n\
         | `full` | all of these | no |\n\n\
         Tests named `slow_*` have a small form, which `cargo test` runs. With the environment variable\n\
         `SLOW_TESTS` set they run in full, as in `.ci/run`. With `SLOW_TESTS=all`, the searches over\n\
         drawn instances are longer too (200 instances each), which takes more than an hour.\n\n\
         ## Figures\n\n\
         `cargo xtask building` measures and writes this page; `cargo xtask building ROW` measures one row\n\
         again. Times are processor time of cargo and of all that it starts, in an empty build folder\n\
         (user and system, all cores together): on two free cores, a build takes about half of that time.\n\n",
    );
    let _ = writeln!(
        text,
        "Machine: {}, {} cores, {}.\n\n| row | command | processor time | goal | size |\n|---|---|---|---|---|",
        store.machine.processor, store.machine.cores, store.machine.rustc
    );
    for row in ROWS {
        lines(&mut text, &row, store);
    }
    let _ = write!(
        text,
        "\nThe default program has {} crates, its own and those of build scripts included (goal: 260).\n\
         `cargo xtask ci` fails when it gains more than ten without a line in the changelog.\n",
        store.crates
    );
    by_crate(&mut text, store);
    text
}

fn lines(text: &mut String, row: &Row, store: &Store) {
    let seconds = store.seconds.get(row.name).map_or(&[][..], Vec::as_slice);
    for (n, command) in row.commands.iter().enumerate() {
        let command = command.replace(" --quiet", "");
        let again = if n > 0 { ", again" } else { "" };
        let time = seconds
            .get(n)
            .map_or("not measured".to_owned(), |s| shown(*s));
        let goal = row.goal.filter(|_| n == 0).map_or(String::new(), shown);
        let bytes = store.bytes.get(row.name).filter(|_| n == 0);
        #[expect(
            clippy::cast_precision_loss,
            reason = "a size is shown with three digits"
        )]
        let size = bytes.map_or(String::new(), |b| format!("{:.0} MB", *b as f64 / MEGABYTE));
        let what = match (row.folder, size.is_empty()) {
            (true, false) => " (build folder)",
            _ => "",
        };
        let _ = writeln!(
            text,
            "| `{}` | `{command}`{again} | {time} | {goal} | {size}{what} |",
            row.name
        );
    }
}

fn by_crate(text: &mut String, store: &Store) {
    let all: f64 = store.by_crate.iter().map(|c| c.seconds).sum();
    if all <= 0.0 {
        return;
    }
    let _ = write!(
        text,
        "\n## The program by crate\n\nProcessor time of the compiler, for the row `program`; a build \
         script counts as `build_script_build`, its run is not included.\n\n\
         | crate | processor time \\[s\\] | share |\n|---|---|---|\n"
    );
    for cost in store.by_crate.iter().take(LISTED) {
        let _ = writeln!(
            text,
            "| `{}` | {:.1} | {:.1} % |",
            cost.name,
            cost.seconds,
            100.0 * cost.seconds / all
        );
    }
    let rest = store.by_crate.iter().skip(LISTED);
    let (count, seconds) = rest.fold((0, 0.0), |(n, s), cost| (n + 1, s + cost.seconds));
    let _ = writeln!(
        text,
        "| {count} others | {seconds:.1} | {:.1} % |\n| together | {all:.1} | 100 % |",
        100.0 * seconds / all
    );
}

#[cfg(test)]
mod tests {
    use super::super::store::CrateCost;
    use super::*;

    #[test]
    fn the_page_has_every_row_and_the_dearest_crates() {
        let mut store = Store {
            crates: 235,
            ..Store::default()
        };
        store.seconds.insert("program".to_owned(), vec![390.0]);
        store.bytes.insert("program".to_owned(), 60_000_000);
        store.by_crate = vec![
            CrateCost {
                name: "boardroom".to_owned(),
                seconds: 75.0,
            },
            CrateCost {
                name: "syn".to_owned(),
                seconds: 25.0,
            },
        ];
        let text = page(&store);
        let row =
            "| `program` | `cargo build --release -p boardroom` | 6.5 min | 6.5 min | 60 MB |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| `boardroom` | 75.0 | 75.0 % |"), "{text}");
        assert!(
            text.contains("| `tests` | `cargo test`, again | not measured |  |  |"),
            "{text}"
        );
        assert!(text.contains("235 crates"), "{text}");
    }
}
