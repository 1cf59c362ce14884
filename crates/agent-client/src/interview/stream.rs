//! A method that gives interviews, one after the other.

use super::candidate::{Candidate, ModelCandidate, Script, ScriptedCandidate};
use super::case::CaseStudy;
use super::interviewer::{Interviewer, ModelInterviewer};
use super::judge::{Judge, ModelJudge, ScriptedJudge};
use super::rules::RuleInterviewer;
use super::session::{Interview, InterviewSettings, hold};
use crate::backend::AgentBackend;
use crate::backends::Func;
use crate::decide::{Ctx, Single};
use crate::error::AgentError;
use crate::memory::{Experience, Feedback, MemoryOp, Nothing, Work};
use crate::meter::{Metered, Used};
use crate::method::{ItemHeader, Method, Team, settings_digest};
use crate::request::{Role, Slot};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::{Digest, Stored};
use std::sync::Arc;

/// Overall mark from which an interview is a success: the paper's judge calls 7 above average and
/// 5 to 6 average.
const SUCCESS: f64 = 7.0;

/// Who sits on the other side.
#[derive(Debug, Clone, Default)]
pub struct InterviewTeam {
    /// Asks; by rules when absent.
    pub interviewer: Option<Arc<dyn AgentBackend>>,
    /// Give marks, each on its own; by the rubric when there are none. Three are recommended, one
    /// is what the paper has.
    pub judges: Vec<Arc<dyn AgentBackend>>,
}

impl InterviewTeam {
    /// The other side of one interview, counted on the sheet of `agent`.
    fn sit(&self, agent: &Metered, slot: &Slot) -> (Box<dyn Interviewer>, Vec<Box<dyn Judge>>) {
        let interviewer: Box<dyn Interviewer> = match &self.interviewer {
            Some(backend) => {
                let backend = Arc::new(agent.with(Arc::clone(backend)));
                Box::new(ModelInterviewer::new(backend, slot.clone()))
            }
            None => Box::new(RuleInterviewer::new()),
        };
        let mut judges: Vec<Box<dyn Judge>> = Vec::new();
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

/// An interview as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterviewRecord {
    /// Form of this record.
    pub schema: u32,
    /// What it is about.
    pub header: ItemHeader,
    /// What happened.
    pub interview: Interview,
    /// Digest of the memory before.
    pub memory: Digest,
    /// What it did to the memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ops: Vec<MemoryOp>,
    /// Replies and tokens, by role.
    pub used: Used,
}

impl Stored for InterviewRecord {
    const WHAT: &'static str = "interview record";
    const SCHEMA: u32 = 1;
}

/// A method that meets cases in order. As a stream of questions, with an interview in place of each.
#[derive(Debug)]
pub struct InterviewStream {
    team: Team,
    other_side: InterviewTeam,
    method: Method,
    feedback: Feedback,
    settings: InterviewSettings,
    /// Who answers in place of the model.
    script: Option<Script>,
    stream: u64,
    trial: u32,
    place: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    place: u64,
    memory: Value,
}

impl InterviewStream {
    /// A stream at its beginning.
    #[must_use]
    pub fn new(
        team: Team,
        other_side: InterviewTeam,
        method: Method,
        feedback: Feedback,
        settings: InterviewSettings,
        stream: u64,
        trial: u32,
    ) -> Self {
        Self {
            team,
            other_side,
            method,
            feedback,
            settings,
            script: None,
            stream,
            trial,
            place: 0,
        }
    }

    /// A stream in which a scripted candidate answers, who learns nothing: for tests of interviewers
    /// and judges, and as a yardstick.
    #[must_use]
    pub fn scripted(
        script: Script,
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
        Self {
            script: Some(script),
            ..Self::new(
                Team::of(Arc::new(nobody)),
                other_side,
                method,
                Feedback::None,
                settings,
                stream,
                trial,
            )
        }
    }

    /// The same with `place` as the next place, for cases that are met by themselves.
    #[must_use]
    pub fn at(mut self, place: u64) -> Self {
        self.place = place;
        self
    }

    /// Everything that the stream has learnt, and how far it is.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        json!({"place": self.place, "memory": self.method.memory.snapshot()})
    }

