//! Interviewers.
//!
//! An interviewer sees the whole case and decides what to disclose. [`ModelInterviewer`] is the paper's;
//! [`RuleInterviewer`](super::RuleInterviewer) needs no model.

use super::case::CaseStudy;
use super::transcript::{END_TOKEN, Speaker, Transcript};
use crate::backend::AgentBackend;
use crate::cause::Cause;
use crate::error::AgentError;
use crate::json_text::spoken;
use crate::message::Message;
use crate::prompt;
use crate::request::{ModelRole, Request, Slot};
use async_trait::async_trait;
use minijinja::context;
use std::sync::Arc;

/// How often an empty message is asked for again.
const MOST_AGAIN: u32 = 2;

/// Speaks for the firm.
#[async_trait]
pub trait Interviewer: Send {
    /// Its name, for records.
    fn name(&self) -> String;

    /// The next message; it ends with [`END_TOKEN`] to close the interview.
    ///
    /// # Errors
    /// When the interviewer cannot answer.
    ///
    /// An empty `transcript` asks for the opening: background, objective and a first question.
    async fn speak(
        &mut self,
        case: &CaseStudy,
        transcript: &Transcript,
    ) -> Result<String, AgentError>;

    /// Number of times that it asked for the candidate's reasoning instead of giving data; 0 if it
    /// does not count.
    fn redirects(&self) -> u32 {
        0
    }
}

/// A model as interviewer. It sees the whole case and the rules of disclosure.
///
/// The rules are in the system message of every request; the messages so far follow as a chat in which the
/// candidate is the user.
#[derive(Debug)]
pub struct ModelInterviewer {
    backend: Arc<dyn AgentBackend>,
    slot: Slot,
    spoken: u32,
}

impl ModelInterviewer {
    /// An interviewer for the interview at `slot`.
    #[must_use]
    pub fn new(backend: Arc<dyn AgentBackend>, slot: Slot) -> Self {
        Self {
            backend,
            slot,
            spoken: 0,
        }
    }
}

#[async_trait]
impl Interviewer for ModelInterviewer {
    fn name(&self) -> String {
        self.backend.name()
    }

    async fn speak(
        &mut self,
        case: &CaseStudy,
        transcript: &Transcript,
    ) -> Result<String, AgentError> {
        let facts: Vec<_> = case
            .gated
            .iter()
            .map(|fact| {
                context! {
                    dimension => &fact.dimension,
                    text => &fact.text,
                    after => fact.after.join(", "),
                    id => &fact.id,
                }
            })
            .collect();
        let rules = prompt::render(
            "interviewer",
            context! {
                background => &case.background,
                objective => &case.objective,
                length => case.length.hint(),
                facts => facts,
                key_questions => case.internal.key_questions.clone(),
                analysis => &case.internal.analysis,
                solution => &case.internal.solution,
                wrapup => &case.internal.wrapup,
                token => END_TOKEN,
            },
        )?;
        let mut messages = vec![Message::system(rules)];
        for turn in &transcript.turns {
            messages.push(match turn.speaker {
                Speaker::Interviewer => Message::assistant(turn.text.clone()),
                Speaker::Candidate => Message::user(turn.text.clone()),
            });
        }
        if transcript.turns.is_empty() {
            messages.push(Message::user("(The candidate has entered the room.)"));
        }
        self.spoken += 1;
        let slot = self.slot.child("interviewer", self.spoken);
        let mut said = String::new();
        // An empty message would end the interview, so it is asked for again.
        for attempt in 0..=MOST_AGAIN {
            let slot = match attempt {
                0 => slot.clone(),
                n => slot.child("again", n),
            };
            let request = Request::new(ModelRole::Interviewer, slot, messages.clone());
            let reply = self.backend.ask(request).await?;
            said = spoken(&reply.said.text).into_owned();
            if !said.trim().is_empty() {
                break;
            }
            self.backend
                .recount(ModelRole::Interviewer, Cause::Malformed);
        }
        Ok(said)
    }
}
