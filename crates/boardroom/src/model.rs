//! Models as players: which model, asked how, within which means.

pub mod run;
pub mod store;

use crate::error::RunError;
use agent_client::cassette::{Cassette, Mode};
use agent_client::decide::{Debate, Deliberator, Discussion, Refine, Single};
use agent_client::money::Money;
use agent_client::play::PlaySettings;
use agent_client::secret::{ApiKey, Scrub};
use agent_client::wire::{Dialect, Kind};
use serde::{Deserialize, Serialize};
use sim_core::{Digest, Limits};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::FileStore;

/// How one decision is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// One request
    #[default]
    Cot,
    /// A draft, then rounds of critique and revision
    SelfRefine,
    /// Three agents, two rounds, a vote
    Debate,
    /// Three agents, two rounds, a synthesis
    Discussion,
}

impl Method {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cot => "cot",
            Self::SelfRefine => "self-refine",
            Self::Debate => "debate",
            Self::Discussion => "discussion",
        }
    }

    fn deliberator(self) -> Arc<dyn Deliberator> {
        match self {
            Self::Cot => Arc::new(Single::default()),
            Self::SelfRefine => Arc::new(Refine::default()),
            Self::Debate => Arc::new(Debate::default()),
            Self::Discussion => Arc::new(Discussion::default()),
        }
    }
}

/// What decides the words that are sent to a model; part of a plan and of every record's key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPlan {
    /// Language, model and sampling.
    pub dialect: Dialect,
    /// How one decision is made.
    pub method: Method,
    /// How the agent comes to its calls.
    pub play: PlaySettings,
}

/// What does not change a result: how much at once, and for how much money.
#[derive(Debug, Clone, Default)]
pub struct Means {
    /// Episodes at a time.
    pub concurrency: Option<usize>,
    /// Most money that the run may cost in all, earlier sittings included.
    pub max_cost: Option<Money>,
    /// File with prices by model.
    pub prices: Option<PathBuf>,
}

/// What the command line says of a model, all of it optional.
#[derive(Debug, Clone, Default)]
pub struct ModelRequest {
    /// How one decision is made.
    pub method: Option<Method>,
    /// How the agent comes to its calls.
    pub play: PlaySettings,
    /// Sampling temperature; the server's default when absent.
    pub temperature: Option<f64>,
    /// Most tokens of a reply.
    pub max_tokens: Option<u32>,
}

impl ModelPlan {
    /// The plan for `agent` (`openai:model`, `anthropic:model`, `replay:cassette`); `None` for an
    /// agent of another kind.
    ///
    /// # Errors
    /// When the model has no name or the cassette cannot be read.
    pub fn new(agent: &str, request: &ModelRequest) -> Result<Option<Self>, RunError> {
        let mut dialect = match agent.split_once(':') {
            Some(("openai", model)) => dialect(Kind::OpenAi, model)?,
            Some(("anthropic", model)) => dialect(Kind::Anthropic, model)?,
            Some(("replay", path)) => {
                let cassette = open_cassette(Path::new(path))?;
                let Some(dialect) = cassette.dialects().into_iter().next() else {
                    return Err(RunError::usage(format!("{path} holds no model calls")));
                };
                dialect
            }
            _ => return Ok(None),
        };
        if let Some(temperature) = request.temperature {
            if !(0.0..=2.0).contains(&temperature) {
                let text = format!("--temperature must be 0 to 2, not `{temperature}`");
                return Err(RunError::usage(text));
            }
            dialect.temperature = Some(temperature);
        }
        match request.max_tokens {
            Some(0) => return Err(RunError::usage("--max-tokens must be at least 1")),
            Some(tokens) => dialect.max_tokens = tokens,
            None => {}
        }
        Ok(Some(Self {
            dialect,
            method: request.method.unwrap_or_default(),
            play: request.play,
        }))
    }

    /// Digest of all that shapes what is asked, for the key of the records.
    #[must_use]
    pub fn digest(&self, limits: &Limits) -> Option<Digest> {
        let prompts = agent_client::prompt::digest();
        let deliberator = self.method.deliberator().settings();
        Digest::of(&(self, limits, prompts, deliberator)).ok()
    }
}

fn dialect(kind: Kind, model: &str) -> Result<Dialect, RunError> {
    if model.trim().is_empty() {
        return Err(RunError::usage(format!("name a model: `{kind}:<model>`")));
    }
    Ok(Dialect::new(kind, model))
}

/// A cassette to replay: a file, or the one of a run folder.
fn open_cassette(path: &Path) -> Result<Cassette, RunError> {
    let file = if path.is_dir() {
        path.join(store::CALLS)
    } else {
        path.to_owned()
    };
    if !file.exists() {
        let text = format!("{} is no cassette: there is no such file", file.display());
        return Err(RunError::usage(text));
    }
    let store = FileStore::open(&file).map_err(RunError::file(&file))?;
    let scrub = Scrub::new(std::iter::empty::<&ApiKey>());
    Cassette::open(Arc::new(store), Mode::Replay, scrub)
        .map_err(|e| RunError::usage(format!("{}: {e}", file.display())))
}
