//! Plays one episode and logs every input.

use crate::bytes::Digest;
use crate::cause::Causes;
use crate::environment::Seat;
use crate::limits::Limits;
use crate::record::{Divergence, Ending, Entry, EpisodeRecord, Header, SCHEMA};
use crate::score::NotFinite;
use crate::tool::{Input, ReplyKind, ToolEnvironment, ToolKind, ToolReply, ToolSpec};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the caller of a session does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Next {
    /// The period continues.
    GoOn,
    /// The period was restarted and the error is hidden from the agent: start a new conversation.
    Restarted,
    /// The turn is over; the next seat begins its turn.
    TurnOver,
    /// A limit was reached and the turn was forfeited (counts as no action); the next seat begins its
    /// turn.
    Forfeited,
    /// The episode has ended.
    EpisodeOver,
}

/// The answer to an input.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What the agent is shown. Under [`Next::Forfeited`] this is the last refusal.
    pub reply: ToolReply,
    /// What to do next.
    pub next: Next,
}

/// Whether the model may be asked once more.
#[derive(Debug, Clone, PartialEq)]
pub enum Query {
    /// The model may be asked. With the last query only the action tools are offered.
    Go {
        /// Whether it is the last one of the period.
        last: bool,
    },
    /// The queries of the period are used up; the turn was forfeited or restarted.
    Spent(Next),
}

/// One episode being played.
///
/// The session owns the environment, applies every input, keeps the log with its digest chain,
/// and enforces the [`Limits`]. Too many refused decisions, or too many queries without a decision, forfeit
/// the turn. Too many forfeits in a row end the episode: the rest of it is forfeited, so that the score
/// covers all periods.
#[derive(Debug)]
pub struct Session {
    env: Boxed,
    header: Header,
    limits: Limits,
    entries: Vec<Entry>,
    chain: Digest,
    /// Canonical JSON of the last reply; kept for its memory.
    text: String,
    several_seats: bool,
    queries: u32,
    inputs: u32,
    tries: u32,
    /// Forfeits in a row, by seat.
    forfeits: BTreeMap<Seat, u32>,
}

/// What an input was, for the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InputKind {
    Getter,
    Decision,
    Restart,
    Forfeit,
}

/// A box whose `Debug` output is the period, so that printing a session does not print the whole
/// environment.
struct Boxed(Box<dyn ToolEnvironment>);

impl std::fmt::Debug for Boxed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ToolEnvironment")
            .field(&self.0.period())
            .finish()
    }
}

impl Session {
    /// A session at the start of an episode.
    #[must_use]
    pub fn new(env: Box<dyn ToolEnvironment>, header: Header, limits: Limits) -> Self {
        let several_seats = env.seats().len() > 1;
        // The chain begins with the instance, so that the same replies in another instance have
        // other digests from the first entry on.
        let chain = Digest::of_bytes(header.instance.to_string().as_bytes());
        Self {
            env: Boxed(env),
            header,
            limits,
            entries: Vec::new(),
            chain,
            text: String::new(),
            several_seats,
            queries: 0,
            inputs: 0,
            tries: 0,
            forfeits: BTreeMap::new(),
        }
    }

    /// A session that continues a stored log: finished periods are applied again and compared; the inputs
    /// of an unfinished last period are dropped and the period is restarted.
    ///
    /// # Errors
    /// When a reply of the environment differs from the log.
    pub fn resume(
        env: Box<dyn ToolEnvironment>,
        header: Header,
        limits: Limits,
        entries: Vec<Entry>,
    ) -> Result<Self, Divergence> {
        let mut session = Self::new(env, header, limits);
        // A fork at the end of each period serves as the restore point. A snapshot would do as well, but takes the
        // state through JSON each time.
        let mut finished = session.env.0.fork();
        let mut kept = (0, session.chain, BTreeMap::new());
        for entry in entries {
            let at = session.env.0.period().index;
            session.replay(&entry)?;
            if session.env.0.period().index != at || session.env.0.is_over() {
                session.begin_period();
                finished = session.env.0.fork();
                kept = (
                    session.entries.len(),
                    session.chain,
                    session.forfeits.clone(),
                );
            }
        }
        session.env = Boxed(finished);
        session.entries.truncate(kept.0);
        (session.chain, session.forfeits) = (kept.1, kept.2);
        session.begin_period();
        // A log may be cut in the middle of the forfeits that end an episode.
        session.forfeit_rest();
        Ok(session)
    }

