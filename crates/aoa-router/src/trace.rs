//! Traces: stored answers, with their scores.
//!
//! A trace record says who answered which sample and how well; [`Matrix::join`](crate::Matrix::join) puts the records of
//! all agents together. The runner writes them, other programs may.

use crate::features::{FEATURE_VERSION, Features};
use crate::sample::{Bucket, Sample};
use serde::{Deserialize, Serialize};
use sim_core::{ConfigError, Digest, Seed, Stored, strict};
use std::collections::{BTreeMap, BTreeSet};

/// One answer of one agent to one sample. A file of traces has one per line.
///
/// ```
/// use aoa_router::{Bucket, TraceRecord};
/// let trace = TraceRecord { difficulty_score: Some(7.5), ..TraceRecord::new("s1", "cot", true) };
/// assert_eq!(trace.sample().difficulty_bucket, Bucket::Hard);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRecord {
    /// Version of the record's form.
    pub schema: u32,
    /// The sample, the same for all agents.
    pub sample_id: String,
    /// Its task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_name: Option<String>,
    /// The capability that it mainly needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Difficulty [0 to 10].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty_score: Option<f64>,
    /// Difficulty bucket; computed from the difficulty with Boardroom's limits if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty_bucket: Option<Bucket>,
    /// Version of the features' definitions (default: the current one).
    #[serde(default = "crate::features::current")]
    pub feature_version: u32,
    /// Features of its text.
    #[serde(default)]
    pub features: Features,
    /// The question, for a model that reads traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The agent.
    pub method: String,
    /// Its answer.
    #[serde(default)]
    pub prediction: String,
    /// Whether the answer is right.
    pub correct: bool,
    /// Score of the answer [0 to 1].
    pub score: f64,
    /// Location of the whole trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_ref: Option<TraceRef>,
    /// Usage of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<AnswerUsage>,
    /// The model behind the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Seed of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Position of the sample in the agent's stream, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_index: Option<u64>,
    /// What the agent's memory learnt from (`none`, `env`, `outcome`, `ground_truth`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_mode: Option<String>,
}

/// Location of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRef {
    /// File, relative to that of the record.
    pub path: String,
    /// Digest of the trace.
    pub hash: Digest,
}

/// Usage of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnswerUsage {
    /// Number of answered model requests.
    pub calls: u32,
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Cost [US dollars], if prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl Stored for TraceRecord {
    const WHAT: &'static str = "trace record";
    const SCHEMA: u32 = 1;
}

impl TraceRecord {
    /// An answer of the agent `method` to the sample `sample_id`, with score 1 or 0 and without any
    /// other property; set those that are known.
    pub fn new(sample_id: impl Into<String>, method: impl Into<String>, correct: bool) -> Self {
        Self {
            schema: Self::SCHEMA,
            sample_id: sample_id.into(),
            task_name: None,
            capability: None,
            difficulty_score: None,
            difficulty_bucket: None,
            feature_version: FEATURE_VERSION,
            features: Features::default(),
            question: None,
            method: method.into(),
            prediction: String::new(),
            correct,
            score: if correct { 1.0 } else { 0.0 },
            trace_ref: None,
            usage: None,
            model: None,
            seed: None,
            order_index: None,
            feedback_mode: None,
        }
    }

    /// The properties of the sample before it was answered.
    #[must_use]
    pub fn sample(&self) -> Sample {
        let by_score = || Bucket::of(self.difficulty_score);
        Sample {
            task_name: self.task_name.clone(),
            capability: self.capability.clone(),
            difficulty_bucket: self.difficulty_bucket.unwrap_or_else(by_score),
            features: self.features,
        }
    }

    /// Checks what the types cannot say.
    fn check(&self) -> Result<(), ConfigError> {
        if self.sample_id.trim().is_empty() {
            return Err(ConfigError::new("sample_id", "a sample needs a name"));
        }
        if self.method.trim().is_empty() {
            return Err(ConfigError::new("method", "an agent needs a name"));
        }
        if !(0.0..=1.0).contains(&self.score) {
            let text = format!("a score is 0 to 1, not {}", self.score);
            return Err(ConfigError::new("score", text));
        }
        if self.feature_version != FEATURE_VERSION {
            let text = format!(
                "features of version {}; this program computes version {FEATURE_VERSION}",
                self.feature_version
            );
            return Err(ConfigError::new("feature_version", text));
        }
        let cost = self.usage.and_then(|usage| usage.cost).unwrap_or(0.0);
        if !(cost.is_finite() && cost >= 0.0) {
            return Err(ConfigError::new("usage.cost", "a cost is 0 or more"));
        }
        Ok(())
    }
}

/// Reads the traces in `text`, one per line; `place` is the file's name, for messages.
///
/// # Errors
/// At the first invalid line; the message names the line and the position in it.
///
/// A record must name sample and agent, have a score from 0 to 1 and features of the current version.
pub fn read_traces(place: &str, text: &str) -> Result<Vec<TraceRecord>, ConfigError> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            let at = format!("{place} line {}", number + 1);
            let read = || {
                let value = strict::json(line.as_bytes())
                    .map_err(|e| ConfigError::new("", format!("not JSON: {e}")))?;
                let record = TraceRecord::read(value)?;
                record.check()?;
                Ok(record)
            };
            read().map_err(|e: ConfigError| e.within(&at))
        })
        .collect()
}

/// Two halves of the traces with different samples, drawn by `seed` within tasks, capabilities and
/// difficulties: one to learn from, one to evaluate on. All answers to a sample are in the same
/// half.
#[must_use]
pub fn halves(traces: Vec<TraceRecord>, seed: Seed) -> (Vec<TraceRecord>, Vec<TraceRecord>) {
    let mut cells: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for trace in &traces {
        let sample = trace.sample();
        let cell = (
            sample.task_name,
            sample.capability,
            sample.difficulty_bucket,
        );
        cells
            .entry(cell)
            .or_default()
            .insert(trace.sample_id.clone());
    }
    let mut stream = seed.stream("halves", 0);
    let mut first = BTreeSet::new();
    // Counted on from cell to cell: else the only samples of small cells would all be in the first
    // half.
    let mut turn = 0_u32;
    for cell in cells.into_values() {
        // In the order of their names, so that the order of lines in a file does not matter.
        let mut ids: Vec<String> = cell.into_iter().collect();
        stream.shuffle(&mut ids);
        for id in ids {
            if turn.is_multiple_of(2) {
                first.insert(id);
            }
            turn += 1;
        }
    }
    traces
        .into_iter()
        .partition(|trace| first.contains(&trace.sample_id))
}
