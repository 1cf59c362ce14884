//! Run folders of somebody else: links, pipes and files with holes under each name that a run has, for each
//! command that reads or continues a run. Nothing outside of the folder is read, written or made.

use crate::program::{Called, call, ok, refused};
use serde_json::Value;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The files that an interrupted run of a policy may have.
const NAMES: [&str; 8] = [
    "manifest.json",
    "episodes.jsonl",
    "episodes.torn",
    "errors.jsonl",
    "references.jsonl",
    "references.torn",
    "verified.json",
    "progress",
];

/// Commands over a run folder, without its path and what follows it.
const COMMANDS: [(&str, &str); 8] = [
    ("resume", "--json"),
    ("verify", ""),
    ("replay", "--episode 0"),
    ("report", "-o report.html"),
    ("export", "-o table.csv"),
    ("runs", ""),
    ("rescore", ""),
    ("compare", ""),
];

/// What a link leads to.
const MINE: &str = "alias ls='ls --color'\n";

struct Place {
    dir: tempfile::TempDir,
    good: PathBuf,
}

impl Place {
    /// A run of eight episodes that was interrupted in the seventh.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let good = dir.path().join("good");
        let run = "run beer-game --preset random --episodes 8 --agent sterman --seed 3 --out";
        ok(&format!("{run} {}", good.display()));
        let records = std::fs::read_to_string(good.join("episodes.jsonl")).unwrap();
        let cut = records.rmatch_indices('\n').nth(2).unwrap().0 + 40;
        std::fs::write(good.join("episodes.jsonl"), &records[..cut]).unwrap();
        Self { dir, good }
    }

    /// A copy of the run, and a file beside it.
    fn copy(&self) -> (PathBuf, PathBuf) {
        let (run, target) = (self.dir.path().join("run"), self.dir.path().join("bashrc"));
        let _ = std::fs::remove_dir_all(&run);
        let _ = std::fs::remove_file(&target);
        std::fs::create_dir(&run).unwrap();
        for entry in std::fs::read_dir(&self.good).unwrap() {
            let from = entry.unwrap().path();
            if from.is_file() {
                std::fs::copy(&from, run.join(from.file_name().unwrap())).unwrap();
            }
        }
        (run, target)
    }

    fn entries(&self) -> usize {
        std::fs::read_dir(self.dir.path()).unwrap().count()
    }
}

fn called(command: &str, run: &Path, more: &str, dir: &Path) -> Called {
    let more = more
        .split_whitespace()
        .map(|word| match word.contains('.') {
            true => dir.join("out").join(word).display().to_string(),
            false => word.to_owned(),
        });
    let words = command.split(' ').map(str::to_owned);
    let words = words.chain([run.display().to_string()]);
    let words: Vec<String> = words.chain(more).collect();
    let called = call(&words);
    assert!(
        !called.err.contains("panicked"),
        "{words:?}: {}",
        called.err
    );
    called
}

/// Makes the link in its place, of which the file at `target` is the end.
type MakeLink = fn(&Path, &Path);

const KINDS: [(&str, MakeLink); 7] = [
    ("of no kind but a pipe", |pipe, _| {
        let made = std::process::Command::new("mkfifo").arg(pipe).status();
        assert!(made.unwrap().success());
    }),
    ("of no kind but a file with holes", |file, _| {
        let file = std::fs::File::create(file).unwrap();
        file.set_len(60 << 30).unwrap();
    }),
    ("to a file", |link, target| {
        std::fs::write(target, MINE).unwrap();
        symlink(target, link).unwrap();
    }),
    ("to nothing", |link, target| symlink(target, link).unwrap()),
    ("to a link", |link, target| {
        std::fs::write(target, MINE).unwrap();
        let between = link.with_extension("between");
        symlink(target, &between).unwrap();
        symlink(between, link).unwrap();
    }),
    ("to a folder", |link, target| {
        std::fs::create_dir(target).unwrap();
        symlink(target, link).unwrap();
    }),
    ("hard", |link, target| {
        std::fs::write(target, MINE).unwrap();
        std::fs::hard_link(target, link).unwrap();
    }),
];

