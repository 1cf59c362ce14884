//! What a server refuses, and the next weaker way to ask the same.
//!
//! Servers differ in what they take: one model cannot be forced to call a tool, another has no system role,
//! a third knows no temperature. The table is [`Way`]. A client begins with the strongest way. It learns a
//! weaker one from the first refusal ([`Way::after`]), asks so from then on, and never asks twice in the
//! refused way. The key of a request does not depend on the way, so a recording holds what the plan says,
//! and replays without the server; each recorded call names the ways it was sent in.
//!
//! | refused | then |
//! |---|---|
//! | a forced choice of a tool | `auto`, then no choice, then calls as JSON in the text |
//! | tools | calls as JSON in the text |
//! | `json_schema` | `json_object`, then the schema in the prompt |
//! | `temperature`, `top_p` | the server's own |
//! | `max_tokens` | `max_completion_tokens`, or the other way round |
//! | a request without a limit on the reply | `max_tokens` of 2,048 |
//! | the system role | the rules at the head of the first user message |
//! | a user message directly after results | its text inside the last result |
//! | two messages of one side | one message |
//! | several calls in one message | a message for each call, followed by its result |
//! | the role of results | calls as JSON in the text |
//! | thoughts and unknown fields that are sent back | none sent back |
//! | `null` as the text beside calls | an empty text |
//! | ids of calls in the form of the server's own | ids of 9 letters and digits |
//! | the address without `/v1` | the address with it |
//! | the key as `authorization` | as `api-key` (Azure); for the Messages API the other way round |
//!
//! Source: issue threads of the servers and providers that [`wire::fault`](crate::wire::fault) names.

use crate::error::AgentError;
use crate::wire::{ApiKind, OLD_TOKEN_FIELD, TOKEN_FIELD};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod rewrite;
mod words;

pub use crate::room::Room;

pub(crate) use rewrite::weaker;

use strum::VariantArray;
use words::{
    AFTER_TOOL, ALTERNATE, BAD_TOOL_SCHEMA, CHOICE, FORM, FORM_OF_IDS, GRAMMAR, IDS,
    MUST_COME_BACK, NO_CALLS_BACK, NO_NULL, NO_ROLE, NO_SYSTEM, NO_TOOLS, SINGLE, THOUGHT_FIELDS,
};

/// A weaker way to ask, in place of one that a server refuses.
///
/// ```
/// use agent_client::wire::ways::Way;
/// assert_eq!("no-temperature".parse(), Ok(Way::NoTemperature));
/// assert_eq!(Way::Emulate.to_string(), "emulate");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case", parse_err_fn = unknown_way, parse_err_ty = String)]
#[non_exhaustive]
pub enum Way {
    /// A forced choice of a tool becomes `auto`.
    AutoChoice,
    /// No choice of a tool is sent.
    NoChoice,
    /// Tools are described in the prompt, and calls are JSON in the text.
    Emulate,
    /// A schema becomes `json_object`, with the schema in the prompt.
    JsonObject,
    /// The schema is in the prompt alone.
    JsonPrompt,
    /// No temperature is sent.
    NoTemperature,
    /// No `top_p` is sent.
    NoTopP,
    /// The limit on a reply is sent as `max_completion_tokens`.
    MaxCompletionTokens,
    /// The limit on a reply is sent as `max_tokens`, also where the plan names the other field.
    MaxTokens,
    /// A limit is sent although the plan names none.
    NeedsLimit,
    /// System messages become the head of the first user message.
    NoSystem,
    /// A user message directly after results of tools becomes the end of the last result.
    UserInResult,
    /// Consecutive messages of one side become one.
    Alternate,
    /// Each call of a message, with its result, becomes a message of its own.
    SingleCalls,
    /// What a model thought is not sent back, nor are fields that only its server knows.
    NoThoughts,
    /// The text beside calls is empty in place of `null`.
    NoNull,
    /// The calls of a chat have ids of 9 letters and digits.
    PlainIds,
    /// `/v1` is added to the address.
    V1,
    /// The key is sent in the other header: `api-key` in place of `authorization` (Azure), or the other way
    /// round for the Messages API (gateways).
    KeyHeader,
}

