//! The page of all figures.

use super::slope::{log_log_slope, size_of};
use super::store::{Entry, Peer, PeerTask, Store};
use super::targets::{REFERENCE, TARGETS, target_of};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Figures above this multiple of their limit come with a reason.
const SLOW: f64 = 1.5;
/// Figures of the same work on one core and on more.
const CORES: &str = "cores/";
/// Minimum gain of a second core.
const GAIN: f64 = 1.6;
/// Figures of the same work with inputs that repeat and that vary.
const INPUTS: &str = "inputs/";

/// `docs/benchmarks.md`.
#[must_use]
pub fn page(store: &Store) -> String {
    let machine = &store.machine;
    let mut text = format!(
        "# Benchmarks\n\n\
         With this page you can look up how long the simulators, scorers, searches and routers take, how the time \
         grows with the size of the problem, and how other programs compare. This command measures one bench \
         again:\n\n```sh\ncargo xtask bench beer_game\n```\n\n`cargo xtask bench` (the figures) \
         and `cargo xtask peers` (the comparison with other programs) write this page from \
         `docs/benchmarks.json`.\n\n\
         Measured on {} ({} cores), {}, on one thread if not stated otherwise. Each figure is the \
         median over samples of one operation; the spread is the median absolute deviation, in % of the median. \
         Inputs differ from operation to operation, because a processor predicts repeated ones: the comment at \
         the top of each file in `crates/benches/benches` says how many different inputs it uses, and a [section \
         below](#what-repeated-inputs-would-show) shows the times with repeated inputs.\n",
        machine.processor, machine.cores, machine.rustc
    );
    targets(&mut text, store);
    cores(&mut text, store);
    growth(&mut text, store);
    inputs(&mut text, store);
    memory(&mut text, store);
    peers(&mut text, &store.peers);
    everything(&mut text, store);
    text
}

fn targets(text: &mut String, store: &Store) {
    let (met, all) = store.targets_met();
    let slower = store.slower();
    let _ = writeln!(
        text,
        "\n## Targets\n\n\
         {met} of the {all} targets in this table are met. A limit is the time of a kernel written by hand \
         for one purpose, in portable code on such a machine; a target is 1.5 to 2.8 times that, \
         rounded: the least for a single function, more where a figure covers more work than the kernel (checked \
         input, all series, different instances), and 3.5 times for a week of a single Beer Game, whose delays are \
         settings; the week with its view has the target of a program in which they are constants. The column \
         \"of the limit\" is our time divided by that of the kernel. A value below 1 means that ours is faster: our \
         figures are from the ordinary build, whose batch loops use AVX-512 or AVX2 where the processor has them, and \
         some use a better method than the kernel. The reason for each value above 1.5 is below the table. A kernel \
         written for AVX2 alone takes 0.9 ns for a week in lockstep and 0.65 ns for one of rules alone. A target may \
         have several figures; the slowest counts. Limits were taken on \
         a machine on which a dependent 64-bit multiplication takes {REFERENCE} ns; the columns \"limit\" and \
         \"target\" are multiplied by {slower:.3}, the ratio that the bench `yardstick` measures for this machine.\n\n\
         | work | limit | target | ours | spread | of the limit | verdict |\n|---|---|---|---|---|---|---|"
    );
    let mut slow = Vec::new();
    for target in TARGETS {
        let slowest = target
            .figures
            .iter()
            .filter_map(|id| store.entries().find(|entry| entry.id == *id))
            .max_by(|a, b| a.value.total_cmp(&b.value));
        let (ours, spread) = slowest.map_or_else(
            || ("not measured".to_owned(), String::new()),
            |entry| (time(entry.value), spread(entry)),
        );
        let ratio = store.ratio(target);
        let verdict = match ratio {
            None => "not measured whole".to_owned(),
            Some(ratio) if ratio <= 1.0 => "met".to_owned(),
            Some(ratio) => format!("**missed**, {ratio:.2} x"),
        };
        let of_limit = ratio.map(|ratio| ratio * target.ns / target.limit);
        slow.extend(
            of_limit
                .filter(|times| *times > SLOW)
                .map(|times| (target, times)),
        );
        let of_limit = of_limit.map_or_else(String::new, |times| format!("{times:.2} x"));
        let figures: Vec<String> = target.figures.iter().map(|id| format!("`{id}`")).collect();
        let _ = writeln!(
            text,
            "| {}: {} | {} | {} | {ours} | {spread} | {of_limit} | {verdict} |",
            target.work,
            figures.join(", "),
            time(target.limit * slower),
            time(target.ns * slower)
        );
    }
    for (target, times) in slow {
        let reason = target.reason.unwrap_or("the reason is not known yet");
        let _ = writeln!(
            text,
            "\n{}, {times:.2} times the limit: {reason}.",
            target.work
        );
    }
}

