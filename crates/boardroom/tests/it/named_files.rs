//! Files that a command line names: pipes, devices, files with holes, long ones, and short ones with very many
//! values, for each command that reads a file. Each is refused soon and without filling the memory.

use crate::program::boardroom;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Memory of a command \[bytes\]: what the program itself maps, and what it may take.
const MEMORY: u64 = 3 << 29;

/// Processor time of a command \[s\].
const SECONDS: u64 = 20;

/// Commands with `X` in the place of the file.
const COMMANDS: [&str; 17] = [
    "score FPB --predictions X --gold GOLD",
    "score FPB --predictions GOLD --gold X",
    "score FPB --predictions GOLD --gold QUESTIONS --by capability --labels X",
    "qa correlate X",
    "qa families X",
    "qa build --agent replay:NONE --out OUT X",
    "route learn --predictions X",
    "route learn --predictions GOLD --labels X",
    "route eval --predictions X --policy X",
    "route explain --policy X --capability NC --difficulty 5",
    "cases check X",
    "run beer-game --instance X --agent sterman --no-save",
    "run beer-game --agent script:X --no-save",
    "run --plan X --out OUT",
    "run beer-game --agent openai:m --prices X --no-save",
    "run beer-game --agent openai:m --method gepa --instruction X --no-save",
    "run qa --task FPB --data X --agent oracle --no-save",
];

/// Questions of the task.
const QUESTIONS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/qa/application/FPB.json"
);

/// Makes the file.
type Make = fn(&Path);

const KINDS: [(&str, Make); 6] = [
    ("a pipe", |path| {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }),
    ("a device", |path| {
        std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    }),
    ("holes", |path| {
        let file = std::fs::File::create(path).unwrap();
        file.set_len(1 << 30).unwrap();
    }),
    ("a long file", |path| {
        let file = std::fs::File::create(path).unwrap();
        // Only the routing policy may be longer than this.
        let length = (1 << 30) + (1 << 20);
        if rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, length).is_err() {
            eprintln!("SKIPPED: the disk has no place for a long file");
        }
    }),
    ("zeros", |path| {
        std::fs::write(path, format!("[{}0]", "0,".repeat(10_000_000))).unwrap();
    }),
    ("brackets", |path| {
        std::fs::write(path, "[".repeat(20_000_000)).unwrap();
    }),
];

/// Runs a command with little memory and time; its exit code and what it said.
fn run(words: &[String]) -> (Option<i32>, String) {
    let command = boardroom(words);
    let line = format!(
        "ulimit -v {}; ulimit -t {SECONDS}; exec \"$0\" \"$@\"",
        MEMORY >> 10
    );
    let mut child = Command::new("sh")
        .args(["-c", &line])
        .arg(command.get_program())
        .args(command.get_args())
        .env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        .env("OPENAI_API_KEY", "a key of this test")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // What waits for a pipe takes no processor time.
    let id = rustix::process::Pid::from_child(&child);
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if ended.recv_timeout(Duration::from_secs(300)).is_err() {
            let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
        }
    });
    let mut out = child.stdout.take().unwrap();
    let reading = std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
    let mut said = String::new();
    let _ = std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said);
    let code = child.wait().unwrap().code();
    let _ = done.send(());
    watch.join().unwrap();
    let _ = reading.join();
    (code, said)
}

#[test]
fn slow_no_command_is_filled_or_stopped_by_a_file_that_it_names() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let gold: PathBuf = at("gold.jsonl");
    std::fs::write(&gold, "{\"id\": \"1\", \"prediction\": \"positive\"}\n").unwrap();
    let file = at("x.json");
    for (kind, make) in KINDS {
        let _ = std::fs::remove_file(&file);
        make(&file);
        for command in COMMANDS {
            let words = command.split(' ').map(|word| {
                let word = word.replace("QUESTIONS", QUESTIONS);
                let word = word.replace("GOLD", gold.to_str().unwrap());
                let word = word.replace("NONE", at("none").to_str().unwrap());
                let word = word.replace("OUT", at("out").to_str().unwrap());
                match word.strip_suffix('X') {
                    Some(before) => format!("{before}{}", file.display()),
                    None => word,
                }
            });
            let words: Vec<String> = words.collect();
            let (code, said) = run(&words);
            let case = format!("{command} with {kind}: {code:?} {said}");
            assert!(matches!(code, Some(1 | 2)), "{case}");
            assert!(!said.contains("panicked"), "{case}");
            // It is refused because of this file and no other reason.
            assert!(said.contains("x.json"), "{case}");
            // No line of a refusal repeats the file.
            assert!(said.len() < 4_000, "{case}");
        }
    }
}

/// Each pair of columns has a coefficient, so the columns are limited; what is within the limits is read in a time
/// proportional to its number of cells.
#[test]
fn tables_of_models_have_a_limit_and_take_linear_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.csv");
    let table = |columns: usize, rows: usize| {
        let names: Vec<String> = (0..columns).map(|column| format!("k{column}")).collect();
        let mut text = format!("model,{}\n", names.join(","));
        for row in 0..rows {
            let cells: Vec<String> = (0..columns)
                .map(|column| (row * 31 + column * 17).rem_euclid(97).to_string())
                .collect();
            text.push_str(&format!("m{row},{}\n", cells.join(",")));
        }
        std::fs::write(&path, text).unwrap();
    };
    let words = |command: &str| {
        vec![
            "qa".to_owned(),
            command.to_owned(),
            path.display().to_string(),
        ]
    };
    for (columns, rows, told) in [(80_000, 4, "columns"), (3, 10_001, "rows")] {
        table(columns, rows);
        for command in ["correlate", "families"] {
            let (code, said) = run(&words(command));
            assert_eq!(code, Some(2), "{command}: {said}");
            assert!(said.contains(told), "{command}: {said}");
        }
    }
    table(900, 500);
    for command in ["correlate", "families"] {
        let (code, said) = run(&words(command));
        assert!(matches!(code, Some(0..=2)), "{command}: {code:?} {said}");
    }
}