    /// A session that continues a stored log and keeps all of it, also the turns of an unfinished last
    /// period: for people and for seats that decide at different times, who must not have to decide
    /// twice. [`resume`](Self::resume) restarts that period instead.
    ///
    /// # Errors
    /// When a reply of the environment differs from the log.
    pub fn continue_from(
        env: Box<dyn ToolEnvironment>,
        header: Header,
        limits: Limits,
        entries: Vec<Entry>,
    ) -> Result<Self, Divergence> {
        let start = env.fork();
        let mut session = Self::new(env, header.clone(), limits);
        match session.replay_all(&entries) {
            Ok(()) => Ok(session),
            // The log may be cut in the middle of the forfeits that a limit produces.
            Err(_) => Self::resume(start, header, limits, entries),
        }
    }

    /// The environment, for reading: prompts, tools, observation, period, score.
    #[must_use]
    pub fn env(&self) -> &dyn ToolEnvironment {
        &*self.env.0
    }

    /// The environment, if `seat` is in turn; `None` otherwise.
    #[must_use]
    pub fn env_of(&self, seat: &Seat) -> Option<&dyn ToolEnvironment> {
        (self.env.0.turn() == *seat).then_some(&*self.env.0)
    }

    /// The limits on its agents.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The log so far.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The header of the record: environment, instance, seed, agent.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The tools to offer with the query that [`query`](Self::query) just allowed.
    #[must_use]
    pub fn offered(&self, last: bool) -> Vec<ToolSpec> {
        self.env
            .0
            .tools()
            .iter()
            .filter(|spec| self.env.0.offered(&spec.name))
            .filter(|spec| !last || spec.kind == ToolKind::Action)
            .cloned()
            .collect()
    }

    /// Counts a query to the model. Policies and scripts that send decisions do not call it.
    pub fn query(&mut self) -> Query {
        if self.env.0.is_over() {
            return Query::Spent(Next::EpisodeOver);
        }
        if self.queries >= self.limits.calls_per_period {
            let next = if self.limits.faithful_errors {
                self.retry()
            } else {
                self.forfeit()
            };
            return Query::Spent(next);
        }
        self.queries += 1;
        Query::Go {
            last: self.queries == self.limits.calls_per_period,
        }
    }

    /// Records that `count` calls after the last input were dropped because it had already ended the turn.
    pub fn drop_calls(&mut self, count: u32) {
        if let Some(entry) = self.entries.last_mut() {
            entry.dropped = entry.dropped.saturating_add(count);
        }
    }

    /// Records the causes of the agent's replies in the turn that began with input `first` of the log. The causes of
    /// a turn without any input are not recorded.
    pub fn note_causes(&mut self, first: usize, causes: &Causes) {
        if let Some(entry) = self.entries.get_mut(first) {
            entry.causes.add(causes);
        }
    }

    /// Applies an input of the seat in turn.
    pub fn apply(&mut self, input: Input) -> Outcome {
        if self.env.0.is_over() {
            let reply = crate::error::ActionError::episode_over().into();
            return Outcome {
                reply,
                next: Next::EpisodeOver,
            };
        }
        // A tool that does not exist counts as a decision. Otherwise an agent that calls nothing
        // else would never use up its tries.
        let decides = match &input {
            Input::Call { tool, .. } => {
                let tools: Arc<[ToolSpec]> = self.env.0.tools();
                tools
                    .iter()
                    .all(|spec| spec.name != *tool || spec.kind == ToolKind::Action)
            }
            Input::Say { .. } | Input::Act(_) => true,
            Input::Restart | Input::Forfeit => false,
        };
        // A refused read or write costs no try, unless errors are hidden: an agent that looks for
        // something has not failed to decide. Queries and inputs limit it.
        let what = match input {
            Input::Forfeit => InputKind::Forfeit,
            Input::Restart => InputKind::Restart,
            _ if decides => InputKind::Decision,
            _ => InputKind::Getter,
        };
        let seat = self.env.0.turn();
        let reply = self.log(input);
        let next = self.settle(what, reply.kind(), seat);
        Outcome { reply, next }
    }

    /// Applies a typed action of the seat in turn, as [`apply`](Self::apply) does with [`Input::Act`], without making
    /// the reply for the agent: what kind of reply it would be, and what to do next.
    pub fn act(&mut self, action: Value) -> (ReplyKind, Next) {
        if self.env.0.is_over() {
            return (ReplyKind::Rejected, Next::EpisodeOver);
        }
        let (period, seat) = (self.env.0.period().index, self.env.0.turn());
        self.text.clear();
        let kind = self.env.0.act_logged(&action, &mut self.text);
        self.enter(period, seat.clone(), Input::Act(action), None);
        (kind, self.settle(InputKind::Decision, kind, seat))
    }

