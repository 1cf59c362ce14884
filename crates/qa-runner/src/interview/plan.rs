//! What a run of interviews is: everything that decides its records.

use super::case_files::all_cases;
use agent_client::interview::{
    CandidateScript, CaseStudy, InterviewRecord, InterviewSettings, Length, cases,
};
use agent_client::wire::Dialect;
use run_engine::error::RunError;
use run_engine::plan::Shard;
use run_engine::plan::model::{ModelPlan, check_dialect};
use run_engine::ranges;
use run_engine::run_dir::{RunDir, RunPlan};
use run_engine::words::counted;
use serde::{Deserialize, Serialize};
use sim_core::{Digest, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Version of the cases, the rules and the judge by rules.
pub const VERSION: u32 = 1;

/// Most interviews of a run.
pub const MAX_INTERVIEWS: u64 = 100_000;

/// Which cases: all of them, or those of one length.
pub const PRESETS: [&str; 4] = ["all", "short", "medium", "long"];

/// Who answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidatePlan {
    /// A scripted candidate, by name.
    Script(String),
    /// A model with a method.
    Model(Box<ModelPlan>),
}

/// A case of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CasePlan {
    /// Its name.
    pub id: String,
    /// Its digest, so that a resumed run meets the same.
    pub digest: Digest,
}

/// A run with every choice made, as the manifest keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterviewPlan {
    /// Version of cases and rules.
    pub version: u32,
    /// Which cases, for the reader; `cases` decides.
    pub preset: String,
    /// The cases, in order.
    pub cases: Vec<CasePlan>,
    /// Folder or file of the cases; those of the program if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_files: Option<PathBuf>,
    /// Who answers, as named.
    pub agent: String,
    /// Who answers, with every choice made.
    pub candidate: CandidatePlan,
    /// The model that interviews; by rules when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interviewer: Option<Dialect>,
    /// The models that judge; by rules when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<Dialect>,
    /// How an interview is held.
    pub settings: InterviewSettings,
    /// Interviews, over all shards; with streams, of each of them. Interview k is on case k modulo
    /// the number of cases.
    pub interviews: u64,
    /// Times that the interviews are given, each in an order and with a memory of its own; absent
    /// where nothing is learnt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u64>,
    /// Seed of the orders.
    pub seed: Seed,
    /// Part of the work that this folder holds.
    pub shard: Shard,
}

/// Interviews that are given one after the other: one, or those of a stream.
#[derive(Debug, Clone)]
pub struct InterviewStream {
    pub(crate) stream: u64,
    /// Number, place and case of each.
    pub met: Vec<(u64, u64, usize)>,
}

/// The length that a preset restricts to; none for `all`.
///
/// # Errors
/// When there is no such preset.
pub fn length_of(preset: &str) -> Result<Option<Length>, RunError> {
    match preset {
        "all" => Ok(None),
        "short" => Ok(Some(Length::Short)),
        "medium" => Ok(Some(Length::Medium)),
        "long" => Ok(Some(Length::Long)),
        other => Err(RunError::usage(format!(
            "`consulting` has no preset `{}`; there are {}",
            sim_core::error::clip(other),
            PRESETS.join(", ")
        ))),
    }
}

/// The program's cases of a preset.
///
/// # Errors
/// When there is no such preset.
pub fn cases_of(preset: &str) -> Result<Vec<CaseStudy>, RunError> {
    let length = length_of(preset)?;
    let mut all = cases().map_err(RunError::Failed)?;
    all.retain(|case| length.is_none_or(|length| case.length == length));
    Ok(all)
}

/// Id and digest of a case, for the plan.
///
/// # Errors
/// When it has no JSON form: a fault of this program.
pub fn described(case: &CaseStudy) -> Result<CasePlan, RunError> {
    Ok(CasePlan {
        id: case.id.clone(),
        digest: Digest::of(&case.unlabelled()).map_err(|e| RunError::Failed(e.to_string()))?,
    })
}

/// Most rounds of an interview.
pub const MOST_ROUNDS: u32 = 100;

/// The folder of a run of interviews.
///
/// ```text
/// DIR/manifest.json      the plan, the program's version, the start time
/// DIR/items.jsonl        one InterviewRecord a line, appended and synced when the interview ends
/// DIR/memory/            what each stream had learnt after each of its interviews
/// DIR/calls.jsonl        model requests and replies, without keys
/// DIR/errors.jsonl       what failed, and why
/// ```
pub type InterviewDir = RunDir<InterviewPlan>;

impl RunPlan for InterviewPlan {
    const KEY: &'static str = "interviews";
    const UNIT: &'static str = "interview";
    const RECORDS: &'static str = "items.jsonl";
    type Record = InterviewRecord;

    fn check_stored(&self) -> Result<(), RunError> {
        self.check()
    }

    fn shard(&self) -> Shard {
        self.shard
    }

    fn whole(&self) -> Self {
        Self {
            shard: Shard::default(),
            ..self.clone()
        }
    }

    fn planned(&self) -> Result<u64, RunError> {
        Ok(self.asked())
    }

    fn size_in_words(&self) -> String {
        let interviews = counted(self.interviews, Self::UNIT);
        let streams = self
            .streams
            .map(|streams| format!(" in {}", counted(streams, "stream")));
        interviews + &streams.unwrap_or_default()
    }

    fn sized_as(&self, other: &Self) -> Self {
        Self {
            interviews: if self.streams.is_none() {
                other.interviews
            } else {
                self.interviews
            },
            // Each stream has an order and a memory of its own.
            streams: self.streams.and(other.streams),
            ..self.clone()
        }
    }

    fn is_shorter_than(&self, other: &Self) -> bool {
        (self.interviews, self.streams) < (other.interviews, other.streams)
    }

