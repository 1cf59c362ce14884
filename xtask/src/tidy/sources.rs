//! Rules for Rust source.

use super::Finding;
use crate::project::Project;
use crate::rust_code::{code_before_tests, code_only, has_word};

/// Maximum number of lines of a Rust file.
const MAX_LINES: usize = 800;

/// Files that may be longer, because they are tables of data; each with its reason.
const DATA_TABLES: &[(&str, &str)] = &[];

/// Names that say nothing about the content.
const PLACELESS: &[&str] = &[
    "util.rs",
    "utils.rs",
    "common.rs",
    "helper.rs",
    "helpers.rs",
    "misc.rs",
    "stuff.rs",
];

/// The only file in `crates/` that prints.
const PRINTER: &str = "crates/boardroom/src/main.rs";

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
        "crates/qa-runner/src/qa/data.rs",
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

/// Whether the file is a source of a crate that reads files. The simulators do no input or output at all, see
/// [`printing`]; the fuzzer is a test itself.
fn reads_files(path: &str) -> bool {
    let [_, name, "src", ..] = path.split('/').collect::<Vec<_>>()[..] else {
        return false;
    };
    let readers = [
        "run-engine",
        "run-report",
        "qa-runner",
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
    in_code(
        project,
        reads_files,
        code_before_tests,
        &["display()"],
        |_| "shows a path unescaped: use `run_engine::terminal::shown_path`".to_owned(),
    )
}

pub(super) fn opened_files(project: &Project) -> Vec<Finding> {
    let runs = |path: &str| reads_files(path) && OPENERS.iter().all(|(opener, _)| *opener != path);
    in_code(project, runs, code_before_tests, OPENING, |name| {
        format!(
            "uses `{name}`: open a file of a run folder with `run_engine::files::run_file`, and one that a command \
             names with `run_engine::files::regular`"
        )
    })
}

pub(super) fn file_length(project: &Project) -> Vec<Finding> {
    too_long(project, DATA_TABLES)
}

fn too_long(project: &Project, tables: &[(&str, &str)]) -> Vec<Finding> {
    let is_table = |path: &str| tables.iter().any(|(table, _)| *table == path);
    let mut findings = Vec::new();
    for (path, source) in project.texts(".rs") {
        let lines = source.lines().count();
        if lines > MAX_LINES && !is_table(path) {
            let message = format!(
                "has {lines} lines, more than {MAX_LINES}: split it, or name it as a table of data \
                 in xtask's tidy/sources.rs"
            );
            findings.push(Finding::new(path, message));
        }
    }
    for (table, _) in tables
        .iter()
        .filter(|(table, _)| project.text(table).is_none())
    {
        findings.push(Finding::new(
            *table,
            "is named as a table of data but is not there",
        ));
    }
    findings
}

pub(super) fn file_names(project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, _) in project.texts(".rs") {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name == "mod.rs" {
            findings.push(Finding::new(
                path,
                "is called mod.rs: use foo.rs beside the folder foo/",
            ));
        } else if PLACELESS.contains(&name) {
            let message = "has a name that does not describe its content: move its parts to where \
                           they are used";
            findings.push(Finding::new(path, message));
        }
    }
    findings
}

pub(super) fn printing(project: &Project) -> Vec<Finding> {
    let library = |path: &str| {
        path.starts_with("crates/")
            && path.contains("/src/")
            && path != PRINTER
            && !path.ends_with("/tests.rs")
    };
    let macros = ["print!", "println!", "eprint!", "eprintln!", "dbg!"];
    in_code(project, library, code_before_tests, &macros, |name| {
        format!("uses `{name}`: only boardroom's main.rs prints")
    })
}

pub(super) fn ignored_tests(project: &Project) -> Vec<Finding> {
    in_code(
        project,
        |_| true,
        code_only,
        &["#[ignore"],
        |_| "ignores a test: make it pass, make it quick, or remove it".to_owned(),
    )
}