/// What is at `target`, a folder with the names in it.
fn state(target: &Path) -> Option<String> {
    if target.is_dir() {
        let inside = std::fs::read_dir(target).unwrap().count();
        return Some(format!("{inside} files"));
    }
    std::fs::read_to_string(target).ok()
}

#[test]
fn no_command_follows_a_link_of_any_kind_under_any_name() {
    follows_nothing(&Place::new(), &NAMES, &COMMANDS, KINDS.len());
}

/// Questions and interviews are episodes, and their runs have further files and commands.
#[test]
fn slow_no_command_follows_a_link_in_a_run_of_questions_or_interviews() {
    let kinds = sim_core::testkit::small_or_full(2, KINDS.len());
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/qa");
    let gold = format!("--gold {data}");
    let judge = ("score FPB --predictions", gold.as_str());
    let learn = ("route learn --predictions", "-o policy.json");
    let commands = [&COMMANDS[..], &[judge, learn]].concat();
    let names = [&NAMES[..], &["instances.jsonl"]].concat();
    let question = format!("run qa --task FPB --data {data} --agent oracle");
    let interview = "run consulting --preset short --episodes 3 --agent ideal";
    for (line, names) in [(question.as_str(), &names[..]), (interview, &NAMES)] {
        let mut place = Place::new();
        place.good = place.dir.path().join("other");
        ok(&format!("{line} --out {}", place.good.display()));
        let path = place.good.join("episodes.jsonl");
        let records = std::fs::read_to_string(&path).unwrap();
        let cut = records.rmatch_indices('\n').nth(1).unwrap().0 + 40;
        std::fs::write(path, &records[..cut]).unwrap();
        follows_nothing(&place, names, &commands, kinds);
    }
}

/// Makes a link of each of so many kinds under each name, and calls each command.
fn follows_nothing(place: &Place, names: &[&str], commands: &[(&str, &str)], kinds: usize) {
    std::fs::create_dir(place.dir.path().join("out")).unwrap();
    for (place_of_name, name) in names.iter().enumerate() {
        // Each name meets other kinds where not all of them are made.
        for (kind, make) in KINDS.into_iter().cycle().skip(place_of_name).take(kinds) {
            for (command, more) in commands {
                let (run, target) = place.copy();
                let link = run.join(name);
                let _ = std::fs::remove_file(&link);
                make(&link, &target);
                let (before, count) = (state(&target), place.entries());
                let called = called(command, &run, more, place.dir.path());
                let case = format!("{command} with {name} as link {kind}");
                assert_eq!(state(&target), before, "{case}");
                assert_eq!(place.entries(), count, "{case}");
                let said = format!("{}{}", called.out, called.err);
                assert!(!said.contains("alias"), "{case}: {said}");
                if *command == "verify" {
                    assert_ne!(called.code, 0, "{case}: {said}");
                    assert!(said.contains(name), "{case}: {said}");
                }
                let _ = std::fs::remove_dir_all(&target);
            }
        }
    }
}

/// The half line at the end of the records would be appended to what the link leads to.
#[test]
fn resume_refuses_a_link_for_the_half_line_and_names_it() {
    let place = Place::new();
    let (run, target) = place.copy();
    let records = std::fs::read(run.join("episodes.jsonl")).unwrap();
    std::fs::write(&target, MINE).unwrap();
    symlink(&target, run.join("episodes.torn")).unwrap();
    let called = called("resume", &run, "", place.dir.path());
    assert_eq!(called.code, 2, "{}", called.err);
    assert!(
        called.err.contains("episodes.torn") || called.err.contains("link"),
        "{}",
        called.err
    );
    assert_eq!(std::fs::read_to_string(&target).unwrap(), MINE);
    // Nothing was lost.
    assert_eq!(std::fs::read(run.join("episodes.jsonl")).unwrap(), records);
    std::fs::remove_file(run.join("episodes.torn")).unwrap();
    ok(&format!("resume {}", run.display()));
    crate::program::verifies(run.display(), 8);
}