    /// Counts an input of `seat` that was applied, and enforces the limits.
    fn settle(&mut self, what: InputKind, reply: ReplyKind, seat: Seat) -> Next {
        self.inputs += 1;
        let next = match reply {
            ReplyKind::PeriodOver if what == InputKind::Forfeit => self.after_forfeit(seat),
            ReplyKind::PeriodOver => {
                self.forfeits.remove(&seat);
                self.begin_period();
                if self.env.0.is_over() {
                    Next::EpisodeOver
                } else {
                    Next::TurnOver
                }
            }
            ReplyKind::Rejected if self.limits.faithful_errors => self.retry(),
            ReplyKind::Rejected if what == InputKind::Decision => {
                self.tries += 1;
                if self.tries >= self.limits.tries_per_period {
                    self.forfeit()
                } else {
                    Next::GoOn
                }
            }
            _ if what == InputKind::Restart => Next::Restarted,
            _ => Next::GoOn,
        };
        // Only if the turn goes on: an input that ends it is never one too many.
        if next == Next::GoOn && self.inputs >= self.limits.inputs_per_period {
            return self.forfeit();
        }
        next
    }

    /// Forfeits the turn of the seat in turn (the agent failed permanently, or the budget is used up).
    pub fn forfeit(&mut self) -> Next {
        if self.env.0.is_over() {
            return Next::EpisodeOver;
        }
        let seat = self.env.0.turn();
        self.log(Input::Forfeit);
        self.after_forfeit(seat)
    }

    /// The text for the decision of `seat` in `period` with what that period brought, once it is over: the reply was
    /// made before the seats behind it decided. `None` until then, and where the reply says everything.
    ///
    /// It is for whoever is shown a reply later than it is logged. The log and its digests hold the reply itself.
    #[must_use]
    pub fn text_at_end(&self, seat: &Seat, period: u32) -> Option<String> {
        // From the end: the period is the last one, or few come after it.
        let behind = self.entries.iter().rev();
        let mut of_period = behind
            .skip_while(|entry| entry.period > period)
            .take_while(|entry| entry.period == period)
            // The log names the seat only where there are several.
            .filter(|entry| entry.seat.as_ref().is_none_or(|of| of == seat));
        let action = of_period.find_map(|entry| match &entry.input {
            Input::Act(action) => Some(action),
            _ => entry.action.as_ref(),
        })?;
        self.env.0.text_at_end(seat, period, action)
    }

    /// The finished (or abandoned) episode as a record.
    ///
    /// # Errors
    /// When the score is not a finite number.
    pub fn finish(self) -> Result<EpisodeRecord, NotFinite> {
        let score = self.env.0.score()?;
        let ending = match (self.env.0.is_over(), self.is_forfeited()) {
            (false, _) => Ending::Abandoned,
            (true, true) => Ending::Forfeited,
            (true, false) => Ending::Complete,
        };
        Ok(EpisodeRecord {
            schema: SCHEMA,
            header: self.header,
            entries: self.entries,
            ending,
            score,
            digest: self.chain,
        })
    }

    fn after_forfeit(&mut self, seat: Seat) -> Next {
        self.begin_period();
        *self.forfeits.entry(seat).or_default() += 1;
        self.forfeit_rest();
        if self.env.0.is_over() {
            Next::EpisodeOver
        } else {
            Next::Forfeited
        }
    }

    /// Whether some seat has forfeited so many of its turns in a row that the episode is forfeited.
    fn is_forfeited(&self) -> bool {
        self.forfeits
            .values()
            .any(|count| *count >= self.limits.forfeits_in_row)
    }

    fn forfeit_rest(&mut self) {
        while self.is_forfeited() && !self.env.0.is_over() {
            let seat = self.env.0.turn();
            self.log(Input::Forfeit);
            *self.forfeits.entry(seat).or_default() += 1;
        }
    }

    fn retry(&mut self) -> Next {
        self.tries += 1;
        if self.tries >= self.limits.tries_per_period {
            return self.forfeit();
        }
        // Logged before the count goes back to 0: the entry shows after which query it was
        // restarted.
        self.log(Input::Restart);
        self.queries = 0;
        Next::Restarted
    }

