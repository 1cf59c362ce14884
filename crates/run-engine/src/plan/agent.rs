//! Who plays, as named on the command line.

use crate::error::RunError;
use crate::executor::{PYTHON, Python};
use crate::plan::script::Script;
use qa_scoring::env::EXECUTOR;
use sim_core::{DynEnvironmentSpec, DynInstance, DynPolicy, Effort, Seat, Seed};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// An agent by name: `order-up-to`, `policy:constant:400`, `script:moves.jsonl`.
#[derive(Debug, Clone)]
pub enum AgentSpec {
    /// A built-in policy with its argument.
    Policy(String),
    /// Inputs from a file, the same in every episode.
    Script {
        /// The file, as named.
        path: String,
        /// Its lines.
        script: Arc<Script>,
    },
    /// A script of an earlier run whose file can no longer be read, so that it cannot play.
    LostScript {
        /// The file, as named.
        path: String,
        /// Why the file cannot be read.
        why: String,
    },
    /// A person at the terminal (`boardroom play`).
    Human,
    /// A client of the server (`boardroom serve`).
    Client,
    /// People in their browsers, and policies in the seats that they leave empty (`boardroom
    /// classroom`).
    Classroom,
    /// An agent of the program that runs it, by its name.
    Own {
        /// The name without `own:`.
        name: String,
        /// How it is made; absent if the run is read by another program.
        make: Option<OwnAgent>,
    },
    /// The system's Python 3, for a seat that runs programs.
    Python,
    /// A model, or a recording of its calls; `engine::model` plays it.
    Model,
}

impl AgentSpec {
    /// Reads the name of an agent; a script's file is read here.
    ///
    /// # Errors
    /// When a script cannot be read, or the name is of a kind that does not exist.
    pub fn parse(name: &str) -> Result<Self, RunError> {
        match name.split_once(':') {
            // First of all: `policy:human` is a policy with that name, and not the person.
            Some(("policy", policy)) if !policy.is_empty() => Ok(Self::Policy(policy.to_owned())),
            Some(("script", path)) => Ok(Self::Script {
                path: path.to_owned(),
                script: Arc::new(Script::read(Path::new(path))?),
            }),
            None if name == "human" => Ok(Self::Human),
            None if name == PYTHON => Ok(Self::Python),
            _ if is_client(name) => Ok(Self::Client),
            None if name == "classroom" => Ok(Self::Classroom),
            Some((OWN, own)) => Ok(Self::Own {
                name: own.to_owned(),
                make: None,
            }),
            _ if is_model(name) => Ok(Self::Model),
            _ => Ok(Self::Policy(name.to_owned())),
        }
    }

    /// The agent of an earlier run; a [`LostScript`](Self::LostScript) if the file of a script is gone.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), but not if only the file of a script is missing.
    pub(crate) fn of_record(name: &str) -> Result<Self, RunError> {
        match (Self::parse(name), name.split_once(':')) {
            (Err(e), Some(("script", path))) => Ok(Self::LostScript {
                path: path.to_owned(),
                why: e.to_string(),
            }),
            (agent, _) => agent,
        }
    }

    /// The name that stands in records.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Policy(policy) => policy.clone(),
            Self::Script { path, .. } | Self::LostScript { path, .. } => format!("script:{path}"),
            Self::Human => "human".to_owned(),
            Self::Client => "mcp".to_owned(),
            Self::Classroom => "classroom".to_owned(),
            Self::Own { name, .. } => format!("{OWN}:{name}"),
            Self::Python => PYTHON.to_owned(),
            Self::Model => "model".to_owned(),
        }
    }

    /// The policy for a seat of an episode, where an oracle may spend `effort` on its plan; `None`
    /// for a script or a person, which need no policy, and for an agent of another program.
    ///
    /// # Errors
    /// When the environment has no such policy or refuses its argument.
    pub fn player(
        &self,
        case: &dyn DynInstance,
        seat: &Seat,
        episode: Seed,
        effort: Effort,
    ) -> Result<Option<Box<dyn DynPolicy>>, RunError> {
        let seed = || episode.of_policy(seat);
        match self {
            Self::Policy(name) => Ok(Some(case.policy_with(name, seat, seed(), effort)?)),
            Self::Own { make, .. } => Ok(make.as_ref().map(|make| (make.0)(seat, seed()))),
            Self::Python if *seat == EXECUTOR => Ok(Some(Box::new(Python))),
            Self::Python => Err(RunError::usage(format!(
                "`{PYTHON}` is for the seat `{EXECUTOR}`, which runs programs, and not for `{seat}`"
            ))),
            Self::Script { .. }
            | Self::LostScript { .. }
            | Self::Human
            | Self::Client
            | Self::Classroom
            | Self::Model => Ok(None),
        }
    }
}

