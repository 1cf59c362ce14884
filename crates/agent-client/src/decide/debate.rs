//! A decision that several agents argue about and vote on.

use super::{Choice, Ctx, Deliberator, Output, Single, agree};
use crate::error::AgentError;
use crate::message::{Message, ToolCall};
use crate::prompt;
use async_trait::async_trait;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Not;

/// Debate: several agents decide independently, then see the decisions of the others and decide
/// again, and the majority counts. agents * rounds requests.
///
/// Source: Du and others, 2023: 3 agents and 2 rounds for questions in words; the agents decide at
/// the same time and remember their own decisions. Difference: numbers, option letters and JSON are
/// normalised before the vote. Ties go to the first agent. The agents need a temperature above 0,
/// because otherwise all of them say the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Debate {
    /// Number of agents (default 3).
    pub agents: u32,
    /// Number of rounds (default 2).
    pub rounds: u32,
    /// Temperature (default 0.7).
    pub temperature: Option<f64>,
    /// Whether the model reasons step by step before each decision (default false).
    #[serde(skip_serializing_if = "Not::not")]
    pub reasoning: bool,
}

impl Default for Debate {
    fn default() -> Self {
        Self {
            agents: 3,
            rounds: 2,
            temperature: Some(0.7),
            reasoning: false,
        }
    }
}

#[async_trait]
impl Deliberator for Debate {
    fn name(&self) -> &'static str {
        "debate"
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
        let debaters = Debaters {
            agents: self.agents,
            how: Single {
                temperature: self.temperature,
                reasoning: self.reasoning,
            },
            prompt: "debate",
        };
        let first = match debaters.first(cx, chat, output).await? {
            First::Settled(choice) => return Ok(*choice),
            First::Open(first) => first,
        };
        let last = debaters.again(cx, chat, output, first, self.rounds).await?;
        Ok(Choice {
            asked: last.asked,
            ..settle(&last.choices, output)?
        })
    }
}

/// The agents of a debate or discussion.
pub(super) struct Debaters {
    pub agents: u32,
    pub how: Single,
    /// Template of the message to an agent after a round.
    pub prompt: &'static str,
}

/// The choices of all agents in one round.
pub(super) struct Round {
    pub choices: Vec<Choice>,
    /// Number of replies so far, earlier rounds included.
    pub asked: u32,
}

/// The result of the first round.
pub(super) enum First {
    /// No debate is needed.
    Settled(Box<Choice>),
    Open(Round),
}

impl Debaters {
    /// Each agent decides on its own. If the first one only reads, there is no debate.
    pub(super) async fn first(
        &self,
        cx: &Ctx<'_>,
        chat: &[Message],
        output: &Output,
    ) -> Result<First, AgentError> {
        if self.agents == 0 {
            return Err(no_agents());
        }
        let mut choices = Vec::new();
        let mut asked = 0;
        for agent in 0..self.agents {
            let place = cx.child("round0.agent", agent);
            let choice = self.how.decide(&place, chat, output).await?;
            asked += choice.asked;
            let only_reads =
                matches!(output, Output::Calls { .. }) && !output.changes_the_world(&choice.calls);
            // Before the others are asked: to look something up costs one request, and can be done again.
            if agent == 0 && only_reads {
                return Ok(First::Settled(Box::new(choice)));
            }
            choices.push(choice);
        }
        Ok(First::Open(Round { choices, asked }))
    }

    /// Runs the remaining ones of `rounds`: in each, every agent sees what the others decided in the
    /// previous round and decides again.
    pub(super) async fn again(
        &self,
        cx: &Ctx<'_>,
        chat: &[Message],
        output: &Output,
        first: Round,
        rounds: u32,
    ) -> Result<Round, AgentError> {
        let Round {
            mut choices,
            mut asked,
        } = first;
        let call = matches!(output, Output::Calls { .. });
        let mut own: Vec<Vec<Message>> = vec![Vec::new(); choices.len()];
        for round in 1..rounds {
            let shown: Vec<String> = choices.iter().map(Choice::shown).collect();
            // Told before anyone speaks again: the agents of the source decide at the same time, so
            // none sees a decision of this round.
            let mut next = Vec::new();
            for (agent, (mine, history)) in shown.iter().zip(own.iter_mut()).enumerate() {
                let others: Vec<String> = shown
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != agent)
                    .map(|(_, text)| text.clone())
                    .collect();
                let words =
                    prompt::render(self.prompt, context! { others => others, call => call })?;
                // As text, because calls without results would be refused.
                history.push(Message::assistant(if mine.is_empty() {
                    "(nothing)"
                } else {
                    mine
                }));
                history.push(Message::user(words));
                let messages = [chat, history].concat();
                let place = cx.child(&format!("round{round}.agent"), agent);
                let choice = self.how.decide(&place, &messages, output).await?;
                asked += choice.asked;
                next.push(choice);
            }
            choices = next;
        }
        Ok(Round { choices, asked })
    }
}

pub(super) fn no_agents() -> AgentError {
    AgentError::setup("a debate or discussion needs at least one agent")
}

/// Whether all choices are the same.
pub(super) fn agreed(choices: &[Choice], output: &Output) -> bool {
    let shown: Vec<String> = choices
        .iter()
        .map(|choice| match output {
            Output::Calls { .. } => {
                let calls: Vec<String> = choice.calls.iter().map(super::calls::shown).collect();
                calls.join("\n")
            }
            _ => choice.answer.clone(),
        })
        .collect();
    agree::all_agree(&shown.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The choice of the majority.
///
/// # Errors
/// When there are no choices.
pub(super) fn settle(choices: &[Choice], output: &Output) -> Result<Choice, AgentError> {
    let pick = |place: usize| choices.get(place).cloned().ok_or_else(no_agents);
    match output {
        Output::Answer => {
            let answers: Vec<&str> = choices.iter().map(|c| c.answer.as_str()).collect();
            pick(agree::vote(&answers))
        }
        Output::Text => {
            let texts: Vec<&str> = choices.iter().map(|c| c.text.as_str()).collect();
            pick(agree::most_typical(&texts))
        }
        Output::Json(_) => {
            let values: Vec<&Value> = choices.iter().filter_map(|c| c.value.as_ref()).collect();
            Ok(Choice::of_value(agree::joined(&values), 0))
        }
        Output::Calls { .. } => {
            // The last call of each agent is its decision; earlier ones only read.
            let calls: Vec<&ToolCall> = choices.iter().filter_map(|c| c.calls.last()).collect();
            match agree::joined_call(&calls) {
                Some(call) => Ok(Choice::of_calls(vec![call], output.style(), 0)),
                None => pick(0),
            }
        }
    }
}