/// A member of a sweep that is a link may be a run of somebody who did not ask for it to be continued.
#[test]
fn a_linked_member_of_a_sweep_is_not_a_member() {
    let place = Place::new();
    let (run, _) = place.copy();
    let sweep = place.dir.path().join("sweep");
    std::fs::create_dir(&sweep).unwrap();
    std::fs::write(sweep.join("sweep.toml"), "").unwrap();
    symlink(&run, sweep.join("member")).unwrap();
    let listed = ok(&format!("runs {}", sweep.display()));
    assert!(!listed.contains("sterman"), "{listed}");
}

/// None of them is part of the run of a policy: named, not read, however long.
#[test]
fn what_is_not_part_of_the_run_is_named_and_not_read() {
    let place = Place::new();
    let (run, _) = place.copy();
    ok(&format!("resume {}", run.display()));
    std::fs::create_dir(run.join("memory")).unwrap();
    let long = std::fs::File::create(run.join("memory/0.jsonl")).unwrap();
    long.set_len(60 << 30).unwrap();
    for name in ["instances.jsonl", "calls.jsonl", "memory/7.jsonl"] {
        std::fs::write(run.join(name), "{}\n").unwrap();
    }
    let verified = ok(&format!("verify {}", run.display()));
    for name in ["instances.jsonl", "calls.jsonl", "memory"] {
        assert!(verified.contains(name), "{verified}");
    }
    for (command, more) in COMMANDS {
        if command != "replay" && command != "rescore" && command != "compare" {
            std::fs::create_dir_all(place.dir.path().join("out")).unwrap();
            let called = called(command, &run, more, place.dir.path());
            assert_eq!(called.code, 0, "{command}: {}", called.err);
        }
    }
    // The stamp of `verify` still holds: they are not digested either.
    let table = std::fs::read_to_string(place.dir.path().join("out/table.csv")).unwrap();
    let first = table.lines().nth(1).unwrap();
    assert!(first.contains(",verified"), "{table}");
}

/// The last line says what is proven: no name may write one.
#[test]
fn a_file_name_cannot_write_the_last_line_of_verify() {
    let place = Place::new();
    let (run, _) = place.copy();
    let forged = "x\nproven: everything, all of it\u{202e}\u{1b}[2J";
    std::fs::write(run.join(forged), "").unwrap();
    let said = ok(&format!("verify {}", run.display()));
    assert!(
        said.lines()
            .all(|line| !line.starts_with("proven: everything")),
        "{said}"
    );
    assert!(
        !said.contains('\u{1b}') && !said.contains('\u{202e}'),
        "{said}"
    );
    let last = said.lines().last().unwrap();
    assert!(
        last.contains("\\u000aproven") && last.contains("not proven"),
        "{said}"
    );
}