/// Figures whose name starts with `prefix`, grouped by the part of the name between it and the last
/// part.
fn groups<'a>(store: &'a Store, prefix: &str) -> BTreeMap<&'a str, Vec<(&'a str, &'a Entry)>> {
    let mut groups: BTreeMap<&str, Vec<(&str, &Entry)>> = BTreeMap::new();
    for entry in store.entries() {
        if let Some(rest) = entry.id.strip_prefix(prefix)
            && let Some((group, last)) = rest.rsplit_once('/')
        {
            groups.entry(group).or_default().push((last, entry));
        }
    }
    groups
}

fn cores(text: &mut String, store: &Store) {
    let groups = groups(store, CORES);
    if groups.is_empty() {
        return;
    }
    text.push_str(
        "\n## One core and two\n\nSplit batches (`sim_core::ParallelBatch`, feature `parallel`) \
         and scoring do the same work on pools of one and of two threads; each thread is pinned \
         to a core of its own. Results have the same bits on both. Runs on one and two threads \
         alternate; the gain is the median over the pairs. A gain above 2 is noise, or comes from \
         a cache that is large enough for half of the work, but not for all of it. So the gain is not the \
         quotient of the two columns before it. The target is a gain of 1.6.\n\n\
         | work | one | two | gain | spread | verdict |\n|---|---|---|---|---|---|\n",
    );
    for (group, entries) in groups {
        let of = |threads: &str| {
            let found = entries.iter().find(|(last, _)| *last == threads)?;
            Some(found.1)
        };
        if let (Some(one), Some(two), Some(gain)) = (of("1"), of("2"), of("gain")) {
            let _ = writeln!(
                text,
                "| {group} | {} | {} | {:.2} x | {} | {} |",
                time(one.value),
                time(two.value),
                gain.value,
                spread(gain),
                if gain.value >= GAIN {
                    "met"
                } else {
                    "**missed**"
                }
            );
        }
    }
}

fn growth(text: &mut String, store: &Store) {
    let mut groups: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for entry in store.entries().filter(|entry| entry.unit == "ns") {
        let apart = [CORES, INPUTS]
            .iter()
            .any(|start| entry.id.starts_with(start));
        if let (false, Some((name, size))) = (apart, size_of(&entry.id)) {
            groups.entry(name).or_default().push((size, entry.value));
        }
    }
    let mut lines = String::new();
    for (name, mut points) in groups {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(slope) = log_log_slope(&points) else {
            continue;
        };
        let sizes: Vec<String> = points.iter().map(|(size, _)| size.to_string()).collect();
        let times: Vec<String> = points.iter().map(|(_, value)| time(*value)).collect();
        let (sizes, times) = (sizes.join(", "), times.join(", "));
        // Without a sign where it rounds to 0.
        let slope = if slope.abs() < 0.005 { 0.0 } else { slope };
        let _ = writeln!(lines, "| `{name}` | {sizes} | {times} | {slope:.2} |");
    }
    if !lines.is_empty() {
        let _ = write!(
            text,
            "\n## Growth\n\nThe table shows the time of one operation as the size of its input grows. \
             The slope is that of a line fitted to the logarithms; it is 1 if twice the size takes \
             twice as long.\n\n\
             | figure | sizes | time | slope |\n|---|---|---|---|\n{lines}"
        );
    }
}