    fn why_fixed(&self, _: &Self) -> Option<String> {
        None
    }
}

impl InterviewPlan {
    /// Checks that this program gives the same marks as the one that began the run.
    ///
    /// # Errors
    /// When the plan was made with another version of the cases, the rules or the judge by rules.
    pub fn check_version(&self) -> Result<(), RunError> {
        if self.version == VERSION {
            return Ok(());
        }
        Err(RunError::usage(format!(
            "the run was made with version {} of the interview, this program has version {VERSION}: \
             its marks differ; see `boardroom rescore`",
            self.version
        )))
    }

    /// The cases of the plan.
    ///
    /// # Errors
    /// When this program (or the folder of the cases) has no such case, or another one of its name.
    pub fn cases(&self) -> Result<Vec<CaseStudy>, RunError> {
        let all = all_cases(self.case_files.as_deref())?;
        let mut by_name: BTreeMap<String, CaseStudy> = all
            .into_iter()
            .map(|case| (case.id.clone(), case))
            .collect();
        let mut cases = Vec::new();
        for wanted in &self.cases {
            let case = by_name.remove(&wanted.id);
            match case {
                Some(case) if described(&case)? == *wanted => cases.push(case),
                _ => {
                    return Err(RunError::usage(format!(
                        "the case `{}` is not the one that the run began with",
                        sim_core::error::clip(&wanted.id)
                    )));
                }
            }
        }
        Ok(cases)
    }

    /// Checks that the plan can be run, whether it is new or was read from a manifest.
    ///
    /// # Errors
    /// Names what is out of range or does not fit together.
    pub fn check(&self) -> Result<(), RunError> {
        let learns = match &self.candidate {
            CandidatePlan::Model(model) => {
                model.check(&self.agent)?;
                if model.update_every.is_some() || model.success.is_some() || model.is_planned() {
                    return Err(RunError::usage(
                        "--update-every, --success and --planning apply to episodes only, not to \
                         interviews",
                    ));
                }
                model.is_online()?
            }
            CandidatePlan::Script(name) => {
                if *name != self.agent {
                    return Err(RunError::usage(format!(
                        "the agent is `{}`, but the candidate is `{name}`",
                        self.agent
                    )));
                }
                self.script()?;
                false
            }
        };
        for dialect in self.interviewer.iter().chain(&self.judges) {
            check_dialect(None, dialect)?;
        }
        if self.streams.is_some() != learns {
            return Err(RunError::usage(
                "the plan must have streams if the candidate learns, and must not have streams otherwise",
            ));
        }
        let total = self.interviews.checked_mul(self.streams.unwrap_or(1));
        if !total.is_some_and(|total| (1..=MAX_INTERVIEWS).contains(&total)) {
            return Err(RunError::usage(format!(
                "episodes must be at least 1 and at most {MAX_INTERVIEWS} over all streams, not \
                 `{}`",
                self.interviews
            )));
        }
        ranges::whole("rounds", &self.settings.rounds, &(1..=MOST_ROUNDS))?;
        self.shard.check()
    }

    /// The scripted candidate, where there is one.
    ///
    /// # Errors
    /// When there is none of its name.
    pub fn script(&self) -> Result<Option<CandidateScript>, RunError> {
        match &self.candidate {
            CandidatePlan::Script(name) => name.parse().map(Some).map_err(RunError::Usage),
            CandidatePlan::Model(_) => Ok(None),
        }
    }

    /// Everybody who is a model: candidate, interviewer, judges.
    #[must_use]
    pub fn dialects(&self) -> Vec<&Dialect> {
        let candidate = match &self.candidate {
            CandidatePlan::Model(model) => Some(&model.dialect),
            CandidatePlan::Script(_) => None,
        };
        candidate
            .into_iter()
            .chain(&self.interviewer)
            .chain(&self.judges)
            .collect()
    }

    /// Number of interviews of this shard, over all streams.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.lines().iter().map(|line| line.met.len() as u64).sum()
    }

    /// The number of each interview of this shard, by its stream and its place in the stream.
    #[must_use]
    pub fn numbers(&self) -> BTreeMap<(u64, u64), u64> {
        let lines = self.lines().into_iter();
        let of_line = |line: InterviewStream| {
            let met = line.met.into_iter();
            met.map(move |(number, place, _)| ((line.stream, place), number))
        };
        lines.flat_map(of_line).collect()
    }

    /// How often a case was met before interview `number`.
    pub(crate) fn trial(&self, number: u64) -> u32 {
        let count = self.cases.len().max(1) as u64;
        match self.streams {
            Some(_) => 0,
            None => u32::try_from(number / count).unwrap_or(u32::MAX),
        }
    }

    /// The interviews of this shard; where there are streams, a shard has whole ones.
    pub fn lines(&self) -> Vec<InterviewStream> {
        let Shard { index, count } = self.shard;
        let kinds = self.cases.len().max(1) as u64;
        let case = |k: u64| usize::try_from(k % kinds).unwrap_or_default();
        match self.streams {
            None => (0..self.interviews)
                .filter(|k| k % count == index)
                .map(|k| InterviewStream {
                    stream: 0,
                    met: vec![(k, k, case(k))],
                })
                .collect(),
            Some(streams) => {
                let all = usize::try_from(self.interviews).unwrap_or(usize::MAX);
                let numbers: BTreeSet<u64> = (0..streams).filter(|s| s % count == index).collect();
                let line = |stream: u64| {
                    let met = self.seed.order(stream, all).into_iter().zip(0_u64..);
                    let met = met.map(|(k, place)| {
                        let k = k as u64;
                        (stream * self.interviews + k, place, case(k))
                    });
                    InterviewStream {
                        stream,
                        met: met.collect(),
                    }
                };
                numbers.into_iter().map(line).collect()
            }
        }
    }
}
