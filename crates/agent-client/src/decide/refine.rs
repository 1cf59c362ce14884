//! A decision that the agent criticises and improves.

use super::{Choice, Ctx, Deliberator, Output, Single, agree, calls};
use crate::error::{AgentError, ErrorClass};
use crate::message::Message;
use crate::prompt;
use crate::request::Schema;
use crate::structured;
use async_trait::async_trait;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::Not;

/// Self-refine: decide, then criticise and rewrite in one request per round, until the critic has
/// no objections or nothing changes. 1 request, and one for each round.
///
/// Source: Madaan and others, 2023, in the form of its mathematics task, where critique and
/// rewriting are one request and at most four attempts are made. Differences: the critic's verdict
/// is a JSON field instead of a phrase, and the version of a critic without objections is not used.
/// No outcome is used and nothing is stored for the next decision.
///
/// In an episode only a draft that changes the world is criticised. A critic whose JSON stays invalid
/// after two repairs ends the refinement; the draft so far is the decision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Refine {
    /// Maximum number of rounds (default 4).
    pub rounds: u32,
    /// Temperature of the first decision; the backend's default if absent.
    pub temperature: Option<f64>,
    /// Temperature of the critic (default 0.7, as in the source).
    pub critic_temperature: Option<f64>,
    /// Whether the model reasons step by step before the first decision (default false).
    #[serde(skip_serializing_if = "Not::not")]
    pub reasoning: bool,
}

impl Default for Refine {
    fn default() -> Self {
        Self {
            rounds: 4,
            temperature: None,
            critic_temperature: Some(0.7),
            reasoning: false,
        }
    }
}

#[derive(Deserialize)]
struct Verdict {
    verdict: Word,
    #[serde(default)]
    revised: Value,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Word {
    Ok,
    Revise,
}

#[async_trait]
impl Deliberator for Refine {
    fn name(&self) -> &'static str {
        "refine"
    }

    fn settings(&self) -> Value {
        sim_core::bytes::json(self)
    }

    fn reasons(&self) -> bool {
        self.reasoning
    }

    async fn decide(
        &self,
        cx: &Ctx<'_>,
        chat: &[Message],
        output: &Output,
    ) -> Result<Choice, AgentError> {
        let how = Single {
            temperature: self.temperature,
            reasoning: self.reasoning,
        };
        let mut choice = how.decide(&cx.child("draft", ""), chat, output).await?;
        let is_call = matches!(output, Output::Calls { .. });
        // Looking something up can be repeated at no cost; a critic costs a request.
        if is_call && !output.changes_the_world(&choice.calls) {
            return Ok(choice);
        }
        let schema = schema(output);
        for round in 0..self.rounds {
            let words = prompt::render(
                "refine",
                context! { draft => choice.shown(), call => is_call },
            )?;
            let mut messages = chat.to_vec();
            messages.push(Message::user(words));
            let mut request = cx.child("round", round).request(messages);
            request.temperature = self.critic_temperature;
            let verdict =
                match structured::ask::<Verdict>(cx.backend, request, &schema, |_| Ok(())).await {
                    Ok(verdict) => verdict,
                    // A critic without usable output changes nothing.
                    Err(e) if e.class == ErrorClass::Unusable => break,
                    Err(e) => return Err(e),
                };
            choice.asked += verdict.asked;
            if verdict.value.verdict == Word::Ok {
                break;
            }
            // Objections without a better version leave nothing to go on with.
            let Some(revised) = revised(&verdict.value.revised, output) else {
                break;
            };
            // The next round would read the same draft and most likely say the same.
            if same(&revised, &choice, output) {
                break;
            }
            choice = Choice {
                asked: choice.asked,
                ..revised
            };
        }
        Ok(choice)
    }
}

/// The critic's reply: critique, verdict and, for `revise`, a whole decision in the form of `output`.
fn schema(output: &Output) -> Schema {
    let revised = match output {
        Output::Text | Output::Answer => json!({"type": "string"}),
        Output::Json(schema) => schema.schema.clone(),
        Output::Calls { tools, .. } => calls::schema(tools).schema,
    };
    Schema::new(
        "review",
        "a critique, a verdict and, if the verdict is `revise`, the complete better version",
        json!({
            "type": "object",
            "properties": {
                "critique": {"type": "string"},
                "verdict": {"enum": ["ok", "revise"]},
                "revised": {"anyOf": [revised, {"type": "null"}]},
            },
            "required": ["critique", "verdict"],
        }),
    )
}

/// The better version; `None` if the critic wrote none.
fn revised(value: &Value, output: &Output) -> Option<Choice> {
    match output {
        Output::Text | Output::Answer => {
            let text = value.as_str().filter(|text| !text.trim().is_empty())?;
            Some(Choice::of_text(text, 0))
        }
        Output::Json(_) => (!value.is_null()).then(|| Choice::of_value(value.clone(), 0)),
        Output::Calls { tools, .. } => {
            let text = match value {
                // Many models write the object as a text inside the field.
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            let calls = calls::in_text(&text, tools);
            (!calls.is_empty()).then(|| Choice::of_calls(calls, output.style(), 0))
        }
    }
}

/// Whether the critic's version is the draft again; answers are compared as in [`agree`].
fn same(a: &Choice, b: &Choice, output: &Output) -> bool {
    match output {
        Output::Text => a.text.trim() == b.text.trim(),
        Output::Answer => agree::all_agree(&[&a.answer, &b.answer]),
        Output::Json(_) => a.value == b.value,
        Output::Calls { .. } => {
            let plain = |c: &Choice| -> Vec<(String, Value)> {
                c.calls
                    .iter()
                    // Without ids, which each reply numbers anew.
                    .map(|call| (call.name.clone(), call.arguments.value()))
                    .collect()
            };
            plain(a) == plain(b)
        }
    }
}
