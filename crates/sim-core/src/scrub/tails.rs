//! The ends of earlier texts, so that a key that continues in the next part of a conversation is found.

use super::tree::Stream;
use std::collections::{BTreeMap, VecDeque};

/// Most conversations that are remembered; the oldest is forgotten first.
const CONVERSATIONS: usize = 1_024;
/// Most fields that are remembered for a conversation.
const FIELDS: usize = 64;
/// Length of the end that is kept of each field \[bytes\]: longer than a fragment of which each
/// character is escaped twice.
const LENGTH: usize = 256;

/// The ends of earlier texts, by conversation and field.
#[derive(Default)]
pub(super) struct Tails {
    conversations: BTreeMap<String, Ends>,
    order: VecDeque<String>,
}

/// The ends of the fields of one conversation.
#[derive(Default)]
pub(super) struct Ends(BTreeMap<Stream, String>);

impl Tails {
    pub(super) fn of(&mut self, conversation: &str) -> &mut Ends {
        if !self.conversations.contains_key(conversation) {
            if self.order.len() >= CONVERSATIONS
                && let Some(oldest) = self.order.pop_front()
            {
                self.conversations.remove(&oldest);
            }
            // The empty name stands for all conversations together and is never forgotten.
            if !conversation.is_empty() {
                self.order.push_back(conversation.to_owned());
            }
        }
        self.conversations
            .entry(conversation.to_owned())
            .or_default()
    }
}

impl Ends {
    /// How `field` ended.
    pub(super) fn get(&self, field: Stream) -> &str {
        self.0.get(&field).map_or("", String::as_str)
    }

    /// Keeps the end of `text`, which is all that was said in `field`.
    pub(super) fn keep(&mut self, field: Stream, text: &str) {
        if self.0.len() >= FIELDS && !self.0.contains_key(&field) {
            return;
        }
        let cut = text.len().saturating_sub(LENGTH);
        let cut = (cut..=text.len()).find(|at| text.is_char_boundary(*at));
        let end = text.get(cut.unwrap_or(0)..).unwrap_or_default();
        self.0.insert(field, end.to_owned());
    }

    /// The most that the fields of one conversation take \[bytes\].
    #[cfg(test)]
    pub(super) const MOST_BYTES: usize = FIELDS * (LENGTH + size_of::<(Stream, String)>());

    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        let entry = size_of::<(Stream, String)>();
        self.0.values().map(|end| end.capacity() + entry).sum()
    }
}
