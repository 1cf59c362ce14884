//! No file has a path of a particular machine.

use super::Finding;
use crate::project::Project;

/// First parts of absolute paths that depend on the machine.
const FOLDERS: [&str; 5] = ["root", "home", "tmp", "Users", "work"];

pub(super) fn check(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in project.texts("") {
        for (index, line) in text.lines().enumerate() {
            if let Some(folder) = machine_path(line) {
                let place = format!("{path}:{}", index + 1);
                let message = format!("names a path under `/{folder}`, which others do not have");
                findings.push(Finding::new(place, message));
            }
        }
    }
    findings
}

/// The first machine folder that a line names as the start of an absolute path.
fn machine_path(line: &str) -> Option<&'static str> {
    FOLDERS.into_iter().find(|folder| {
        let start = format!("/{folder}/");
        line.match_indices(&start).any(|(at, _)| {
            let before = line.get(..at).and_then(|text| text.chars().next_back());
            // After a letter, a dot or the like it is the middle of a path or an address.
            !before.is_some_and(|c| c.is_alphanumeric() || "._-/~}>)*".contains(c))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_are_found_and_addresses_are_not() {
        // The faults are assembled here, so that this file has none.
        let at = |folder: &str, rest: &str| format!("/{folder}/{rest}");
        let faults = [
            at("root", "project"),
            format!("see `{}`", at("home", "ann/x")),
            format!("\"{}\"", at("tmp", "x")),
            format!("path={}", at("work", "main")),
            format!("({})", at("Users", "ann")),
        ];
        for line in faults {
            let project = Project::default().with("docs/a.md", &format!("one\n{line}\n"));
            let findings = check(&project);
            assert_eq!(findings.len(), 1, "{line}");
            assert_eq!(findings[0].place, "docs/a.md:2");
        }
        for line in [
            "https://example.com/home/page",
            "../work/x",
            "crates/root/x",
            "a/tmp/b",
            "/usr/bin",
        ] {
            assert_eq!(machine_path(line), None, "{line}");
        }
    }
}
