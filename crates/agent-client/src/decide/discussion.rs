//! A decision that several agents work out together.

use super::debate::{Debaters, First, agreed, no_agents};
use super::{Choice, Ctx, Deliberator, Output, Single};
use crate::error::AgentError;
use crate::message::Message;
use crate::prompt;
use async_trait::async_trait;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Not;

/// Form of a discussion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Style {
    /// Agents with equal roles share their reasoning, then one request combines it.
    #[default]
    Table,
    /// One agent gives instructions and the other works, until the first has no further
    /// instructions: closer to the source.
    Roleplay,
}

/// Discussion: agents share their reasoning over the rounds, then one request combines it. 7
/// requests for 3 agents and 2 rounds; 3 if all agree at once.
///
/// Source: Li and others, "CAMEL", 2023, which the strategic paper cites and says it simplifies. In
/// the source an instructor and an assistant alternate until a word of completion; that is
/// [`Style::Roleplay`] (2 agents, at most [`turns`](Self::turns) messages). The default keeps the
/// cooperation and drops the roles, which suits questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Discussion {
    /// Number of agents (default 3).
    pub agents: u32,
    /// Number of rounds (default 2).
    pub rounds: u32,
    /// Temperature (default 0.7).
    pub temperature: Option<f64>,
    /// Form (default `table`).
    pub style: Style,
    /// Maximum number of messages of a role play (default 10).
    pub turns: u32,
    /// Whether the model reasons step by step before each decision, not before each message of a role play (default false).
    #[serde(skip_serializing_if = "Not::not")]
    pub reasoning: bool,
}

impl Default for Discussion {
    fn default() -> Self {
        Self {
            agents: 3,
            rounds: 2,
            temperature: Some(0.7),
            style: Style::Table,
            turns: 10,
            reasoning: false,
        }
    }
}

/// The instructor's completion phrase.
const DONE: &str = "TASK DONE";

#[async_trait]
impl Deliberator for Discussion {
    fn name(&self) -> &'static str {
        "discussion"
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
        match self.style {
            Style::Table => self.table(cx, chat, output).await,
            Style::Roleplay => self.roleplay(cx, chat, output).await,
        }
    }
}

impl Discussion {
    fn asking(&self) -> Single {
        Single {
            temperature: self.temperature,
            reasoning: self.reasoning,
        }
    }

    /// Independent decisions, further rounds if they differ, then one request that combines them.
    async fn table(
        &self,
        cx: &Ctx<'_>,
        chat: &[Message],
        output: &Output,
    ) -> Result<Choice, AgentError> {
        let debaters = Debaters {
            agents: self.agents,
            how: self.asking(),
            prompt: "discuss",
        };
        let first = match debaters.first(cx, chat, output).await? {
            First::Settled(choice) => return Ok(*choice),
            First::Open(first) => first,
        };
        // Further rounds cannot change what all say, and a synthesis of one view is that view.
        if agreed(&first.choices, output) {
            let choice = first.choices.into_iter().next().ok_or_else(no_agents)?;
            return Ok(Choice {
                asked: first.asked,
                ..choice
            });
        }
        let last = debaters.again(cx, chat, output, first, self.rounds).await?;
        let shown: Vec<String> = last.choices.iter().map(Choice::shown).collect();
        let call = matches!(output, Output::Calls { .. });
        let words = prompt::render("synthesis", context! { views => shown, call => call })?;
        let mut messages = chat.to_vec();
        messages.push(Message::user(words));
        let place = cx.child("synthesis", "");
        self.conclude(&place, &messages, output, last.asked).await
    }

    /// The decision that `messages` lead to; `asked` is the number of replies so far.
    async fn conclude(
        &self,
        place: &Ctx<'_>,
        messages: &[Message],
        output: &Output,
        asked: u32,
    ) -> Result<Choice, AgentError> {
        let last = self.asking().decide(place, messages, output).await?;
        Ok(Choice {
            asked: asked + last.asked,
            ..last
        })
    }

    /// An instructor asks, a worker answers; when the instructor is done or the messages are used
    /// up, the worker decides.
    async fn roleplay(
        &self,
        cx: &Ctx<'_>,
        chat: &[Message],
        output: &Output,
    ) -> Result<Choice, AgentError> {
        let mut said: Vec<String> = Vec::new();
        let mut asked = 0;
        let talk = |speaker: &str, said: &[String]| {
            let words = prompt::render(
                "roleplay",
                context! { speaker => speaker, said => said.to_vec(), done => DONE },
            )?;
            let mut messages = chat.to_vec();
            messages.push(Message::user(words));
            Ok::<_, AgentError>(messages)
        };
        while (said.len() as u64) < u64::from(self.turns) {
            let speaker = if said.len().is_multiple_of(2) {
                "instructor"
            } else {
                "worker"
            };
            let place = cx.child("turn", said.len());
            let messages = talk(speaker, &said)?;
            let how = Single {
                reasoning: false,
                ..self.asking()
            };
            let choice = how.decide(&place, &messages, &Output::Text).await?;
            asked += choice.asked;
            // Only the instructor's word: a worker repeats the phrase when it is told of it.
            let done = speaker == "instructor" && choice.text.contains(DONE);
            // Not part of the talk: the decider would read it as an instruction.
            if done {
                break;
            }
            said.push(choice.shown());
        }
        // One more request, since a message of the talk is prose and not a decision in the form
        // asked for.
        let messages = talk("decider", &said)?;
        let place = cx.child("decision", "");
        self.conclude(&place, &messages, output, asked).await
    }
}
