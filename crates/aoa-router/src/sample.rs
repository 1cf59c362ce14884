//! Properties of a sample that are known before it is answered.

use crate::features::Features;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::str::FromStr;
use strum::VariantArray;

/// How hard a sample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Bucket {
    /// Little to do.
    Easy,
    /// Some work.
    Middle,
    /// Much work.
    Hard,
    /// Nobody has said.
    #[default]
    #[serde(rename = "NA")]
    #[strum(serialize = "NA")]
    Unknown,
}

impl FromStr for Bucket {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = |bucket: &Self| <&str>::from(bucket).eq_ignore_ascii_case(text.trim());
        Self::VARIANTS.iter().copied().find(named).ok_or_else(|| {
            let text = sim_core::error::clip(text);
            format!("`{text}` is not a difficulty bucket; there are easy, middle, hard, NA")
        })
    }
}

impl<'de> Deserialize<'de> for Bucket {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Bucket {
    /// The bucket of a `difficulty` from 0 to 10: easy up to 3, middle up to 6; unknown if absent or not a number.
    ///
    /// The paper names the buckets and gives no limits; these are Boardroom's, and they apply to every
    /// capability (Table 4 of the paper has a rule for complex reasoning of middle difficulty).
    ///
    /// ```
    /// use aoa_router::Bucket;
    /// assert_eq!(Bucket::of(Some(3.0)), Bucket::Easy);
    /// assert_eq!(Bucket::of(Some(6.01)), Bucket::Hard);
    /// assert_eq!(Bucket::of(None), Bucket::Unknown);
    /// ```
    #[must_use]
    pub fn of(difficulty: Option<f64>) -> Self {
        match difficulty {
            Some(d) if d <= 3.0 => Self::Easy,
            Some(d) if d <= 6.0 => Self::Middle,
            // Not `Some(_)`: a difficulty that is not a number fails every comparison and is
            // unknown.
            Some(d) if d > 6.0 => Self::Hard,
            _ => Self::Unknown,
        }
    }
}

/// Short and long names of the four capabilities; the two are equivalent.
pub(crate) const CAPABILITIES: [(&str, &str); 4] = [
    ("IE", "Information Extraction"),
    ("NC", "Numerical Calculation"),
    ("DK", "Domain Knowledge"),
    ("CR", "Complex Reasoning"),
];

/// The short name of a capability that has one; other names as they are, without outer blanks.
///
/// ```
/// assert_eq!(aoa_router::sample::short_capability("domain knowledge "), "DK");
/// assert_eq!(aoa_router::sample::short_capability("Planning"), "Planning");
/// ```
#[must_use]
pub fn short_capability(name: &str) -> &str {
    let name = name.trim();
    let same = |(short, long): &&(&str, &str)| {
        short.eq_ignore_ascii_case(name) || long.eq_ignore_ascii_case(name)
    };
    CAPABILITIES.iter().find(same).map_or(name, |known| known.0)
}

/// The properties that a router may use: none of them depends on an answer.
///
/// Everything may be unknown: `Sample::default()` meets only rules without conditions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Name of the task (`finer`); absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_name: Option<String>,
    /// The capability that the sample mainly needs: IE, NC, DK, CR, their long names, or your own
    /// name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Its difficulty.
    #[serde(default)]
    pub difficulty_bucket: Bucket,
    /// Features of its text.
    #[serde(default)]
    pub features: Features,
}
