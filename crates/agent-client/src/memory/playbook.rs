//! A playbook of bullets with counters.

use super::{Experience, Memory, MemoryOp, saved, soft};
use crate::decide::Ctx;
use crate::error::AgentError;
use crate::prompt;
use crate::request::Schema;
use async_trait::async_trait;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Sections of a playbook.
const SECTIONS: [&str; 7] = [
    "strategies",
    "formulas",
    "checks",
    "mistakes",
    "facts",
    "tools",
    "other",
];

/// Settings of [`Playbook`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlaybookSettings {
    /// Largest playbook \[tokens, a quarter of the bytes\] (default 80,000).
    pub tokens: u64,
    /// Maximum number of tokens that reflector and curator may write (default 4,096).
    pub max_tokens: u32,
}

impl Default for PlaybookSettings {
    fn default() -> Self {
        Self {
            tokens: 80_000,
            max_tokens: 4_096,
        }
    }
}

/// One piece of advice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bullet {
    /// Its number.
    pub id: u32,
    /// Kind of advice (`strategies`, `formulas`, `checks`, `mistakes`, `facts`, `tools`, `other`).
    pub section: String,
    /// The advice.
    pub text: String,
    /// Number of times that it helped.
    pub helpful: u32,
    /// Number of times that it did harm.
    pub harmful: u32,
}

impl Bullet {
    fn line(&self) -> String {
        format!(
            "[{}] helpful={} harmful={}: {}",
            self.id, self.helpful, self.harmful, self.text
        )
    }

    /// Times that it helped minus times that it did harm.
    fn worth(&self) -> i64 {
        i64::from(self.helpful) - i64::from(self.harmful)
    }
}

/// ACE: a reflector says what helped and what can be learnt, and a curator changes the playbook by
/// small operations. 2 requests after each decision.
///
/// Source: Zhang and others, 2025, with 4 to 9 requests per item. This implementation makes 3: the
/// answer, one reflection and one curation. The original answers again after a wrong answer and
/// once more after the curation, both for its log only. Its program knows only the operation `add`
/// and tells the size limit to the curator without enforcing it; this implementation has add,
/// update, merge and remove, checks each operation, assigns the numbers itself, and drops the least
/// useful bullets when the playbook is too large. The original's reflector sees the right answer by
/// default; here only with feedback `ground_truth`.
///
/// One operation of the curator: `add` (a text, a section), `update` (one bullet, a text), `merge` (two
/// or more bullets, a text; the counters are summed) or `remove` (one bullet). Anything else is refused and
/// recorded as `refused`. The text of a new bullet is kept to one line of 2,000 characters.
#[derive(Debug, Clone, Default)]
pub struct Playbook {
    settings: PlaybookSettings,
    kept: Kept,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    next: u32,
    bullets: Vec<Bullet>,
}

#[derive(Default, Deserialize)]
struct Reflection {
    insight: String,
    #[serde(default)]
    helpful: Vec<u32>,
    #[serde(default)]
    harmful: Vec<u32>,
}

#[derive(Default, Deserialize)]
struct Curation {
    operations: Vec<Operation>,
}

#[derive(Deserialize)]
struct Operation {
    op: String,
    #[serde(default)]
    ids: Vec<u32>,
    #[serde(default)]
    section: String,
    #[serde(default)]
    text: String,
}

impl Playbook {
    /// A memory with these settings.
    #[must_use]
    pub fn new(settings: PlaybookSettings) -> Self {
        Self {
            settings,
            kept: Kept::default(),
        }
    }

    /// All bullets.
    #[must_use]
    pub fn bullets(&self) -> &[Bullet] {
        &self.kept.bullets
    }

    /// The playbook as agents and curators read it: bullets by section, with their counters.
    fn shown(&self) -> String {
        let mut parts = Vec::new();
        for section in SECTIONS {
            let lines: Vec<String> = self
                .kept
                .bullets
                .iter()
                .filter(|b| b.section == section)
                .map(Bullet::line)
                .collect();
            if !lines.is_empty() {
                parts.push(format!("{section}:\n{}", lines.join("\n")));
            }
        }
        parts.join("\n\n")
    }

