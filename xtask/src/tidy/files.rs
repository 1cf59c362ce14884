//! How sources open files, and how messages show their paths.

use super::Finding;
use crate::project::Project;
use crate::rust_code::{code_before_tests, has_word};

/// The files outside of tests that open, write or list files themselves, each with what it is allowed for. All
/// others use `run_engine::files`: `run_file` for a run folder, `regular` for a file that a command names.
const OPENERS: &[(&str, &str)] = &[
    (
        "crates/run-engine/src/files/run_file.rs",
        "the files of a run folder",
    ),
    (
        "crates/run-engine/src/files/regular.rs",
        "files that a command names",
    ),
    ("crates/run-engine/src/files/lock.rs", "locks folders"),
    (
        "crates/run-engine/src/files.rs",
        "lists a folder that a command names",
    ),
    (
        "crates/run-report/src/runs/walk.rs",
        "looks for run folders",
    ),
    ("crates/boardroom-view/src/site.rs", "looks for run folders"),
    (
        "crates/boardroom-view/src/export.rs",
        "writes pages into an empty folder",
    ),
    (
        "crates/run-report/src/questions/data.rs",
        "lists a folder of questions",
    ),
    (
        "crates/boardroom/src/office.rs",
        "reads and writes folders of companies",
    ),
    (
        "crates/boardroom/src/cli/output.rs",
        "writes to a terminal or a pipe",
    ),
];

/// What opens, makes, moves or lists files.
const OPENING: &[&str] = &[
    "File::open",
    "File::create",
    "File::create_new",
    "OpenOptions",
    "fs::read",
    "fs::read_to_string",
    "fs::read_dir",
    "fs::write",
    "fs::rename",
    "fs::copy",
    "fs::hard_link",
    "fs::remove_file",
];

/// Whether the file is a source of a crate that reads files. The simulators do no input or output at all; the fuzzer
/// is a test itself.
fn reads_files(path: &str) -> bool {
    let [_, name, "src", ..] = path.split('/').collect::<Vec<_>>()[..] else {
        return false;
    };
    let readers = [
        "run-engine",
        "run-report",
        "boardroom",
        "boardroom-view",
        "boardroom-serve",
        "boardroom-py",
    ];
    readers.contains(&name) && !path.ends_with("/tests.rs")
}

/// Finds messages that show a path unescaped. A file name may hold line ends and control characters, so such a message
/// can be forged.
pub(super) fn shown_paths(project: &Project) -> Vec<Finding> {
    in_code(project, reads_files, &["display()"], |_| {
        "shows a path unescaped: use `run_engine::terminal::shown_path`".to_owned()
    })
}

pub(super) fn opened_files(project: &Project) -> Vec<Finding> {
    let runs = |path: &str| reads_files(path) && OPENERS.iter().all(|(opener, _)| *opener != path);
    in_code(project, runs, OPENING, |name| {
        format!(
            "uses `{name}`: open a file of a run folder with `run_engine::files::run_file`, and one that a command \
             names with `run_engine::files::regular`"
        )
    })
}

/// Findings for each line of the chosen files whose code contains one of the words.
fn in_code(
    project: &Project,
    chosen: impl Fn(&str) -> bool,
    words: &[&str],
    message: impl Fn(&str) -> String,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in project.texts(".rs").filter(|(path, _)| chosen(path)) {
        for (index, line) in code_before_tests(source).lines().enumerate() {
            let place = format!("{path}:{}", index + 1);
            let found = words.iter().filter(|word| has_word(line, word));
            findings.extend(found.map(|word| Finding::new(place.clone(), message(word))));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_opened_past_the_checks_are_found() {
        let source = "fn f() { std::fs::read(x); g::read(y); }\n";
        for (path, expected) in [
            ("crates/run-engine/src/run_dir/new.rs", 1),
            ("crates/boardroom-view/src/new.rs", 1),
            ("crates/run-engine/src/files/run_file.rs", 0),
            ("crates/run-engine/tests/it/new.rs", 0),
            ("crates/fuzz/src/new.rs", 0),
        ] {
            let project = Project::default().with(path, source);
            assert_eq!(opened_files(&project).len(), expected, "{path}");
        }
    }

    #[test]
    fn paths_that_are_shown_as_they_are_are_found() {
        let source = "fn f() { say(dir.display()); show(value) }\n";
        for (path, expected) in [
            ("crates/run-report/src/new.rs", 1),
            ("crates/run-report/tests/it/new.rs", 0),
            ("crates/edt/src/new.rs", 0),
        ] {
            let project = Project::default().with(path, source);
            assert_eq!(shown_paths(&project).len(), expected, "{path}");
        }
    }
}
