//! Interviews as units of work of a stream.
//!
//! [`InterviewWork`] lets a [`LearningStream`] hold one interview after the other; the memory of the method is
//! shown to the candidate before an interview and learns after it.

use super::candidate::{Candidate, CandidateScript, ModelCandidate, ScriptedCandidate};
use super::case::CaseStudy;
use super::interviewer::{Interviewer, ModelInterviewer};
use super::judge::{InterviewJudge, ModelJudge, ScriptedJudge};
use super::rules::RuleInterviewer;
use super::session::{Interview, InterviewSettings, hold};
use crate::backend::AgentBackend;
use crate::backends::Func;
use crate::decide::Single;
use crate::error::AgentError;
use crate::memory::{Experience, FeedbackMode, MemoryOp, Nothing, WorkKind};
use crate::meter::{Metered, Used};
use crate::method::digest_of;
use crate::method::{
    ItemHeader, ItemProgress, ItemSeries, ItemWork, LearningStream, LearningWork, Method, Team,
    UnitContext,
};
use crate::request::Slot;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{Digest, Stored};
use std::sync::Arc;

/// Overall mark from which an interview is a success: the paper's judge calls 7 above average and
/// 5 to 6 average.
const SUCCESS: f64 = 7.0;

/// Interviewer and judges.
///
/// The default, rules on both sides, needs no model; its marks are a lower bound and not the paper's metric.
#[derive(Debug, Clone, Default)]
pub struct InterviewTeam {
    /// The interviewer; follows rules if absent.
    pub interviewer: Option<Arc<dyn AgentBackend>>,
    /// The judges, each with its own marks; if empty, marks follow the rubric. Three are
    /// recommended; the paper has one.
    pub judges: Vec<Arc<dyn AgentBackend>>,
}

impl InterviewTeam {
    /// Interviewer and judges of one interview; their requests are counted with those of `agent`.
    fn sit(
        &self,
        agent: &Metered,
        slot: &Slot,
    ) -> (Box<dyn Interviewer>, Vec<Box<dyn InterviewJudge>>) {
        let interviewer: Box<dyn Interviewer> = match &self.interviewer {
            Some(backend) => {
                let backend = Arc::new(agent.with(Arc::clone(backend)));
                Box::new(ModelInterviewer::new(backend, slot.clone()))
            }
            None => Box::new(RuleInterviewer::new()),
        };
        let mut judges: Vec<Box<dyn InterviewJudge>> = Vec::new();
        for backend in &self.judges {
            judges.push(Box::new(ModelJudge::new(Arc::new(
                agent.with(Arc::clone(backend)),
            ))));
        }
        if judges.is_empty() {
            judges.push(Box::new(ScriptedJudge));
        }
        (interviewer, judges)
    }
}

/// The record of an interview.
///
/// One line of the file `items.jsonl` in a run folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InterviewRecord {
    /// Version of the record's form.
    pub schema: u32,
    /// What it is about.
    pub header: ItemHeader,
    /// What happened.
    pub interview: Interview,
    /// Digest of the memory before.
    pub memory: Digest,
    /// Changes of the memory by this interview.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ops: Vec<MemoryOp>,
    /// Replies and tokens, by role.
    pub used: Used,
}

impl Stored for InterviewRecord {
    const WHAT: &'static str = "interview record";
    const SCHEMA: u32 = 1;
}

/// The work on interviews: run, judge, learn.
#[derive(Debug)]
pub struct InterviewWork {
    other_side: InterviewTeam,
    feedback: FeedbackMode,
    settings: InterviewSettings,
    /// A scripted candidate that answers instead of the model.
    script: Option<CandidateScript>,
    series: ItemSeries,
}

impl InterviewWork {
    /// Stream `stream` of trial `trial`, in which the agent is the candidate.
    ///
    /// `feedback` says what the memory learns from: with [`FeedbackMode::GroundTruth`] it sees the case's
    /// solution. An interview is a success from an overall mark of 7.
    #[must_use]
    pub fn new(
        other_side: InterviewTeam,
        feedback: FeedbackMode,
        settings: InterviewSettings,
        stream: u64,
        trial: u32,
    ) -> Self {
        Self {
            other_side,
            feedback,
            settings,
            script: None,
            series: ItemSeries::new("consulting", stream, trial),
        }
    }
}

