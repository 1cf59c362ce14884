//! Other wordings by a model, kept only when nothing is lost.

use super::Task;
use serde::{Deserialize, Serialize};
use sim_core::{Digest, canonical_json};
use std::collections::BTreeMap;

/// Something that words a request anew: a model, or a person.
pub trait Rephraser {
    /// A new wording of the request; `None` when there is none.
    fn rephrase(&self, instruction: &str) -> Option<String>;
}

/// Wordings that were made before, by the digest of what they were made from, so that a second run
/// needs no model and gives the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cache(pub BTreeMap<String, String>);

/// Words the request of a task anew. The wording is refused, and the task left as it is, when a
/// value of the request is missing from it, when it is empty or endless, or when it talks about
/// data or context; the result says whether it was taken.
pub fn rephrase(task: &mut Task, by: &dyn Rephraser, cache: &mut Cache) -> bool {
    let key = match canonical_json(&(&task.instruction, &task.slots)) {
        Ok(text) => Digest::of_bytes(text.as_bytes()).to_string(),
        Err(_) => return false,
    };
    let wording = match cache.0.get(&key) {
        Some(known) => known.clone(),
        None => {
            let Some(new) = by.rephrase(&task.instruction) else {
                return false;
            };
            cache.0.insert(key, new.clone());
            new
        }
    };
    let wording = wording.trim();
    let complete = task.slots.values().all(|v| wording.contains(v.as_str()));
    let length = wording.chars().count();
    let lower = wording.to_lowercase();
    let natural = !["according to", "based on the", "the context", "database"]
        .iter()
        .any(|b| lower.contains(b));
    if !complete || !natural || !(12..=1_200).contains(&length) || wording.contains('\n') {
        return false;
    }
    let old = std::mem::replace(&mut task.instruction, wording.to_owned());
    task.variants.push(old);
    true
}
