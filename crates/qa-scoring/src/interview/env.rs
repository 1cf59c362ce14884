//! The interview as an environment.

use super::audit::LeakAuditor;
use super::case::{CaseKind, CaseStudy, Length};
use super::judge::{InterviewScores, Panel, marks_form};
use super::transcript::{END_TOKEN, Speaker, Transcript};
use super::{prompt, rules};
use crate::env::text_argument;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::error::one_line;
use sim_core::{
    ActionError, Ask, ChatMessage, ConfigError, Environment, FEWER_JUDGES, Incident, NotFinite,
    PeriodCount, Prompt, Ranges, ReplyForm, RestoreError, Retold, Score, Seat, TextReply,
    ToolInterface, ToolKind, ToolOutput, ToolSpec,
};
use std::sync::Arc;

/// Largest number of rounds of an interview.
pub const MOST_ROUNDS: u32 = 100;

/// Overall mark from which an interview is a success: the paper's judge calls 7 above average and 5 to 6 average.
const SUCCESS: f64 = 7.0;

/// How often an empty message of the interviewer is asked for again: it would end the interview.
const MOST_AGAIN: u32 = 2;

/// The seat of the interviewer.
pub const INTERVIEWER: Seat = Seat::named("interviewer");

/// Largest number of judges of an interview.
const MOST_JUDGES: u32 = 5;

/// The seats of the judges, in their order.
// Written out, since a seat has a name that is known when the program is compiled.
pub static JUDGES: [Seat; MOST_JUDGES as usize] = [
    Seat::named("judge_1"),
    Seat::named("judge_2"),
    Seat::named("judge_3"),
    Seat::named("judge_4"),
    Seat::named("judge_5"),
];

/// Settings of a run of interviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Maximum number of rounds, each a message of the interviewer and an answer (default 12, as in the paper).
    #[schemars(range(min = 1, max = MOST_ROUNDS))]
    pub rounds: u32,
    /// Number of judges; their median counts (default 1, as in the paper).
    #[schemars(range(min = 1, max = MOST_JUDGES))]
    pub judges: u32,
    /// Only cases of this length: short, medium or long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<Length>,
    /// Only cases of this industry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub industry: Option<String>,
    /// Only cases of this kind, such as `pricing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<CaseKind>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            rounds: 12,
            judges: 1,
            length: None,
            industry: None,
            kind: None,
        }
    }
}

impl Config {
    /// The interview on `case` under these settings.
    #[must_use]
    pub fn interview(&self, case: CaseStudy) -> Interview {
        Interview {
            case,
            rounds: self.rounds,
            judges: self.judges,
        }
    }
}

/// Everything that is fixed before an interview begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interview {
    /// The case.
    pub case: CaseStudy,
    /// Maximum number of rounds.
    pub rounds: u32,
    /// Number of judges.
    pub judges: u32,
}

/// How an interview ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InterviewEnd {
    /// The interviewer closed it.
    Token,
    /// The maximum number of rounds was reached.
    Cap,
    /// The candidate gave no answer (filtered, too long, forfeited); the transcript so far is judged.
    CandidateError,
    /// The interviewer gave no message; nothing is judged.
    InterviewerError,
}

impl InterviewEnd {
    /// A description of the ending.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Token => "closed by the interviewer",
            Self::Cap => "ended at the maximum number of rounds",
            Self::CandidateError => "ended because the candidate gave no answer",
            Self::InterviewerError => "ended because the interviewer gave no message",
        }
    }

    /// The code of its incident, unless the interviewer closed the interview.
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Token => None,
            Self::Cap => Some("ended_by_cap"),
            Self::CandidateError => Some("candidate_error"),
            Self::InterviewerError => Some("interviewer_error"),
        }
    }
}

/// What changes during an interview.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// All messages.
    pub transcript: Transcript,
    /// How it ended; absent while it goes on.
    pub ended: Option<InterviewEnd>,
    /// Number of end tokens in places where they are not allowed: in the opening or inside a message. They were removed
    /// and the interview continued.
    pub stray_tokens: u32,
    /// Answers that were cut at 500 words.
    pub cut: u32,
    /// The replies of the judges so far.
    pub judged: Vec<TextReply>,
}

