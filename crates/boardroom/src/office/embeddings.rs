//! Vectors for searches of the office, from a server or from a recording.
//!
//! A folder holds the recorded answers (`calls.jsonl`), as the run folder of a model does. All recorded
//! vectors are read at the start, by model and text, so that a repeated run needs no server whatever the
//! order of its searches is.

use agent_client::backend::AgentBackend;
use agent_client::client::ClientSettings;
use agent_client::ledger::UsageTotals;
use agent_client::message::Message;
use agent_client::request::{ModelRole, Request, Slot};
use agent_client::store::{Store as _, StoredCall};
use agent_client::wire::{ApiKind, Dialect, embeddings};
use enterprise_sandbox::tools::embedding::{Embedder, EmbeddingError};
use run_engine::engine::model::ask::runtime;
use run_engine::engine::model::backends::Models;
use run_engine::error::RunError;
use run_engine::files::store::{CALLS, FileStore};
use run_engine::plan::model::{RunBudget, calls_in};
use run_engine::terminal::shown_path;
use run_engine::words::counted;
use serde_json::Value;
use sim_core::Digest;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Runtime;

/// Number of texts in one request. The answer has at most 100,000 numbers, so vectors may have 6,000.
const BATCH: usize = 16;

/// Prefix of the name of a folder that is only read.
const REPLAY: &str = "replay:";

/// Vectors by model and text.
type Vectors = BTreeMap<[u8; 32], Arc<[f32]>>;

/// The vectors of a folder, and the server for those that it lacks.
#[derive(Debug)]
pub struct Embeddings {
    dir: PathBuf,
    /// Whether texts without a vector are sent to the server.
    asks: bool,
    kept: Mutex<Kept>,
    /// Absent once it was shut down.
    runtime: Option<Runtime>,
}

#[derive(Debug, Default)]
struct Kept {
    vectors: Vectors,
    /// By model.
    clients: BTreeMap<String, Arc<dyn AgentBackend>>,
    /// What this process has asked for.
    spent: UsageTotals,
    /// The last failure.
    trouble: Option<String>,
}

fn key(model: &str, text: &str) -> [u8; 32] {
    // No name of a model has a zero byte, so no two pairs give the same bytes.
    Digest::of_bytes(format!("{model}\0{text}").as_bytes()).0
}

impl Embeddings {
    /// The vectors of the folder `DIR`, which records new ones; of `replay:DIR`, which sends nothing.
    ///
    /// # Errors
    /// When the recording cannot be read, or there is none to replay.
    pub fn open(name: &str) -> Result<Self, RunError> {
        let replayed = name.strip_prefix(REPLAY);
        let dir = PathBuf::from(replayed.unwrap_or(name));
        let calls = match replayed {
            // As elsewhere, a file of calls may be named, too.
            Some(_) => calls_in(&dir),
            None => dir.join(CALLS),
        };
        if replayed.is_some() && !calls.is_file() {
            return Err(RunError::usage(format!(
                "{} holds no recorded vectors",
                shown_path(&dir)
            )));
        }
        if replayed.is_none() && !calls.is_file() {
            // A fresh folder needs a server, which is reached in the way that the environment names.
            let dialect = Dialect::new(ApiKind::Embeddings, "any");
            ClientSettings::from_env(dialect).map_err(|e| RunError::usage(e.to_string()))?;
        }
        if replayed.is_none() {
            std::fs::create_dir_all(&dir).map_err(RunError::file(&dir))?;
        }
        let kept = Kept {
            vectors: recorded(&calls)?,
            ..Kept::default()
        };
        Ok(Self {
            dir,
            asks: replayed.is_none(),
            kept: Mutex::new(kept),
            runtime: Some(runtime()?),
        })
    }

    /// A note on what this process has asked for; `None` if it sent nothing.
    pub fn note(&self) -> Option<String> {
        let spent = self.kept().spent;
        (spent.requests > 0).then(|| {
            format!(
                "{} for vectors with {} in total, which are not in the cost of a run nor under --max-cost",
                counted(spent.requests, "request"),
                counted(spent.usage.input, "token"),
            )
        })
    }