/// Whether clients of a server play a run of the agent `name`. They play as many games as they like, in
/// any order, and an episode any number of times: the records carry `trial`.
#[must_use]
pub fn is_served(name: &str) -> bool {
    is_client(name) || name == "classroom"
}

/// Whether `name` is that of a client of a server: `mcp`, or `mcp:MODEL` where the model is known, as in logs.
fn is_client(name: &str) -> bool {
    name == "mcp" || name.starts_with("mcp:")
}

/// The kind of agent that a program brings along, before the colon of its name.
pub(crate) const OWN: &str = "own";

/// Makes the policy for a seat of an episode, with a seed for its chance.
#[derive(Clone)]
pub struct OwnAgent(Arc<MakePolicy>);

type MakePolicy = dyn Fn(&Seat, Seed) -> Box<dyn DynPolicy> + Send + Sync;

impl OwnAgent {
    /// An agent whose policies `make` returns.
    pub fn new(make: impl Fn(&Seat, Seed) -> Box<dyn DynPolicy> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }
}

impl fmt::Debug for OwnAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnAgent")
    }
}

/// Whether `name` names a model, or a recording of its calls.
#[must_use]
pub fn is_model(name: &str) -> bool {
    let kind = name.split_once(':').map(|(kind, _)| kind);
    matches!(kind, Some("openai" | "anthropic" | "replay"))
}

/// Beginnings of the names of well-known models, and the API that serves them. Other makers' models are
/// behind servers in the language of OpenAI.
const MODEL_NAMES: [(&str, &str); 12] = [
    ("gpt-", "openai"),
    ("chatgpt", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("claude", "anthropic"),
    ("gemini", "openai"),
    ("llama", "openai"),
    ("mistral", "openai"),
    ("qwen", "openai"),
    ("deepseek", "openai"),
    ("grok", "openai"),
];

/// The agent that was probably meant by `name`, if that looks like a model in the notation of another
/// program: `gpt-4o` and `openai/gpt-4o` are `openai:gpt-4o`.
///
/// ```
/// use run_engine::plan::agent::meant_model;
/// assert_eq!(meant_model("openai/gpt-4o").as_deref(), Some("openai:gpt-4o"));
/// assert_eq!(meant_model("claude-opus-4").as_deref(), Some("anthropic:claude-opus-4"));
/// assert_eq!(meant_model("order-up-to"), None);
/// ```
#[must_use]
pub fn meant_model(name: &str) -> Option<String> {
    if is_model(name) {
        return None;
    }
    let lower = name.to_lowercase();
    if let Some((maker, model)) = name.split_once('/')
        && !model.is_empty()
        && ["openai", "anthropic"].contains(&maker)
    {
        return Some(format!("{maker}:{model}"));
    }
    // `meta-llama/llama-3` is one name of a model for the servers that have many makers' models.
    let last = lower.rsplit('/').next().unwrap_or(&lower);
    // Compared in lower case, but returned as typed: names at such servers may have capitals.
    let known = MODEL_NAMES
        .iter()
        .find(|(begins, _)| last.starts_with(begins));
    known.map(|(_, api)| format!("{api}:{name}"))
}

/// The policy of `kind` that a plan is taken from: `optimal`, or the oracle of the office.
///
/// # Errors
/// When the environment has neither.
pub fn reference_policy(kind: &dyn DynEnvironmentSpec) -> Result<&'static str, RunError> {
    let policies = kind.policy_list();
    let named = |name: &str| policies.iter().find(|p| p.name == name && p.oracle);
    let found = named("optimal").or_else(|| named("oracle"));
    found.map(|policy| policy.name).ok_or_else(|| {
        RunError::usage(format!(
            "`{}` has no reference policy, so there is no gold plan",
            kind.name()
        ))
    })
}