    /// Puts a snapshot in place.
    ///
    /// # Errors
    /// When it is none of this method.
    pub fn restore(&mut self, snapshot: &Value) -> Result<(), AgentError> {
        let saved: Saved = serde_path_to_error::deserialize(snapshot)
            .map_err(|e| AgentError::setup(format!("this is no snapshot of a stream: {e}")))?;
        self.method.memory.restore(&saved.memory)?;
        self.place = saved.place;
        Ok(())
    }

    /// The header that the record of `case` will have if it comes next.
    #[must_use]
    pub fn header(&self, case: &CaseStudy) -> ItemHeader {
        let text = serde_json::to_value(case).unwrap_or_default();
        let names = |backend: &Arc<dyn AgentBackend>| json!([backend.name(), backend.settings()]);
        let driver = json!({
            "settings": self.settings,
            "interviewer": self.other_side.interviewer.as_ref().map(names),
            "judges": self.other_side.judges.iter().map(names).collect::<Vec<_>>(),
        });
        ItemHeader {
            set: "consulting".to_owned(),
            item: case.id.clone(),
            digest: Digest::of_bytes(sim_core::bytes::canonical_text(&text).as_bytes()),
            agent: self.team.agent.name(),
            settings: settings_digest(&self.team, &self.method, self.feedback, &driver),
            method: self.method.name.clone(),
            feedback: self.feedback,
            stream: self.stream,
            place: self.place,
            trial: self.trial,
        }
    }

    /// Gives the next interview and learns from it. On an error nothing is changed and the case can
    /// be met again.
    ///
    /// # Errors
    /// When a backend fails for good.
    pub async fn next(&mut self, case: &CaseStudy) -> Result<InterviewRecord, AgentError> {
        let header = self.header(case);
        let slot = Slot::new(format!("consulting{}", self.stream))
            .child("trial", self.trial)
            .child("place", self.place)
            .child("", &case.id);
        let agent = Metered::new(Arc::clone(&self.team.agent));
        let reflector = agent.with(Arc::clone(&self.team.reflector));
        let reflect = Ctx {
            backend: &reflector,
            role: Role::Reflector,
            slot: slot.clone(),
        };
        let before = self.method.memory.digest();
        let task = format!("{} {}", case.background, case.objective);
        let memory = self
            .method
            .memory
            .render(&reflect.child("before", ""), &task)
            .await?;
        let mut candidate: Box<dyn Candidate> = match self.script {
            Some(script) => Box::new(ScriptedCandidate::new(script, case.clone())),
            None => Box::new(ModelCandidate::new(
                Arc::new(agent.clone()),
                Arc::clone(&self.method.deliberator),
                memory,
                slot.clone(),
            )),
        };
        let (mut interviewer, judges) = self.other_side.sit(&agent, &slot);
        let judges: Vec<&dyn Judge> = judges.iter().map(|judge| &**judge).collect();
        let interview = hold(
            case,
            &mut *interviewer,
            &mut *candidate,
            &judges,
            &self.settings,
            &slot,
        )
        .await?;
        let experience = experience(case, task, &interview).under(self.feedback);
        let ops = self
            .method
            .memory
            .update(&reflect.child("after", ""), &experience)
            .await?;
        self.place += 1;
        Ok(InterviewRecord {
            schema: InterviewRecord::SCHEMA,
            header,
            interview,
            memory: before,
            ops,
            used: agent.used(),
        })
    }
}

/// What the memory may learn from. The judge's words belong to the outcome: the environment itself
/// says nothing beyond what stands in the transcript.
fn experience(case: &CaseStudy, task: String, interview: &Interview) -> Experience {
    let scores = interview.panel.scores.as_ref();
    let last = interview
        .transcript
        .of(super::Speaker::Candidate)
        .next_back();
    Experience {
        item: case.id.clone(),
        work: Work::Episode,
        task,
        transcript: interview.transcript.as_text(),
        decision: last.unwrap_or_default().to_owned(),
        diagnostics: None,
        score: scores.map(|s| s.overall),
        success: scores.map(|s| s.overall >= SUCCESS),
        truth: Some(case.internal.solution.clone()),
    }
}