/// Agents and episodes are named in tables and pages: what is in their names is shown and does nothing.
#[test]
fn pages_and_tables_carry_no_control_characters() {
    let place = Place::new();
    let (run, _) = place.copy();
    let path = run.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    manifest["plan"]["agent"] = "own:a\u{1b}[2J\u{202e}b".into();
    manifest["plan_digest"] = serde_json::json!(sim_core::Digest::of(&manifest["plan"]).unwrap());
    std::fs::write(&path, manifest.to_string()).unwrap();
    let records = std::fs::read_to_string(run.join("episodes.jsonl")).unwrap();
    let renamed = records.replace(
        "\"agent\":\"sterman\"",
        r#""agent":"own:a\u001b[2J\u202eb""#,
    );
    std::fs::write(run.join("episodes.jsonl"), renamed).unwrap();
    let out = |name: &str| place.dir.path().join(name);
    let mut texts = vec![ok(&format!("runs {}", place.dir.path().display()))];
    for (command, name) in [("report", "r.html"), ("export", "t.csv")] {
        ok(&format!(
            "{command} {} -o {}",
            run.display(),
            out(name).display()
        ));
        texts.push(std::fs::read_to_string(out(name)).unwrap());
    }
    #[cfg(feature = "view")]
    {
        ok(&format!(
            "view {} --export {}",
            run.display(),
            out("pages").display()
        ));
        for entry in std::fs::read_dir(out("pages")).unwrap() {
            texts.push(std::fs::read_to_string(entry.unwrap().path()).unwrap());
        }
    }
    for text in texts {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}

/// A manifest of zeros holds a million values a megabyte.
#[test]
fn a_manifest_of_zeros_is_refused_before_it_fills_the_memory() {
    let place = Place::new();
    let (run, _) = place.copy();
    let zeros = format!("{{\"schema\":1,\"plan\":[{}0]}}", "0,".repeat(20_000_000));
    std::fs::write(run.join("manifest.json"), zeros).unwrap();
    for command in ["verify", "runs", "resume"] {
        let mut started = crate::program::boardroom(&[command, run.to_str().unwrap()]);
        // 40 MB of zeros took 3 GB; what is left is the text and a list of four million values.
        let output = limited(&mut started, 1 << 30).output().unwrap();
        let code = output.status.code();
        assert!(matches!(code, Some(0..=2)), "{command}: {output:?}");
    }
}

/// Starts the program with so much memory at most.
fn limited(command: &mut std::process::Command, bytes: u64) -> std::process::Command {
    let mut shell = std::process::Command::new("sh");
    let kilobytes = bytes >> 10;
    shell
        .arg("-c")
        .arg(format!("ulimit -v {kilobytes} && exec \"$@\""))
        .arg("sh")
        .arg(command.get_program())
        .args(command.get_args());
    shell
}

/// A newer program may have written what this one does not know.
#[test]
fn a_newer_version_in_the_manifest_is_remarked() {
    let place = Place::new();
    let (run, _) = place.copy();
    let path = run.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    for (version, newer) in [("99.0.1", true), ("0.1.9", false), ("x\ny", false)] {
        manifest["boardroom"] = version.into();
        std::fs::write(&path, manifest.to_string()).unwrap();
        let called = call(&["verify", run.to_str().unwrap()]);
        let said = format!("{}{}", called.out, called.err);
        assert_eq!(said.contains("newer than this program"), newer, "{said}");
    }
}

/// What a full disk refuses leaves nothing behind, and what was there stays.
#[test]
fn an_output_that_cannot_be_written_leaves_no_empty_file() {
    let place = Place::new();
    let (run, _) = place.copy();
    let report = place.dir.path().join("report.html");
    let words = [
        "report",
        run.to_str().unwrap(),
        "-o",
        report.to_str().unwrap(),
    ];
    let mut started = crate::program::boardroom(&words);
    let mut shell = std::process::Command::new("sh");
    // No file may grow beyond one block; the signal of the limit is ignored, so that the write fails.
    shell
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 1 && exec \"$@\"")
        .arg("sh")
        .arg(started.get_program())
        .args(started.get_args());
    let output = shell.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!report.exists());
    assert!(started.output().unwrap().status.success());
    let whole = std::fs::read(&report).unwrap();
    assert_eq!(shell.output().unwrap().status.code(), Some(2));
    assert_eq!(std::fs::read(&report).unwrap(), whole);
}

