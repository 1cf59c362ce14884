//! Notes that an agent keeps from period to period, for any environment.

use crate::ask::{Ask, Retold};
use crate::environment::Seat;
use crate::error::{ActionError, RestoreError, clip, read};
use crate::score::{NotFinite, Score};
use crate::tool::{
    PeriodCount, Prompt, ReplyKind, ToolEnvironment, ToolKind, ToolOutput, ToolReply, ToolSpec,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Limits on the notes of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteLimits {
    /// Bytes of text in one period (default 65,536).
    pub bytes_per_period: usize,
    /// Bytes of text in the episode (default 1,048,576).
    pub bytes_in_all: usize,
}

impl Default for NoteLimits {
    fn default() -> Self {
        Self {
            bytes_per_period: 65_536,
            bytes_in_all: 1_048_576,
        }
    }
}

/// Adds the tools `write_notes` and `read_notes` to an environment, before its action tools.
///
/// A note belongs to a seat and to the period in which it was written. Writing appends. Notes survive a
/// restarted period, as in the unknown-markets program.
pub struct WithNotes {
    inner: Box<dyn ToolEnvironment>,
    limits: NoteLimits,
    notes: Notes,
}

type Notes = BTreeMap<Seat, BTreeMap<u32, String>>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    notes: Notes,
    inner: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Write {
    notes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    period: Value,
}

impl WithNotes {
    /// `inner` with notes.
    #[must_use]
    pub fn new(inner: Box<dyn ToolEnvironment>, limits: NoteLimits) -> Self {
        Self {
            inner,
            limits,
            notes: Notes::new(),
        }
    }

    fn write(&mut self, arguments: &Value) -> Result<ToolOutput, ActionError> {
        let Write { notes: text } = Write::deserialize(arguments).map_err(|e| {
            ActionError::bad_arguments(format!("`write_notes` takes {{\"notes\": text}}: {e}"))
        })?;
        let seat = self.inner.turn();
        let period = self.inner.period().index;
        let all: usize = self
            .notes
            .values()
            .flat_map(BTreeMap::values)
            .map(String::len)
            .sum();
        let now = self
            .notes
            .get(&seat)
            .and_then(|n| n.get(&period))
            .map_or(0, String::len);
        let room = self
            .limits
            .bytes_per_period
            .saturating_sub(now)
            .min(self.limits.bytes_in_all.saturating_sub(all));
        if text.len() > room {
            return Err(ActionError::new(
                "notes_full",
                format!(
                    "the note has {} bytes, there is room for {room}; write less",
                    text.len()
                ),
            ));
        }
        self.notes
            .entry(seat)
            .or_default()
            .entry(period)
            .or_default()
            .push_str(&text);
        Ok(ToolOutput::text("written down"))
    }

    fn read(&self, arguments: &Value) -> Result<ToolOutput, ActionError> {
        let PeriodCount { index, unit, .. } = self.inner.period();
        let wanted = Read::deserialize(arguments).map_err(|e| {
            ActionError::bad_arguments(format!("`read_notes` takes {{\"period\": number}}: {e}"))
        })?;
        let number = match &wanted.period {
            // Models send numbers as texts, and nothing else could be meant here.
            Value::String(text) => text.trim().parse().ok(),
            other => other.as_u64().and_then(|n| u32::try_from(n).ok()),
        };
        let Some(number) = number.filter(|n| *n <= index) else {
            return Err(ActionError::new(
                "no_such_period",
                format!(
                    "there are notes for {unit} 0 to {index}, not for `{}`",
                    clip(&wanted.period.to_string())
                ),
            ));
        };
        let text = self
            .notes
            .get(&self.inner.turn())
            .and_then(|notes| notes.get(&number));
        Ok(ToolOutput::text(text.cloned().unwrap_or_default()))
    }
}

fn specs(unit: &str) -> [ToolSpec; 2] {
    [
        ToolSpec::new(
            // A getter although it writes: a refused note is not a failed decision, and a restarted
            // period, which undoes what a writing tool did, must keep the notes.
            "write_notes",
            ToolKind::Getter,
            &format!("Add text to your notes of this {unit}. Nothing else is kept for later."),
        )
        .with(
            "notes",
            json!({"type": "string", "description": "Text to add."}),
        ),
        ToolSpec::new(
            "read_notes",
            ToolKind::Getter,
            &format!("Read your notes of one {unit}."),
        )
        .with(
            "period",
            json!({"type": "integer", "minimum": 0,
                       "description": format!("Number of the {unit}, from 0.")}),
        ),
    ]
}

impl std::fmt::Debug for WithNotes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WithNotes")
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}

