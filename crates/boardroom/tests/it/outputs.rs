//! Files that results are written to: an earlier result is replaced, anything else is not.

use crate::program::{names, ok, refused, verifies};
use std::path::Path;

fn show(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A sweep with one run, and its plan file.
fn sweep(dir: &Path) -> (String, String) {
    let plan = dir.join("plan.toml");
    let text = "episodes = 1\n[[runs]]\nenvironment = \"beer-game\"\nagents = [\"sterman\"]\n";
    std::fs::write(&plan, text).unwrap();
    let sweep = dir.join("sweep");
    ok(&format!(
        "run --plan {} --out {} --json",
        show(&plan),
        show(&sweep)
    ));
    (show(&plan).to_owned(), show(&sweep).to_owned())
}

#[test]
fn no_result_is_written_over_what_the_program_or_the_user_keeps() {
    let dir = tempfile::tempdir().unwrap();
    let (plan, sweep) = sweep(dir.path());
    let member = std::fs::read_dir(&sweep).unwrap();
    let member = member.map(|entry| entry.unwrap().path());
    let run = member.into_iter().find(|path| path.is_dir()).unwrap();
    let kept = [
        run.join("episodes.jsonl"),
        run.join("manifest.json"),
        Path::new(&sweep).join("sweep.toml"),
        Path::new(&plan).to_owned(),
    ];
    for file in &kept {
        let before = std::fs::read(file).unwrap();
        for words in [
            &["report", &sweep, "-o", show(file)][..],
            &["export", &sweep, "-o", show(file)],
            &["generate", "beer-game", "-o", show(file)],
            &["office", "generate", "-o", show(file)],
            &["office", "tasks", "--count", "1", "-o", show(file)],
        ] {
            let error = refused(words, 2);
            names(&error, &[show(file)]);
            assert_eq!(std::fs::read(file).unwrap(), before, "{words:?}");
        }
    }
    verifies(&sweep, 1);
}

#[test]
fn an_earlier_result_of_the_same_command_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let (_, sweep) = sweep(dir.path());
    let file = |name: &str| show(&dir.path().join(name)).to_owned();
    let small = "--set company.employees=200";
    let (company, truth) = (file("company"), file("truth"));
    for line in [
        format!("report {sweep} -o {}", file("a.html")),
        format!("export {sweep} -o {}", file("a.csv")),
        format!("generate beer-game -o {}", file("a.json")),
        format!("office generate {small} -o {}", file("c.json")),
        format!("office tasks {small} --count 1 -o {}", file("t.jsonl")),
    ] {
        ok(&line);
        let target = line.rsplit(' ').next().unwrap();
        let first = std::fs::read(target).unwrap();
        std::fs::write(target, [&first[..], b" "].concat()).unwrap();
        ok(&line);
        assert_eq!(std::fs::read(target).unwrap(), first, "{line}");
    }
    let other = refused(&["export", &sweep, "-o", &file("a.html")], 2);
    names(&other, &[&file("a.html")]);
    std::fs::write(&truth, "mine\n").unwrap();
    let words = ["office", "export", "--preset", "small", "-o", &company];
    let error = refused(&[&words[..], &["--truth", &truth]].concat(), 2);
    names(&error, &[&truth]);
    assert!(!Path::new(&company).exists(), "checked before the work");
}
