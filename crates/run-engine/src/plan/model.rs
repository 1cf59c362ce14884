//! The model of a plan: its name, method and sampling, and the limits on concurrency and cost.

use super::agent::is_model;
use super::instruction::read_instruction;
use super::options::{ModelOptions, Sampling, from_to};
use crate::error::RunError;
use crate::files::store::{CALLS, FileStore};
use crate::files::{regular, run_file};
use crate::secrets;
use crate::terminal::shown_path;
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::layer::retry::RetrySettings;
use agent_client::layer::transport::TransportSettings;
use agent_client::memory::FeedbackMode;
use agent_client::method::{MemorySpec, MethodSpec};
use agent_client::money::Money;
use agent_client::pace::PaceSettings;
use agent_client::play::{PlanMode, PlaySettings};
use agent_client::wire::{ApiKind, Dialect};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, Limits};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What decides the words that are sent to a model; part of a plan and of every record's key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPlan {
    /// Language, model and sampling.
    pub dialect: Dialect,
    /// How a decision is made, and what is kept from one episode to the next.
    pub method: MethodSpec,
    /// What the memory may learn from.
    pub feedback: FeedbackMode,
    /// How the agent comes to its calls.
    pub play: PlaySettings,
    /// Periods after which the memory learns in the middle of an episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update_every: Option<u32>,
    /// Score from which an episode counts as a success; else one that beats all before it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<f64>,
}

/// Concurrency and cost limits, which do not change a result.
// The comments of the fields are the help texts of their options.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct RunBudget {
    /// Episodes, questions, interviews or trials at the same time [default: 8]
    #[arg(long, value_name = "N", value_parser = from_to(1, PaceSettings::MOST_AT_ONCE as usize))]
    pub concurrency: Option<usize>,
    /// Maximum cost of the whole run in US dollars; needs --prices
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<Money>,
    /// File with the prices of each model (TOML or JSON)
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Longest time for one attempt at a request to a model [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = timeout)]
    pub timeout: Option<f64>,
    /// How often a failed request is sent again [default: 7, or 5 if every attempt fails in the same way]
    #[arg(long, value_name = "N",
          value_parser = from_to(0, RetrySettings::MOST_ATTEMPTS - 1))]
    pub retries: Option<u32>,
}

/// Reads a timeout in seconds.
fn timeout(text: &str) -> Result<f64, String> {
    let longest = TransportSettings::LONGEST_TIMEOUT;
    let seconds = text.parse().ok();
    seconds
        .filter(|seconds| *seconds > 0.0 && *seconds <= longest)
        .ok_or_else(|| format!("must be more than 0 and at most {longest} seconds"))
}

/// The method of a model if none is named: the baseline of the strategic paper.
pub const DEFAULT_METHOD: &str = "cot";

impl RunBudget {
    /// Whether nothing was asked for.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl ModelPlan {
    /// The plan for `agent` (`openai:model`, `anthropic:model`, `replay:recording`); `None` for an
    /// agent of another kind.
    ///
    /// # Errors
    /// When the model has no name, the recording or the instruction cannot be read, or there is no
    /// such method.
    pub fn new(agent: &str, request: &ModelOptions) -> Result<Option<Self>, RunError> {
        Self::recorded_as("/plan/model", agent, request)
    }

