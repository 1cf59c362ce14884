//! Sets of scoring rules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use strum::VariantArray;

/// A named set of rules.
///
/// | profile | whose rules |
/// |---|---|
/// | `strict` | ours: the paper's where it is clear, and corrected where it or its code is wrong or silent |
/// | `paper` | what the papers' text says |
/// | `authors` | what the papers' public code does, errors included |
/// | `bizbench` | the pipeline that the finance sets come from |
///
/// Where a profile has no rule of its own for a task, the paper's is used.
///
/// ```
/// use qa_scoring::Profile;
/// assert_eq!("Authors".parse(), Ok(Profile::Authors));
/// assert_eq!(Profile::default().to_string(), "strict");
/// ```
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Profile {
    /// The default.
    #[default]
    Strict,
    /// The papers' text.
    Paper,
    /// The papers' code.
    Authors,
    /// The BizBench pipeline.
    BizBench,
}

/// The error for an unknown name of a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no profile `{name}`; the profiles are strict, paper, authors and bizbench")]
pub struct UnknownProfile {
    /// The name that was asked for.
    pub name: String,
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::VARIANTS
            .iter()
            .copied()
            .find(|profile| <&str>::from(profile).eq_ignore_ascii_case(name.trim()))
            .ok_or_else(|| UnknownProfile {
                name: sim_core::error::clip(name),
            })
    }
}