    /// Carries out one operation, or refuses it if it names unknown bullets, one bullet twice, or lacks a text.
    fn apply(&mut self, operation: &Operation) -> MemoryOp {
        let text = operation.text.trim();
        let refused = MemoryOp::new("refused", crate::error::one_line(&operation.op, 20));
        let ids = operation.ids.as_slice();
        let is_known = |id: &u32| self.kept.bullets.iter().any(|b| b.id == *id);
        let is_named =
            ids.iter().all(is_known) && ids.iter().collect::<BTreeSet<_>>().len() == ids.len();
        match (operation.op.as_str(), ids) {
            // First, because in a merge one bullet that is named twice would pass for two.
            _ if !is_named => refused,
            ("add", []) if !text.is_empty() => {
                let id = self.add(&operation.section, text, (0, 0));
                MemoryOp::new("add", id)
            }
            ("update", [id]) if !text.is_empty() => {
                for bullet in self.kept.bullets.iter_mut().filter(|b| b.id == *id) {
                    text.clone_into(&mut bullet.text);
                }
                MemoryOp::new("update", id)
            }
            ("merge", [first, _, ..]) if !text.is_empty() => {
                let parts = self.kept.bullets.iter().filter(|b| ids.contains(&b.id));
                let (mut sums, mut section) = ((0_u32, 0_u32), String::new());
                for bullet in parts {
                    sums.0 = sums.0.saturating_add(bullet.helpful);
                    sums.1 = sums.1.saturating_add(bullet.harmful);
                    if bullet.id == *first {
                        section.clone_from(&bullet.section);
                    }
                }
                self.kept.bullets.retain(|b| !ids.contains(&b.id));
                let id = self.add(&section, text, sums);
                MemoryOp::new("merge", id)
            }
            ("remove", [id]) => {
                self.kept.bullets.retain(|b| b.id != *id);
                MemoryOp::new("remove", id)
            }
            _ => refused,
        }
    }

    fn add(&mut self, section: &str, text: &str, (helpful, harmful): (u32, u32)) -> u32 {
        // Numbers are never used again: a curator that names a removed bullet must not meet another
        // one.
        let id = self.kept.next;
        self.kept.next = self.kept.next.saturating_add(1);
        let section = SECTIONS
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(section.trim()))
            // The advice is kept whatever its section is called.
            .unwrap_or("other");
        self.kept.bullets.push(Bullet {
            id,
            section: section.to_owned(),
            text: crate::error::one_line(text, 2_000),
            helpful,
            harmful,
        });
        id
    }

    /// Drops the least useful bullets, of equally useful ones the oldest, until the playbook fits.
    fn fit(&mut self) -> Vec<MemoryOp> {
        let mut ops = Vec::new();
        while crate::wire::estimate(self.shown().len()) > self.settings.tokens {
            let worst = self.kept.bullets.iter().min_by_key(|b| (b.worth(), b.id));
            let Some(id) = worst.map(|b| b.id) else {
                break;
            };
            self.kept.bullets.retain(|b| b.id != id);
            ops.push(MemoryOp::new("remove", id));
        }
        ops
    }
}