fn inputs(text: &mut String, store: &Store) {
    text.push_str("\n## What repeated inputs would show\n\n");
    let groups = groups(store, INPUTS);
    if groups.is_empty() {
        text.push_str("Not measured yet: `cargo xtask bench inputs`.\n");
        return;
    }
    text.push_str(
        "The table compares the same work on one repeated input and on as many different inputs \
         as the benches use. Times with one repeated input are too low for real use.\n\n| work | repeated | varied | ratio \
         |\n|---|---|---|---|\n",
    );
    for (group, entries) in groups {
        let of = |kind: &str| {
            let found = entries.iter().find(|(last, _)| *last == kind)?;
            Some(found.1.value)
        };
        if let (Some(repeated), Some(varied)) = (of("repeated"), of("varied")) {
            let ratio = varied / repeated;
            let (repeated, varied) = (time(repeated), time(varied));
            let _ = writeln!(text, "| {group} | {repeated} | {varied} | {ratio:.2} x |");
        }
    }
}

fn memory(text: &mut String, store: &Store) {
    let entries: Vec<&Entry> = store
        .entries()
        .filter(|entry| entry.unit == "bytes")
        .collect();
    if entries.is_empty() {
        return;
    }
    text.push_str(
        "\n## Memory of a lane\n\nThe figures are the resident memory of a batch at the end of \
         its run, divided by the number of lanes, without the buffers of the caller. A kernel \
         that holds only the current amounts takes 84 bytes for a Beer Game, 480 for a pricing \
         market and 33 KiB for the tables of a scheduling market; a batch here also holds the \
         demand of every week, what each observation shows of the instance, and the history that \
         its rules need.\n\n| batch \
         | bytes per lane |\n|---|---|\n",
    );
    for entry in entries {
        let _ = writeln!(text, "| `{}` | {:.0} |", entry.id, entry.value);
    }
}

fn peers(text: &mut String, tasks: &[PeerTask]) {
    text.push_str("\n## Other programs\n\n");
    if tasks.is_empty() {
        text.push_str("Not measured yet: `cargo xtask peers`.\n");
        return;
    }
    text.push_str(
        "The programs with a ratio do the same work on the same inputs, and their results agree. The others \
         simulate a model of their own, so they have no ratio. Programs take turns in the same run. The time \
         is processor time: the median of the rounds, with the minimum and the maximum. Our figure is \
         for the kernel that batches and single games share. A checked step through the environment takes longer \
         ([all figures](#all-figures)): five times as long for a week of the Beer Game. The rows of plain Python are programs of \
         our own without any framework. They show how much of a difference is due to the language \
         and how much to the framework. Scripts and versions: `xtask/peers/`.\n\n\
         | task | program | time per operation | range | its time divided by ours |\n|---|---|---|---|---|\n",
    );
    for task in tasks {
        let ours = task
            .peers
            .iter()
            .find(|peer| peer.name.starts_with("Boardroom"));
        for peer in &task.peers {
            let Peer {
                name,
                ns,
                range: [least, largest],
                ..
            } = peer;
            let ratio = match ours {
                Some(ours) if ours.name != *name && peer.agrees => {
                    format!("{} x", digits(ns / ours.ns))
                }
                _ => String::new(),
            };
            let (what, unit) = (&task.task, &task.unit);
            let (ns, least, largest) = (time(*ns), time(*least), time(*largest));
            let _ = writeln!(
                text,
                "| {what}: {unit} | {name} | {ns} | {least} to {largest} | {ratio} |"
            );
        }
    }
    text.push_str(
        "\nThe figures below are quoted as their authors published them, on other machines and for other \
         environments. We did not measure them.\n\n\
         | program | published figure | comparable figure of ours | source |\n|---|---|---|---|\n\
         | PufferLib 2.0, its 11 Ocean environments in C | each more than 1 M steps per second on one core \
         | the rows `lockstep` in [all figures](#all-figures) | <https://puffer.ai/blog.html> |\n\
         | PufferLib 3.0, training | up to 4 M steps per second on an RTX 5090 | none: we do not publish a \
         speed of training on a GPU | <https://puffer.ai/blog.html> |\n\n\
         The program of the paper on unknown markets (EconEvals) is missing: its code is not in a package registry.\n",
    );
}