/// A server over the run folder `run`: `serve --record` and `classroom --out` continue it, `view` shows it live. What
/// it says, and for `view` its pages.
fn served(door: &str, run: &Path) -> String {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    let run = run.to_str().unwrap();
    let words = match door {
        "serve" => ["serve", "beer-game", "--record", run].to_vec(),
        "classroom" => ["classroom", "beer-game", "--port", "0", "--out", run].to_vec(),
        _ => ["view", run, "--http", "127.0.0.1:0"].to_vec(),
    };
    let mut child = crate::program::boardroom(&words)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    // Its address, or nothing where it refuses the folder or its client is gone.
    let _ = lines.read_line(&mut said);
    let address = said
        .split("http://")
        .nth(1)
        .and_then(|rest| rest.split('/').next());
    if let Some(address) = address.map(str::to_owned) {
        let get = |page: &str| {
            let mut stream = std::net::TcpStream::connect(&address).unwrap();
            let request =
                format!("GET /{page} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            let mut text = Vec::new();
            let _ = stream.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        };
        let first = get("");
        let links = first.split("\"link\":\"").skip(1).take(2);
        for link in links.filter_map(|rest| rest.split('"').next()) {
            said.push_str(&get(link));
        }
        said.push_str(&first);
    }
    let _ = child.kill();
    let mut error = String::new();
    let _ = child.stderr.take().unwrap().read_to_string(&mut error);
    let _ = child.wait();
    assert!(!error.contains("panicked"), "{door}: {error}");
    said + &error
}

#[test]
fn slow_no_server_follows_a_link_of_any_kind_under_any_name() {
    for door in ["serve", "classroom", "view"] {
        let mut place = Place::new();
        if door != "view" {
            // A folder of its own kind, which it continues.
            place.good = place.dir.path().join("own");
            served(door, &place.good);
        }
        let kinds = sim_core::testkit::small_or_full(3, KINDS.len());
        for name in NAMES {
            for (kind, make) in KINDS.into_iter().rev().take(kinds) {
                let (run, target) = place.copy();
                let link = run.join(name);
                let _ = std::fs::remove_file(&link);
                let _ = std::fs::remove_dir_all(&link);
                make(&link, &target);
                let (before, count) = (state(&target), place.entries());
                let said = served(door, &run);
                let case = format!("{door} with {name} as link {kind}");
                assert_eq!(state(&target), before, "{case}: {said}");
                assert_eq!(place.entries(), count, "{case}");
                assert!(!said.contains("alias"), "{case}: {said}");
                let _ = std::fs::remove_dir_all(&target);
            }
        }
    }
}

/// A run that is finished has nothing to write.
#[test]
fn a_finished_run_on_a_disk_that_cannot_be_written_is_resumed() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let place = Place::new();
    let (run, _) = place.copy();
    ok(&format!("resume {}", run.display()));
    ok(&format!("verify {}", run.display()));
    let mode = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let digest = || std::fs::read(run.join("episodes.jsonl")).unwrap();
    let before = digest();
    mode(place.dir.path(), 0o755);
    for entry in std::fs::read_dir(&run).unwrap() {
        let path = entry.unwrap().path();
        mode(&path, if path.is_dir() { 0o555 } else { 0o444 });
    }
    mode(&run, 0o555);
    for words in [&["resume", "--json"][..], &["verify"], &["runs"]] {
        let mut command = crate::program::boardroom(words);
        command.arg(&run);
        if rustix::process::geteuid().is_root() {
            // Nothing is read-only for root.
            command.uid(65_534).gid(65_534).current_dir("/");
        }
        match command.output() {
            Err(e) => eprintln!("SKIPPED: another user cannot start the program: {e}"),
            Ok(output) => assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}"),
        }
    }
    mode(&run, 0o755);
    assert_eq!(digest(), before);
}

/// A command that stores the replies of a judge does not write among the files of a run.
#[test]
fn replies_of_other_commands_are_not_stored_in_a_run() {
    let place = Place::new();
    let (run, _) = place.copy();
    let out = run.to_str().unwrap();
    let texts = place.dir.path().join("texts.txt");
    std::fs::write(&texts, "A text.").unwrap();
    let texts = texts.to_str().unwrap();
    let words = ["qa", "build", texts, "--agent", "openai:m", "--out", out];
    let said = refused(&words, 2);
    assert!(said.contains("folder of a run"), "{said}");
    // A report of one's own is not written over either.
    let other = place.dir.path().join("own");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("report.json"), "mine").unwrap();
    let own = other.to_str().unwrap();
    let words = ["qa", "build", texts, "--agent", "openai:m", "--out", own];
    let said = refused(&words, 2);
    assert!(said.contains("report.json"), "{said}");
    assert_eq!(std::fs::read(other.join("report.json")).unwrap(), b"mine");
}