impl ToolEnvironment for WithNotes {
    fn seats(&self) -> Vec<Seat> {
        self.inner.seats()
    }

    fn turn(&self) -> Seat {
        self.inner.turn()
    }

    fn simultaneous(&self) -> bool {
        self.inner.simultaneous()
    }

    fn briefing(&self) -> Prompt {
        self.inner.briefing()
    }

    fn ask(&self) -> Option<Ask> {
        self.inner.ask()
    }

    fn retold(&self) -> Option<Retold> {
        self.inner.retold()
    }

    fn tools(&self) -> Arc<[ToolSpec]> {
        let inner = self.inner.tools();
        // Before the actions, because a list of tools ends with those that end the turn.
        let first_action = inner
            .iter()
            .position(|t| t.kind == ToolKind::Action)
            .unwrap_or(inner.len());
        let (before, actions) = inner.split_at(first_action);
        let unit = self.inner.period().unit;
        before
            .iter()
            .cloned()
            .chain(specs(unit))
            .chain(actions.iter().cloned())
            .collect()
    }

    fn offered(&self, tool: &str) -> bool {
        matches!(tool, "write_notes" | "read_notes") || self.inner.offered(tool)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> ToolReply {
        let shown = match tool {
            _ if self.inner.is_over() => Err(ActionError::episode_over()),
            "write_notes" => self.write(arguments),
            "read_notes" => self.read(arguments),
            _ => {
                let reply = self.inner.call(tool, arguments);
                return match reply {
                    // The list of the inner environment lacks the two tools of this one: an agent
                    // that mistyped `write_notes` would be told that there are no notes.
                    ToolReply::Rejected { code, .. } if code == "unknown_tool" => {
                        let tools = self.tools();
                        let names: Vec<&str> = tools.iter().map(|t| t.name.as_str()).collect();
                        ActionError::unknown_tool(tool, &names).into()
                    }
                    reply => reply,
                };
            }
        };
        match shown {
            Ok(shown) => ToolReply::Shown { shown },
            Err(error) => error.into(),
        }
    }

    fn say(&mut self, text: &str) -> Option<ToolReply> {
        self.inner.say(text)
    }

    fn act(&mut self, action: &Value) -> ToolReply {
        self.inner.act(action)
    }

    fn act_logged(&mut self, action: &Value, log: &mut String) -> ReplyKind {
        self.inner.act_logged(action, log)
    }

    fn observation(&self) -> Value {
        self.inner.observation()
    }

    fn feedback(&self) -> Value {
        self.inner.feedback()
    }

    fn outcomes(&self) -> Vec<(Seat, Value)> {
        self.inner.outcomes()
    }

    fn text_at_end(&self, seat: &Seat, period: u32, action: &Value) -> Option<String> {
        self.inner.text_at_end(seat, period, action)
    }

    fn restart_period(&mut self) {
        self.inner.restart_period();
    }

    fn forfeit_period(&mut self) -> ToolReply {
        self.inner.forfeit_period()
    }

    fn period(&self) -> PeriodCount {
        self.inner.period()
    }

    fn is_over(&self) -> bool {
        self.inner.is_over()
    }

    fn score(&self) -> Result<Score, NotFinite> {
        self.inner.score()
    }

    fn sees_metric(&self, seat: &Seat, metric: &str) -> bool {
        self.inner.sees_metric(seat, metric)
    }

    fn snapshot(&self) -> Value {
        json!({"notes": self.notes, "inner": self.inner.snapshot()})
    }

    fn restore(&mut self, snapshot: &Value) -> Result<(), RestoreError> {
        let saved: Saved = read(snapshot)?;
        // First, because it may refuse: the notes stay as they are then.
        self.inner.restore(&saved.inner)?;
        self.notes = saved.notes;
        Ok(())
    }

    fn fork(&self) -> Box<dyn ToolEnvironment> {
        Box::new(Self {
            inner: self.inner.fork(),
            limits: self.limits,
            notes: self.notes.clone(),
        })
    }

    fn as_any(&self) -> &dyn Any {
        // Not `self`: a policy casts this to the adapter of its simulator, and notes must not keep
        // it from playing.
        self.inner.as_any()
    }
}
