//! Interviews on which instructions are tried.

use super::case::CaseStudy;
use super::session::{Interview, InterviewSettings};
use super::stream::{InterviewTeam, InterviewWork};
use crate::backend::AgentBackend;
use crate::error::AgentError;
use crate::memory::FeedbackMode;
use crate::method::{ItemTrial, Trial, tried};
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
pub struct InterviewTrial {
    /// The backend of the candidate.
    pub agent: Arc<dyn AgentBackend>,
    /// Interviewer and judges.
    pub other_side: InterviewTeam,
    /// How an interview is held.
    pub settings: InterviewSettings,
}

#[async_trait]
impl ItemTrial for InterviewTrial {
    type Item = CaseStudy;

    async fn run(
        &self,
        case: &CaseStudy,
        instruction: &str,
        slot: &Slot,
    ) -> Result<Trial, AgentError> {
        let other_side = self.other_side.clone();
        let work = InterviewWork::new(other_side, FeedbackMode::None, self.settings, 0, 0);
        let record = tried(&self.agent, work, case, instruction, slot).await?;
        let interview = record.interview;
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
    for (name, mark) in marks.marks() {
        // Writing to a String cannot fail.
        let _ = write!(text, " {} {mark},", name.replace('_', " "));
    }
    format!("{}. {}", text.trim_end_matches(','), marks.feedback)
}
