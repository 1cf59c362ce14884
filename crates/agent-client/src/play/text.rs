//! One turn of a seat that is asked in words.
//!
//! ```text
//!  Ask: instruction, messages ─► memory, method ─► text ─► TextReply, the action of the seat
//! ```

use super::{Agent, PlayReport};
use crate::cause::Cause;
use crate::decide::{Choice, Ctx, Output};
use crate::error::{AgentError, ErrorClass};
use crate::json_text::spoken;
use crate::message::Message;
use crate::prompt;
use crate::request::{ModelRole, Schema, Slot};
use crate::structured;
use minijinja::context;
use serde_json::Value;
use sim_core::{Ask, Input, Next, Query, ReplyForm, Session, TextReply, ToolEnvironment};
use std::sync::{Mutex, PoisonError};

/// How often a JSON reply of the wrong form is sent back.
const REPAIRS: u32 = 1;

/// Asks the agent and hands its reply to the session.
///
/// A reply that is withheld, or for which there is no room, is a [`TextReply`] that says so.
pub(super) async fn text_turn(
    session: &mut Session,
    agent: &Agent,
    ask: &Ask,
    role: ModelRole,
    slot: &Slot,
    report: &mut PlayReport,
) -> Result<Next, AgentError> {
    if let Query::Spent(next) = session.query() {
        return Ok(next);
    }
    report.queries += 1;
    let cx = Ctx {
        backend: &*agent.backend,
        role,
        slot: slot.child("answer", ""),
    };
    // On a copy: a value that is refused must leave no trace in the episode.
    let tried = Mutex::new(session.env().fork());
    let reply = match replied(&cx, agent, &tried, ask, report).await {
        Ok(reply) => reply,
        Err(e) if e.class.is_an_answer() || e.class == ErrorClass::Unusable => {
            report.unanswered(e.class);
            // Without the number of attempts, because a replay makes none.
            TextReply::failed(format!("{}: {}", e.class, e.message))
        }
        Err(e) => return Err(e),
    };
    let action = sim_core::bytes::json(&reply);
    Ok(session.apply(Input::Act(action)).next)
}

async fn replied(
    cx: &Ctx<'_>,
    agent: &Agent,
    tried: &Mutex<Box<dyn ToolEnvironment>>,
    ask: &Ask,
    report: &mut PlayReport,
) -> Result<TextReply, AgentError> {
    let reasons = agent.deliberator.reasons();
    let chat = chat(ask, &agent.memory, reasons)?;
    match &ask.form {
        ReplyForm::Json {
            name,
            about,
            schema,
        } => {
            let schema = Schema::new(name, about, schema.clone());
            let asked = cx.request(chat);
            // The environment says what is wrong with a value.
            let fits = |value: &Value| {
                let action = sim_core::bytes::json(&TextReply::text(value.to_string()));
                let env = tried.lock().unwrap_or_else(PoisonError::into_inner);
                let reply = env.fork().act(&action);
                if reply.is_rejected() {
                    return Err(reply.text().to_owned());
                }
                Ok(())
            };
            let typed =
                structured::ask_with::<Value>(cx.backend, asked, &schema, fits, REPAIRS).await?;
            report.asked += typed.asked;
            Ok(TextReply::text(typed.value.to_string()))
        }
        ReplyForm::Answer => {
            let choice = agent.deliberator.decide(cx, &chat, &Output::Answer).await?;
            report.asked += choice.asked;
            Ok(TextReply {
                // Only behind steps: without them the text is the answer.
                answer: reasons.then_some(choice.answer),
                ..TextReply::text(choice.text)
            })
        }
        ReplyForm::Speech => {
            let mut said = String::new();
            for attempt in 0..=ask.again {
                let cx = match attempt {
                    0 => cx.clone(),
                    // Another slot, or the recording would give the silence again.
                    n => cx.child("again", n),
                };
                let decided = agent.deliberator.decide(&cx, &chat, &Output::Text);
                let Choice { text, asked, .. } = decided.await?;
                report.asked += asked;
                // Without its thoughts: a reply of thoughts alone has said nothing.
                said = spoken(&text).into_owned();
                if !said.trim().is_empty() {
                    break;
                }
                cx.backend.recount(cx.role, Cause::Malformed);
            }
            Ok(TextReply::text(said))
        }
    }
}

/// The chat of an agent; if it `reasons`, an answer is asked for after the steps.
fn chat(ask: &Ask, memory: &str, reasons: bool) -> Result<Vec<Message>, AgentError> {
    let is_answer = ask.form == ReplyForm::Answer;
    let mut system = match &ask.reasoned {
        Some(reasoned) if reasons && is_answer => reasoned.clone(),
        None if reasons && is_answer => {
            let think = prompt::render("think_answer", context! {})?;
            format!("{}\n\n{think}", ask.system)
        }
        _ => ask.system.clone(),
    };
    if !memory.is_empty() {
        let section = prompt::render("memory_section", context! { memory => memory })?;
        // The form of an answer stands last, where it is read last.
        system = if is_answer {
            format!("{section}\n\n{system}")
        } else {
            format!("{system}\n\n{section}")
        };
    }
    let messages = ask.chat.iter().map(|message| {
        if message.own {
            Message::assistant(message.text.clone())
        } else {
            Message::user(message.text.clone())
        }
    });
    Ok(std::iter::once(Message::system(system))
        .chain(messages)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::ChatMessage;

    fn system(ask: &Ask, memory: &str, reasons: bool) -> String {
        match &chat(ask, memory, reasons).unwrap()[0] {
            Message::System { text } => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// An answer without a form for reasoning gets a sentence that asks for the steps; nothing else is changed.
    #[test]
    fn the_steps_are_asked_for_before_an_answer_only() {
        let ask = Ask {
            system: "Answer with a colour.".to_owned(),
            reasoned: None,
            chat: vec![
                ChatMessage::to_seat("Which one?"),
                ChatMessage::of_seat("Hm."),
            ],
            form: ReplyForm::Answer,
            again: 0,
        };
        let own = Ask {
            reasoned: Some("Think. Then name a colour.".to_owned()),
            ..ask.clone()
        };
        let speech = Ask {
            form: ReplyForm::Speech,
            ..own.clone()
        };
        let asked = system(&ask, "", true);
        let begin = "Answer with a colour.\n\nThink step by step";
        assert!(asked.starts_with(begin), "{asked}");
        assert_eq!(system(&own, "", true), "Think. Then name a colour.");
        for (ask, reasons) in [(&ask, false), (&own, false), (&speech, true)] {
            assert_eq!(system(ask, "", reasons), "Answer with a colour.");
        }
        // The form of an answer stands last.
        let learnt = system(&ask, "Blue is rare.", false);
        assert!(learnt.ends_with("\n\nAnswer with a colour."), "{learnt}");
        let learnt = system(&speech, "Blue is rare.", false);
        assert!(learnt.starts_with("Answer with a colour.\n\n"), "{learnt}");
        let messages = chat(&ask, "", false).unwrap();
        let said = [Message::user("Which one?"), Message::assistant("Hm.")];
        assert_eq!(messages[1..], said);
    }
}
