//! What is tested: names, seeds, and how an input is played.

use crate::mutate::mutate;
use crate::targets;
use anyhow::{Context as _, Result};
use sim_core::Seed;
use std::fmt;
use std::path::{Path, PathBuf};

/// What became of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was refused with an error before anything was done with it.
    Refused,
    /// It was taken, at least in part.
    Played,
    /// It broke a promise other than not to panic, such as "a refused action changes nothing".
    Broken(String),
}

/// One part of the program that reads from outside.
#[derive(Clone, Copy)]
pub struct Target {
    /// Name on the command line, and of the folders of its seeds and regressions.
    pub name: &'static str,
    /// One line of description.
    pub about: &'static str,
    /// Share of the time, relative to the others.
    pub weight: u32,
    /// Length up to which its inputs are grown \[bytes\], see [`sizes`](crate::sizes).
    pub longest: usize,
    /// Makes the player; what it needs is made once here.
    pub open: fn() -> Result<Opened>,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Lengths up to which inputs are grown \[bytes\].
pub mod longest {
    /// Files: what a command reads as a whole may be as long as this.
    pub const FILE: usize = 100_000_000;

    /// Answers of a server, which has a limit of 8 MiB for them, and lines that are read one by one: messages,
    /// recorded calls.
    pub const TEXT: usize = 10_000_000;
}

/// Plays one input.
pub type PlayInput = Box<dyn FnMut(&[u8]) -> Verdict>;

/// A target that is ready.
pub struct Opened {
    /// Valid inputs, always the same ones in the same order.
    pub seeds: Vec<Vec<u8>>,
    /// Plays one input as the program would.
    pub play: PlayInput,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("seeds", &self.seeds.len())
            .finish_non_exhaustive()
    }
}

impl Opened {
    /// A target that plays `seeds` and mutations of them.
    pub fn new(seeds: Vec<Vec<u8>>, play: impl FnMut(&[u8]) -> Verdict + 'static) -> Self {
        Self {
            seeds,
            play: Box::new(play),
        }
    }

    /// The input number `case`: the seeds as they are come first, mutations follow. It depends on the
    /// arguments alone.
    #[must_use]
    pub fn input(&self, target: &str, seed: Seed, case: u64) -> Vec<u8> {
        let number = usize::try_from(case).unwrap_or(usize::MAX);
        if let Some(input) = self.seeds.get(number) {
            return input.clone();
        }
        let mut chance = seed.stream(target, case);
        let Some(start) = chance.pick(&self.seeds) else {
            return Vec::new();
        };
        mutate(&mut chance, start, &self.seeds)
    }
}

/// Every target.
pub const TARGETS: &[Target] = &[
    targets::world::INSTANCE,
    targets::world::SETTINGS,
    targets::world::TOOLS,
    targets::world::SNAPSHOT,
    targets::command::SCRIPT,
    targets::command::PLAN,
    targets::folder::FOLDER,
    targets::answers::ANSWERS,
    targets::answers::QUESTIONS,
    targets::answers::EXTRACT,
    targets::mcp::MCP,
    targets::reply::REPLY,
    targets::reply::SERVER,
    targets::reply::PRICES,
    targets::reply::CALLS,
    targets::interview::CASE,
    targets::interview::TRANSCRIPT,
    targets::route::ROUTE,
    targets::office::IMPORT,
    #[cfg(feature = "full")]
    targets::office::CEDAR,
];

/// The target called `name`.
///
/// # Errors
/// When there is none; names all.
pub fn named(name: &str) -> Result<&'static Target> {
    let found = TARGETS.iter().find(|target| target.name == name);
    found.with_context(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        format!(
            "there is no target `{name}`; there are {}",
            names.join(", ")
        )
    })
}

/// A folder of this package.
#[must_use]
pub fn own_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// A folder of the repository.
#[must_use]
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// The committed seeds of a target, in the order of their names; none where it has no folder.
///
/// # Errors
/// When the folder cannot be read.
pub fn committed(target: &str) -> Result<Vec<Vec<u8>>> {
    let folder = own_folder("seeds").join(target);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let files = files(&folder)?;
    let contents = files.into_iter().map(|(_, content)| content);
    Ok(contents.collect())
}

/// Every file below `dir` with its path from there, in order.
///
/// # Errors
/// When one cannot be read.
pub fn files(dir: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    let mut ahead = vec![dir.to_owned()];
    while let Some(at) = ahead.pop() {
        let entries = std::fs::read_dir(&at).with_context(|| at.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                ahead.push(path);
                continue;
            }
            let content = std::fs::read(&path).with_context(|| path.display().to_string())?;
            let name = path.strip_prefix(dir).unwrap_or(&path);
            found.push((name.to_string_lossy().into_owned(), content));
        }
    }
    // The system lists a folder in any order, and the number of a case depends on the order of the
    // seeds.
    found.sort();
    Ok(found)
}