    /// The last failure, if there was one.
    pub fn trouble(&self) -> Option<String> {
        self.kept().trouble.clone()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A thread that panicked leaves only complete vectors behind.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the server for the vectors of `texts` and keeps them.
    fn ask(&self, kept: &mut Kept, model: &str, texts: &[&String]) -> Result<(), String> {
        if !self.asks {
            return Err(format!(
                "{} has no vector of the model `{model}` for {} texts, such as `{}`",
                shown_path(&self.dir),
                texts.len(),
                sim_core::error::clip(texts.first().map_or("", |text| text.as_str())),
            ));
        }
        let client = match kept.clients.get(model) {
            Some(client) => Arc::clone(client),
            None => {
                let client = open(model, &self.dir).map_err(|e| e.to_string())?;
                kept.clients.insert(model.to_owned(), Arc::clone(&client));
                client
            }
        };
        let runtime = self.runtime.as_ref().map(Runtime::handle);
        let runtime = runtime.ok_or("the program is ending")?;
        for batch in texts.chunks(BATCH) {
            let joined: Vec<&str> = batch.iter().map(|text| text.as_str()).collect();
            let digest = Digest::of_bytes(joined.join("\0").as_bytes());
            // The slot is a part of the key of a recorded answer. It follows from the texts and not
            // from a count, so a repeated run finds the answer whatever it searched before.
            let slot = Slot::new(format!("embed-{}", digest.short()));
            let messages = batch.iter().map(|text| Message::user(text.as_str()));
            let request = Request::new(ModelRole::Agent, slot, messages.collect());
            // On a thread of its own, because a search may be called on a thread of another runtime,
            // which must not wait for this one.
            let reply = std::thread::scope(|threads| {
                let asked = threads.spawn(|| runtime.block_on(client.ask(request)));
                asked.join()
            });
            let reply = reply.map_err(|_| "the request was cancelled")?;
            let reply = reply.map_err(|e| e.to_string())?;
            // Before the answer is read: one that cannot be read is paid for too.
            kept.spent.count(Some(&reply.usage), None);
            let vectors = embeddings::vectors(&reply.raw)?;
            if vectors.len() != batch.len() {
                return Err(format!(
                    "the model `{model}` gave {} vectors for {} texts",
                    vectors.len(),
                    batch.len()
                ));
            }
            let all = batch.iter().zip(vectors);
            let all = all.map(|(text, vector)| (key(model, text), Arc::from(vector)));
            kept.vectors.extend(all);
        }
        Ok(())
    }
}

impl Embedder for Embeddings {
    fn embed(&self, model: &str, texts: &[String]) -> Result<Vec<Arc<[f32]>>, EmbeddingError> {
        // Searches wait for one another, so that no text is paid for twice.
        let mut kept = self.kept();
        let mut missing: Vec<&String> = texts
            .iter()
            .filter(|text| !kept.vectors.contains_key(&key(model, text)))
            .collect();
        // Sorted, so that the same missing texts are sent in the same requests.
        missing.sort_unstable();
        missing.dedup();
        // A replay refuses to ask for anything, also for nothing.
        let asked = match missing.is_empty() {
            true => Ok(()),
            false => self.ask(&mut kept, model, &missing),
        };
        let found: Option<Vec<_>> = texts
            .iter()
            .map(|text| kept.vectors.get(&key(model, text)).cloned())
            .collect();
        match (found, asked) {
            (Some(found), _) => Ok(found),
            (None, asked) => {
                let why = asked
                    .err()
                    .unwrap_or_else(|| "a vector is missing".to_owned());
                kept.trouble = Some(why.clone());
                Err(EmbeddingError(why))
            }
        }
    }
}

impl Drop for Embeddings {
    fn drop(&mut self) {
        // A runtime must not be dropped on a thread of another one, unless it does not wait.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A client of the embeddings server for `model`, recorded in `dir`.
fn open(model: &str, dir: &Path) -> Result<Arc<dyn AgentBackend>, RunError> {
    let dialect = Dialect::new(ApiKind::Embeddings, model);
    Models::open(
        &dialect.name(),
        &[&dialect],
        &RunBudget::default(),
        Some(dir),
    )?
    .backend(0)
}

/// The vectors that are recorded in the file `calls`.
fn recorded(calls: &Path) -> Result<Vectors, RunError> {
    let mut vectors = Vectors::new();
    let mut fault = None;
    let prefix = format!("{}:", ApiKind::Embeddings);
    let mut see = |_: u64, line: &str| {
        if let Err(why) = read_line(line, &prefix, &mut vectors) {
            fault.get_or_insert(why);
        }
    };
    let file = FileStore::to_read(calls);
    file.scan(&mut see).map_err(RunError::file(calls))?;
    match fault {
        None => Ok(vectors),
        Some(why) => Err(RunError::in_file(calls)(why)),
    }
}

fn read_line(line: &str, prefix: &str, vectors: &mut Vectors) -> Result<(), String> {
    let call = StoredCall::read(line)?;
    // Calls of other models may stand in the same file.
    let Some(model) = call.backend.strip_prefix(prefix) else {
        return Ok(());
    };
    let texts = call.request.get("input").and_then(Value::as_array);
    let texts = texts.ok_or("a recorded request has no list `input`")?;
    let found = embeddings::vectors(&call.answer)?;
    if found.len() != texts.len() {
        return Err("a recorded answer has not one vector for each text".to_owned());
    }
    for (text, vector) in texts.iter().zip(found) {
        let text = text.as_str().ok_or("a recorded `input` is not text")?;
        vectors.insert(key(model, text), Arc::from(vector));
    }
    Ok(())
}