impl Way {
    /// What is done, in words for a note: `the server refused .., so ..`.
    #[must_use]
    pub fn note(self) -> &'static str {
        match self {
            Self::AutoChoice => "a forced call of a tool, so the model chose itself",
            Self::NoChoice => "a choice of tools, so none was sent",
            Self::Emulate => "tools, so calls were JSON in the text",
            Self::JsonObject => {
                "a JSON Schema, so a JSON object was asked for and the schema put into the prompt"
            }
            Self::JsonPrompt => "a form of the reply, so the schema was put into the prompt",
            Self::NoTemperature => "the temperature, so its own was used",
            Self::NoTopP => "top_p, so its own was used",
            Self::MaxCompletionTokens => "max_tokens, so max_completion_tokens was sent",
            Self::MaxTokens => "max_completion_tokens, so max_tokens was sent",
            Self::NeedsLimit => "requests without a limit on the reply, so one was sent",
            Self::NoSystem => "the system role, so the rules were put into the first user message",
            Self::UserInResult => {
                "a user message after results of tools, so its text was put into the result"
            }
            Self::Alternate => "two messages of one side in a row, so they were joined",
            Self::SingleCalls => {
                "several calls in one message, so each was sent in a message of its own"
            }
            Self::NoThoughts => "thoughts that were sent back, so none were",
            Self::NoNull => "null as the text beside calls, so an empty text was sent",
            Self::PlainIds => "the ids of calls, so they were numbered",
            Self::V1 => "the address, so /v1 was added to it",
            Self::KeyHeader => "the header of the key, so it was sent in the other one",
        }
    }

    /// The next way to ask `body`, which a server refuses with these words (lower case); `None` if the words
    /// name nothing that `body` has. `known` are the ways in which `body` was already weakened.
    #[must_use]
    pub fn after(kind: ApiKind, words: &str, body: &Value, known: &BTreeSet<Self>) -> Option<Self> {
        let asked = rewrite::Asked::of(kind, body);
        let has = |list: &[&str]| list.iter().any(|word| words.contains(word));
        let new = |way: Self| (!known.contains(&way)).then_some(way);
        let of_names = |names: &[&str]| names.iter().any(|name| names_field(words, name));
        // The narrowest words first: a message on the choice of tools names tools as well.
        if asked.limit == Some(OLD_TOKEN_FIELD) && words.contains(TOKEN_FIELD) {
            return new(Self::MaxCompletionTokens);
        }
        // A server that asked for this field before refuses its value now. Without the filter the
        // two names of the limit would take turns.
        if asked.limit == Some(TOKEN_FIELD) && words.contains(TOKEN_FIELD) {
            return new(Self::MaxTokens).filter(|_| !known.contains(&Self::MaxCompletionTokens));
        }
        if asked.limit.is_none()
            && of_names(&[OLD_TOKEN_FIELD, TOKEN_FIELD])
            && has(&["required", "missing", "must be", "must specify", "must set"])
        {
            return new(Self::NeedsLimit);
        }
        if asked.top_p && of_names(&["top_p"]) {
            return new(Self::NoTopP);
        }
        if asked.temperature && words.contains("temperature") {
            return new(Self::NoTemperature);
        }
        let names_echo = || asked.echoed.iter().any(|name| names_field(words, name));
        if asked.thoughts && (has(&THOUGHT_FIELDS) || names_echo()) && !has(&MUST_COME_BACK) {
            return new(Self::NoThoughts);
        }
        if asked.null && words.contains("content") && has(&NO_NULL) {
            return new(Self::NoNull);
        }
        if asked.calls && has(&IDS) && has(&FORM_OF_IDS) {
            return new(Self::PlainIds);
        }
        // Before `NO_TOOLS`: `parallel tool calls are not supported` ends in one of its words.
        if asked.several && has(&SINGLE) {
            return new(Self::SingleCalls);
        }
        if asked.tools && has(&NO_TOOLS) {
            return new(Self::Emulate);
        }
        if asked.choice && has(&CHOICE) {
            let next = if asked.forced {
                Self::AutoChoice
            } else {
                Self::NoChoice
            };
            return new(next)
                .or_else(|| new(Self::NoChoice))
                .or_else(|| new(Self::Emulate));
        }
        // Most servers build a grammar only where a call is forced.
        if asked.forced && has(&GRAMMAR) && !known.contains(&Self::AutoChoice) {
            return new(Self::AutoChoice);
        }
        if asked.tools
            && (has(&GRAMMAR) || has(&BAD_TOOL_SCHEMA) || of_names(&["tools", "functions"]))
        {
            return new(Self::Emulate);
        }
        // `FORM` has words as broad as `schema` and `grammar`, so all that is narrower stands
        // above.
        if asked.form && has(&FORM) {
            return new(Self::JsonObject)
                .filter(|_| asked.schema)
                .or_else(|| new(Self::JsonPrompt));
        }
        if asked.user_after_result && has(&AFTER_TOOL) {
            return new(Self::UserInResult);
        }
        if has(&ALTERNATE) {
            // Two messages of one side can be joined. Where there are none, the template took a
            // result for a turn of the user, and the message behind it for the next one.
            if asked.twice {
                return new(Self::Alternate);
            }
            if asked.user_after_result && !known.contains(&Self::UserInResult) {
                return new(Self::UserInResult);
            }
        }
        // Templates without a system role often do not say so: they count its message as a turn and
        // then find that turns do not alternate.
        let no_system =
            new(Self::NoSystem).filter(|_| asked.system && (has(&NO_SYSTEM) || has(&ALTERNATE)));
        // A template without a role for results takes tools and refuses what they said.
        no_system.or_else(|| {
            let words = has(&NO_ROLE) || has(&NO_SYSTEM) || has(&ALTERNATE);
            let is_refused = (asked.results && words) || (asked.calls && has(&NO_CALLS_BACK));
            new(Self::Emulate).filter(|_| is_refused)
        })
    }
}