pub(super) fn hash_maps(project: &Project) -> Vec<Finding> {
    in_code(
        project,
        |_| true,
        code_only,
        &["HashMap", "HashSet"],
        |name| {
            let ordered = name.replace("Hash", "BTree");
            format!("uses `{name}`, whose order differs from run to run: use {ordered}")
        },
    )
}

/// Findings for each line of the chosen files whose code contains one of the words.
fn in_code(
    project: &Project,
    chosen: impl Fn(&str) -> bool,
    code_of: fn(&str) -> String,
    words: &[&str],
    message: impl Fn(&str) -> String,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in project.texts(".rs").filter(|(path, _)| chosen(path)) {
        for (index, line) in code_of(source).lines().enumerate() {
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
    fn long_files_are_found_unless_they_are_tables() {
        let long = "x\n".repeat(801);
        let project = Project::default()
            .with("crates/edt/src/long.rs", &long)
            .with("crates/edt/src/short.rs", &"x\n".repeat(800))
            .with("crates/edt/src/names.rs", &long)
            .with("docs/long.md", &long);
        assert_eq!(
            too_long(&project, &[("crates/edt/src/names.rs", "first names")]).len(),
            1
        );
        assert_eq!(too_long(&project, &[]).len(), 2);
        let stale = too_long(&Project::default(), &[("crates/gone.rs", "first names")]);
        assert_eq!(stale.len(), 1);
    }

    #[test]
    fn names_without_an_idea_are_found() {
        let cases = [
            ("crates/edt/src/step/mod.rs", 1),
            ("crates/edt/src/utils.rs", 1),
            ("crates/edt/tests/it/common.rs", 1),
            ("crates/edt/src/commons.rs", 0),
            ("crates/edt/src/step.rs", 0),
            ("docs/utils.md", 0),
        ];
        for (path, expected) in cases {
            assert_eq!(
                file_names(&Project::default().with(path, "")).len(),
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn printing_is_found_in_libraries_only() {
        let cases = [
            ("crates/edt/src/lib.rs", "fn f() { println!(\"x\"); }", 1),
            (
                "crates/edt/src/lib.rs",
                "fn f() {\n std::eprint!(\"x\"); dbg!(1);\n}",
                2,
            ),
            (
                "crates/edt/src/lib.rs",
                "//! println!(\"x\")\nfn f() { g(\"print!\") }",
                0,
            ),
            (
                "crates/edt/src/lib.rs",
                "#[cfg(test)]\nmod tests { fn f() { println!() } }",
                0,
            ),
            ("crates/edt/src/step/tests.rs", "fn f() { println!() }", 0),
            ("crates/edt/tests/it/main.rs", "fn f() { eprintln!() }", 0),
            (
                "crates/boardroom/src/main.rs",
                "fn main() { println!() }",
                0,
            ),
            ("crates/boardroom/src/run.rs", "fn f() { println!() }", 1),
            ("examples/edt.rs", "fn main() { println!() }", 0),
        ];
        for (path, source, expected) in cases {
            let project = Project::default().with(path, source);
            assert_eq!(printing(&project).len(), expected, "{path}: {source}");
        }
    }

    #[test]
    fn switched_off_tests_are_found() {
        let cases = [
            ("#[test]\n#[ignore]\nfn f() {}", 1),
            ("#[test]\n#[ignore = \"slow\"]\nfn f() {}", 1),
            (
                "// #[ignore] is not allowed\n#[ignored_on(x)]\nfn f() {}",
                0,
            ),
        ];
        for (source, expected) in cases {
            let project = Project::default().with("crates/edt/tests/it/a.rs", source);
            assert_eq!(ignored_tests(&project).len(), expected, "{source}");
        }
    }

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

    #[test]
    fn hash_maps_are_found_with_their_line() {
        let source = "//! no HashMap here\n\nuse std::collections::{BTreeMap, HashMap};\n";
        let project = Project::default().with("crates/edt/src/lib.rs", source);
        let findings = hash_maps(&project);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].to_string(),
            "crates/edt/src/lib.rs:3: uses `HashMap`, whose order differs from run to run: use \
             BTreeMap"
        );
    }
}