/// What the seat in turn sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The seat.
    pub seat: Seat,
    /// The whole case, for the interviewer and the judges.
    pub case: Option<CaseStudy>,
    /// All messages so far.
    pub transcript: Transcript,
}

/// An interview: facts are disclosed only to those who ask, an end token closes it, judges mark it.
#[derive(Debug, Clone)]
pub struct InterviewEnv {
    instance: Arc<Interview>,
    state: State,
}

impl InterviewEnv {
    /// The interview before its first message.
    ///
    /// # Errors
    /// When the case cannot be played, or a number is out of range.
    pub fn new(instance: Arc<Interview>) -> Result<Self, ConfigError> {
        let config = Config {
            rounds: instance.rounds,
            judges: instance.judges,
            ..Config::default()
        };
        config.check_ranges()?;
        let playable = instance.case.check();
        playable.map_err(|why| ConfigError::new("case", why))?;
        Ok(Self {
            instance,
            state: State::default(),
        })
    }

    /// The interview's case and settings.
    #[must_use]
    pub fn instance(&self) -> &Interview {
        &self.instance
    }

    fn is_judged(&self) -> bool {
        self.state.ended == Some(InterviewEnd::InterviewerError)
            || self.state.judged.len() >= self.instance.judges as usize
    }

    /// The marks of each judge so far, by seat; absent where they cannot be read.
    pub fn marks(&self) -> impl Iterator<Item = (&'static Seat, Option<InterviewScores>)> {
        let replies = self.state.judged.iter();
        JUDGES
            .iter()
            .zip(replies.map(|reply| marks_in(reply.text.as_deref()?).ok()))
    }

    /// The marks of the judges whose marks can be read.
    #[must_use]
    pub fn panel(&self) -> Panel {
        Panel::of(
            &self
                .marks()
                .filter_map(|(_, marks)| marks)
                .collect::<Vec<_>>(),
        )
    }

    fn interviewer_says(&mut self, reply: &TextReply) {
        let state = &mut self.state;
        let Some(text) = &reply.text else {
            state.ended = Some(InterviewEnd::InterviewerError);
            return;
        };
        let text = text.trim_end();
        let is_opening = state.transcript.turns.is_empty();
        // Not in the opening: an interview in which nobody was asked anything is none.
        let closes = !is_opening && text.ends_with(END_TOKEN);
        let tokens = text.matches(END_TOKEN).count();
        // Once a message, however many are in it.
        state.stray_tokens += u32::from(tokens > usize::from(closes));
        state.transcript.interviewer(text);
        if closes {
            state.ended = Some(InterviewEnd::Token);
        // Looked at when the interviewer speaks, not when the candidate answers, so that the last
        // answer still gets its closing words.
        } else if state.transcript.answers() >= self.instance.rounds as usize {
            state.ended = Some(InterviewEnd::Cap);
        }
    }
}

/// The marks in the reply of a judge.
fn marks_in(text: &str) -> Result<InterviewScores, String> {
    let marks = crate::judge::object(text, "overall").map_err(|e| e.to_string())?;
    serde_json::from_value(marks.into()).map_err(|e| e.to_string())
}