    /// As [`new`](Self::new), for the agent of one seat: a recording is that of the agent of this seat.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub(super) fn of_seat(
        seat: &str,
        agent: &str,
        request: &ModelOptions,
    ) -> Result<Option<Self>, RunError> {
        // As JSON pointers write these two characters.
        let seat = seat.replace('~', "~0").replace('/', "~1");
        Self::recorded_as(&format!("/plan/seats/{seat}/model"), agent, request)
    }

    /// As [`new`](Self::new); `place` is where the manifest of a recorded run holds the model.
    fn recorded_as(
        place: &str,
        agent: &str,
        request: &ModelOptions,
    ) -> Result<Option<Self>, RunError> {
        let Some(mut dialect) = dialect_of(agent, place)? else {
            return Ok(None);
        };
        request.ask.sampling.apply(&mut dialect);
        ask_with(&mut dialect, &request.ask.sampling)?;
        dialect.check().map_err(|e| RunError::usage(e.message))?;
        let recorded = recorded_model(agent, place);
        let method = method(recorded.as_ref(), request)?;
        let learns = is_online(&method)?;
        let usual_feedback = Self::usual_feedback(&method)?;
        // The same requests come only from a model that is asked as the recorded one was; another method has habits of
        // its own.
        let recorded = recorded.filter(|model| model.method == method);
        let recorded = recorded.as_ref();
        let ask = &request.ask;
        let play = recorded.map_or_else(PlaySettings::default, |model| model.play);
        if !learns && request.method.streams.is_some_and(|streams| streams > 1) {
            return Err(needs_memory(&method));
        }
        let plan = Self {
            dialect,
            method,
            feedback: request
                .method
                .feedback
                .or(recorded.map(|model| model.feedback))
                .unwrap_or(usual_feedback),
            play: PlaySettings {
                plan: ask.planning.unwrap_or(play.plan),
                style: ask.calls.unwrap_or(play.style),
                ..play
            },
            update_every: request
                .update_every
                .or(recorded.and_then(|model| model.update_every)),
            success: request.success.or(recorded.and_then(|model| model.success)),
        };
        plan.check(agent)?;
        Ok(Some(plan))
    }

    /// Checks that [`new`](Self::new) could have made this plan for `agent`, whether it is new or was
    /// read from a manifest.
    ///
    /// # Errors
    /// Names what is out of range, or belongs to another agent or method.
    pub fn check(&self, agent: &str) -> Result<(), RunError> {
        self.dialect
            .check()
            .map_err(|e| RunError::usage(e.message))?;
        // A recording names the model itself.
        if !agent.starts_with("replay:") && agent != self.dialect.name() {
            return Err(RunError::usage(format!(
                "the agent is `{agent}`, but the model that is asked is `{}`",
                self.dialect.name()
            )));
        }
        self.method
            .check()
            .map_err(|e| RunError::usage(e.message))?;
        if self.update_every.is_some() && !self.is_online()? {
            return Err(needs_memory(&self.method));
        }
        if self.update_every == Some(0) {
            return Err(RunError::usage("--update-every must be at least 1"));
        }
        if self.success.is_some_and(|score| !score.is_finite()) {
            return Err(RunError::usage("--success must be a finite score"));
        }
        Ok(())
    }

    /// Whether one episode changes what the next is shown, so that they are met in order.
    ///
    /// # Errors
    /// When the method lacks its instruction.
    pub fn is_online(&self) -> Result<bool, RunError> {
        is_online(&self.method)
    }

    /// What the memory of a method learns from where nothing else is asked for.
    ///
    /// # Errors
    /// When the method lacks its instruction.
    pub fn usual_feedback(method: &MethodSpec) -> Result<FeedbackMode, RunError> {
        Ok(if is_online(method)? {
            FeedbackMode::Outcome
        } else {
            FeedbackMode::None
        })
    }

    /// Name of the model.
    pub(crate) fn name(&self) -> String {
        self.dialect.name()
    }

    /// Settings that distinguish the model's runs, as key and words: the method with its settings, sampling, and the
    /// further fields of its requests. Settings without a value are left out.
    #[must_use]
    pub fn traits(&self) -> BTreeMap<String, String> {
        let sampling = [
            ("temperature", self.dialect.temperature),
            ("top-p", self.dialect.top_p),
        ];
        let sampling = sampling.into_iter().filter_map(|(name, value)| {
            value.map(|value| (format!(" {name}"), format!("{name} {value}")))
        });
        let further = self.dialect.extra.iter().map(|(name, value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (format!(" {name}"), format!("{name} {value}"))
        });
        let method = (" method".to_owned(), self.method.label());
        sampling
            .chain(further)
            .chain(std::iter::once(method))
            .collect()
    }

    /// Digest of everything that determines the requests, for the key of the records; `in_a_row` is the number
    /// of episodes in a stream, on which their order depends.
    #[must_use]
    pub fn digest(&self, limits: &Limits, in_a_row: Option<u64>) -> Option<Digest> {
        // The prompts are part of the program, so a version that words them otherwise sends other
        // requests. The number in a row is there because each stream draws an order of that many.
        let prompts = agent_client::prompt::digest(self.method.reasons());
        Digest::of(&(self, limits, prompts, in_a_row)).ok()
    }

    /// Whether a solver's plan is shown.
    #[must_use]
    pub fn is_gold(&self) -> bool {
        self.play.plan == PlanMode::Gold
    }
}

