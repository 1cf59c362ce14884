//! Allowed dependencies between packages, and between the rooms of the office.

use super::{Finding, rings};
use crate::project::Project;
use std::collections::BTreeSet;

/// The layer of a package, which determines its allowed dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layer {
    /// The core library; depends on no other package of ours.
    Core,
    /// Pure computation on top of the contract: simulators, scoring, routing; may depend on these packages of ours.
    Pure(&'static [&'static str]),
    /// Talks to models; may use a network, depends on no simulator and no scorer.
    Agents,
    /// A part of the runner: may depend on these packages of ours, and in its tests on any simulator.
    Runner(&'static [&'static str]),
    /// Combines all of them.
    Top,
}

const CORE: &[&str] = &["sim-core"];
/// What reads texts of models.
const TEXT: &[&str] = &["sim-core", "reply-text"];

/// The layer of every package; a new package is added with its first commit.
const LAYERS: &[(&str, Layer)] = &[
    ("sim-core-derive", Layer::Core),
    ("sim-core", Layer::Pure(&["sim-core-derive"])),
    ("beer-game", Layer::Pure(CORE)),
    ("edt", Layer::Pure(CORE)),
    ("econ-envs", Layer::Pure(CORE)),
    ("ceo-reallocation", Layer::Pure(CORE)),
    ("enterprise-sandbox", Layer::Pure(CORE)),
    ("reply-text", Layer::Pure(CORE)),
    ("qa-scoring", Layer::Pure(TEXT)),
    ("aoa-router", Layer::Pure(CORE)),
    ("agent-client", Layer::Agents),
    ("python-snippets", Layer::Runner(&["qa-scoring"])),
    (
        "run-engine",
        Layer::Runner(&["sim-core", "agent-client", "python-snippets", "qa-scoring"]),
    ),
    ("pictures", Layer::Pure(CORE)),
    (
        "run-report",
        Layer::Runner(&[
            "sim-core",
            "agent-client",
            "aoa-router",
            "pictures",
            "qa-scoring",
            "run-engine",
        ]),
    ),
    ("boardroom-http", Layer::Runner(&[])),
    (
        "boardroom-serve",
        Layer::Runner(&["sim-core", "boardroom-http", "pictures", "run-engine"]),
    ),
    (
        "boardroom-view",
        Layer::Runner(&[
            "sim-core",
            "agent-client",
            "boardroom-http",
            "pictures",
            "run-engine",
            "run-report",
        ]),
    ),
    ("boardroom", Layer::Top),
    ("boardroom-py", Layer::Top),
    ("benches", Layer::Top),
    ("fuzz", Layer::Top),
    ("xtask", Layer::Top),
];

/// Crates that a pure package must not be built with, directly or indirectly.
const NO_REACH: &[&str] = &[
    "tokio",
    "async-std",
    "smol",
    "mio",
    "hyper",
    "reqwest",
    "ureq",
    "curl",
    "isahc",
];

/// Crates that a pure package must not depend on directly: clocks, files, terminals, foreign
/// randomness.
const NO_NAME: &[&str] = &[
    "chrono",
    "time",
    "jiff",
    "getrandom",
    "fastrand",
    "tempfile",
    "walkdir",
    "memmap2",
    "clap",
    "indicatif",
    "tracing-subscriber",
];

/// The package whose modules are layered too: it is the largest, and a reader takes in four rooms, not
/// eighty files.
const OFFICE: &str = "enterprise-sandbox";

/// The rooms of the office, from the lowest: a file may use its own room and those before it. The modules of the
/// environment itself are in none of them and may use all.
const ROOMS: [&str; 4] = ["data", "access", "tools", "tasks"];

/// The files of the office that use a room above their own.
fn rooms(project: &Project, folder: &str) -> Vec<Finding> {
    // A module outside the rooms is above all of them.
    let room = |file: &[String]| {
        let first = file.first().map(String::as_str);
        let place = ROOMS.iter().position(|room| Some(*room) == first);
        place.unwrap_or(ROOMS.len())
    };
    let edges = rings::edges(project, folder);
    let upward = edges.iter().filter(|(from, to)| room(from) < room(to));
    let finding = |(from, to): &(Vec<String>, Vec<String>)| {
        let (place, allowed) = (from.join("/"), ROOMS.get(..=room(from)).unwrap_or(&[]));
        let message = format!(
            "uses {}, but may use {} only",
            to.join("/"),
            allowed.join(", ")
        );
        Finding::new(format!("{folder}/src/{place}.rs"), message)
    };
    upward.map(finding).collect()
}