/// Whether `words` name the field `name` as a word of its own.
pub(crate) fn names_field(words: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    words.match_indices(name).any(|(at, _)| {
        let before = words.get(..at).and_then(|w| w.chars().next_back());
        let after = words.get(at + name.len()..).and_then(|w| w.chars().next());
        let quoted = |c: Option<char>| c.is_some_and(|c| "'\"`.:[({".contains(c));
        !before.is_some_and(part)
            && !after.is_some_and(part)
            // A plain English word counts only as the name of a field.
            && (name.contains('_') || quoted(before) || quoted(after) || words.ends_with(name))
    })
}

fn unknown_way(text: &str) -> String {
    let ways: Vec<&str> = Way::VARIANTS.iter().map(Into::into).collect();
    format!(
        "unknown way to ask `{}`; there are {}",
        sim_core::error::clip(text),
        ways.join(", ")
    )
}

/// What a run has learnt from refusals about the server of one model and the plan does not say: a part of a run's
/// manifest.
///
/// ```
/// use agent_client::wire::ways::{Learnt, Way};
/// let learnt: Learnt = serde_json::from_str(r#"{"ways":["no-temperature"]}"#)?;
/// assert!(learnt.ways.contains(&Way::NoTemperature));
/// assert_eq!(
///     learnt.notes("openai:m"),
///     ["openai:m refused the temperature, so its own was used (--weaker no-temperature does so from the start)"]
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learnt {
    /// The weaker ways in which the server is asked.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub ways: BTreeSet<Way>,
    /// The model's room for tokens, if a limit on the reply did not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<Room>,
}