/// Gives `dialect` the further fields of `request`.
fn ask_with(dialect: &mut Dialect, request: &Sampling) -> Result<(), RunError> {
    if let Some(name) = &request.token_field {
        if dialect.kind != ApiKind::OpenAi {
            return Err(RunError::usage(format!(
                "--token-field is for models of `openai:`; `{}` has one name for the field",
                dialect.name()
            )));
        }
        dialect.max_tokens_field.clone_from(name);
    }
    dialect.ways.extend(&request.weaker);
    let mut named = BTreeSet::new();
    for (name, value) in &request.model_args {
        // The value would be in every record; the message does not quote it.
        let text = format!("{name}={value}");
        if secrets::scrub().text(&text) != text {
            return Err(RunError::usage(
                "a --model-arg contains the API key of the account",
            ));
        }
        let twice = !named.insert(name) || (name == "top_p" && request.top_p.is_some());
        if twice {
            return Err(RunError::usage(format!(
                "`{}` has two values; name it once",
                sim_core::error::clip(name)
            )));
        }
        let set = dialect.set_field(name, value.clone());
        set.map_err(|e| RunError::usage(format!("--model-arg: {}", e.message)))?;
    }
    Ok(())
}

fn needs_memory(method: &MethodSpec) -> RunError {
    RunError::usage(format!(
        "method `{method}` learns nothing: --streams and --update-every apply only to methods \
         with a memory"
    ))
}

pub(super) fn is_online(method: &MethodSpec) -> Result<bool, RunError> {
    let made = method.make().map_err(|e| RunError::usage(e.message))?;
    Ok(made.memory.is_online())
}

/// Whether the method of `agent` takes an instruction; false if it is not a model.
///
/// # Errors
/// When there is no such method, or the recording cannot be read.
pub fn takes_instruction(agent: &str, request: &ModelOptions) -> Result<bool, RunError> {
    let recorded = recorded_model(agent, "/plan/model");
    let method = named_method(recorded.as_ref(), request)?;
    Ok(is_model(agent) && matches!(method.memory, MemorySpec::Instruction(_)))
}

/// The method that is asked for, as its name says.
fn named_method(
    recorded: Option<&ModelPlan>,
    request: &ModelOptions,
) -> Result<MethodSpec, RunError> {
    let named = match (&request.method.method, recorded) {
        (Some(name), _) => name.parse(),
        (None, Some(recorded)) => Ok(recorded.method.clone()),
        (None, None) => DEFAULT_METHOD.parse(),
    };
    named.map_err(|e: agent_client::AgentError| RunError::usage(e.message))
}

/// The method that is asked for, with its instruction and its settings.
fn method(recorded: Option<&ModelPlan>, request: &ModelOptions) -> Result<MethodSpec, RunError> {
    let bad = |e: agent_client::AgentError| RunError::usage(e.message);
    let mut method = named_method(recorded, request)?;
    let name = method.name.clone();
    match (&mut method.memory, &request.method.instruction) {
        (MemorySpec::Instruction(text), Some(path)) => {
            *text = Some(read_instruction(path)?);
        }
        (MemorySpec::Instruction(None), None) => {
            return Err(RunError::usage(format!(
                "method `{name}` needs --instruction FILE: a text, or what `boardroom evolve` found"
            )));
        }
        (_, Some(_)) => {
            return Err(RunError::usage(format!(
                "method `{name}` takes no --instruction; `gepa` does"
            )));
        }
        (_, None) => {}
    }
    for (key, value) in &request.method.method_set {
        method.set(key, value).map_err(bad)?;
    }
    Ok(method)
}

/// How the model was asked whose recording `agent` names (`replay:DIR`); `None` if there is no manifest beside the
/// recording.
fn recorded_model(agent: &str, place: &str) -> Option<ModelPlan> {
    let manifest = recorded_manifest(agent)?;
    let model: ModelPlan = serde_json::from_value(manifest.pointer(place)?.clone()).ok()?;
    // A newer program may have recorded a method that this one does not know; then nothing is taken
    // over.
    model.method.check().is_ok().then_some(model)
}