#[async_trait]
impl Memory for Playbook {
    fn name(&self) -> &'static str {
        "playbook"
    }

    fn settings(&self) -> Value {
        sim_core::bytes::json(&self.settings)
    }

    async fn render(&self, _: &Ctx<'_>, _: &str) -> Result<String, AgentError> {
        Ok(self.shown())
    }

    async fn update(
        &mut self,
        cx: &Ctx<'_>,
        experience: &Experience,
    ) -> Result<Vec<MemoryOp>, AgentError> {
        let most = Some(self.settings.max_tokens);
        let playbook = self.shown();
        let words = prompt::render(
            "playbook_reflect",
            context! {
                playbook => &playbook,
                task => &experience.task,
                transcript => &experience.transcript,
                outcome => experience.outcome(),
            },
        )?;
        let reflection: Reflection =
            soft(&cx.child("reflect", ""), words, &reflection_schema(), most).await?;
        let words = prompt::render(
            "playbook_curate",
            context! {
                playbook => &playbook,
                insight => &reflection.insight,
                task => crate::error::one_line(&experience.task, 300),
                sections => SECTIONS.join(", "),
                tokens => self.settings.tokens,
            },
        )?;
        let curation: Curation =
            soft(&cx.child("curate", ""), words, &curation_schema(), most).await?;
        // Nothing was changed up to here, so a failure above leaves the playbook as it was.
        let mut ops = Vec::new();
        // Counters first: the reflector spoke of the bullets that the agent saw, and an operation
        // may remove one of them, or merge it and sum its counters.
        for bullet in &mut self.kept.bullets {
            let (helped, harmed) = (
                reflection.helpful.contains(&bullet.id),
                reflection.harmful.contains(&bullet.id),
            );
            bullet.helpful = bullet.helpful.saturating_add(u32::from(helped));
            bullet.harmful = bullet.harmful.saturating_add(u32::from(harmed));
            if helped || harmed {
                ops.push(MemoryOp::new("tag", bullet.id));
            }
        }
        for operation in &curation.operations {
            ops.push(self.apply(operation));
        }
        ops.extend(self.fit());
        Ok(ops)
    }

    fn snapshot(&self) -> Value {
        sim_core::bytes::json(&self.kept)
    }

    fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        self.kept = saved(self.name(), snapshot)?;
        Ok(())
    }
}

fn reflection_schema() -> Schema {
    let ids = json!({"type": "array", "items": {"type": "integer"}});
    Schema::new(
        "reflection",
        "what is to be learnt, and the numbers of the bullets that helped or did harm",
        json!({"type": "object", "properties": {
            "insight": {"type": "string"}, "helpful": ids, "harmful": ids,
        }, "required": ["insight", "helpful", "harmful"]}),
    )
}

fn curation_schema() -> Schema {
    Schema::new(
        "curation",
        "the operations that change the playbook, in order",
        json!({"type": "object", "properties": {
            "operations": {"type": "array", "items": {"type": "object", "properties": {
                "op": {"enum": ["add", "update", "merge", "remove"]},
                "ids": {"type": "array", "items": {"type": "integer"}},
                "section": {"enum": SECTIONS},
                "text": {"type": "string"},
            }, "required": ["op"]}},
        }, "required": ["operations"]}),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(op: &str, ids: &[u32], text: &str) -> Operation {
        Operation {
            op: op.to_owned(),
            ids: ids.to_vec(),
            section: "Checks".to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn operations_are_checked() {
        let mut playbook = Playbook::default();
        let mut run = |op: &str, ids: &[u32], text: &str| {
            let done = playbook.apply(&operation(op, ids, text));
            format!("{} {}", done.op, done.target)
        };
        assert_eq!(run("add", &[], "one"), "add 0");
        assert_eq!(run("add", &[], "two"), "add 1");
        assert_eq!(run("add", &[], " "), "refused add");
        assert_eq!(run("update", &[1], "two, better"), "update 1");
        assert_eq!(run("update", &[7], "x"), "refused update");
        assert_eq!(run("update", &[1, 7], "x"), "refused update");
        assert_eq!(run("remove", &[0, 9], ""), "refused remove");
        assert_eq!(run("merge", &[0, 9], "x"), "refused merge");
        assert_eq!(run("merge", &[1, 1], "x"), "refused merge");
        assert_eq!(run("merge", &[0, 1], "both"), "merge 2");
        assert_eq!(run("remove", &[0], ""), "refused remove");
        assert_eq!(run("burn", &[2], ""), "refused burn");
        assert_eq!(playbook.shown(), "checks:\n[2] helpful=0 harmful=0: both");
    }

    #[test]
    fn the_size_is_enforced_by_worth() {
        let mut playbook = Playbook::new(PlaybookSettings {
            tokens: 40,
            ..PlaybookSettings::default()
        });
        for (n, helpful) in [5, 0, 1, 0].into_iter().enumerate() {
            playbook.add("facts", &format!("{n} {}", "x".repeat(30)), (helpful, 0));
        }
        let dropped: Vec<String> = playbook.fit().into_iter().map(|op| op.target).collect();
        assert_eq!(dropped, ["1", "3"]);
    }
}
