//! Rewording by a model, accepted only if nothing is lost.
//!
//! Generated wordings are made of a few phrases. A model can make them livelier; it gets the
//! request alone, and what it returns is checked by rules. So a bad rewording costs nothing but the
//! call, and a good one cannot change the task.
//!
//! ```
//! use enterprise_sandbox::tasks::{RephraseCache, Rephraser, rephrase};
//! use enterprise_sandbox::{Config, Instance};
//! use sim_core::{Episode, Seed};
//!
//! /// Forgets what was asked for.
//! struct Vague;
//! impl Rephraser for Vague {
//!     fn rephrase(&self, _: &str) -> Option<String> {
//!         Some("Could you please look that 9471 thing up for me?".to_owned())
//!     }
//! }
//!
//! let mut task = Instance::generate(&Config::of(50), Episode::of_run(Seed(7), 0))?.task;
//! let before = task.clone();
//! assert!(!rephrase(&mut task, &Vague, &mut RephraseCache::default()));
//! assert_eq!(task, before);
//! # Ok::<(), sim_core::ConfigError>(())
//! ```

use super::TaskSpec;
use super::check::{first_person, is_natural};
use serde::{Deserialize, Serialize};
use sim_core::{Digest, canonical_json};
use std::collections::BTreeMap;

/// A source of rewordings: a model, or a person.
pub trait Rephraser {
    /// A new wording of the request; `None` if there is none.
    fn rephrase(&self, instruction: &str) -> Option<String>;
}

/// Earlier wordings, by the digest of the original, so that a second run needs no model and gives
/// the same bytes.
///
/// Also keeps wordings that were rejected, so that they are not asked for again. Store it beside
/// the tasks as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RephraseCache(pub BTreeMap<String, String>);

/// Rewords the request of a task. The wording is rejected, and the task unchanged, if a value of
/// the request is missing from it or occurs only inside a longer word, if it has a number that the
/// request does not have, or if it fails the checks of every request (asked in the first person,
/// with a suitable length, not about data or context). Returns whether it was accepted.
///
/// The old wording is appended to [`TaskSpec::variants`]. The id of the task stays, although it is
/// a digest of the original.
pub fn rephrase(task: &mut TaskSpec, by: &dyn Rephraser, cache: &mut RephraseCache) -> bool {
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
    let complete = task.slots.values().all(|v| holds_whole(wording, v));
    let known = numbers(&task.instruction);
    let invented = numbers(wording).iter().any(|n| !known.contains(n));
    let sound = is_natural(wording) && first_person(wording) && !wording.contains('\n');
    if !complete || invented || !sound {
        return false;
    }
    let old = std::mem::replace(&mut task.instruction, wording.to_owned());
    task.variants.push(old);
    true
}

/// Whether `text` contains `value` without a letter or digit directly before or after it.
pub(super) fn holds_whole(text: &str, value: &str) -> bool {
    let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (first, last) = (value.chars().next(), value.chars().next_back());
    text.match_indices(value).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + value.len()..).and_then(|t| t.chars().next());
        let inside_word = (joins(before) && joins(first)) || (joins(after) && joins(last));
        !inside_word
    })
}

/// Runs of digits.
fn numbers(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|n| !n.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_alone() {
        for (text, value, whole) in [
            ("pay 10 now", "10", true),
            ("pay 100 now", "10", false),
            ("emp_0012", "emp_001", false),
            ("from 2024-01-02.", "2024-01-02", true),
            ("pay 100, then 10", "10", true),
            ("\"Kettle\"", "\"Kettle\"", true),
            ("", "x", false),
        ] {
            assert_eq!(holds_whole(text, value), whole, "{text} {value}");
        }
        assert_eq!(numbers("a1 b-22.3"), ["1", "22", "3"]);
    }
}
