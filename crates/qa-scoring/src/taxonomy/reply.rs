//! Reads a classifier's reply.

use super::{Capability, DifficultyBucket};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

static CAPABILITY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?im)^\s*Capability:\s*(Information Extraction|Numerical Calculation|Domain Knowledge|Complex Reasoning)\s*$").ok()
});
static DIFFICULTY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?im)^\s*DifficultyScore:\s*([0-9]+(?:\.[0-9]+)?)\s*(?:/10)?\s*$").ok()
});
static REASONING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?im)^\s*Reasoning:").ok());

/// The content of a reply; parts that could not be read are absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaxonomyLabel {
    /// The capability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<Capability>,
    /// The difficulty, 0 to 10; larger numbers are cut to 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<f64>,
    /// The justification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

impl TaxonomyLabel {
    /// The bucket, if capability and difficulty were read and the capability has buckets.
    #[must_use]
    pub fn bucket(&self) -> Option<DifficultyBucket> {
        self.capability?.bucket(self.difficulty?)
    }
}

/// Reads a reply of three lines `Capability:`, `DifficultyScore:` (a plain decimal, also "4/10") and
/// `Reasoning:`. Thoughts are removed, and the last line of each kind counts, because models correct themselves; case does
/// not; emphasis, brackets or a sign around a value make it unreadable, as in the published code.
///
/// ```
/// use qa_scoring::taxonomy::{DifficultyBucket, Capability, read_label};
/// let label = read_label("Capability: Domain Knowledge\nDifficultyScore: 7/10\nReasoning: rules.");
/// assert_eq!(label.capability, Some(Capability::DomainKnowledge));
/// assert_eq!(label.bucket(), Some(DifficultyBucket::Hard));
/// ```
#[must_use]
pub fn read_label(reply: &str) -> TaxonomyLabel {
    let spoken = crate::extract::without_thinking(reply).text();
    let reply = spoken.as_deref().unwrap_or_default();
    let capture = |pattern: &LazyLock<Option<Regex>>| -> Option<String> {
        let found = pattern.as_ref()?.captures_iter(reply).last()?;
        Some(found.get(1)?.as_str().trim().to_owned())
    };
    let capability = capture(&CAPABILITY).and_then(|name| name.parse().ok());
    let reasoning = REASONING
        .as_ref()
        .and_then(|pattern| pattern.find_iter(reply).last())
        .and_then(|found| reply.get(found.end()..))
        .map(|text| text.trim().to_owned());
    TaxonomyLabel {
        capability,
        difficulty: capture(&DIFFICULTY)
            .and_then(|number| number.parse::<f64>().ok())
            .map(|difficulty| difficulty.min(10.0)),
        reasoning: reasoning.filter(|text| !text.is_empty()),
    }
}
