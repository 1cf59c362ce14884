//! Data comes with its source.
//!
//! A file under `fixtures/` or under a crate's `tests/golden/` is named in a `README.md` of its own
//! folder or of a folder above it (within `fixtures/` or `golden/`), which also says where the data
//! comes from: a line with the word "source" or "origin". The name is the path from the README, in a
//! code span; several files may share a pattern such as `scheduling_*.json`, and a folder may be named
//! as `small/`.

use super::Finding;
use crate::markdown::code_spans;
use crate::project::Project;

/// Data folders: at the root, or anywhere inside a crate.
const DATA_FOLDERS: [&str; 2] = ["fixtures/", "tests/golden/"];

pub(super) fn check(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in project.files.keys() {
        let Some(root) = data_root(path) else {
            continue;
        };
        if path.ends_with("/README.md") {
            if !project.text(path).is_some_and(says_source) {
                let message = "does not say where the data comes from: add a line `Source: ...`";
                findings.push(Finding::new(path.clone(), message));
            }
            continue;
        }
        let mut named = false;
        let mut seen = false;
        let mut folder = path.as_str();
        while let Some((above, _)) = folder.rsplit_once('/') {
            folder = above;
            if format!("{folder}/").len() < root {
                // The README of a crate tells of the crate; its data need one of their own.
                break;
            }
            if let Some(readme) = project.text(&format!("{folder}/README.md")) {
                seen = true;
                let rest = path.get(folder.len() + 1..).unwrap_or_default();
                named |= names_file(readme, rest);
            }
        }
        if !named {
            let message = if seen {
                "is not named in the README.md beside it: add its name and its source"
            } else {
                "has no README.md beside it: add one that names it and its source"
            };
            findings.push(Finding::new(path.clone(), message));
        }
    }
    findings
}

/// The length of the part of the path that leads to the data folder, if the path is in one.
fn data_root(path: &str) -> Option<usize> {
    DATA_FOLDERS.iter().find_map(|folder| {
        if path.starts_with(folder) {
            return Some(folder.len());
        }
        let at = path.find(&format!("/{folder}"))?;
        path.starts_with("crates/").then_some(at + 1 + folder.len())
    })
}

fn says_source(readme: &str) -> bool {
    let readme = readme.to_lowercase();
    readme.contains("source") || readme.contains("origin")
}

/// Whether the README names the file at `rest`, a path from the README's folder.
fn names_file(readme: &str, rest: &str) -> bool {
    code_spans(readme)
        .into_iter()
        .map(|span| span.trim_start_matches("./"))
        .any(|span| match span.strip_suffix('/') {
            Some(folder) => rest.starts_with(&format!("{folder}/")),
            None => matches(span, rest),
        })
}

/// Whether the pattern, in which `*` matches anything within one folder, matches all of `text`.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text.strip_prefix(head).is_some_and(|rest| {
            let reach = rest.find('/').unwrap_or(rest.len());
            (0..=reach).any(|at| rest.get(at..).is_some_and(|rest| matches(tail, rest)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_without_a_source_is_found() {
        let readme = "# Data\nSource: own work.\n- `a.json`\n- `b_*.csv`\n- `small/`\n";
        let cases: &[(&[(&str, &str)], usize)] = &[
            (
                &[("fixtures/x/README.md", readme), ("fixtures/x/a.json", "")],
                0,
            ),
            (
                &[("fixtures/x/README.md", readme), ("fixtures/x/b_1.csv", "")],
                0,
            ),
            (
                &[
                    ("fixtures/x/README.md", readme),
                    ("fixtures/x/small/deep/q.csv", ""),
                ],
                0,
            ),
            (
                &[
                    ("fixtures/x/README.md", readme),
                    ("fixtures/x/large/a.json", ""),
                ],
                1,
            ),
            (
                &[("fixtures/x/README.md", readme), ("fixtures/x/c.json", "")],
                1,
            ),
            (
                &[
                    ("fixtures/x/README.md", readme),
                    ("fixtures/x/b_1.json", ""),
                ],
                1,
            ),
            (&[("fixtures/x/a.json", "")], 1),
            (
                &[
                    ("fixtures/x/README.md", "- `a.json`\n"),
                    ("fixtures/x/a.json", ""),
                ],
                1,
            ),
            (&[("crates/edt/tests/golden/a.json", "")], 1),
            (
                &[
                    ("crates/edt/README.md", readme),
                    ("crates/edt/tests/golden/a.json", ""),
                ],
                1,
            ),
            (
                &[
                    ("crates/edt/tests/golden/README.md", readme),
                    ("crates/edt/tests/golden/a.json", ""),
                ],
                0,
            ),
            (&[("crates/edt/fixtures/a.json", "")], 1),
            (
                &[
                    ("crates/edt/tests/it/a.json", ""),
                    ("docs/fixtures/a.json", ""),
                ],
                0,
            ),
        ];
        for (files, expected) in cases {
            let project = files
                .iter()
                .fold(Project::default(), |project, (path, text)| {
                    project.with(path, text)
                });
            assert_eq!(
                check(&project).len(),
                *expected,
                "{files:?}: {:?}",
                check(&project)
            );
        }
    }

    #[test]
    fn patterns_stay_within_a_folder() {
        assert!(matches("a_*.json", "a_.json") && matches("a_*.json", "a_b_c.json"));
        assert!(matches("*", "x") && matches("*_*", "a_b"));
        assert!(!matches("*.json", "x/a.json") && !matches("a*", "b"));
    }
}
