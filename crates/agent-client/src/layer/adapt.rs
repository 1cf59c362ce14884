//! Stage before the transport: asks in the way that the server takes.
//!
//! A server may refuse a part of a request that another one needs: a forced call of a tool, a temperature, a
//! system role. This stage reads the refusal, sends the same request in the next weaker [`Way`], and sends
//! every later request of the run in that way at once. A limit on the reply that does not fit the model's
//! context is cut to what is left. The key of a request does not depend on how it was sent, so recordings
//! hold what the plan says and replay without this stage.

use super::{Answer, Call, NextStage, RequestStage};
use crate::error::{AgentError, ErrorClass};
use crate::ledger::CostLedger;
use crate::pace::Pace;
use crate::reply::Finish;
use crate::room;
use crate::wire::ApiKind;
use crate::wire::ways::{self, Way, Ways};
use serde_json::Value;
use sim_core::bytes::canonical_text;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use strum::VariantArray;
use tokio::sync::Mutex as AsyncMutex;
use tower::ServiceExt as _;

/// Most times that one request is sent again in a weaker way: each way once, and a limit cut twice.
const MOST_STEPS: usize = Way::VARIANTS.len() + 2;

/// Failures without any answer after which a limit on the reply is tried.
const FAILURES: u32 = 2;

/// Requests refused in the same words, none answered before, after which the run stops.
const REFUSALS: u32 = 5;

/// Sends each request in the ways that its server takes.
#[derive(Debug, Clone)]
pub struct Adapt {
    ways: Ways,
    pace: Arc<Pace>,
    ledger: Arc<CostLedger>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Ways that did not help, each with the words of the refusal that stayed the same; empty for those that were never
    /// tried.
    vain: BTreeMap<Way, String>,
    /// Failures before the first answer.
    failures: u32,
    /// Requests that were answered only with a limit on the reply.
    suspected: u32,
    /// Whether a request was answered.
    answered: bool,
    /// Words of failures (status 500) since requests were answered: the second time they are taken for a refusal.
    doubted: BTreeSet<String>,
    /// The words of the last refusal before any request was answered, and how many in a row had them.
    refused: (String, u32),
    /// How often a request failed in a way that stops the run before any was answered, and the last such failure.
    hopeless: (u64, Option<AgentError>),
    /// The first request of each form, on which later ones of this form wait.
    first: BTreeMap<String, Arc<AsyncMutex<bool>>>,
}

