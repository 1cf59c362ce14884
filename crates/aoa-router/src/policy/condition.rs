//! Conditions that select the samples of a rule.

use crate::agents::{folded, is_named};
use crate::features::Countable;
use crate::sample::{Bucket, CAPABILITIES, Sample, short_capability};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::fmt;
use strum::VariantArray;

/// Conditions on a sample; all that are present must hold. `ALL`, `omit`, an empty text, null and
/// absence all mean: any sample.
///
/// ```
/// use aoa_router::{Bucket, Sample, When};
/// let when: When = serde_json::from_str(r#"{"capability": "DK", "task_name": "ALL"}"#)?;
/// let sample = Sample { capability: Some("Domain Knowledge".to_owned()), ..Sample::default() };
/// assert!(when.matches(&sample));
/// assert_eq!(when.to_string(), "capability DK");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, PartialOrd, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct When {
    /// Name of the task.
    #[serde(deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub task_name: Option<String>,
    /// Capability, by its short or its long name.
    #[serde(deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Difficulty: easy, middle, hard, or NA for samples of which nobody has said.
    #[serde(deserialize_with = "bucket", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "bucket_schema")]
    pub difficulty_bucket: Option<Bucket>,
    /// Conditions on the text.
    #[serde(deserialize_with = "features")]
    #[schemars(with = "Option<FeatureConditions>")]
    pub feature_conditions: FeatureConditions,
}

/// Conditions on features; borders are inclusive. A sample of which a feature is not known does not
/// meet a condition on it.
///
/// Start from the default, which is met by every sample.
#[derive(Debug, Clone, PartialEq, PartialOrd, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FeatureConditions {
    /// Whether there is a table.
    #[serde(deserialize_with = "flag", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "flag_schema")]
    pub has_table: Option<bool>,
    /// Whether there is code.
    #[serde(deserialize_with = "flag", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "flag_schema")]
    pub has_code: Option<bool>,
    /// Fewest numbers.
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "number_schema")]
    pub num_numbers_min: Option<f64>,
    /// Most numbers.
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "number_schema")]
    pub num_numbers_max: Option<f64>,
    /// Fewest characters of the context.
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "number_schema")]
    pub context_chars_min: Option<f64>,
    /// Most characters of the context.
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "number_schema")]
    pub context_chars_max: Option<f64>,
    /// Fewest characters of the question.
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "number_schema")]
    pub question_chars_min: Option<f64>,
    /// Most characters of the question.
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "number_schema")]
    pub question_chars_max: Option<f64>,
    /// Fewest rows of tables.
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "number_schema")]
    pub table_row_estimate_min: Option<f64>,
    /// Most rows of tables.
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "number_schema")]
    pub table_row_estimate_max: Option<f64>,
}

impl FeatureConditions {
    /// Minimum and maximum of a countable feature.
    #[must_use]
    pub fn range(&self, of: Countable) -> (Option<f64>, Option<f64>) {
        match of {
            Countable::Numbers => (self.num_numbers_min, self.num_numbers_max),
            Countable::ContextChars => (self.context_chars_min, self.context_chars_max),
            Countable::QuestionChars => (self.question_chars_min, self.question_chars_max),
            Countable::TableRows => (self.table_row_estimate_min, self.table_row_estimate_max),
        }
    }

    /// A copy with a minimum or a maximum of a feature.
    pub(crate) fn with(mut self, of: Countable, least: Option<f64>, most: Option<f64>) -> Self {
        let (low, high) = match of {
            Countable::Numbers => (&mut self.num_numbers_min, &mut self.num_numbers_max),
            Countable::ContextChars => (&mut self.context_chars_min, &mut self.context_chars_max),
            Countable::QuestionChars => {
                (&mut self.question_chars_min, &mut self.question_chars_max)
            }
            Countable::TableRows => (
                &mut self.table_row_estimate_min,
                &mut self.table_row_estimate_max,
            ),
        };
        (*low, *high) = (least, most);
        self
    }
}

/// One condition of a rule, prepared for evaluation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// The task has this name (folded).
    Task(String),
    /// The capability has one of these names (folded): short and long, or its only one twice.
    Capability(String, String),
    /// The difficulty is this.
    Difficulty(Bucket),
    /// There is a table, or there is none.
    Table(bool),
    /// There is code, or there is none.
    Code(bool),
    /// A feature is at least this.
    AtLeast(Countable, f64),
    /// A feature is at most this.
    AtMost(Countable, f64),
}

