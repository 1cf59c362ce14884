//! Holding an interview.

use super::audit::{Leak, LeakAuditor};
use super::candidate::Candidate;
use super::case::CaseStudy;
use super::interviewer::Interviewer;
use super::judge::{Judge, Panel};
use super::transcript::{END_TOKEN, Transcript};
use crate::error::AgentError;
use crate::request::Slot;
use serde::{Deserialize, Serialize};

/// How an interview is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InterviewSettings {
    /// Most rounds, each a message of the interviewer and an answer (default 12, as in the paper).
    pub rounds: u32,
}

impl Default for InterviewSettings {
    fn default() -> Self {
        Self { rounds: 12 }
    }
}

/// How an interview ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The interviewer closed it.
    Token,
    /// The rounds were over.
    Cap,
    /// The candidate could not answer (filtered, too long); what there is is judged.
    CandidateError,
    /// The interviewer could not speak; nothing is judged.
    InterviewerError,
}

/// When a fact was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unlocked {
    /// Its name.
    pub id: String,
    /// Message of the interviewer, from 0 (which is the opening).
    pub round: u32,
}

/// A finished interview.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interview {
    /// Case.
    pub case: String,
    /// Who asked.
    pub interviewer: String,
    /// Answers of the candidate.
    pub rounds: u32,
    /// How it ended.
    pub ended: Ended,
    /// End tokens where none may be: in the opening or in the middle of a message. They were taken
    /// out and the interview went on.
    pub stray_tokens: u32,
    /// Facts that were told after a question aimed at them.
    pub facts_unlocked: Vec<Unlocked>,
    /// What the interviewer gave away.
    pub leaks: Vec<Leak>,
    /// Times that the interviewer asked for a thought instead, where it knows.
    pub redirects: u32,
    /// Answers that were cut at 500 words.
    pub cut: u32,
    /// Everything that was said.
    pub transcript: Transcript,
    /// Marks.
    pub panel: Panel,
}

/// Holds an interview and has it judged.
///
/// The end token counts only as the very last characters of a message of the interviewer, and not
/// in the opening. What the candidate says is made harmless first, so nothing in it can end the
/// interview or pass for a mark.
///
/// # Errors
/// When a backend fails in a way that asking again later may mend, or that stops the run. A
/// filtered or overlong request ends the interview instead.
pub async fn hold(
    case: &CaseStudy,
    interviewer: &mut dyn Interviewer,
    candidate: &mut dyn Candidate,
    judges: &[&dyn Judge],
    settings: &InterviewSettings,
    slot: &Slot,
) -> Result<Interview, AgentError> {
    let mut transcript = Transcript::default();
    let mut stray_tokens = 0;
    let mut cut = 0;
    let mut ended = Ended::Cap;
    match interviewer.speak(case, &transcript).await {
        Ok(text) => {
            stray_tokens += u32::from(text.contains(END_TOKEN));
            transcript.interviewer(&text);
        }
        Err(e) if e.class.is_an_answer() => ended = Ended::InterviewerError,
        Err(e) => return Err(e),
    }
    let mut rounds = 0;
    while ended == Ended::Cap && rounds < settings.rounds {
        match candidate.answer(&transcript).await {
            Ok(text) => cut += u32::from(transcript.candidate(&text)),
            Err(e) if e.class.is_an_answer() => {
                ended = Ended::CandidateError;
                break;
            }
            Err(e) => return Err(e),
        }
        rounds += 1;
        match interviewer.speak(case, &transcript).await {
            Ok(text) => {
                let text = text.trim_end();
                let closes = text.ends_with(END_TOKEN);
                let tokens = text.matches(END_TOKEN).count();
                stray_tokens += u32::from(tokens > usize::from(closes));
                transcript.interviewer(text);
                if closes {
                    ended = Ended::Token;
                }
            }
            Err(e) if e.class.is_an_answer() => ended = Ended::InterviewerError,
            Err(e) => return Err(e),
        }
    }
    let (leaks, told) = LeakAuditor::new(case).audit(&transcript);
    let mut judged = Vec::new();
    if ended != Ended::InterviewerError {
        for (index, judge) in judges.iter().enumerate() {
            let slot = slot.child("judge", index);
            judged.push(judge.judge(case, &transcript, &slot).await?);
        }
    }
    Ok(Interview {
        case: case.id.clone(),
        interviewer: interviewer.name(),
        rounds,
        ended,
        stray_tokens,
        facts_unlocked: told
            .into_iter()
            .map(|(id, round)| Unlocked { id, round })
            .collect(),
        leaks,
        redirects: interviewer.redirects(),
        cut,
        transcript,
        panel: Panel::of(judged),
    })
}