impl Adapt {
    /// The stage; what it learns goes into `ways`, and it never tries those of `vain`. A repeated request
    /// waits for `pace` and is counted on `ledger`.
    #[must_use]
    pub fn new(ways: Ways, vain: BTreeSet<Way>, pace: Arc<Pace>, ledger: Arc<CostLedger>) -> Self {
        let state = State {
            vain: vain.into_iter().map(|way| (way, String::new())).collect(),
            ..State::default()
        };
        Self {
            ways,
            pace,
            ledger,
            state: Arc::new(Mutex::new(state)),
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// `call` as it is sent now, with `more` ways.
    fn sent(&self, call: &Call, more: &BTreeSet<Way>) -> Call {
        let kind = call.dialect.kind;
        if kind == ApiKind::Embeddings {
            return call.clone();
        }
        let mut known = self.ways.known();
        known.extend(call.dialect.ways.iter().copied());
        known.extend(more);
        let (mut body, mut used) = ways::weaker(kind, &call.body, &known);
        let transport = [Way::V1, Way::KeyHeader];
        used.extend(transport.into_iter().filter(|way| known.contains(way)));
        let mut is_cut = false;
        if let Some(left) = self.ways.room().and_then(|room| {
            // A tenth more than the estimate: tokens do not follow bytes exactly.
            let bytes = call.text.len();
            room.left(bytes + bytes / 10)
        }) {
            let limit = room::limit(&body);
            if limit.is_some_and(|limit| limit > left) {
                is_cut = room::set_limit(&mut body, left);
            }
        }
        if used.is_empty() && !is_cut {
            return call.clone();
        }
        let mut sent = call.clone();
        sent.text = canonical_text(&body).into();
        sent.body = Arc::new(body);
        sent.ways = used;
        sent
    }

    /// The next weaker way after `refusal`.
    fn next(&self, sent: &Call, refusal: &AgentError, tried: &BTreeSet<Way>) -> Option<Way> {
        let kind = sent.dialect.kind;
        let mut known: BTreeSet<Way> = sent.ways.union(tried).copied().collect();
        let (vain, answered) = self.with(|state| (state.vain.clone(), state.answered));
        known.extend(vain.keys());
        let new = |way: Way| (!known.contains(&way)).then_some(way);
        let words = &*refusal.words;
        // A server that worked before may just have failed: the same words a second time are a
        // refusal.
        if refusal.class == ErrorClass::Server
            && answered
            && self.with(|state| state.doubted.insert(words.to_owned()))
        {
            return None;
        }
        let found = match refusal.class {
            ErrorClass::BadRequest | ErrorClass::Server | ErrorClass::NotFound => {
                Way::after(kind, words, &sent.body, &known)
            }
            _ => None,
        };
        if found.is_some() || answered {
            return found;
        }
        let is_page = refusal.class == ErrorClass::Garbled && words == "page";
        let no_path = match refusal.class {
            ErrorClass::NotFound => !words.contains("model"),
            _ => {
                matches!(refusal.status, Some(404 | 405))
                    || words.contains("unexpected endpoint")
                    || is_page
            }
        };
        if no_path {
            return new(Way::V1);
        }
        if refusal.class == ErrorClass::Auth && refusal.status == Some(401) {
            return new(Way::KeyHeader);
        }
        None
    }

    /// Whether to try a limit on the reply, because the server failed without any answer so far: some break
    /// where there is none.
    fn suspects(&self, sent: &Call, failure: &AgentError) -> bool {
        let breaks = matches!(failure.class, ErrorClass::Reset | ErrorClass::Server);
        breaks
            && failure.status != Some(404)
            && sent.dialect.kind == ApiKind::OpenAi
            && room::limit(&sent.body).is_none()
            && self.with(|state| {
                state.failures = state.failures.saturating_add(1);
                !state.answered
                    && !state.vain.contains_key(&Way::NeedsLimit)
                    && (state.failures >= FAILURES || state.suspected > 0)
            })
    }

    /// The refusal of `sent` for which there is no weaker way. Before the first answer it stops the run if it names a field
    /// that the plan sets, or if request after request is refused so: then the settings are at fault, not the request.
    fn refused(&self, sent: &Call, mut refusal: AgentError) -> AgentError {
        if refusal.class != ErrorClass::BadRequest {
            return refusal;
        }
        // Otherwise the message names a part of the request that was left out of it.
        let vain = self.with(|state| {
            let is_same = |(_, words): &(&Way, &String)| **words == refusal.words;
            state.vain.iter().find(is_same).map(|(way, _)| *way)
        });
        if let Some(way) = vain.filter(|_| !refusal.words.is_empty()) {
            refusal.message = format!("{}; it answers the same to --weaker {way}", refusal.message);
        }
        if self.with(|state| state.answered) {
            return refusal;
        }
        let mut fields = sent.dialect.extra.keys();
        if let Some(name) = fields.find(|name| ways::names_field(&refusal.words, name)) {
            refusal.class = ErrorClass::Setup;
            refusal.message = format!(
                "{}; the field `{name}` is a setting of the run",
                refusal.message
            );
            return refusal;
        }
        let times = self.with(|state| {
            if state.refused.0 != refusal.words {
                state.refused = (refusal.words.clone(), 0);
            }
            state.refused.1 += 1;
            state.refused.1
        });
        if times >= REFUSALS {
            refusal.class = ErrorClass::Setup;
            refusal.message = format!("{}; so were all requests before it", refusal.message);
        }
        refusal
    }

    /// Sends `call` in weaker ways until the server takes it or knows no weaker one.
    async fn pass_on<N: NextStage>(&self, call: Call, next: N) -> Result<Answer, AgentError> {
        let mut tried = BTreeSet::new();
        let mut trial = BTreeSet::new();
        let mut before: Option<(Way, ErrorClass, String)> = None;
        let mut cut = 0;
        for _ in 0..=MOST_STEPS {
            let sent = self.sent(&call, &trial);
            let outcome = next.clone().oneshot(sent.clone()).await;
            let refusal = match &outcome {
                Ok(answer) => answer.reply.as_ref().err().cloned(),
                Err(error) => Some(error.clone()),
            };
            // A way that changes nothing is forgotten.
            if let Some((way, class, words)) = before.take()
                && let Some(refusal) = &refusal
            {
                // A refusal of address or key may quote the request, so its words differ.
                let is_same = match way {
                    Way::V1 | Way::KeyHeader => refusal.class == class,
                    _ => refusal.words == words && !words.is_empty(),
                };
                if is_same {
                    self.ways.forget(way);
                    // While a gateway has no server behind it, nothing is known about the address.
                    let is_away = refusal.class.is_transient() && refusal.status == Some(404);
                    if !is_away {
                        self.with(|state| state.vain.insert(way, words));
                    }
                }
            }
            let Some(refusal) = refusal else {
                let is_sure = self.answered(&sent, &trial);
                return outcome.map(|answer| {
                    let mut used = sent.ways;
                    let is_cut =
                        matches!(&answer.reply, Ok(reply) if reply.finish == Finish::Length);
                    // The answer may have come because an outage ended. The reply is then the same as without the
                    // limit, so the limit is not recorded, unless it cut the reply off.
                    if !is_sure && !is_cut {
                        used.remove(&Way::NeedsLimit);
                    }
                    Answer {
                        ways: used,
                        ..answer
                    }
                });
            };
            // The server is still away, so nothing was learnt about the limit.
            if trial.contains(&Way::NeedsLimit) && refusal.class.is_transient() {
                return outcome;
            }
            // A smaller limit is tried before another way: it keeps all that was asked, and a
            // weaker way does not.
            let fits = room::of_refusal(&refusal.words, &sent.body, sent.text.len());
            if let Some(room) = fits.filter(|_| cut < 2) {
                cut += 1;
                self.ways.set_room(room);
            } else if let Some(way) = self.next(&sent, &refusal, &tried) {
                tried.insert(way);
                self.ways.learn([way]);
                before = Some((way, refusal.class, refusal.words.clone()));
            } else if trial.is_empty() && self.suspects(&sent, &refusal) {
                trial.insert(Way::NeedsLimit);
            } else {
                return outcome.map_err(|error| self.refused(&sent, error));
            }
            self.ledger.retried();
            // It counts as a request; its tokens were waited for already.
            self.pace.wait(0).await;
        }
        Err(AgentError::new(
            ErrorClass::BadRequest,
            "the server refuses the request in every way",
        ))
    }

    /// As [`pass_on`](Self::pass_on), and stores what was learnt before it returns the answer.
    async fn pass_on_and_keep<N: NextStage>(
        &self,
        call: Call,
        next: N,
    ) -> Result<Answer, AgentError> {
        let outcome = self.pass_on(call, next).await;
        self.ways.keep()?;
        outcome
    }

    /// Notes an answer. A limit that was on trial is learnt if it helped twice, so that the end of an outage
    /// is not taken for its effect. Returns `false` if it has helped only once.
    fn answered(&self, sent: &Call, trial: &BTreeSet<Way>) -> bool {
        if !trial.contains(&Way::NeedsLimit) {
            self.with(|state| {
                state.answered = true;
                state.suspected = 0;
            });
            return true;
        }
        let is_sure = self.with(|state| {
            state.suspected += 1;
            state.answered = state.suspected >= FAILURES;
            state.answered
        });
        if is_sure {
            self.ways.learn(
                sent.ways
                    .iter()
                    .copied()
                    .filter(|way| *way == Way::NeedsLimit),
            );
        }
        is_sure
    }
}

/// The form of a request: what it has that a server may refuse.
fn form(body: &Value) -> String {
    let names: Vec<&str> = body
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    // By its value and by the roles: servers refuse a forced call or a system message, whatever they hold. With the
    // texts every request would have a form of its own and go alone.
    let choice = body.get("tool_choice").map(Value::to_string);
    let messages = body.get("messages").and_then(Value::as_array);
    let roles: BTreeSet<&str> = messages
        .into_iter()
        .flatten()
        .filter_map(|message| message.get("role").and_then(Value::as_str))
        .collect();
    format!("{names:?} {choice:?} {roles:?}")
}

impl RequestStage for Adapt {
    async fn pass<N: NextStage>(self, call: Call, next: N) -> Result<Answer, AgentError> {
        // The first request of each form goes alone, so that what the server refuses is asked once, however
        // many requests run at the same time.
        let gate = self.with(|state| Arc::clone(state.first.entry(form(&call.body)).or_default()));
        let failures = self.with(|state| state.hopeless.0);
        let mut is_known = gate.lock().await;
        // Those that waited for a request with a wrong key must not each find it out for themselves.
        let hopeless = self.with(|state| state.hopeless.clone());
        // Only a failure during the wait: a request that comes later asks for itself.
        if let (now, Some(error)) = hopeless
            && now > failures
        {
            return Err(error);
        }
        if *is_known {
            drop(is_known);
            return self.pass_on_and_keep(call, next).await;
        }
        let outcome = self.pass_on_and_keep(call, next).await;
        if let Err(error) = &outcome
            && error.class.stops_the_run()
        {
            self.with(|state| {
                if !state.answered {
                    state.hopeless = (state.hopeless.0 + 1, Some(error.clone()));
                }
            });
        }
        // Also after a failure: an outage must not make requests wait for one another.
        *is_known = true;
        outcome
    }
}
