//! The exact words of every command, one snapshot each: its help, its most frequent refusals, and an
//! ordinary output on a fixed seed.
//!
//! All other tests assert exit codes, kinds, places and facts. After a message has changed, record
//! the snapshots again with `INSTA_UPDATE=always cargo nextest run -p boardroom wording` and read the
//! difference.

mod commands;
mod folders;

use crate::program::boardroom;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The questions that come with the project.
const QUESTIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/qa");

/// What the program prints in one folder, call by call.
struct Transcript {
    dir: tempfile::TempDir,
    text: String,
    /// Texts that differ from run to run, and what the snapshot has in their place.
    hidden: Vec<(String, &'static str)>,
    /// Whether the order of the lines on standard output is left to chance.
    unordered: bool,
}

impl Transcript {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let hidden = vec![
            (dir.path().display().to_string(), "DIR"),
            (QUESTIONS.to_owned(), "QUESTIONS"),
            (env!("CARGO_PKG_VERSION").to_owned(), "VERSION"),
        ];
        Self {
            dir,
            text: String::new(),
            hidden,
            unordered: false,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file of the folder.
    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Edits the lines of a file of the folder.
    fn lines(&self, name: &str, edit: impl FnOnce(&mut Vec<String>)) {
        let mut lines: Vec<String> = self.read(name).lines().map(str::to_owned).collect();
        edit(&mut lines);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.file(name, &text);
    }

    fn command(&self, line: &str) -> Command {
        let words: Vec<String> = line
            .split_whitespace()
            .map(|word| word.replace("QUESTIONS", QUESTIONS))
            .collect();
        let mut command = boardroom(&words);
        command
            .current_dir(self.dir.path())
            .env_remove("OPENAI_API_KEY")
            .env_remove("ANTHROPIC_API_KEY")
            .env_remove("SLURM_ARRAY_TASK_ID")
            .env_remove("JOB_COMPLETION_INDEX");
        command
    }

    /// Calls the program without looking at its output; it must succeed.
    fn given(&self, line: &str) {
        let output = self.command(line).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "boardroom {line}: {err}");
    }

    /// Calls the program and notes what it prints.
    fn says(&mut self, line: &str) {
        let command = self.command(line);
        self.notes(line, command, "");
    }

    /// The same with these keys on standard input.
    fn answers(&mut self, line: &str, keys: &str) {
        let command = self.command(line);
        self.notes(line, command, keys);
    }

    /// The same with a key for a server that is at `base`.
    fn asks(&mut self, line: &str, base: &str) {
        let mut command = self.command(line);
        command
            .env("OPENAI_BASE_URL", base)
            .env("OPENAI_API_KEY", crate::server::KEY);
        self.hidden.push((base.to_owned(), "SERVER"));
        self.notes(line, command, "");
    }

    fn notes(&mut self, line: &str, mut command: Command, keys: &str) {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that refuses its arguments reads nothing.
        let _ = child.stdin.take().unwrap().write_all(keys.as_bytes());
        let output = child.wait_with_output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        writeln!(self.text, "$ boardroom {line}").unwrap();
        let mut lines: Vec<String> = out.lines().map(untimed).collect();
        if self.unordered {
            lines.sort();
        }
        for line in lines {
            writeln!(self.text, "{line}").unwrap();
        }
        for line in err.lines() {
            writeln!(self.text, "! {line}").unwrap();
        }
        match output.status.code() {
            Some(0) => {}
            code => writeln!(self.text, "[exit code {}]", code.unwrap()).unwrap(),
        }
        self.text.push('\n');
    }

    /// Notes the words of a page, without its plots.
    fn page(&mut self, name: &str) {
        let text = words(&self.read(name));
        write!(self.text, "{name}:\n{text}\n").unwrap();
    }

    /// Notes the words of a page before the metrics of the first agent.
    fn top_of_page(&mut self, name: &str) {
        let text = words(&self.read(name));
        let lines = text
            .lines()
            .take_while(|line| !line.contains("labels, metrics"));
        writeln!(self.text, "{name}:").unwrap();
        for line in lines {
            writeln!(self.text, "{line}").unwrap();
        }
        self.text.push('\n');
    }

    /// Compares everything with the snapshot `name`.
    fn is(self, name: &str) {
        let mut text = self.text;
        for (hidden, shown) in &self.hidden {
            text = text.replace(hidden.as_str(), shown);
        }
        let text = undated(&text);
        insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(name, text);
        });
    }
}

/// A text in which the folders of new runs carry no date.
fn undated(text: &str) -> String {
    let mut parts = text.split("runs/20");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.get("26-01-02".len()..).unwrap_or_default();
        shown.push_str("runs/DATE");
        shown.push_str(rest);
    }
    shown
}

/// A line with the time that a run took replaced by a word.
fn untimed(line: &str) -> String {
    let seconds = line.trim_start().split_once(" s");
    let time = seconds.filter(|(number, rest)| {
        number.parse::<f64>().is_ok() && (rest.is_empty() || rest.starts_with(','))
    });
    time.map_or_else(|| line.to_owned(), |(_, rest)| format!("  TIME s{rest}"))
}

/// The words of an HTML page, a line for each element that has any.
fn words(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let shown = rest[..at].split_whitespace().collect::<Vec<_>>().join(" ");
        if !shown.is_empty() {
            writeln!(text, "  {shown}").unwrap();
        }
        rest = &rest[at..];
        // Scripts, styles and plots hold no words.
        let skipped = ["script", "style", "svg", "pre"];
        let name = skipped.iter().find(|name| rest[1..].starts_with(**name));
        let end = name.map_or_else(|| ">".to_owned(), |name| format!("</{name}>"));
        let end = rest.find(&end).map_or(rest.len(), |at| at + end.len());
        rest = &rest[end..];
    }
    text
}

/// Plays twelve games into `out`, a path below the folder of the transcript.
fn play(said: &Transcript, out: &str, agent: &str, more: &str) {
    drawn(said, out, agent, &format!("--episodes 12 --seed 2 {more}"));
}

/// The same with other numbers of games and seeds.
fn drawn(said: &Transcript, out: &str, agent: &str, more: &str) {
    said.given(&format!(
        "run beer-game --preset random --agent {agent} --out {out} {more}"
    ));
}

#[test]
fn words_of_a_page_are_those_that_a_reader_sees() {
    let page =
        "<style>p{}</style><p>One\n two <b>three</b></p><svg><text>no</text></svg><td>4</td>";
    assert_eq!(words(page), "  One two\n  three\n  4\n");
}