impl Environment for InterviewEnv {
    type State = State;
    type Action = TextReply;
    type Observation = Observation;
    type Feedback = ();

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        if state.judged.len() > self.instance.judges as usize
            || state.transcript.answers() > self.instance.rounds as usize
        {
            let text = "it has more messages than this interview can have";
            return Err(ConfigError::new("state", text).into());
        }
        self.state = state;
        Ok(())
    }

    fn seats(&self) -> Vec<Seat> {
        let judges = JUDGES.iter().take(self.instance.judges as usize);
        let judges = judges.cloned();
        [Seat::AGENT, INTERVIEWER]
            .into_iter()
            .chain(judges)
            .collect()
    }

    fn turn(&self) -> Seat {
        // Once it is over, nobody sees the case any more.
        if self.is_over() {
            return Seat::AGENT;
        }
        if self.state.ended.is_some() {
            let next = JUDGES.get(self.state.judged.len());
            return next.cloned().unwrap_or(Seat::AGENT);
        }
        // The interviewer begins and nobody speaks twice in a row.
        if self.state.transcript.turns.len().is_multiple_of(2) {
            INTERVIEWER
        } else {
            Seat::AGENT
        }
    }

    fn observe(&self) -> Observation {
        let seat = self.turn();
        let case = (seat != Seat::AGENT).then(|| self.instance.case.clone());
        Observation {
            seat,
            case,
            transcript: self.state.transcript.clone(),
        }
    }

    fn step(&mut self, reply: &TextReply) -> Result<(), ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        let seat = self.turn();
        if seat == INTERVIEWER {
            self.interviewer_says(reply);
        } else if seat == Seat::AGENT {
            match &reply.text {
                Some(text) => self.state.cut += u32::from(self.state.transcript.candidate(text)),
                None => self.state.ended = Some(InterviewEnd::CandidateError),
            }
        } else {
            // A reply that failed has no text and is taken: its judge is then absent from the
            // panel. Marks that cannot be read are refused, so that the judge learns what is wrong
            // with them.
            if let Some(Err(why)) = reply.text.as_deref().map(marks_in) {
                let text = format!("the marks cannot be read: {}", one_line(&why, 300));
                return Err(ActionError::new("bad_action", text));
            }
            self.state.judged.push(reply.clone());
        }
        Ok(())
    }

    fn forfeit(&mut self) {
        if self.is_over() {
            return;
        }
        // As a reply that failed: a candidate that leaves is marked for what it said so far. Every such reply is taken
        // before the end.
        let taken = self.step(&TextReply::failed("forfeited"));
        debug_assert!(taken.is_ok(), "an interview refused a reply");
    }

    fn is_over(&self) -> bool {
        self.state.ended.is_some() && self.is_judged()
    }

    fn score(&self) -> Result<Score, NotFinite> {
        let panel = self.panel();
        let State {
            transcript,
            stray_tokens,
            cut,
            ..
        } = &self.state;
        let score = match &panel.scores {
            Some(scores) => {
                let marks = scores.marks().into_iter();
                Score::new(scores.overall)?
                    .with_metrics(marks.filter(|(name, _)| *name != "overall"))
                    .metric("mean4", scores.mean4())
            }
            None => Score::unscored(match self.state.ended {
                Some(InterviewEnd::InterviewerError) => "the interviewer gave no message",
                Some(_) => "no judge's marks could be read",
                None => "the interview goes on",
            })?,
        };
        let (leaks, told) = LeakAuditor::new(&self.instance.case).audit(transcript);
        let messages = transcript.of(Speaker::Interviewer);
        let redirects = messages.filter(|text| rules::is_redirect(text)).count();
        let count = |n: usize| u32::try_from(n).map_or(f64::INFINITY, f64::from);
        let incident = |code: &str, note: String| Incident {
            code: code.to_owned(),
            period: u32::try_from(transcript.turns.len()).unwrap_or(u32::MAX),
            note,
        };
        let ended = self.state.ended;
        let ended = ended.and_then(|end| Some(incident(end.code()?, end.in_words().to_owned())));
        // Without it, the score of fewer judges than were asked for would look like that of all.
        let absent = self.marks().filter(|(_, marks)| marks.is_none());
        let absent: Vec<&str> = absent.map(|(seat, _)| seat.name()).collect();
        let without = (!absent.is_empty() && panel.scores.is_some()).then(|| {
            let note = format!("{} gave no marks that can be read", absent.join(", "));
            incident(FEWER_JUDGES, note)
        });
        Ok(score
            .incidents(ended.into_iter().chain(without))
            .metric("judges_spread", panel.spread)
            .metric("rounds", count(transcript.answers()))
            .metric("facts_unlocked", count(told.len()))
            .metric("leaks", count(leaks.len()))
            .metric("redirects", count(redirects))
            .metric("stray_tokens", f64::from(*stray_tokens))
            .metric("cut", f64::from(*cut)))
    }

    /// The marks are told to those who are marked.
    fn sees_metric(&self, seat: &Seat, metric: &str) -> bool {
        let marks = [
            "structure",
            "quant",
            "business_sense",
            "communication",
            "mean4",
            "rounds",
        ];
        *seat == Seat::AGENT && marks.contains(&metric)
    }
}