pub(super) fn check(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(office) = project.packages.get(OFFICE) {
        findings.extend(rooms(project, &office.folder));
    }
    for (name, member) in &project.packages {
        let Some((_, layer)) = LAYERS.iter().find(|(known, _)| known == name) else {
            findings.push(Finding::new(
                name,
                "has no layer: give it one in xtask's tidy/layers.rs",
            ));
            continue;
        };
        let is_ours = |other: &&String| LAYERS.iter().any(|(known, _)| known == other);
        let may_know = |other: &str| match layer {
            Layer::Core => false,
            Layer::Agents => TEXT.contains(&other),
            Layer::Pure(known) | Layer::Runner(known) => known.contains(&other),
            Layer::Top => true,
        };
        let for_tests = match layer {
            // The tests of the methods play questions.
            Layer::Runner(_) | Layer::Agents => None,
            _ => Some(&member.dev_dependencies),
        };
        let all: BTreeSet<&String> = member
            .dependencies
            .iter()
            .chain(for_tests.into_iter().flatten())
            .collect();
        for other in all.into_iter().filter(is_ours) {
            // A package may depend on itself in its tests, to switch a feature on.
            if other != name && !may_know(other) {
                let allowed = match layer {
                    Layer::Core => "none of ours".to_owned(),
                    Layer::Pure(known) | Layer::Runner(known) => known.join(", "),
                    _ => TEXT.join(", "),
                };
                let message = format!("depends on {other}, but may depend on {allowed}");
                findings.push(Finding::new(name, message));
            }
        }
        if matches!(layer, Layer::Core | Layer::Pure(_)) {
            for foreign in NO_REACH
                .iter()
                .filter(|foreign| member.reaches.contains(**foreign))
            {
                let message = format!("is built with {foreign}, but has to be pure");
                findings.push(Finding::new(name, message));
            }
            for foreign in NO_NAME
                .iter()
                .filter(|foreign| member.dependencies.contains(**foreign))
            {
                let message = format!("depends on {foreign}, but has to be pure");
                findings.push(Finding::new(name, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::planted::names;

    #[test]
    fn wrong_edges_are_found() {
        // package, its dependencies, and whether they are allowed
        let cases = [
            ("edt", "sim-core", true),
            ("edt", "serde", true),
            ("edt", "beer-game", false),
            ("edt", "agent-client", false),
            ("edt", "boardroom", false),
            ("edt", "chrono", false),
            ("sim-core", "edt", false),
            ("qa-scoring", "sim-core", true),
            ("qa-scoring", "edt", false),
            ("aoa-router", "qa-scoring", false),
            ("agent-client", "sim-core", true),
            ("agent-client", "tokio", true),
            ("agent-client", "edt", false),
            ("agent-client", "qa-scoring", false),
            ("agent-client", "aoa-router", false),
            ("run-engine", "agent-client", true),
            ("run-engine", "edt", false),
            ("run-engine", "qa-scoring", true),
            ("run-engine", "run-report", false),
            ("run-report", "run-engine", true),
            ("boardroom-serve", "run-engine", true),
            ("boardroom", "edt", true),
            ("benches", "edt", true),
        ];
        for (package, other, right) in cases {
            let direct = Project::default()
                .with_package(package, |member| member.dependencies = names(&[other]));
            assert_eq!(check(&direct).is_empty(), right, "{package} -> {other}");
        }
    }

    #[test]
    fn a_room_that_uses_a_room_above_it_is_found() {
        // file, what it uses, and whether that is allowed
        let cases = [
            ("data/view", "data::tables", true),
            ("data/view", "access", false),
            ("access/native", "data::view", true),
            ("tools/office", "access", true),
            ("tools/office", "tasks::evaluate", false),
            ("tasks/evaluate", "tools::office", true),
            ("tasks", "env", false),
            ("env", "tasks", true),
        ];
        for (file, used, right) in cases {
            let root = format!("crates/{OFFICE}/src");
            let target = used.replace("::", "/");
            let mut project = Project::default().with_package(OFFICE, |_| ());
            for room in ROOMS {
                project = project.with(&format!("{root}/{room}.rs"), "");
            }
            let project = project
                .with(&format!("{root}/{target}.rs"), "pub struct Used;")
                .with(
                    &format!("{root}/{file}.rs"),
                    &format!("use crate::{used}::Used;"),
                );
            assert_eq!(check(&project).is_empty(), right, "{file} -> {used}");
        }
    }

    #[test]
    fn tests_keep_to_the_layers_too() {
        let project = Project::default().with_package("edt", |member| {
            member.dev_dependencies = names(&["beer-game"])
        });
        assert_eq!(check(&project).len(), 1);
    }

    #[test]
    fn a_runtime_is_found_however_far_away() {
        for (package, findings) in [("beer-game", 2), ("sim-core", 2), ("agent-client", 0)] {
            let project = Project::default().with_package(package, |member| {
                member.reaches = names(&["tokio", "hyper", "serde"]);
            });
            assert_eq!(check(&project).len(), findings, "{package}");
        }
    }

    #[test]
    fn a_package_without_a_layer_is_found() {
        let project = Project::default().with_package("newcomer", |_| ());
        assert_eq!(check(&project).len(), 1);
    }
}
