//! The options of a model: the same on a command line, in a plan file and for a seat.

use agent_client::decide::CallStyle;
use agent_client::memory::FeedbackMode;
use agent_client::method::{DeliberatorSpec, METHODS, MemorySpec};
use agent_client::play::PlanMode;
use agent_client::wire::ways::Way;
use agent_client::wire::{Dialect, OLD_TOKEN_FIELD, TOKEN_FIELD};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use sim_core::strict;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

/// Most episodes of a run; further seeds are further runs.
pub const MAX_EPISODES: u64 = 10_000_000;

/// How a model plays episodes, all of it optional.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Args)]
#[serde(default)]
pub struct ModelOptions {
    /// Method, instruction and memory.
    #[command(flatten)]
    #[serde(flatten)]
    pub method: MethodOptions,
    /// Let the memory learn every K periods of an episode as well, not only at its end
    #[arg(long, value_name = "K")]
    pub update_every: Option<u32>,
    /// Score from which an episode is a success [default: one that beats all earlier ones]
    #[arg(long, value_name = "SCORE", allow_hyphen_values = true)]
    pub success: Option<f64>,
    /// Prompting and sampling.
    #[command(flatten)]
    #[serde(flatten)]
    pub ask: AskOptions,
}

/// Method, instruction and memory of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Args)]
#[serde(default)]
pub struct MethodOptions {
    /// Name of a method, or of a deliberator and a memory.
    #[arg(long, help = method_help())]
    pub method: Option<String>,
    /// Replace a setting of the method, such as rounds=3 (repeatable); `describe method NAME` lists them
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    #[serde(deserialize_with = "pairs")]
    pub method_set: Vec<(String, Value)>,
    /// The instruction of method gepa: a text file, or the folder that `evolve` wrote
    #[arg(long, value_name = "FILE")]
    pub instruction: Option<PathBuf>,
    /// What a learning method may learn from: none, env, outcome or ground_truth [default: outcome
    /// for methods that learn, else none]
    #[arg(long, value_name = "MODE")]
    pub feedback: Option<FeedbackMode>,
    /// How many times a learning method plays the episodes, each time in another order and with an
    /// empty memory [default: 1; the score depends on the order, so use 3 or more]
    #[arg(long, value_name = "N", value_parser = from_to(1, MAX_EPISODES))]
    pub streams: Option<u64>,
}

/// Prompting and sampling of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Args)]
#[serde(default)]
pub struct AskOptions {
    /// What the model writes before its tool calls [default: none]
    #[arg(long, value_parser = one_of::<PlanMode>(&PLANNING))]
    pub planning: Option<PlanMode>,
    /// The form of a model's calls: those of its API, or JSON in the text [default: native, and json
    /// after two replies without a call]
    #[arg(long, value_parser = one_of::<CallStyle>(&CALLS))]
    pub calls: Option<CallStyle>,
    /// Sampling and further fields.
    #[command(flatten)]
    #[serde(flatten)]
    pub sampling: Sampling,
}

/// Sampling of a model, and further fields of its requests; the server's default where a value is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Args)]
#[serde(default)]
pub struct Sampling {
    /// Sampling temperature of a model
    #[arg(long)]
    pub temperature: Option<f64>,
    /// Sample only from the most probable tokens, whose probabilities add up to P (nucleus sampling;
    /// above 0, at most 1)
    #[arg(long, value_name = "P")]
    pub top_p: Option<f64>,
    /// Maximum number of tokens in a model's reply [default: none is sent; 8192 for anthropic:MODEL,
    /// whose API demands one]
    #[arg(long)]
    pub max_tokens: Option<u32>,
    /// Name of the field that holds --max-tokens in requests to openai:MODEL [default: max_tokens;
    /// after a refusal by the server that asks for it, max_completion_tokens]
    #[arg(long, value_name = "NAME", value_parser = [OLD_TOKEN_FIELD, TOKEN_FIELD])]
    #[serde(deserialize_with = "token_field")]
    pub token_field: Option<String>,
    /// A weaker way in which the server is asked from the start (repeatable): auto-choice, no-choice,
    /// emulate, json-object, json-prompt, no-temperature, no-top-p, max-completion-tokens, max-tokens,
    /// needs-limit, no-system, user-in-result, alternate, single-calls, no-thoughts, no-null, plain-ids, v1 or key-header
    /// [default: each is learnt from the server's first refusal]
    #[arg(long, value_name = "WAY")]
    pub weaker: Vec<Way>,
    /// A further field of every request, such as seed=7, reasoning_effort=low or service_tier=flex
    /// (repeatable; a value that is not JSON is text)
    #[arg(long = "model-arg", value_name = "KEY=VALUE", value_parser = key_and_value)]
    #[serde(deserialize_with = "pairs")]
    pub model_args: Vec<(String, Value)>,
}