impl Learnt {
    /// Whether nothing was learnt.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What `model` refused, in one line each, and how it was asked then.
    #[must_use]
    pub fn notes(&self, model: &str) -> Vec<String> {
        let ways = self.ways.iter().map(|way| {
            format!(
                "{model} refused {} (--weaker {way} does so from the start)",
                way.note()
            )
        });
        let room = self.room.iter().map(|room| match (room.context, room.most) {
            (Some(all), _) => format!(
                "{model} has room for {all} tokens of prompt and reply, so longer limits on a reply were cut to \
                 what is left"
            ),
            (None, most) => format!(
                "{model} refused the limit on a reply, so it was cut to {} tokens",
                most.unwrap_or_default()
            ),
        });
        ways.chain(room).collect()
    }
}

/// Stores what a run learns about its servers, so that a resumed run does not ask in a refused way again.
pub trait LearntStore: Send + Sync + fmt::Debug {
    /// What is stored about `model` (`openai:some-model`) from before the run was resumed.
    fn learnt(&self, model: &str) -> Learnt;

    /// Stores what is known about `model` now, in place of what was stored.
    ///
    /// # Errors
    /// When it cannot be written.
    fn keep(&self, model: &str, learnt: &Learnt) -> Result<(), AgentError>;
}

/// The ways that a run has learnt for one model. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Ways {
    state: Arc<Mutex<State>>,
    /// The name of the model, and where its ways are stored.
    kept_in: Option<(Arc<str>, Arc<dyn LearntStore>)>,
}

#[derive(Debug, Default)]
struct State {
    known: BTreeSet<Way>,
    /// The ways that the plan names, which need not be learnt.
    planned: BTreeSet<Way>,
    room: Option<Room>,
    /// What was stored last.
    kept: Learnt,
}

impl State {
    fn learnt(&self) -> Learnt {
        Learnt {
            ways: self.known.difference(&self.planned).copied().collect(),
            room: self.room,
        }
    }
}

impl Ways {
    /// The ways for a model whose plan names `planned`, with those that the run learnt before
    /// it was resumed (`known`).
    #[must_use]
    pub fn of(planned: &BTreeSet<Way>, known: Learnt) -> Self {
        let ways = Self::default();
        {
            let mut state = ways.lock();
            state.planned.clone_from(planned);
            state.known = known.ways;
            state.room = known.room;
        }
        ways
    }

    /// The same ways, which are stored in `store` under the name `model`, together with what it holds already.
    #[must_use]
    pub fn kept_in(mut self, model: &str, store: Arc<dyn LearntStore>) -> Self {
        {
            let held = store.learnt(model);
            let mut state = self.lock();
            state.known.extend(&held.ways);
            state.room = state.room.or(held.room);
            state.kept = held;
        }
        self.kept_in = Some((model.into(), store));
        self
    }

    /// The ways that are known.
    #[must_use]
    pub fn known(&self) -> BTreeSet<Way> {
        self.lock().known.clone()
    }

    /// Adds ways.
    pub fn learn(&self, ways: impl IntoIterator<Item = Way>) {
        self.lock().known.extend(ways);
    }

    /// Removes a way that did not help.
    pub(crate) fn forget(&self, way: Way) {
        self.lock().known.remove(&way);
    }

    /// What was learnt beyond the plan.
    #[must_use]
    pub fn learnt(&self) -> Learnt {
        self.lock().learnt()
    }

    /// Writes what was learnt to the store, if it changed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn keep(&self) -> Result<(), AgentError> {
        let Some((model, store)) = &self.kept_in else {
            return Ok(());
        };
        // The lock is held while the store writes, so that the later of two changes is written last.
        let mut state = self.lock();
        let learnt = state.learnt();
        if learnt != state.kept {
            store.keep(model, &learnt)?;
            state.kept = learnt;
        }
        Ok(())
    }

    pub(crate) fn room(&self) -> Option<Room> {
        self.lock().room
    }

    pub(crate) fn set_room(&self, room: Room) {
        self.lock().room = Some(room);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