impl ToolInterface for InterviewEnv {
    type Shown = ();

    fn tools(&self) -> Vec<ToolSpec> {
        let seat = self.turn();
        let about = if seat == Seat::AGENT {
            "Says this to the interviewer."
        } else if seat == INTERVIEWER {
            "Says this to the candidate."
        } else {
            "Gives the marks as one JSON object."
        };
        let text = json!({"type": "string", "description": "What is said."});
        vec![ToolSpec::new("say", ToolKind::Action, about).with("text", text)]
    }

    fn briefing(&self) -> Prompt {
        let Some(ask) = self.ask() else {
            return Prompt::default();
        };
        let own = self.turn();
        let messages: Vec<String> = ask
            .chat
            .iter()
            .map(|message| {
                let who = match (message.own, own == Seat::AGENT) {
                    (true, _) => "You",
                    (false, true) => "Interviewer",
                    (false, false) => "Candidate",
                };
                format!("{who}: {}", message.text)
            })
            .collect();
        Prompt {
            system: ask.system,
            opening: messages.join("\n\n"),
            reminder: "Call `say` with what you say next.".to_owned(),
        }
    }

    fn ask(&self) -> Option<Ask> {
        let (case, transcript) = (&self.instance.case, &self.state.transcript);
        let seat = self.turn();
        let chat_of = |speaker: Speaker| {
            let messages = transcript.turns.iter().map(|turn| ChatMessage {
                own: turn.speaker == speaker,
                text: turn.text.clone(),
            });
            messages.collect::<Vec<_>>()
        };
        let ask = |system: String, chat: Vec<ChatMessage>| Ask {
            system,
            reasoned: None,
            chat,
            form: ReplyForm::Speech,
            again: 0,
        };
        Some(if seat == Seat::AGENT {
            ask(prompt::CANDIDATE.to_owned(), chat_of(Speaker::Candidate))
        } else if seat == INTERVIEWER {
            let mut chat = chat_of(Speaker::Interviewer);
            if chat.is_empty() {
                // A model needs something to reply to, and the interviewer speaks first.
                chat.push(ChatMessage::to_seat(prompt::ENTERED));
            }
            Ask {
                again: MOST_AGAIN,
                ..ask(prompt::interviewer(case), chat)
            }
        } else {
            let chat = vec![ChatMessage::to_seat(transcript.as_json())];
            Ask {
                form: marks_form(),
                ..ask(prompt::judge(case), chat)
            }
        })
    }

    fn retold(&self) -> Option<Retold> {
        let case = &self.instance.case;
        let transcript = &self.state.transcript;
        let scores = self.panel().scores;
        let last = transcript.of(Speaker::Candidate).next_back();
        Some(Retold {
            task: format!("{} {}", case.background, case.objective),
            transcript: transcript.as_text(),
            decision: last.unwrap_or_default().to_owned(),
            feedback: scores
                .as_ref()
                .map_or_else(String::new, |scores| scores.feedback.clone()),
            success: scores.is_some_and(|scores| scores.overall >= SUCCESS),
            truth: Some(case.internal.solution.clone()),
        })
    }

    fn period(&self) -> PeriodCount {
        let done = self.state.transcript.turns.len() + self.state.judged.len();
        PeriodCount {
            index: u32::try_from(done).unwrap_or(u32::MAX),
            total: None,
            unit: "message",
        }
    }

    fn get(&self, tool: &str, _: &Value) -> Result<ToolOutput, ActionError> {
        Err(ActionError::unknown_tool(tool, &["say"]))
    }

    fn read_call(&self, _: &str, arguments: &Value) -> Result<TextReply, ActionError> {
        text_argument(arguments)
    }

    fn read_text(&self, text: &str) -> Option<Result<TextReply, ActionError>> {
        Some(Ok(TextReply::text(text)))
    }

    fn feedback_text(&self, (): &()) -> String {
        match self.state.ended {
            Some(ended) => format!("The interview is over: {}.", ended.in_words()),
            None => "Said.".to_owned(),
        }
    }

    fn feedback_value<'a>(&self, (): &'a ()) -> Option<&'a ()> {
        None
    }
}