const PLANNING: [(&str, &str); 4] = [
    ("none", "Nothing: it calls the tools directly"),
    ("cot", "It writes a plan first"),
    ("react", "It writes a thought before every call"),
    (
        "gold",
        "It is shown the action of the reference policy: an upper bound for the model",
    ),
];

const CALLS: [(&str, &str); 2] = [
    ("native", "The calls of the API"),
    (
        "json",
        "JSON in the text, for models and servers without tool calling",
    ),
];

impl ModelOptions {
    /// The options of a table in a plan file, by the names of the command line with `_` for `-`; `model_args` and
    /// `method_set` are tables.
    ///
    /// # Errors
    /// Names the option that does not exist or has a wrong value.
    pub fn of_table(table: Map<String, Value>) -> Result<Self, String> {
        // A flattened struct takes any key, so the keys are compared with those that are written.
        let known = serde_json::to_value(Self::default()).map_err(|e| e.to_string())?;
        if let Some(unknown) = table.keys().find(|key| known.get(key).is_none()) {
            let names = known.as_object().map(|all| all.keys().cloned().collect());
            let names: Vec<String> = names.unwrap_or_default();
            return Err(format!(
                "there is no option `{}`; there are {}",
                sim_core::error::clip(unknown),
                names.join(", ")
            ));
        }
        // One by one, because the error of a flattened struct does not say which key it is about.
        for (key, value) in &table {
            let one = Map::from_iter([(key.clone(), value.clone())]);
            if let Err(e) = serde_json::from_value::<Self>(one.into()) {
                return Err(format!("{key}: {e}"));
            }
        }
        serde_json::from_value(table.into()).map_err(|e| e.to_string())
    }

    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// As [`MethodOptions::method`] alone.
    #[must_use]
    pub fn of_method(method: MethodOptions, sampling: Sampling) -> Self {
        Self {
            method,
            ask: AskOptions {
                sampling,
                ..AskOptions::default()
            },
            ..Self::default()
        }
    }
}

impl From<Sampling> for ModelOptions {
    fn from(sampling: Sampling) -> Self {
        Self::of_method(MethodOptions::default(), sampling)
    }
}

impl From<AskOptions> for ModelOptions {
    fn from(ask: AskOptions) -> Self {
        Self {
            ask,
            ..Self::default()
        }
    }
}

impl Sampling {
    /// Gives `dialect` the sampling that is asked for.
    pub(super) fn apply(&self, dialect: &mut Dialect) {
        if self.temperature.is_some() {
            dialect.temperature = self.temperature;
        }
        if self.top_p.is_some() {
            dialect.top_p = self.top_p;
        }
        if self.max_tokens.is_some() {
            dialect.max_tokens = self.max_tokens;
        }
    }
}

fn method_help() -> String {
    format!(
        "How a model decides and what it keeps: {}, or DELIBERATOR+MEMORY (deliberators: {}; memories: {}) [default: \
         cot; with replay:DIR the recorded one]",
        METHODS.map(|method| method.name).join(", "),
        DeliberatorSpec::NAMES.join(", "),
        MemorySpec::NAMES.join(", ")
    )
}