impl Part {
    /// Whether `sample` satisfies it.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no text has 2^53 characters")]
    pub fn holds(&self, sample: &Sample) -> bool {
        let features = &sample.features;
        match self {
            Self::Task(key) => sample
                .task_name
                .as_deref()
                .is_some_and(|it| is_named(key, it)),
            Self::Capability(short, long) => sample
                .capability
                .as_deref()
                .is_some_and(|it| is_named(short, it) || is_named(long, it)),
            Self::Difficulty(bucket) => sample.difficulty_bucket == *bucket,
            Self::Table(yes) => features.has_table == Some(*yes),
            Self::Code(yes) => features.has_code == Some(*yes),
            Self::AtLeast(of, least) => features.count(*of).is_some_and(|n| n as f64 >= *least),
            Self::AtMost(of, most) => features.count(*of).is_some_and(|n| n as f64 <= *most),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(key) => write!(f, "task {key}"),
            Self::Capability(short, _) => write!(f, "capability {}", short_capability(short)),
            Self::Difficulty(bucket) => write!(f, "difficulty {bucket}"),
            Self::Table(true) => f.write_str("a table"),
            Self::Table(false) => f.write_str("no table"),
            Self::Code(true) => f.write_str("code"),
            Self::Code(false) => f.write_str("no code"),
            Self::AtLeast(of, least) => write!(f, "{of} >= {least}"),
            Self::AtMost(of, most) => write!(f, "{of} <= {most}"),
        }
    }
}

impl When {
    /// Its conditions as a list, without wildcards.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        parts.extend(self.task_name.as_deref().map(|it| Part::Task(folded(it))));
        parts.extend(self.capability.as_deref().map(|it| {
            let short = short_capability(it);
            // A name of the user's own has no long form and stands for both.
            let long = CAPABILITIES.iter().find(|known| known.0 == short);
            // Both names are folded here, once, so that routing a sample allocates nothing.
            Part::Capability(folded(short), folded(long.map_or(short, |known| known.1)))
        }));
        parts.extend(self.difficulty_bucket.map(Part::Difficulty));
        let features = &self.feature_conditions;
        parts.extend(features.has_table.map(Part::Table));
        parts.extend(features.has_code.map(Part::Code));
        for of in Countable::VARIANTS {
            let (least, most) = features.range(*of);
            parts.extend(least.map(|least| Part::AtLeast(*of, least)));
            parts.extend(most.map(|most| Part::AtMost(*of, most)));
        }
        parts
    }

    /// Whether `sample` satisfies all conditions.
    #[must_use]
    pub fn matches(&self, sample: &Sample) -> bool {
        self.parts().iter().all(|part| part.holds(sample))
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.parts().iter().map(Part::to_string).collect();
        if parts.is_empty() {
            return f.write_str("any sample");
        }
        f.write_str(&parts.join(" and "))
    }
}

/// Whether a text means any value.
fn is_any(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.eq_ignore_ascii_case("all") || text.eq_ignore_ascii_case("omit")
}

/// The text of a value, unless it means any value.
fn written<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Null => None,
        // The paper's form has words (`ALL`, `omit`) where ours has no field.
        Value::String(text) if is_any(&text) => None,
        value => Some(value),
    })
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match written(deserializer)? {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
        Some(other) => Err(D::Error::custom(wanted("a name", &other))),
    }
}

fn bucket<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Bucket>, D::Error> {
    let text = text(deserializer)?;
    text.map(|text| text.parse())
        .transpose()
        .map_err(D::Error::custom)
}

fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    match written(deserializer)? {
        None => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(flag)),
        // The paper's form writes every value in quotes, so models do so too.
        Some(Value::String(text)) if text.trim().eq_ignore_ascii_case("true") => Ok(Some(true)),
        Some(Value::String(text)) if text.trim().eq_ignore_ascii_case("false") => Ok(Some(false)),
        Some(other) => Err(D::Error::custom(wanted("true or false", &other))),
    }
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let Some(written) = written(deserializer)? else {
        return Ok(None);
    };
    let number = match &written {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    // `NaN` and `inf` are numbers for the parser of texts; no sample would ever meet such a
    // condition.
    // All features with borders are counts, so a border below 0 is a slip and no condition.
    match number.filter(|n: &f64| n.is_finite() && *n >= 0.0) {
        Some(number) => Ok(Some(number)),
        None => Err(D::Error::custom(wanted("a number from 0 on", &written))),
    }
}

fn features<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FeatureConditions, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// The message about a value of another type.
fn wanted(what: &str, got: &Value) -> String {
    let got = got.to_string();
    format!(
        "`{}` is not {what}, ALL or omit",
        sim_core::error::clip(&got)
    )
}

fn bucket_schema(_: &mut SchemaGenerator) -> Schema {
    let mut values: Vec<Value> = Bucket::VARIANTS
        .iter()
        .map(|bucket| bucket.to_string().into())
        .collect();
    values.extend(["ALL".into(), "omit".into(), Value::Null]);
    json_schema!({"enum": values})
}

fn flag_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [{"type": "boolean"}, {"enum": ["true", "false", "omit", null]}]})
}

fn number_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [{"type": "number", "minimum": 0}, {"type": ["string", "null"]}]})
}
