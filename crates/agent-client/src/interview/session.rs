//! Runs an interview.

use super::audit::{Leak, LeakAuditor};
use super::candidate::Candidate;
use super::case::CaseStudy;
use super::interviewer::Interviewer;
use super::judge::{InterviewJudge, Panel};
use super::transcript::{END_TOKEN, Transcript};
use crate::error::AgentError;
use crate::request::Slot;
use serde::{Deserialize, Serialize};

/// Settings of an interview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InterviewSettings {
    /// Maximum number of rounds, each a message of the interviewer and an answer (default 12, as in
    /// the paper).
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
#[non_exhaustive]
pub enum InterviewEnd {
    /// The interviewer closed it.
    Token,
    /// The maximum number of rounds was reached.
    Cap,
    /// The candidate could not answer (filtered, too long); the transcript so far is judged.
    CandidateError,
    /// The interviewer could not answer; nothing is judged.
    InterviewerError,
}

/// When a fact was disclosed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unlocked {
    /// Its name.
    pub id: String,
    /// Message of the interviewer, from 0 (which is the opening).
    pub round: u32,
}

/// A finished interview.
///
/// Made by [`hold`]. Records of interviews contain it, so fields are only ever added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Interview {
    /// Case.
    pub case: String,
    /// Name of the interviewer.
    pub interviewer: String,
    /// Number of answers of the candidate.
    pub rounds: u32,
    /// How it ended.
    pub ended: InterviewEnd,
    /// Number of end tokens in places where they are not allowed: in the opening or inside a
    /// message. They were removed and the interview continued.
    pub stray_tokens: u32,
    /// Facts that were disclosed after a question aimed at them.
    pub facts_unlocked: Vec<Unlocked>,
    /// Disclosures of hidden text by the interviewer.
    pub leaks: Vec<Leak>,
    /// Number of times that the interviewer asked for reasoning instead; 0 if it does not count.
    pub redirects: u32,
    /// Answers that were cut at 500 words.
    pub cut: u32,
    /// All messages.
    pub transcript: Transcript,
    /// Marks.
    pub panel: Panel,
}

/// Runs an interview and has it judged.
///
/// The end token counts only as the very last characters of a message of the interviewer, and not
/// in the opening. The candidate's messages are sanitised first, so that they cannot end the
/// interview or look like a mark.
///
/// # Errors
/// When a backend fails in a way that a later attempt may fix, or that stops the run. A filtered or
/// overlong request ends the interview instead.
///
/// # Arguments
/// Each judge gets a slot below `slot`, and so do model interviewers and candidates that were made with it.
/// Without judges the panel has no marks.
pub async fn hold(
    case: &CaseStudy,
    interviewer: &mut dyn Interviewer,
    candidate: &mut dyn Candidate,
    judges: &[&dyn InterviewJudge],
    settings: &InterviewSettings,
    slot: &Slot,
) -> Result<Interview, AgentError> {
    let mut transcript = Transcript::default();
    let mut stray_tokens = 0;
    let mut cut = 0;
    let mut ended = InterviewEnd::Cap;
    match interviewer.speak(case, &transcript).await {
        Ok(text) => {
            stray_tokens += u32::from(text.contains(END_TOKEN));
            transcript.interviewer(&text);
        }
        Err(e) if e.class.is_an_answer() => ended = InterviewEnd::InterviewerError,
        Err(e) => return Err(e),
    }
    let mut rounds = 0;
    while ended == InterviewEnd::Cap && rounds < settings.rounds {
        match candidate.answer(&transcript).await {
            Ok(text) => cut += u32::from(transcript.candidate(&text)),
            Err(e) if e.class.is_an_answer() => {
                ended = InterviewEnd::CandidateError;
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
                    ended = InterviewEnd::Token;
                }
            }
            Err(e) if e.class.is_an_answer() => ended = InterviewEnd::InterviewerError,
            Err(e) => return Err(e),
        }
    }
    let (leaks, told) = LeakAuditor::new(case).audit(&transcript);
    let mut judged = Vec::new();
    if ended != InterviewEnd::InterviewerError {
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
