//! The program under test: its commands, its servers, its records.

use crate::built::Boardroom;
use crate::command;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};

/// Every game has this seed.
const SEED: &str = "7";

impl Boardroom {
    /// The output of the program for these arguments.
    pub(super) fn output(&self, words: &[&str]) -> Result<String> {
        command::output(&mut self.call(words))
    }

    /// Runs `games` games of an environment, or only that of `shard`, into the folder `out`.
    pub(super) fn run(
        &self,
        environment: &str,
        games: usize,
        agent: &str,
        shard: Option<usize>,
        out: &Path,
    ) -> Result<()> {
        let (games, out) = (games.to_string(), text(out)?);
        let shard = shard.map(|shard| format!("{shard}/{games}"));
        let mut words = vec!["run", environment, "--seed", SEED, "--episodes", &games];
        words.extend(["--agent", agent, "--out", &out, "--json"]);
        if let Some(shard) = &shard {
            words.extend(["--shard", shard]);
        }
        self.output(&words).map(drop)
    }

    /// Runs `games` games of a preset with a policy into the folder `out`.
    pub(super) fn run_preset(
        &self,
        environment: &str,
        preset: &str,
        games: usize,
        agent: &str,
        out: &Path,
    ) -> Result<()> {
        let (games, out) = (games.to_string(), text(out)?);
        let mut words = vec!["run", environment, "--preset", preset, "--seed", SEED];
        words.extend([
            "--episodes",
            &games,
            "--agent",
            agent,
            "--out",
            &out,
            "--json",
        ]);
        self.output(&words).map(drop)
    }

    /// The command that serves an environment over standard input and output.
    pub(super) fn serve(&self, environment: &str, record: &Path) -> Vec<String> {
        let mut words = vec![self.program().to_owned()];
        words.extend(["serve", environment, "--seed", SEED, "--record"].map(str::to_owned));
        words.push(record.display().to_string());
        words
    }
}

/// A server over HTTP; it ends when this is dropped.
pub(super) struct Listening {
    process: Child,
    url: String,
    /// Kept open, so that the server can write to it.
    _log: BufReader<ChildStderr>,
}

impl Listening {
    pub(super) fn start(boardroom: &Boardroom, environment: &str, record: &Path) -> Result<Self> {
        Self::start_with(boardroom, environment, record, &[])
    }

    /// As [`start`](Self::start), with further arguments.
    pub(super) fn start_with(
        boardroom: &Boardroom,
        environment: &str,
        record: &Path,
        more: &[&str],
    ) -> Result<Self> {
        let mut process = boardroom
            .call(&[])
            .args(boardroom.serve(environment, record).iter().skip(1))
            .args(more)
            .args(["--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start `boardroom serve`")?;
        let log = process.stderr.take();
        let mut log = BufReader::new(log.context("`boardroom serve` has no standard error")?);
        let mut line = String::new();
        log.read_line(&mut line)
            .context("`boardroom serve` says nothing")?;
        let server = Self {
            process,
            url: line.trim().replace("serving at ", ""),
            _log: log,
        };
        ensure!(
            server.url.starts_with("http://127.0.0.1:"),
            "`boardroom serve` did not start: {line}"
        );
        Ok(server)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // A child process of this program; it may already have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The parts of a record that do not depend on the player.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    /// Score, in the environment's own unit.
    pub(super) score: f64,
    /// Its ending, in the word of the record.
    pub(super) ending: String,
    /// Digest over the instance and all replies.
    pub(super) digest: String,
}

/// The needed fields of a line of `episodes.jsonl`.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    header: Header,
    pub(super) entries: Vec<Entry>,
    score: Score,
    ending: String,
    digest: String,
}

#[derive(Debug, Deserialize)]
struct Header {
    episode: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) input: serde_json::Value,
}

#[derive(Debug, Deserialize)]
struct Score {
    value: f64,
}

impl Line {
    pub(super) fn record(&self) -> Record {
        Record {
            score: self.score.value,
            ending: self.ending.clone(),
            digest: self.digest.clone(),
        }
    }
}

/// The records of a folder, by episode number.
pub(super) fn lines(folder: &Path) -> Result<Vec<Line>> {
    let path = folder.join("episodes.jsonl");
    let file = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = Vec::new();
    for line in file.lines() {
        let line: Line = serde_json::from_str(line)
            .with_context(|| format!("{} has lines that are not records", path.display()))?;
        lines.push(line);
    }
    lines.sort_by_key(|line| line.header.episode);
    Ok(lines)
}

pub(super) fn records(folder: &Path) -> Result<Vec<Record>> {
    Ok(lines(folder)?.iter().map(Line::record).collect())
}

/// A path as an argument.
pub(super) fn text(path: &Path) -> Result<String> {
    let text = path.to_str();
    text.map(str::to_owned)
        .with_context(|| format!("{} is not UTF-8", path.display()))
}
