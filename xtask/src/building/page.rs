//! The page `docs/building.md`.

use super::shown;
use super::store::{CrateCost, ROWS, Row, Store};
use std::fmt::Write as _;

/// Number of crates that the page lists for a row.
const LISTED: usize = 30;

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
         cargo build --profile dist -p boardroom --features full # the same, to copy to other machines of the same kind\n\
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
         | `full` | all of these | no |\n\n\
         Tests named `slow_*` have a small form, which `cargo test` runs. With the environment variable\n\
         `SLOW_TESTS` set they run in full, as in `.ci/run`. With `SLOW_TESTS=all`, the searches over\n\
         drawn instances are longer too (200 instances each), which takes more than an hour.\n\n\
         ## Figures\n\n\
         `cargo xtask building` measures and writes this page; `cargo xtask building ROW` measures one row\n\
         again. Times are processor time of cargo and of all that it starts (user and system, all cores\n\
         together): on two free cores, a build takes a little more than half of that time. Every row begins with an\n\
         empty build folder; a line `again` follows the one above it in the same folder. A goal is the time that\n\
         the project aims at. The last column says when and where a row was measured; the crates below are those of\n\
         that day.\n\
         Dev builds have debug information, debug assertions and cargo's incremental mode, for builds after an\n\
         edit; `.ci/run` switches them off where `CI` is set.\n\n",
    );
    let _ = writeln!(
        text,
        "| row | command | processor time | goal | size | measured |\n|---|---|---|---|---|---|"
    );
    for row in ROWS {
        lines(&mut text, &row, store);
    }
    let _ = write!(
        text,
        "\nThe default program has {} crates, its own and those of build scripts included (goal: 260).\n\
         `cargo xtask ci` fails when this number grows by more than ten without a line in the changelog.\n",
        store.crates
    );
    text.push_str(
        "\nFor each row that misses its goal, the sections below list the processor time of the compiler by crate.\n\
         A build script counts as `build_script_build`, and the integration tests of a package as `it`; `not the\n\
         compiler` is the time of everything else, such as cargo, build scripts and the tests themselves.\n",
    );
    for row in ROWS {
        by_crate(&mut text, &row, store);
    }
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
        let measured = store.measured.get(row.name).filter(|_| n == 0);
        let measured = measured.map_or(String::new(), |at| {
            let machine = &at.machine;
            format!("{}, {}, {} cores", at.day, machine.processor, machine.cores)
        });
        let _ = writeln!(
            text,
            "| `{}` | `{command}`{again} | {time} | {goal} | {size}{what} | {measured} |",
            row.name
        );
    }
}

/// The crates of a row that misses its goal.
fn by_crate(text: &mut String, row: &Row, store: &Store) {
    let time = store.seconds.get(row.name).and_then(|each| each.first());
    let (Some(&time), Some(goal), Some(costs)) = (time, row.goal, store.by_crate.get(row.name))
    else {
        return;
    };
    if time <= goal {
        return;
    }
    let _ = write!(
        text,
        "\n## `{}` by crate\n\n| crate | processor time \\[s\\] | share |\n|---|---|---|\n",
        row.name
    );
    let mut line = |name: &str, seconds: f64| {
        let share = 100.0 * seconds / time;
        let _ = writeln!(text, "| {name} | {seconds:.1} | {share:.1} % |");
    };
    for cost in costs.iter().take(LISTED) {
        line(&format!("`{}`", cost.name), cost.seconds);
    }
    let rest = costs.get(LISTED..).unwrap_or_default();
    let sum = |costs: &[CrateCost]| costs.iter().map(|cost| cost.seconds).sum::<f64>();
    if !rest.is_empty() {
        line(&format!("{} others", rest.len()), sum(rest));
    }
    line("not the compiler", time - sum(costs));
    line("together", time);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_row_and_the_dearest_crates() {
        let mut store = Store {
            crates: 235,
            ..Store::default()
        };
        store.seconds.insert("program".to_owned(), vec![390.0]);
        store.bytes.insert("program".to_owned(), 60_000_000);
        let cost = |name: &str, seconds| CrateCost {
            name: name.to_owned(),
            seconds,
        };
        let costs = vec![cost("boardroom", 300.0), cost("syn", 100.0)];
        store.by_crate.insert("program".to_owned(), costs);
        assert!(!page(&store).contains("## `program`"), "no goal is missed");
        store.seconds.insert("program".to_owned(), vec![600.0]);
        let text = page(&store);
        let row =
            "| `program` | `cargo build --release -p boardroom` | 10.0 min | 6.5 min | 60 MB |  |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| `boardroom` | 300.0 | 50.0 % |"), "{text}");
        assert!(
            text.contains("| not the compiler | 200.0 | 33.3 % |"),
            "{text}"
        );
        assert!(
            text.contains("| `tests` | `cargo test`, again | not measured |  |  |  |"),
            "{text}"
        );
        assert!(text.contains("235 crates"), "{text}");
    }
}
