//! Reflections on failures.

use super::{Experience, Memory, MemoryOp, WorkKind, saved};
use crate::decide::Ctx;
use crate::error::AgentError;
use crate::json_text::spoken;
use crate::message::Message;
use crate::prompt;
use async_trait::async_trait;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Settings of [`Reflections`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReflectionsSettings {
    /// Number of latest reflections that are shown (default 3).
    pub shown: usize,
}

impl Default for ReflectionsSettings {
    fn default() -> Self {
        Self { shown: 3 }
    }
}

/// Reflexion: after a failure the agent writes down the reason, and is shown its latest reflections
/// later. 1 request after a failure, none otherwise.
///
/// Source: Shinn and others, 2023; its household tasks show the last three reflections. The
/// original tries the *same* task again after a failure. With questions that would leak the right
/// answer, so this implementation keeps the reflections across items instead, with one trial each.
/// It learns only if the feedback includes the outcome. For repeated decisions ([`WorkKind::Run`])
/// there is no success or failure: it reflects after every run and is shown the best one so far.
///
/// All reflections are kept; [`ReflectionsSettings::shown`] limits what is shown.
#[derive(Debug, Clone, Default)]
pub struct Reflections {
    settings: ReflectionsSettings,
    kept: Kept,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    reflections: Vec<String>,
    best: Option<Best>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Best {
    decision: String,
    score: f64,
}

impl Reflections {
    /// A memory with these settings.
    #[must_use]
    pub fn new(settings: ReflectionsSettings) -> Self {
        Self {
            settings,
            kept: Kept::default(),
        }
    }
}

#[async_trait]
impl Memory for Reflections {
    fn name(&self) -> &'static str {
        "reflections"
    }

    fn settings(&self) -> Value {
        sim_core::bytes::json(&self.settings)
    }

    async fn render(&self, _: &Ctx<'_>, _: &str) -> Result<String, AgentError> {
        let skip = self
            .kept
            .reflections
            .len()
            .saturating_sub(self.settings.shown);
        let mut parts: Vec<String> = self
            .kept
            .reflections
            .iter()
            .skip(skip)
            .map(|text| format!("- {text}"))
            .collect();
        if let Some(best) = &self.kept.best {
            parts.push(format!(
                "The best so far (score {}): {}",
                best.score, best.decision
            ));
        }
        Ok(parts.join("\n"))
    }

    async fn update(
        &mut self,
        cx: &Ctx<'_>,
        experience: &Experience,
    ) -> Result<Vec<MemoryOp>, AgentError> {
        let repeated = experience.work == WorkKind::Run && experience.score.is_some();
        if experience.success != Some(false) && !repeated {
            return Ok(Vec::new());
        }
        let words = prompt::render(
            "reflect",
            context! {
                task => &experience.task,
                transcript => &experience.transcript,
                outcome => experience.outcome(),
                failed => experience.success == Some(false) && !repeated,
            },
        )?;
        let request = cx.child("reflect", "").request(vec![Message::user(words)]);
        let reply = cx.backend.ask(request).await?;
        let text = spoken(&reply.said.text);
        let text = text.trim();
        if experience.work == WorkKind::Run
            // For a repeated decision a success means that no run before it was as good.
            && let (Some(score), Some(true) | None) = (experience.score, experience.success)
        {
            self.kept.best = Some(Best {
                decision: experience.decision.clone(),
                score,
            });
        }
        if text.is_empty() {
            return Ok(Vec::new());
        }
        self.kept.reflections.push(text.to_owned());
        Ok(vec![MemoryOp::new("add", self.kept.reflections.len() - 1)])
    }

    fn snapshot(&self) -> Value {
        sim_core::bytes::json(&self.kept)
    }

    fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        self.kept = saved(self.name(), snapshot)?;
        Ok(())
    }
}
