//! Work on the items of a set: questions, and cases of interviews.

use super::spec::Method;
use super::stream::{LearningStream, LearningWork, Team, UnitContext, settings_digest};
use crate::memory::FeedbackMode;
use crate::request::Slot;
use serde::{Deserialize, Serialize};
use sim_core::Digest;
use sim_core::bytes::{canonical_text, json};

/// Header of an item's record.
///
/// Two headers are equal only if the item, the agent with all its settings and the place in the run are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemHeader {
    /// Name of the set (`qa`, `consulting`).
    pub set: String,
    /// Name of the item.
    pub item: String,
    /// Digest of the item.
    pub digest: Digest,
    /// Name of the agent.
    pub agent: String,
    /// Digest of the agent's settings.
    pub settings: Digest,
    /// Method.
    pub method: String,
    /// What the memory learnt from.
    pub feedback: FeedbackMode,
    /// Stream in which the item was answered.
    pub stream: u64,
    /// Position in the stream, from 0.
    pub place: u64,
    /// Repetition of the same work.
    pub trial: u32,
}

impl ItemHeader {
    /// The key of this unit of work.
    ///
    /// The digest of the canonical JSON of the header.
    #[must_use]
    pub fn key(&self) -> Digest {
        digest_of(self)
    }
}

/// The set, stream and trial that items belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemSeries {
    /// Name of the set.
    pub set: String,
    /// Number of the stream.
    pub stream: u64,
    /// Repetition of the same work.
    pub trial: u32,
}

impl ItemSeries {
    /// The stream `stream` of trial `trial` over the items of `set`.
    #[must_use]
    pub fn new(set: impl Into<String>, stream: u64, trial: u32) -> Self {
        Self {
            set: set.into(),
            stream,
            trial,
        }
    }

    /// The slot of item `id` at position `place`.
    pub(crate) fn slot(&self, place: ItemProgress, id: &str) -> Slot {
        Slot::new(format!("{}{}", self.set, self.stream))
            .child("trial", self.trial)
            .child("place", place.place)
            .child("", id)
    }
}

/// The state of a stream of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemProgress {
    /// Position of the next item in the stream, from 0.
    pub place: u64,
}

/// Work whose units are items of a set.
pub trait ItemWork: LearningWork<Progress = ItemProgress> {
    /// An item.
    type Item: Serialize;

    /// Name of an item, unique in its set.
    fn id(item: &Self::Item) -> &str;

    /// Digest of an item, for records: of its canonical JSON unless a kind of item leaves labels out.
    fn digest(item: &Self::Item) -> Digest {
        digest_of(item)
    }

    /// Digest of how an item is put to a model that `reasons` first or does not, if a setting of the run
    /// decides that; part of the settings in its header.
    fn put_as(_: &Self::Item, _reasons: bool) -> Option<Digest> {
        None
    }

    /// The set, stream and trial of the items.
    fn series(&self) -> &ItemSeries;
}

impl<W: ItemWork> LearningStream<W> {
    /// Sets the position of the next item, for items that are answered separately.
    ///
    /// Only for methods without online memory: others would miss what the items before it taught.
    #[must_use]
    pub fn at(mut self, place: u64) -> Self {
        self.progress.place = place;
        self
    }

    /// Position of the next item.
    #[must_use]
    pub fn place(&self) -> u64 {
        self.progress.place
    }

    /// The header that the record of `item` will have if it comes next.
    #[must_use]
    pub fn header(&self, item: &W::Item) -> ItemHeader {
        header(&self.work, &self.team, &self.method, self.progress, item)
    }
}

impl UnitContext<'_, ItemProgress> {
    /// The header of the record of `item`.
    pub(crate) fn header<W: ItemWork>(&self, work: &W, item: &W::Item) -> ItemHeader {
        header(work, self.team, self.method, self.progress, item)
    }
}

fn header<W: ItemWork>(
    work: &W,
    team: &Team,
    method: &Method,
    place: ItemProgress,
    item: &W::Item,
) -> ItemHeader {
    let series = work.series();
    let settings = settings_digest(team, method, work);
    ItemHeader {
        set: series.set.clone(),
        item: W::id(item).to_owned(),
        digest: W::digest(item),
        agent: team.agent.name(),
        settings: match W::put_as(item, method.deliberator.reasons()) {
            None => settings,
            Some(put_as) => digest_of(&(settings, put_as)),
        },
        method: method.name.clone(),
        feedback: work.feedback(),
        stream: series.stream,
        place: place.place,
        trial: series.trial,
    }
}

pub(crate) fn digest_of<T: Serialize>(value: &T) -> Digest {
    Digest::of_bytes(canonical_text(&json(value)).as_bytes())
}
