//! Recordings of model calls, and playing them again.

use crate::error::{AgentError, ErrorClass};
use crate::layer::{Answer, Call, Final};
use crate::money::Money;
use crate::reply::Source;
use crate::secret::Scrub;
use crate::store::{Journal, Line, Store};
use crate::wire::Dialect;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// What a cassette is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Every request is sent and recorded.
    Record,
    /// Nothing is ever sent; what was not recorded is an error.
    Replay,
    /// What was recorded is not sent again; the rest is sent and recorded. The mode of ordinary
    /// runs and of resumed ones.
    Both,
}

/// The recorded model calls of a run.
#[derive(Debug, Clone)]
pub struct Cassette {
    tape: Arc<Tape>,
    mode: Mode,
}

#[derive(Debug)]
struct Tape {
    journal: Journal,
    scrub: Scrub,
    dialects: Mutex<(Vec<Dialect>, BTreeSet<String>)>,
    paid: Money,
}

impl Cassette {
    /// The cassette in `store`. Keys that `scrub` knows never reach it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: Arc<dyn Store>, mode: Mode, scrub: Scrub) -> Result<Self, AgentError> {
        let mut dialects: Vec<Dialect> = Vec::new();
        let mut paid = Money::ZERO;
        let journal = Journal::open_with(store, |line| {
            dialects.extend(line.dialect.clone());
            paid = paid.plus(line.cost.unwrap_or_default());
        })?;
        let known = dialects.iter().filter_map(text_of).collect();
        Ok(Self {
            tape: Arc::new(Tape {
                journal,
                scrub,
                dialects: Mutex::new((dialects, known)),
                paid,
            }),
            mode,
        })
    }

    /// How it is used.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What the requests cost that it held when it was opened; for [`Ledger::carry`].
    ///
    /// [`Ledger::carry`]: crate::ledger::Ledger::carry
    #[must_use]
    pub fn paid(&self) -> Money {
        self.tape.paid
    }

    /// Number of recorded requests.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tape.journal.len()
    }

    /// Whether nothing is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The dialects in which it was recorded, in order of their first use.
    #[must_use]
    pub fn dialects(&self) -> Vec<Dialect> {
        let dialects = self.tape.dialects.lock();
        dialects.unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    pub(crate) fn find(&self, call: &Call) -> Result<Option<Answer>, AgentError> {
        if self.mode == Mode::Record {
            return Ok(None);
        }
        let found = self.tape.journal.find(&call.key)?;
        Ok(found.map(|line| {
            let answer = Final {
                status: line.status,
                body: line.answer,
            };
            Answer::new(call, answer, Source::Cassette, 0)
        }))
    }

    /// Whether it needs no copy of this answer: it has it, or nothing is recorded.
    pub(crate) fn holds(&self, call: &Call) -> bool {
        self.mode == Mode::Replay || self.tape.journal.has(&call.key)
    }

    pub(crate) fn keep(
        &self,
        call: &Call,
        answer: &Answer,
        cost: Option<Money>,
    ) -> Result<(), AgentError> {
        let mut line = Line::call(call, answer, cost).scrubbed(&self.tape.scrub);
        let mut dialects = self
            .tape
            .dialects
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if text_of(&call.dialect).is_some_and(|text| dialects.1.insert(text)) {
            dialects.0.push((*call.dialect).clone());
            line.dialect = Some((*call.dialect).clone());
        }
        // Written under the lock, so that the line with the dialect comes first.
        self.tape.journal.append(&line)
    }

    /// The error for a request that was never recorded: it shows where the nearest recorded one
    /// differs.
    pub(crate) fn miss(&self, call: &Call) -> AgentError {
        let mut best: Option<(bool, usize, Line)> = None;
        let seen = self.tape.journal.scan(|line| {
            let rank = (line.slot == call.slot, alike(&line.request, &call.body));
            if best.as_ref().is_none_or(|(slot, n, _)| rank > (*slot, *n)) {
                best = Some((rank.0, rank.1, line));
            }
        });
        if let Err(error) = seen {
            return error;
        }
        let Some((_, _, line)) = best else {
            return AgentError::new(ErrorClass::Miss, "the cassette is empty");
        };
        let mut differences = Vec::new();
        if line.slot != call.slot {
            differences.push(format!(
                "slot: recorded `{}`, asked `{}`",
                line.slot, call.slot
            ));
        }
        differ("", &line.request, &call.body, &mut differences);
        differences.truncate(3);
        AgentError::new(
            ErrorClass::Miss,
            &*self.tape.scrub.text(&format!(
                "the cassette has no answer to this request; the nearest differs in {}",
                differences.join("; ")
            )),
        )
    }
}

fn text_of(dialect: &Dialect) -> Option<String> {
    sim_core::canonical_json(dialect).ok()
}

/// Number of equal leading messages, and with them how near two requests are.
fn alike(a: &Value, b: &Value) -> usize {
    let messages = |v: &Value| v.get("messages").and_then(Value::as_array).cloned();
    match (messages(a), messages(b)) {
        (Some(a), Some(b)) => a.iter().zip(&b).take_while(|(a, b)| a == b).count(),
        _ => 0,
    }
}

/// The first places where two values differ.
fn differ(place: &str, recorded: &Value, asked: &Value, out: &mut Vec<String>) {
    if recorded == asked || out.len() >= 3 {
        return;
    }
    let inside = |name: &str| {
        if place.is_empty() {
            name.to_owned()
        } else {
            format!("{place}.{name}")
        }
    };
    match (recorded, asked) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                let (a, b) = (a.get(name), b.get(name));
                let (a, b) = (a.unwrap_or(&Value::Null), b.unwrap_or(&Value::Null));
                differ(&inside(name), a, b, out);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for index in 0..a.len().max(b.len()) {
                let (a, b) = (a.get(index), b.get(index));
                let (a, b) = (a.unwrap_or(&Value::Null), b.unwrap_or(&Value::Null));
                differ(&inside(&index.to_string()), a, b, out);
            }
        }
        (Value::String(a), Value::String(b)) => {
            let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
            let from = same.saturating_sub(20);
            let show = |text: &str| text.chars().skip(from).take(60).collect::<String>();
            out.push(format!(
                "{place} at character {same}: recorded `{}`, asked `{}`",
                show(a),
                show(b)
            ));
        }
        _ => {
            let show = |v: &Value| crate::error::one_line(&v.to_string(), 60);
            out.push(format!(
                "{place}: recorded `{}`, asked `{}`",
                show(recorded),
                show(asked)
            ));
        }
    }
}