impl LearningStream<InterviewWork> {
    /// A stream with a scripted candidate, which does not learn: for tests of interviewers and
    /// judges, and as a baseline.
    #[must_use]
    pub fn scripted(
        script: CandidateScript,
        other_side: InterviewTeam,
        settings: InterviewSettings,
        stream: u64,
        trial: u32,
    ) -> Self {
        let nobody = Func::new(format!("script:{script}"), |_| {
            Err(AgentError::setup("a scripted candidate asked a model"))
        });
        let method = Method {
            name: "script".to_owned(),
            deliberator: Arc::new(Single::default()),
            memory: Box::new(Nothing),
        };
        let work = InterviewWork {
            script: Some(script),
            ..InterviewWork::new(other_side, FeedbackMode::None, settings, stream, trial)
        };
        Self::new(Team::of(Arc::new(nobody)), method, work)
    }
}

impl ItemWork for InterviewWork {
    type Item = CaseStudy;

    fn id(case: &CaseStudy) -> &str {
        &case.id
    }

    fn digest(case: &CaseStudy) -> Digest {
        digest_of(&case.unlabelled())
    }

    fn series(&self) -> &ItemSeries {
        &self.series
    }
}

#[async_trait]
impl LearningWork for InterviewWork {
    type Unit<'a> = &'a CaseStudy;
    type Record = InterviewRecord;
    type Progress = ItemProgress;

    fn feedback(&self) -> FeedbackMode {
        self.feedback
    }

    fn settings(&self) -> Value {
        let names = |backend: &Arc<dyn AgentBackend>| json!([backend.name(), backend.settings()]);
        json!({
            "settings": self.settings,
            "interviewer": self.other_side.interviewer.as_ref().map(names),
            "judges": self.other_side.judges.iter().map(names).collect::<Vec<_>>(),
        })
    }

    fn slot(&self, case: &Self::Unit<'_>, place: &ItemProgress) -> Slot {
        self.series.slot(*place, &case.id)
    }

    async fn run(
        &self,
        case: &CaseStudy,
        cx: &mut UnitContext<'_, ItemProgress>,
    ) -> Result<InterviewRecord, AgentError> {
        let header = cx.header(self, case);
        let task = format!("{} {}", case.background, case.objective);
        let memory = cx.recall("before", "", &task).await?;
        let mut candidate: Box<dyn Candidate> = match self.script {
            Some(script) => Box::new(ScriptedCandidate::new(script, case.clone())),
            None => Box::new(ModelCandidate::new(
                Arc::new(cx.agent.clone()),
                Arc::clone(&cx.method.deliberator),
                memory,
                cx.slot.clone(),
            )),
        };
        let (mut interviewer, judges) = self.other_side.sit(&cx.agent, &cx.slot);
        let judges: Vec<&dyn InterviewJudge> = judges.iter().map(|judge| &**judge).collect();
        let interview = hold(
            case,
            &mut *interviewer,
            &mut *candidate,
            &judges,
            &self.settings,
            &cx.slot,
        )
        .await?;
        cx.learn("after", "", experience(case, task, &interview))
            .await?;
        cx.progress.place += 1;
        Ok(InterviewRecord {
            schema: InterviewRecord::SCHEMA,
            header,
            interview,
            memory: cx.before,
            ops: std::mem::take(&mut cx.ops),
            used: cx.agent.used(),
        })
    }
}

/// What the memory may learn from. The judge's feedback belongs to the outcome; the environment
/// itself says nothing beyond the transcript.
fn experience(case: &CaseStudy, task: String, interview: &Interview) -> Experience {
    let scores = interview.panel.scores.as_ref();
    let last = interview
        .transcript
        .of(super::Speaker::Candidate)
        .next_back();
    Experience {
        item: case.id.clone(),
        work: WorkKind::Episode,
        task,
        transcript: interview.transcript.as_text(),
        decision: last.unwrap_or_default().to_owned(),
        diagnostics: None,
        score: scores.map(|s| s.overall),
        success: scores.map(|s| s.overall >= SUCCESS),
        truth: Some(case.internal.solution.clone()),
    }
}