/// How many streams the run had whose recording `agent` names.
pub(super) fn recorded_streams(agent: &str) -> Option<u64> {
    let manifest = recorded_manifest(agent)?;
    manifest.pointer("/plan/streams")?.as_u64()
}

/// The agent of the run whose recording `agent` names (`replay:DIR`), and its agents with seats of their own; `None` if
/// no seat had one.
pub(super) fn recorded_cast(agent: &str) -> Option<(String, BTreeMap<String, String>)> {
    let manifest = recorded_manifest(agent)?;
    let first = manifest.pointer("/plan/agent")?.as_str()?.to_owned();
    let seats = manifest.pointer("/plan/seats")?.as_object()?;
    let agent = |(seat, plan): (&String, &Value)| {
        let agent = plan.get("agent")?.as_str()?;
        Some((seat.clone(), agent.to_owned()))
    };
    Some((first, seats.iter().map(agent).collect::<Option<_>>()?))
}

/// The manifest of the run whose recording `agent` names (`replay:DIR`).
fn recorded_manifest(agent: &str) -> Option<Value> {
    manifest_in(Path::new(agent.strip_prefix("replay:")?))
}

/// The manifest of the run folder `path`, if it is one.
fn manifest_in(path: &Path) -> Option<Value> {
    // Without a manifest that can be read, the calls themselves say which models they are of.
    run_file::json(&path.join("manifest.json"), regular::MOST_MANIFEST)
        .ok()
        .flatten()
}

/// Language and model of `agent`; `None` if it is not a model. `place` is where the manifest of a recorded run holds
/// the model.
fn dialect_of(agent: &str, place: &str) -> Result<Option<Dialect>, RunError> {
    let named = |kind: ApiKind, model: &str| {
        if model.trim().is_empty() {
            return Err(RunError::usage(format!("name a model: `{kind}:<model>`")));
        }
        // The key would be in every record; the message does not quote it.
        if secrets::scrub().text(model) != model {
            let text =
                format!("the model name after `{kind}:` contains the API key of the account");
            return Err(RunError::usage(text));
        }
        Ok(Some(Dialect::new(kind, model)))
    };
    match agent.split_once(':') {
        Some(("openai", model)) => named(ApiKind::OpenAi, model),
        Some(("anthropic", model)) => named(ApiKind::Anthropic, model),
        Some(("replay", path)) => recorded(Path::new(path), place).map(Some),
        _ => Ok(None),
    }
}

/// The dialect of the agent whose calls are recorded at `path`.
fn recorded(path: &Path, place: &str) -> Result<Dialect, RunError> {
    // A run folder says who played; other roles may have been recorded there before the agent.
    if let Some(manifest) = manifest_in(path) {
        let found = manifest.pointer(&format!("{place}/dialect"));
        if let Some(Ok(dialect)) = found.map(|d| serde_json::from_value(d.clone())) {
            return Ok(dialect);
        }
    }
    recording(&calls_in(path))?
        .dialects()
        .into_iter()
        .next()
        .ok_or_else(|| RunError::usage(format!("{} holds no model calls", shown_path(path))))
}

/// The file with the calls: `path` itself, or that of a run folder.
#[must_use]
pub fn calls_in(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(CALLS)
    } else {
        path.to_owned()
    }
}

/// The message if there are no recorded calls at `file`.
fn not_found(file: &Path) -> String {
    match file.parent() {
        Some(dir) if file.ends_with(CALLS) && dir.is_dir() => {
            format!(
                "the folder {} holds no recorded calls: it has no {CALLS}",
                shown_path(dir)
            )
        }
        _ if file.exists() => format!("{} is not a file with recorded calls", shown_path(file)),
        _ => format!("there is no folder or file {}", shown_path(file)),
    }
}

/// Opens the recording in `file` to replay it; the file is not changed.
///
/// # Errors
/// When there is no such file, or it cannot be read.
pub(crate) fn recording(file: &Path) -> Result<Cassette, RunError> {
    if !file.is_file() {
        return Err(RunError::usage(not_found(file)));
    }
    let store = Arc::new(FileStore::to_read(file));
    let cassette = Cassette::open(store, CassetteMode::Replay, secrets::scrub().clone());
    cassette.map_err(RunError::in_file(file))
}