fn everything(text: &mut String, store: &Store) {
    text.push_str("\n## All figures\n");
    for (bench, entries) in &store.benches {
        let timed: Vec<&Entry> = entries.iter().filter(|entry| entry.unit == "ns").collect();
        if timed.is_empty() {
            continue;
        }
        let _ = writeln!(
            text,
            "\n### `{bench}`\n\n| figure | time per operation | operations per second | spread | target |\n\
             |---|---|---|---|---|"
        );
        for entry in timed {
            let target = match target_of(&entry.id) {
                None => String::new(),
                Some(target) if entry.value <= target.ns * store.slower() => "met".to_owned(),
                Some(_) => "missed".to_owned(),
            };
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} | {target} |",
                entry.id,
                time(entry.value),
                rate(entry.value),
                spread(entry)
            );
        }
    }
}

fn spread(entry: &Entry) -> String {
    entry
        .spread
        .map_or(String::new(), |spread| format!("± {:.1} %", 100.0 * spread))
}

/// A time in a suitable unit, with three digits.
fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        _ if ns < 1e3 => (ns, "ns"),
        _ if ns < 1e6 => (ns / 1e3, "µs"),
        _ if ns < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// Number of operations per second.
fn rate(ns: f64) -> String {
    let per_second = 1e9 / ns;
    match per_second {
        _ if per_second >= 1e9 => format!("{} G", digits(per_second / 1e9)),
        _ if per_second >= 1e6 => format!("{} M", digits(per_second / 1e6)),
        _ if per_second >= 1e3 => format!("{} k", digits(per_second / 1e3)),
        _ => digits(per_second),
    }
}

/// Three significant digits.
fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        x if x >= 100.0 => 0,
        x if x >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, value: f64, unit: &str) -> Entry {
        Entry {
            id: id.to_owned(),
            value,
            unit: unit.to_owned(),
            spread: Some(0.01),
        }
    }

    #[test]
    fn times_have_three_digits() {
        for (ns, text) in [
            (2.345, "2.35 ns"),
            (23.45, "23.4 ns"),
            (999.0, "999 ns"),
            (3_580.0, "3.58 µs"),
            (1.24e6, "1.24 ms"),
            (2.5e9, "2.50 s"),
        ] {
            assert_eq!(time(ns), text);
        }
        assert_eq!(
            (rate(2.0), rate(4_000.0)),
            ("500 M".to_owned(), "250 k".to_owned())
        );
    }

    #[test]
    fn every_part_stands_on_the_page() {
        let mut store = Store::default();
        let entries = vec![
            entry("edt/paper/totals", 4_000.0, "ns"),
            entry("edt/paper/series", 9_900.0, "ns"),
            entry("edt/growth/5", 100.0, "ns"),
            entry("edt/growth/50", 1_000.0, "ns"),
            entry("edt/growth/500", 10_000.0, "ns"),
            entry("cores/edt/1", 100.0, "ns"),
            entry("cores/edt/2", 52.0, "ns"),
            entry("cores/edt/gain", 1.9, "x"),
            entry("inputs/edt/repeated", 2.0, "ns"),
            entry("inputs/edt/varied", 4.0, "ns"),
            entry("beer-game", 84.0, "bytes"),
        ];
        store.benches.insert("edt".to_owned(), entries);
        let text = page(&store);
        for part in [
            "1 of the 2 targets in this table are met",
            "| EDT, final figures: `edt/paper/totals` | 3.58 µs | 5.50 µs | 4.00 µs | ± 1.0 % | \
             1.12 x | met |",
            "| 2.77 x | **missed**, 1.10 x |",
            "EDT, all series, 2.77 times the limit: ",
            "| ROUGE, 55 words: `qa/rouge/55` | 3.11 µs | 4.70 µs | not measured |",
            "| edt | 100 ns | 52.0 ns | 1.90 x | ± 1.0 % | met |",
            "| `edt/growth` | 5, 50, 500 | 100 ns, 1.00 µs, 10.0 µs | 1.00 |",
            "| edt | 2.00 ns | 4.00 ns | 2.00 x |",
            "| `beer-game` | 84 |",
            "Not measured yet: `cargo xtask peers`.",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
