//! Linked notes.

use super::rank::best;
use super::{Experience, Memory, MemoryOp, WorkKind, saved, soft};
use crate::decide::Ctx;
use crate::error::AgentError;
use crate::prompt;
use crate::request::Schema;
use async_trait::async_trait;
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Settings of [`Notes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NotesSettings {
    /// Number of notes that are retrieved for a task, without linked notes (default 10).
    pub found: usize,
    /// Number of neighbours that a new note may change (default 5).
    pub neighbours: usize,
}

impl Default for NotesSettings {
    fn default() -> Self {
        Self {
            found: 10,
            neighbours: 5,
        }
    }
}

/// One note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Its number.
    pub id: u32,
    /// What happened.
    pub content: String,
    /// Keywords of its topic.
    pub keywords: Vec<String>,
    /// One sentence of context.
    pub context: String,
    /// Categories.
    pub tags: Vec<String>,
    /// Linked notes.
    pub links: BTreeSet<u32>,
}

impl Note {
    fn searchable(&self) -> String {
        format!(
            "{} {} {} {}",
            self.content,
            self.context,
            self.keywords.join(" "),
            self.tags.join(" ")
        )
    }

    fn shown(&self) -> String {
        format!("[{}] {}\n{}", self.id, self.context, self.content)
    }
}

/// A-MEM: notes with keywords, context and tags, linked to each other; a new note may change its
/// neighbours. 1 request before a decision (a search query), 2 after it (describe the note; link
/// it), of which the second is left out while there is no other note.
///
/// Source: Xu and others, 2025. Differences: notes are retrieved by BM25 over content, keywords,
/// tags and context instead of by an embedding model, so that it works offline and
/// deterministically. The published library uses the rank of a neighbour as its index in the store
/// and so changes the oldest notes; this implementation uses the note's number, as the paper
/// intends.
///
/// Shown before a decision: the retrieved notes, best first, then the notes that are linked to them, oldest
/// first. A model whose reply is not usable JSON gives no keywords, description or links; the note itself is
/// always kept.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    settings: NotesSettings,
    notes: Vec<Note>,
}

impl Notes {
    /// A memory with these settings.
    #[must_use]
    pub fn new(settings: NotesSettings) -> Self {
        Self {
            settings,
            notes: Vec::new(),
        }
    }

    /// All notes.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The `most` notes that fit `query` best, by BM25.
    fn nearest(&self, query: &str, most: usize) -> Vec<&Note> {
        let texts: Vec<String> = self.notes.iter().map(Note::searchable).collect();
        best(query, &texts, most)
            .into_iter()
            .filter_map(|place| self.notes.get(place))
            .collect()
    }
}

#[derive(Default, Deserialize)]
struct Keywords {
    keywords: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Described {
    keywords: Vec<String>,
    context: String,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Evolved {
    #[serde(default)]
    links: Vec<u32>,
    #[serde(default)]
    neighbours: Vec<Changed>,
}

#[derive(Deserialize)]
struct Changed {
    id: u32,
    context: Option<String>,
    tags: Option<Vec<String>>,
}

fn strings() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

#[async_trait]
impl Memory for Notes {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn settings(&self) -> Value {
        sim_core::bytes::json(&self.settings)
    }

    async fn render(&self, cx: &Ctx<'_>, task: &str) -> Result<String, AgentError> {
        let words = prompt::render("notes_search", context! { task => task })?;
        let schema = Schema::new(
            "keywords",
            "a list of keywords",
            json!({"type": "object", "properties": {"keywords": strings()}, "required": ["keywords"]}),
        );
        let asked: Keywords = soft(&cx.child("keywords", ""), words, &schema, None).await?;
        let query = format!("{task} {}", asked.keywords.join(" "));
        let mut shown: Vec<&Note> = self.nearest(&query, self.settings.found);
        // Linked notes are included, one step away.
        let linked: BTreeSet<u32> = shown.iter().flat_map(|n| n.links.iter().copied()).collect();
        let known: BTreeSet<u32> = shown.iter().map(|n| n.id).collect();
        shown.extend(
            self.notes
                .iter()
                .filter(|n| linked.contains(&n.id) && !known.contains(&n.id)),
        );
        let texts: Vec<String> = shown.into_iter().map(Note::shown).collect();
        Ok(texts.join("\n\n"))
    }

    async fn update(
        &mut self,
        cx: &Ctx<'_>,
        experience: &Experience,
    ) -> Result<Vec<MemoryOp>, AgentError> {
        let content = content(experience);
        let words = prompt::render("notes_describe", context! { note => &content })?;
        let schema = Schema::new(
            "description",
            "the keywords, the context in one sentence and the tags of a note",
            json!({"type": "object", "properties": {
                "context": {"type": "string"}, "keywords": strings(), "tags": strings(),
            }, "required": ["keywords", "context", "tags"]}),
        );
        let described: Described = soft(&cx.child("describe", ""), words, &schema, None).await?;
        let id = match self.notes.iter().map(|n| n.id).max() {
            None => 0,
            Some(last) => last
                .checked_add(1)
                .ok_or_else(|| AgentError::setup("the memory has no numbers left for notes"))?,
        };
        let mut note = Note {
            id,
            content,
            keywords: described.keywords,
            context: described.context,
            tags: described.tags,
            links: BTreeSet::new(),
        };
        let mut ops = vec![MemoryOp::new("add", id)];
        let evolved = self.evolve(cx, &note).await?;
        // All requests are made before the first change, so an error leaves the memory as it was.
        // The new note comes last, so that it cannot be linked to itself.
        for link in evolved.links {
            if let Some(other) = self.notes.iter_mut().find(|n| n.id == link) {
                other.links.insert(id);
                note.links.insert(link);
                ops.push(MemoryOp::new("link", link));
            }
        }
        for change in evolved.neighbours {
            if let Some(other) = self.notes.iter_mut().find(|n| n.id == change.id) {
                other.context = change.context.unwrap_or_else(|| other.context.clone());
                other.tags = change.tags.unwrap_or_else(|| other.tags.clone());
                ops.push(MemoryOp::new("update", change.id));
            }
        }
        self.notes.push(note);
        Ok(ops)
    }

    fn snapshot(&self) -> Value {
        json!({"notes": self.notes})
    }

    fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Saved {
            notes: Vec<Note>,
        }
        self.notes = saved::<Saved>(self.name(), snapshot)?.notes;
        Ok(())
    }
}

impl Notes {
    /// Changes by a new note; without neighbours no request is made. Only neighbours that were
    /// shown can be changed.
    async fn evolve(&self, cx: &Ctx<'_>, note: &Note) -> Result<Evolved, AgentError> {
        if self.notes.is_empty() {
            return Ok(Evolved::default());
        }
        let mut near = self.nearest(&note.searchable(), self.settings.neighbours);
        if near.is_empty() {
            // Without common words, use the latest notes, because the source always has neighbours.
            near = self
                .notes
                .iter()
                .rev()
                .take(self.settings.neighbours)
                .collect();
        }
        let ids: BTreeSet<u32> = near.iter().map(|n| n.id).collect();
        let neighbours: Vec<_> = near
            .iter()
            .map(|n| {
                context! { id => n.id, context => &n.context, content => &n.content, tags => n.tags.clone() }
            })
            .collect();
        let words = prompt::render(
            "notes_link",
            context! { note => &note.content, context => &note.context, neighbours => neighbours },
        )?;
        let schema = Schema::new(
            "links",
            "the numbers of the notes to link to, and better contexts or tags for some of them",
            json!({"type": "object", "properties": {
                "links": {"type": "array", "items": {"type": "integer"}},
                "neighbours": {"type": "array", "items": {"type": "object", "properties": {
                    "id": {"type": "integer"}, "context": {"type": "string"}, "tags": strings(),
                }, "required": ["id"]}},
            }, "required": ["links", "neighbours"]}),
        );
        let mut evolved: Evolved = soft(&cx.child("link", ""), words, &schema, None).await?;
        evolved.links.retain(|id| ids.contains(id));
        evolved.neighbours.retain(|change| ids.contains(&change.id));
        Ok(evolved)
    }
}

/// The text of a new note. Episodes are noted with their transcript, questions and repeated runs with
/// their decision.
fn content(experience: &Experience) -> String {
    let outcome = experience.outcome();
    let mut parts = match experience.work {
        WorkKind::Question => vec![format!("Question: {}", experience.task)],
        WorkKind::Episode | WorkKind::Run => vec![format!("Work: {}", experience.item)],
    };
    match experience.work {
        WorkKind::Question | WorkKind::Run => {
            parts.push(format!("Decision: {}", experience.decision))
        }
        WorkKind::Episode => parts.push(experience.transcript.clone()),
    }
    if !outcome.is_empty() {
        parts.push(format!("Outcome: {outcome}"));
    }
    parts.join("\n")
}
