//! One cheatsheet that is rewritten after every decision.

use super::rank::best;
use super::{Experience, Memory, MemoryOp, saved};
use crate::cause::Cause;
use crate::decide::Ctx;
use crate::error::AgentError;
use crate::json_text::spoken;
use crate::message::Message;
use crate::prompt;
use async_trait::async_trait;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Settings of [`Cheatsheet`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheatsheetSettings {
    /// Word limit for the curator (default 2,000).
    pub words: u32,
    /// Number of similar past tasks from which a separate sheet is written for each task (default
    /// 0: one sheet for all tasks; the source uses 3).
    pub retrieve: usize,
    /// Maximum number of tokens that the curator may write (default 4,096, twice the agent's).
    pub max_tokens: u32,
}

impl Default for CheatsheetSettings {
    fn default() -> Self {
        Self {
            words: 2_000,
            retrieve: 0,
            max_tokens: 4_096,
        }
    }
}

/// Dynamic Cheatsheet: after each decision a curator rewrites one sheet of useful knowledge. 1
/// request after a decision; with retrieval, 1 before and none after.
///
/// Source: Suzgun and others, 2025, the cumulative form (and, by [`CheatsheetSettings::retrieve`],
/// the one with retrieval). The original uses no right answers and may run code; this
/// implementation runs none. If the curator's marks are missing, the old sheet is kept, as in the
/// original. Known weakness of the method: a sheet can preserve a bad policy.
///
/// With retrieval, the past tasks are ranked by BM25 against the next one, and the sheet that the curator
/// writes from the best of them is used for that task only.
#[derive(Debug, Clone, Default)]
pub struct Cheatsheet {
    settings: CheatsheetSettings,
    kept: Kept,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    sheet: String,
    past: Vec<Past>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Past {
    task: String,
    work: String,
}

impl Cheatsheet {
    /// A memory with these settings.
    #[must_use]
    pub fn new(settings: CheatsheetSettings) -> Self {
        Self {
            settings,
            kept: Kept::default(),
        }
    }

    /// The sheet.
    #[must_use]
    pub fn sheet(&self) -> &str {
        &self.kept.sheet
    }

    /// Asks the curator for a new sheet; `None` if its reply does not mark one.
    async fn curate(
        &self,
        cx: &Ctx<'_>,
        task: &str,
        pieces: &[Past],
    ) -> Result<Option<String>, AgentError> {
        let shown: Vec<_> = pieces
            .iter()
            .map(|past| context! { task => &past.task, work => &past.work })
            .collect();
        let words = prompt::render(
            "cheatsheet",
            context! {
                sheet => &self.kept.sheet,
                pieces => shown,
                next => task,
                words => self.settings.words,
            },
        )?;
        let mut request = cx.child("curate", "").request(vec![Message::user(words)]);
        request.max_tokens = Some(self.settings.max_tokens);
        let reply = cx.backend.ask(request).await?;
        let sheet = prompt::inside(&spoken(&reply.said.text), "cheatsheet");
        // Counted as a malformed reply: a sheet that is never rewritten would go unnoticed.
        if sheet.is_none() {
            cx.backend.recount(cx.role, Cause::Malformed);
        }
        Ok(sheet)
    }
}

#[async_trait]
impl Memory for Cheatsheet {
    fn name(&self) -> &'static str {
        "cheatsheet"
    }

    fn settings(&self) -> Value {
        sim_core::bytes::json(&self.settings)
    }

    async fn render(&self, cx: &Ctx<'_>, task: &str) -> Result<String, AgentError> {
        if self.settings.retrieve == 0 {
            return Ok(self.kept.sheet.clone());
        }
        let texts: Vec<String> = self.kept.past.iter().map(|p| p.task.clone()).collect();
        let near: Vec<Past> = best(task, &texts, self.settings.retrieve)
            .into_iter()
            .filter_map(|place| self.kept.past.get(place).cloned())
            .collect();
        let sheet = self.curate(cx, task, &near).await?;
        // Empty and not the last one: that sheet was written for another task.
        Ok(sheet.unwrap_or_default())
    }

    async fn update(
        &mut self,
        cx: &Ctx<'_>,
        experience: &Experience,
    ) -> Result<Vec<MemoryOp>, AgentError> {
        let outcome = experience.outcome();
        let past = Past {
            task: experience.task.clone(),
            work: if outcome.is_empty() {
                experience.transcript.clone()
            } else {
                format!("{}\n{outcome}", experience.transcript)
            },
        };
        // Stored as it is; a sheet is written when it is known for which task.
        if self.settings.retrieve > 0 {
            self.kept.past.push(past);
            return Ok(vec![MemoryOp::new("add", self.kept.past.len() - 1)]);
        }
        match self.curate(cx, "", &[past]).await? {
            Some(sheet) => {
                self.kept.sheet = sheet;
                Ok(vec![MemoryOp::new("rewrite", "sheet")])
            }
            None => Ok(vec![MemoryOp::new("refused", "sheet")]),
        }
    }

    fn snapshot(&self) -> Value {
        sim_core::bytes::json(&self.kept)
    }

    fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        self.kept = saved(self.name(), snapshot)?;
        Ok(())
    }
}