    // At the end of each turn and not only of a period: every seat has the whole of the limits.
    fn begin_period(&mut self) {
        self.queries = 0;
        self.inputs = 0;
        self.tries = 0;
    }

    fn log(&mut self, input: Input) -> ToolReply {
        let (period, seat) = (self.env.0.period().index, self.env.0.turn());
        let reply = self.env.0.apply(&input);
        self.text.clear();
        reply.write_to(&mut self.text);
        let action = match &input {
            // The input itself is the action.
            Input::Act(_) => None,
            _ => reply.action().filter(|action| **action != Value::Null),
        };
        self.enter(period, seat, input, action.cloned());
        reply
    }

    /// Appends an input to the log, whose reply is `text`. Digests are chained only here.
    fn enter(&mut self, period: u32, seat: Seat, input: Input, action: Option<Value>) {
        self.chain = self.chain.chain(self.text.as_bytes());
        self.entries.push(Entry {
            period,
            seat: self.several_seats.then_some(seat),
            input,
            action,
            reply: self.chain.short(),
            query: self.queries,
            dropped: 0,
            causes: Causes::default(),
        });
    }

    /// Applies a whole log again, from the start, and compares every entry. The limits apply as in the
    /// episode: forfeits and restarts that they cause are produced here, not taken from the log.
    pub(crate) fn replay_all(&mut self, logged: &[Entry]) -> Result<(), Divergence> {
        while let Some(entry) = logged.get(self.entries.len()) {
            let (from, count) = (self.entries.len(), self.env.0.period());
            let differs = |period: u32, what: String| {
                Err(Divergence {
                    unit: count.unit,
                    period,
                    what,
                })
            };
            if self.env.0.is_over() {
                return differs(entry.period, "the episode was already over".to_owned());
            }
            let spent = entry.query == self.limits.calls_per_period;
            if entry.query < self.queries || entry.query > self.limits.calls_per_period {
                return differs(
                    entry.period,
                    format!(
                        "query {} cannot follow query {} of at most {}",
                        entry.query, self.queries, self.limits.calls_per_period
                    ),
                );
            }
            // Taken from the log and only checked: a query whose reply led to no input leaves no
            // entry.
            self.queries = entry.query;
            let next = match &entry.input {
                // Not an input of the agent: `query` restarts the period when its queries are used
                // up, and counts that as a try.
                Input::Restart if spent && self.limits.faithful_errors => self.retry(),
                Input::Forfeit => self.forfeit(),
                Input::Act(action) => self.act(action.clone()).1,
                input => self.apply(input.clone()).next,
            };
            // A reply that ends the turn drops the calls after it.
            let last = self.entries.len() - 1;
            // Only the log knows how many there were. Where the turn goes on, nothing is dropped,
            // and a number in the record is a difference.
            if let (true, Some(logged), Some(again)) = (
                next != Next::GoOn,
                logged.get(last),
                self.entries.last_mut(),
            ) {
                again.dropped = logged.dropped;
            }
            for (place, again) in self.entries.iter_mut().enumerate().skip(from) {
                let Some(logged) = logged.get(place) else {
                    return differs(
                        again.period,
                        "the limits produce an input that the record does not have".to_owned(),
                    );
                };
                // The causes are those of a model's replies, which are not asked for again.
                again.causes.clone_from(&logged.causes);
                if let Some(what) = logged.difference(again) {
                    return differs(logged.period, what);
                }
            }
        }
        Ok(())
    }

    /// Applies a logged entry again and compares.
    pub(crate) fn replay(&mut self, logged: &Entry) -> Result<(), Divergence> {
        let input = logged.input.clone();
        // No limits here, unlike in `replay_all`: a log that was cut may end in the middle of what
        // a limit does, so forfeits and restarts are applied as they stand.
        let forfeit = input == Input::Forfeit;
        self.queries = logged.query;
        let seat = self.env.0.turn();
        let reply = self.log(input);
        let Some(entry) = self.entries.last_mut() else {
            return Ok(());
        };
        entry.dropped = logged.dropped;
        entry.causes.clone_from(&logged.causes);
        let unit = self.env.0.period().unit;
        if let Some(what) = logged.difference(entry) {
            return Err(Divergence {
                unit,
                period: logged.period,
                what,
            });
        }
        if matches!(reply, ToolReply::PeriodOver { .. }) {
            if forfeit {
                *self.forfeits.entry(seat).or_default() += 1;
            } else {
                self.forfeits.remove(&seat);
            }
        }
        Ok(())
    }
}