/// Reads `KEY=VALUE`, where a value that is not JSON is text.
///
/// # Errors
/// When there is no `=`, or the value names a key twice.
pub fn key_and_value(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| format!("`{}` is not KEY=VALUE", sim_core::error::clip(text)))?;
    let value = match strict::json(value.as_bytes()) {
        Err(e) if e.is_data() => return Err(e.to_string()),
        // What is not JSON is text, so that words need no quotes of their own.
        read => read.unwrap_or_else(|_| Value::String(value.to_owned())),
    };
    Ok((key.to_owned(), value))
}

/// Reads a whole number from `low` to `high`.
pub fn from_to<N>(low: N, high: N) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: Copy + FromStr + PartialOrd + Display,
{
    move |text| {
        let number = text.parse().ok();
        let number = number.filter(|number| (low..=high).contains(number));
        number.ok_or_else(|| format!("must be a whole number from {low} to {high}"))
    }
}

/// Reads a whole number that is at least 0.
///
/// # Errors
/// Any other text.
pub fn whole(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("must be a whole number from 0 to {}", u64::MAX))
}

/// A parser of the `names`, each with its sentence for the help, which are those of `T` in a plan file as well.
fn one_of<T: DeserializeOwned + Clone + Send + Sync + 'static>(
    names: &[(&'static str, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let values = names.iter();
    let values = values.map(|(name, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values.collect::<Vec<_>>())
        .try_map(|name| serde_json::from_value::<T>(Value::String(name)))
}

/// The entries of a table.
fn pairs<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<(String, Value)>, D::Error> {
    let table = BTreeMap::<String, Value>::deserialize(reader)?;
    Ok(table.into_iter().collect())
}

/// One of the two names of the field with the most tokens of a reply.
fn token_field<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<String>, D::Error> {
    // On the command line the parser checks it; a plan file has none.
    let name = Option::<String>::deserialize(reader)?;
    match name {
        Some(name) if ![OLD_TOKEN_FIELD, TOKEN_FIELD].contains(&&*name) => {
            Err(serde::de::Error::custom(format!(
                "`{}` is not `{OLD_TOKEN_FIELD}` or `{TOKEN_FIELD}`",
                sim_core::error::clip(&name)
            )))
        }
        name => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_that_is_not_json_is_text() {
        let read = |text: &str| key_and_value(text).map(|(_, value)| value);
        assert_eq!(read("a={\"b\": 1}").unwrap(), json!({"b": 1}));
        assert_eq!(read("a={b").unwrap(), json!("{b"));
        assert!(read("a={\"b\": 1, \"b\": 2}").is_err());
        assert!(read("a").is_err());
    }

    #[test]
    fn a_table_has_the_options_of_the_command_line() {
        let table = json!({
            "method": "refine+none", "method_set": {"rounds": 3}, "feedback": "none", "planning": "react",
            "temperature": 0.5, "token_field": "max_completion_tokens", "weaker": ["emulate"],
            "model_args": {"seed": 7},
        });
        let Value::Object(table) = table else {
            unreachable!()
        };
        let read = ModelOptions::of_table(table.clone()).unwrap();
        assert_eq!(read.ask.planning, Some(PlanMode::React));
        assert_eq!(read.ask.sampling.weaker, [Way::Emulate]);
        assert_eq!(read.method.method_set, [("rounds".to_owned(), json!(3))]);
        for (key, value) in [
            ("heat", json!(1)),
            ("temperature", json!("hot")),
            ("planning", json!("long")),
            ("token_field", json!("tokens")),
            ("weaker", json!(["weakest"])),
        ] {
            let mut wrong = table.clone();
            wrong.insert(key.to_owned(), value);
            let message = ModelOptions::of_table(wrong).unwrap_err();
            assert!(message.contains(key), "{message}");
        }
    }
}
