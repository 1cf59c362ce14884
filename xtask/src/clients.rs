//! `cargo xtask clients`: third-party MCP clients play against `boardroom serve`.
//!
//! The SDKs for Python and TypeScript, at pinned versions from PyPI and npm, play whole games over
//! both transports and both generations of the protocol. They make the tool calls that correspond
//! to the actions of a built-in policy, so the results are known beforehand: the score of that
//! policy, and the record that `boardroom run` writes for the same calls as a script, including the
//! digest over all replies. Each folder of records is verified too.
//!
//! Then verifiers plays groups of rollouts against one server, and inspect_ai an evaluation.
//!
//! Downloads go to a cache outside the repository. Servers listen on the loopback interface and end
//! with this program.

mod boardroom;
mod game;
mod rollouts;
mod sdk;

use crate::built::Boardroom;
use anyhow::{Context, Result, ensure};
use boardroom::Listening;
use game::{Game, SUBJECTS, Subject};
use rollouts::Stacks;
use sdk::{Played, Sdk, VERSIONS};
use std::path::Path;

/// The connection of a client to a server.
#[derive(Debug, Clone, Copy)]
enum Transport {
    Stdio,
    Http,
}

impl Transport {
    const ALL: [Self; 2] = [Self::Stdio, Self::Http];

    fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// Downloads the clients if they are not in the cache, and lets each of them play everything.
///
/// # Errors
/// If Python, Node or a package is missing, or at the first game with a wrong result.
pub fn run(root: &Path) -> Result<()> {
    let sdks = Sdk::fetch_all(root)?;
    let stacks = Stacks::fetch(root)?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let boardroom = Boardroom::build(root, folder.path())?;
    let mut count = 0;
    for subject in &SUBJECTS {
        let folder = folder.path().join(subject.environment);
        let games = game::expected(&boardroom, subject, &folder.join("expected"))?;
        let file = folder.join("games.jsonl");
        game::write(&games, &file)?;
        for sdk in &sdks {
            for version in VERSIONS {
                for transport in Transport::ALL {
                    let run = Run {
                        boardroom: &boardroom,
                        subject,
                        sdk,
                        version,
                        transport,
                    };
                    let record = format!("{}-{version}-{}", sdk.language(), transport.name());
                    let line = run.title();
                    run.check(&games, &file, &folder.join(record))
                        .with_context(|| line.clone())?;
                    println!("{line} {}", outcome(&games));
                    count += games.len();
                }
            }
        }
    }
    stacks.verifiers(&boardroom, folder.path())?;
    stacks.inspect(&boardroom, folder.path())?;
    println!(
        "{count} games of other people's clients: all over, verified, and as a script plays them"
    );
    Ok(())
}

/// The expected result of all clients for a subject.
fn outcome(games: &[Game]) -> String {
    let calls: usize = games.iter().map(|game| game.calls.len()).sum();
    let scores: Vec<String> = games
        .iter()
        .map(|game| game.record.score.to_string())
        .collect();
    format!("{calls:>3} calls, over at {}", scores.join(" "))
}

/// One client on one server.
struct Run<'a> {
    boardroom: &'a Boardroom,
    subject: &'a Subject,
    sdk: &'a Sdk,
    version: &'static str,
    transport: Transport,
}

impl Run<'_> {
    fn title(&self) -> String {
        format!(
            "{:<12} {:<34} {} {:<5}",
            self.subject.environment,
            self.sdk.package(self.version),
            self.version,
            self.transport.name()
        )
    }

    /// Plays and compares.
    fn check(&self, games: &[Game], file: &Path, record: &Path) -> Result<()> {
        let played = match self.transport {
            Transport::Stdio => {
                let server = self.boardroom.serve(self.subject.environment, record);
                self.sdk.play(self.version, file, "stdio", &server)?
            }
            Transport::Http => {
                let server = Listening::start(self.boardroom, self.subject.environment, record)?;
                let place = [server.url().to_owned()];
                self.sdk.play(self.version, file, "http", &place)?
            }
        };
        same(&played, self.version, games)?;
        let verified = self
            .boardroom
            .output(&["verify", &boardroom::text(record)?])?;
        ensure!(
            verified.split(' ').next() == Some(&*games.len().to_string()),
            "`boardroom verify` says: {verified}"
        );
        let records = boardroom::records(record)?;
        ensure!(records.len() == games.len(), "{} records", records.len());
        for (number, (record, game)) in records.iter().zip(games).enumerate() {
            ensure!(
                *record == game.record,
                "game {number}: the record says {record:?}, a script's {:?}",
                game.record
            );
        }
        Ok(())
    }
}

/// Checks what the client saw against the expected games.
fn same(played: &Played, version: &str, games: &[Game]) -> Result<()> {
    ensure!(
        played.protocol == version,
        "it speaks {}, not {version}",
        played.protocol
    );
    ensure!(
        played.games.len() == games.len(),
        "it played {} games, not {}",
        played.games.len(),
        games.len()
    );
    for (number, (seen, game)) in played.games.iter().zip(games).enumerate() {
        let end = &seen.end;
        let score = end.pointer("/score/value").and_then(|value| value.as_f64());
        ensure!(
            end.get("over").is_some_and(|over| *over == true)
                && end.get("not_kept").is_some_and(serde_json::Value::is_null),
            "game {number} ended with {end}"
        );
        ensure!(
            score == Some(game.record.score),
            "game {number} was scored {score:?}, not {}",
            game.record.score
        );
        ensure!(
            seen.episode == number && seen.refused == game.refused,
            "game {number} was episode {}; refused were the calls {:?}, not {:?}",
            seen.episode,
            seen.refused,
            game.refused
        );
        for call in &game.calls {
            ensure!(
                played.tools.contains(&call.tool),
                "the tool `{}` is not listed",
                call.tool
            );
        }
    }
    Ok(())
}
