//! The folder of a search for an instruction.
//!
//! ```text
//! DIR/search.json        what is searched, the program's version, the start time
//! DIR/instruction.txt    the instruction that was found
//! DIR/evolved.json       how it was found
//! DIR/calls.jsonl        model requests and replies, without keys
//! ```
//!
//! A folder holds one search. The same search goes on in it; every other one, and every run, needs a folder
//! of its own.

use super::fresh::RunDirGuard;
use super::learnt::LearntInManifest;
use super::manifest::MANIFEST;
use crate::clock::seconds_now;
use crate::error::RunError;
use crate::files::lock::Lock;
use crate::files::names::SEARCH;
use crate::files::names::SWEEP;
use crate::files::{regular, run_file};
use crate::terminal::shown_path;
use agent_client::wire::Dialect;
use agent_client::wire::ways::{Learnt, LearntStore};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::difference::differences;
use sim_core::{Seed, Stored};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Everything that decides a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchPlan {
    /// Environment on whose instances is searched; `qa` for questions, `consulting` for interviews.
    pub environment: String,
    /// Version of its numbers.
    pub version: u32,
    /// Preset; the tasks of questions, the choice of cases.
    pub preset: String,
    /// Who plays and proposes, as named.
    pub agent: String,
    /// How that model is asked.
    pub dialect: Dialect,
    /// Seed of items and search.
    pub seed: Seed,
    /// Training items: digests of instances, names of questions or cases.
    pub training_items: Vec<String>,
    /// Validation items.
    pub validation_items: Vec<String>,
    /// Maximum number of trials.
    pub metric_calls: usize,
    /// Maximum number of proposals; if absent, as many as the trials allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    /// The instruction that the search begins with.
    pub first: String,
    /// What else decides a trial, by name: for episodes configuration and limits, for questions their digests
    /// and the scoring, for interviews the other participants.
    pub more: Value,
}

/// The content of `search.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchManifest {
    /// Format of this file.
    pub schema: u32,
    /// Version of the program that began the search.
    pub boardroom: String,
    /// Start of the search \[seconds since 1970-01-01 UTC\].
    pub started_unix: u64,
    /// The search.
    pub search: SearchPlan,
    /// What the servers of its models refused, by model, beyond what the plan says. It changes no trial.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub learnt: BTreeMap<String, Learnt>,
}

impl SearchManifest {
    /// The content of `search.json`.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which is a fault of this program.
    pub(crate) fn text(&self) -> Result<String, RunError> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|e| RunError::usage(format!("the search: {e}")))?;
        Ok(text + "\n")
    }
}

impl Stored for SearchManifest {
    const WHAT: &'static str = "search";
    const SCHEMA: u32 = 1;
}

/// The folder of a search, locked for this process.
#[derive(Debug)]
pub struct SearchDir {
    path: PathBuf,
    /// Present if this process has begun the search.
    fresh: Option<RunDirGuard>,
    manifest: SearchManifest,
    _lock: Lock,
}

impl SearchDir {
    /// Begins the search `plan` in `path`, or goes on with it.
    ///
    /// # Errors
    /// When the folder holds another search or anything else, another process works in it, or it cannot be
    /// written.
    pub fn open(path: &Path, plan: &SearchPlan) -> Result<Self, RunError> {
        let file = path.join(SEARCH);
        // Before the folder and its lock are made, so that a refused search leaves nothing behind.
        if !run_file::exists(&file) {
            check_empty(path)?;
        }
        let fresh = RunDirGuard::before(Some(path));
        super::make(path)?;
        let lock = Lock::to_write(path)?;
        // Another process may have begun it before the folder was locked.
        let fresh = fresh.filter(|_| !run_file::exists(&file));
        let manifest = if fresh.is_some() {
            check_empty(path)?;
            let manifest = SearchManifest {
                schema: SearchManifest::SCHEMA,
                boardroom: env!("CARGO_PKG_VERSION").to_owned(),
                started_unix: seconds_now(),
                search: plan.clone(),
                learnt: BTreeMap::new(),
            };
            run_file::replace(&file, &manifest.text()?, true)?;
            manifest
        } else {
            check_same(path, &file, plan)?
        };
        Ok(Self {
            path: path.to_owned(),
            fresh,
            manifest,
            _lock: lock,
        })
    }

    /// Stores what is learnt about the servers. Use it only while the folder is locked.
    pub(crate) fn learnt(&self) -> impl LearntStore + use<> {
        LearntInManifest::new(&self.path, self.manifest.clone())
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder if this process has begun the search and could not go on, see
    /// [`RunDirGuard::settle`]; returns the result `came`.
    ///
    /// # Errors
    /// That of `came`.
    pub fn settle<T>(&mut self, came: Result<T, RunError>) -> Result<T, RunError> {
        RunDirGuard::settle(self.fresh.take(), came)
    }
}

/// Refuses a folder that holds something else than a search.
fn check_empty(path: &Path) -> Result<(), RunError> {
    if !path.is_dir() {
        return Ok(());
    }
    let what = if run_file::exists(&path.join(MANIFEST)) {
        "a run".to_owned()
    } else if run_file::exists(&path.join(SWEEP)) {
        "a sweep".to_owned()
    } else {
        match held(path)? {
            None => return Ok(()),
            Some(name) => format!("`{}`", shown_path(&name)),
        }
    };
    Err(RunError::usage(format!(
        "{} holds {what}; name another folder for the search",
        shown_path(path)
    )))
}

/// The first entry of the folder by name, apart from the files of a search that was only begun.
fn held(path: &Path) -> Result<Option<std::ffi::OsString>, RunError> {
    let mut names = run_file::names(path)?;
    // `lock` is there where folders cannot be locked themselves.
    names.retain(|name| name != "lock" && name != SEARCH);
    Ok(names.into_iter().next())
}

/// Reads the manifest of the folder, and refuses it if its search is not `plan`.
fn check_same(path: &Path, file: &Path, plan: &SearchPlan) -> Result<SearchManifest, RunError> {
    let value = run_file::json(file, regular::MOST_MANIFEST)?.unwrap_or_default();
    let manifest = SearchManifest::read(value).map_err(RunError::in_file(file))?;
    if manifest.search == *plan {
        return Ok(manifest);
    }
    let json = |plan: &SearchPlan| serde_json::to_value(plan).map_err(RunError::in_file(file));
    let found = differences(
        &json(&manifest.search)?,
        &json(plan)?,
        ["of the folder", "asked for"],
    );
    Err(RunError::usage(format!(
        "{} holds another search ({}); name another folder, or repeat the first command to continue that search",
        shown_path(path),
        found.join("; ")
    )))
}