/// A short file of very many values, under each name that is read as a whole.
#[test]
fn files_that_are_read_whole_hold_a_limited_number_of_values() {
    let dir = tempfile::tempdir().unwrap();
    let (run, data) = (dir.path().join("run"), dir.path().join("data"));
    std::fs::create_dir(&data).unwrap();
    let item = serde_json::json!({"ID": 1, "Question": "Which?", "Options": {"A": "one", "B": "two"}, "Answer": "A",
        "pi_justification": "x"});
    std::fs::write(data.join("fin_single.json"), format!("{item}\n")).unwrap();
    // Folders with links to themselves are read once.
    for n in 0..8 {
        symlink(&data, data.join(format!("l{n}"))).unwrap();
    }
    ok(&format!(
        "run qa --data {} --agent silent --out {}",
        data.display(),
        run.display()
    ));
    let zeros = |count: usize| format!("[0{}]\n", ",0".repeat(count));
    std::fs::write(run.join("instances.jsonl"), zeros(10_000_000)).unwrap();
    let said = refused(&["verify", run.to_str().unwrap()], 1);
    assert!(
        said.contains("instances.jsonl") && said.contains("10000000"),
        "{said}"
    );
    let game = dir.path().join("game");
    std::fs::create_dir_all(game.join("progress")).unwrap();
    std::fs::write(game.join("progress/0.jsonl"), zeros(1_500_000)).unwrap();
    let said = run_engine::run_dir::progress::Progress::open(&game, 0, 0).unwrap_err();
    assert!(said.to_string().contains("1500000"), "{said}");
    // A decision that cannot be read is not thrown away.
    std::fs::write(game.join("progress/0.jsonl"), "{\"period\": 1\n{\"per").unwrap();
    let said = run_engine::run_dir::progress::Progress::open(&game, 0, 0).unwrap_err();
    assert!(said.to_string().contains("line 1"), "{said}");
}

/// A plan of more episodes than a run may have is refused wherever it is read.
#[test]
fn a_plan_without_end_is_refused() {
    let place = Place::new();
    let (run, _) = place.copy();
    let path = run.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    manifest["plan"]["episodes"] = 1_000_000_000_000_u64.into();
    manifest["plan_digest"] = serde_json::json!(sim_core::Digest::of(&manifest["plan"]).unwrap());
    std::fs::write(&path, manifest.to_string()).unwrap();
    let run = run.to_str().unwrap();
    for (verb, code) in [("verify", 1), ("report", 2), ("resume", 2)] {
        let words = [verb, run];
        let said = refused(&words, code);
        assert!(said.contains("episodes must be"), "{words:?}: {said}");
    }
    #[cfg(feature = "view")]
    {
        let out = place.dir.path().join("pages");
        let called = call(&["view", run, "--export", out.to_str().unwrap()]);
        assert!(!called.err.contains("panicked"), "{}", called.err);
    }
}

/// A manifest that names another preset than that of its settings: wherever the preset is named, what differs from it
/// is named with it.
#[test]
fn a_relabelled_manifest_is_shown_with_its_settings() {
    let place = Place::new();
    let (run, _) = place.copy();
    ok(&format!("resume {}", run.display()));
    let path = run.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    manifest["plan"]["preset"] = "paper".into();
    manifest["plan_digest"] = serde_json::json!(sim_core::Digest::of(&manifest["plan"]).unwrap());
    std::fs::write(&path, manifest.to_string()).unwrap();
    let (shown, out) = (run.display(), place.dir.path());
    let (page, paper) = (out.join("page.html"), out.join("paper"));
    let honest = "run beer-game --preset paper --episodes 2 --agent sterman --out";
    ok(&format!("{honest} {}", paper.display()));
    ok(&format!("report {shown} -o {}", page.display()));
    let mut texts = vec![
        ok(&format!("verify {shown}")),
        ok(&format!("rescore {shown}")),
        ok(&format!("runs {}", out.display())),
        // It refuses to compare them, and says why.
        refused(
            &["compare", run.to_str().unwrap(), paper.to_str().unwrap()],
            2,
        ),
        std::fs::read_to_string(page).unwrap(),
    ];
    #[cfg(feature = "view")]
    {
        let pages = out.join("pages");
        ok(&format!("view {shown} --export {}", pages.display()));
        texts.push(std::fs::read_to_string(pages.join("index.html")).unwrap());
    }
    for text in texts {
        assert!(text.contains("paper"), "{text}");
        let differs = text.contains("demand.kind") || text.contains("settings differ");
        assert!(differs, "{text}");
    }
    // Tables have the digest of all settings beside the preset.
    let settings = |run: &Path| {
        let table = ok(&format!("export {}", run.display()));
        let column = table.lines().next().unwrap().split(',');
        let column = column.clone().position(|name| name == "settings").unwrap();
        let row = table.lines().nth(1).unwrap();
        row.split(',').nth(column).unwrap().to_owned()
    };
    assert_ne!(settings(&run), settings(&paper));
}
