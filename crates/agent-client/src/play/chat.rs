//! The chat of one turn.
//!
//! The rules, the opening and a plan stay; steps may be shortened when the chat no longer fits.

use super::Overflow;
use crate::decide::{Choice, Ctx};
use crate::error::{AgentError, ErrorClass};
use crate::json_text;
use crate::message::{Message, Said, ToolResult};
use crate::prompt;
use minijinja::context;
use serde_json::Value;
use std::collections::BTreeSet;

/// The text that replaces a result that was left out.
const LEFT_OUT: &str = "(left out to save room)";
/// Shorter results are not left out, because that would save little \[bytes\].
const WORTH: usize = 80;

/// The messages of a turn: the rules and the opening, then steps.
#[derive(Debug, Clone)]
pub(super) struct Chat {
    messages: Vec<Message>,
    /// Messages at the beginning that are never left out.
    kept: usize,
    ids: BTreeSet<String>,
}

impl Chat {
    pub(super) fn new(system: String, opening: String) -> Self {
        Self {
            messages: vec![Message::system(system), Message::user(opening)],
            kept: 2,
            ids: BTreeSet::new(),
        }
    }

    /// The chat as it is sent.
    pub(super) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds the plan and the instruction after it; they belong to the beginning.
    pub(super) fn plan(&mut self, plan: &str, go: String) {
        self.messages.push(Message::assistant(plan));
        self.messages.push(Message::user(go));
        self.kept = self.messages.len();
    }

    /// Adds a message of the agent. Ids of calls are made unique in the chat, and in `choice` too.
    pub(super) fn said(&mut self, choice: &mut Choice, query: u32) {
        // Blocks that go back unchanged hold the ids themselves.
        if !matches!(choice.said.echo, Some(Value::Array(_))) {
            for call in &mut choice.calls {
                if self.ids.contains(&call.id) {
                    call.id = format!("{}_{query}", call.id);
                }
            }
            if choice.native {
                choice.said.calls.clone_from(&choice.calls);
            }
        }
        self.ids.extend(choice.calls.iter().map(|c| c.id.clone()));
        // Before the message, in the order in which it was thought.
        self.messages.append(&mut choice.reasoning);
        let mut said = choice.said.clone();
        if said == Said::default() {
            // Some servers refuse an empty message.
            said.text = "(nothing)".to_owned();
        }
        self.messages.push(Message::Assistant(said));
    }

    /// Adds the results of the tools, and the reminder.
    pub(super) fn results(
        &mut self,
        results: Vec<ToolResult>,
        native: bool,
        reminder: &str,
    ) -> Result<(), AgentError> {
        if native && !results.is_empty() {
            self.messages.push(Message::Tools { results });
            if !reminder.is_empty() {
                self.messages.push(Message::user(reminder));
            }
            return Ok(());
        }
        let shown: Vec<_> = results
            .iter()
            .map(|r| context! { name => &r.name, text => &r.text, is_error => r.is_error })
            .collect();
        let words = prompt::render("results_in_text", context! { results => shown })?;
        let words = [words.trim(), reminder.trim()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n\n");
        self.messages.push(Message::user(if words.is_empty() {
            "Go on.".to_owned()
        } else {
            words
        }));
        Ok(())
    }

    /// Makes room; `false` if nothing more can be left out.
    pub(super) async fn shrink(
        &mut self,
        policy: Overflow,
        cx: &Ctx<'_>,
    ) -> Result<bool, AgentError> {
        match policy {
            Overflow::Fail => Ok(false),
            Overflow::DropOldest => Ok(self.drop_oldest()),
            Overflow::Summarise => Ok(self.summarise(cx).await? || self.drop_oldest()),
        }
    }

    /// Leaves the oldest long results out until the chat is a third shorter.
    ///
    /// Results are replaced by a remark rather than removed, because servers refuse a call without its result.
    fn drop_oldest(&mut self) -> bool {
        let size = |messages: &[Message]| messages.iter().map(Message::size).sum::<usize>();
        // A third at once: less would have to be repeated after nearly every further step.
        let target = size(&self.messages) * 2 / 3;
        let mut left = size(&self.messages);
        let mut dropped = false;
        for message in self.messages.iter_mut().skip(self.kept) {
            if left <= target {
                break;
            }
            let texts: Vec<&mut String> = match message {
                Message::Tools { results } => results.iter_mut().map(|r| &mut r.text).collect(),
                Message::User { text } => vec![text],
                _ => Vec::new(),
            };
            for text in texts.into_iter().filter(|text| text.len() > WORTH) {
                left -= text.len() - LEFT_OUT.len();
                LEFT_OUT.clone_into(text);
                dropped = true;
            }
        }
        dropped
    }

    /// Replaces the steps by a summary that the agent writes.
    async fn summarise(&mut self, cx: &Ctx<'_>) -> Result<bool, AgentError> {
        let steps = self.messages.get(self.kept..).unwrap_or_default();
        if steps.len() < 2 {
            return Ok(false);
        }
        // Half of the steps, because the request for a summary must fit as well.
        let half = steps.len().div_ceil(2);
        let text = spoken(steps.get(..half).unwrap_or_default());
        if text.len() <= WORTH {
            return Ok(false);
        }
        let words = prompt::render("summarise", context! { conversation => &text })?;
        let reply = cx.backend.ask(cx.request(vec![Message::user(words)])).await;
        let summary = match reply {
            Ok(reply) => json_text::spoken(&reply.said.text).into_owned(),
            Err(e) if e.class == ErrorClass::Overflow || e.class == ErrorClass::Filtered => {
                return Ok(false);
            }
            Err(e) => return Err(e),
        };
        // A summary that saves nothing would be asked for again and again.
        if summary.len() >= text.len() {
            return Ok(false);
        }
        // The other half as text too: results without their calls would be refused.
        let rest = spoken(steps.get(half..).unwrap_or_default());
        self.messages.truncate(self.kept);
        self.messages
            .push(Message::user(format!("So far:\n{summary}\n\n{rest}")));
        // The calls are text now, so their ids may come again.
        self.ids.clear();
        Ok(true)
    }
}

/// Messages as one text.
fn spoken(messages: &[Message]) -> String {
    let lines: Vec<String> = messages
        .iter()
        .map(|message| match message {
            Message::System { text } | Message::User { text } => text.clone(),
            Message::Assistant(said) => {
                let calls = said.calls.iter().map(crate::decide::calls::shown);
                let parts: Vec<String> =
                    std::iter::once(json_text::spoken(&said.text).into_owned())
                        .chain(calls)
                        .filter(|part| !part.is_empty())
                        .collect();
                format!("You: {}", parts.join("; "))
            }
            Message::Tools { results } => results
                .iter()
                .map(|r| format!("{}: {}", r.name, r.text))
                .collect::<Vec<_>>()
                .join("\n"),
        })
        .collect();
    lines.join("\n")
}
