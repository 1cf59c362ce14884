//! Interviews on which instructions are tried.

use super::case::CaseStudy;
use super::session::{Interview, InterviewSettings};
use super::stream::{InterviewTeam, InterviewWork};
use crate::backend::AgentBackend;
use crate::error::AgentError;
use crate::memory::FeedbackMode;
use crate::method::{LearningStream, Split, Team, Trial, TrialSource, instructed};
use crate::request::Slot;
use async_trait::async_trait;
use std::fmt::Write as _;
use std::sync::Arc;

/// Largest mark of a judge.
const BEST_MARK: f64 = 10.0;

/// Trials in interviews: the score is the overall mark, as a share of the largest.
///
/// An interview without readable marks has score 0: a trial needs a number.
#[derive(Debug)]
pub struct InterviewTrials {
    /// The backend of the candidate.
    pub agent: Arc<dyn AgentBackend>,
    /// Interviewer and judges.
    pub other_side: InterviewTeam,
    /// How an interview is held.
    pub settings: InterviewSettings,
    /// Training cases.
    pub train: Vec<CaseStudy>,
    /// Validation cases.
    pub validation: Vec<CaseStudy>,
}

impl InterviewTrials {
    fn of(&self, split: Split) -> &[CaseStudy] {
        match split {
            Split::Train => &self.train,
            Split::Validation => &self.validation,
        }
    }
}

#[async_trait]
impl TrialSource for InterviewTrials {
    fn len(&self, split: Split) -> usize {
        self.of(split).len()
    }

    async fn run(
        &self,
        instruction: &str,
        split: Split,
        index: usize,
        slot: &Slot,
    ) -> Result<Trial, AgentError> {
        let case = self
            .of(split)
            .get(index)
            .ok_or_else(|| AgentError::setup(format!("there is no case {index}")))?;
        let work = InterviewWork::new(
            self.other_side.clone(),
            FeedbackMode::None,
            self.settings,
            0,
            0,
        );
        let team = Team::of(Arc::clone(&self.agent));
        let mut stream = LearningStream::new(team, instructed(instruction)?, work);
        let interview = stream.next_at(case, slot.clone()).await?.interview;
        let marks = interview.panel.scores.as_ref();
        Ok(Trial {
            score: marks.map_or(0.0, |marks| marks.overall / BEST_MARK),
            transcript: interview.transcript.as_text(),
            feedback: feedback(&interview),
        })
    }
}

/// The marks and the words of the judges.
fn feedback(interview: &Interview) -> String {
    let Some(marks) = &interview.panel.scores else {
        return "There are no marks: no judge's reply could be read.".to_owned();
    };
    let mut text = "Marks of 10:".to_owned();
    for (name, mark) in [
        ("structure", marks.structure),
        ("quant", marks.quant),
        ("business sense", marks.business_sense),
        ("communication", marks.communication),
        ("overall", marks.overall),
    ] {
        // Writing to a String cannot fail.
        let _ = write!(text, " {name} {mark},");
    }
    format!("{}. {}", text.trim_end_matches(','), marks.feedback)
}
