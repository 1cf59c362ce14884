//! All games of a server: who plays what, how long, and what is kept of it.

use super::Mode;
use crate::clock::Stopwatch;
use crate::episode::Table;
use crate::error::RunError;
use crate::folder::{Appender, Folder};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::registry::Registry;
use crate::source::Source;
use serde_json::{Value, json};
use sim_core::{Input, Next, Session, ToolSpec};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many games there may be, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct HallLimits {
    /// Games at a time (default 1,000).
    pub games: usize,
    /// A game that nobody touched for so long is closed (default one hour).
    pub idle: Duration,
    /// Bytes that one game takes in (default 8 MiB). All that a client sends is kept for the
    /// record, so without an end to it one client could fill the memory.
    pub bytes: usize,
}

impl Default for HallLimits {
    fn default() -> Self {
        Self {
            games: 1_000,
            idle: Duration::from_secs(3_600),
            bytes: 8 << 20,
        }
    }
}

/// What an entry of the log takes besides what was sent \[bytes\].
const ENTRY: usize = 128;

/// The games of one server.
#[derive(Debug)]
pub struct Hall {
    registry: Registry,
    plan: Plan,
    mode: Mode,
    limits: HallLimits,
    tools: Arc<[ToolSpec]>,
    rules: String,
    games: Mutex<Games>,
}

#[derive(Debug)]
struct Games {
    open: BTreeMap<String, Game>,
    /// Episodes that were given out, here or by an earlier server on the same folder.
    given: BTreeSet<u64>,
    /// No episode below it is left to give out.
    next: u64,
    /// Episodes with a kept beginning that nobody plays: of an earlier server, or of a client that
    /// fell silent. They are given out before new ones.
    unfinished: BTreeSet<u64>,
    record: Option<(Folder, Appender)>,
}

#[derive(Debug)]
struct Game {
    /// A lock of its own, so that one slow call holds up no other game.
    table: Arc<Mutex<Seat>>,
    number: u64,
    touched: Stopwatch,
}

impl Games {
    /// The first episode that was not given out.
    fn first_left(&mut self) -> u64 {
        while self.given.contains(&self.next) {
            self.next += 1;
        }
        self.next
    }

    /// Closes the games that nobody touched for `idle`.
    fn expire(&mut self, idle: Duration) {
        let (recorded, unfinished) = (self.record.is_some(), &mut self.unfinished);
        self.open.retain(|_, game| {
            let stays = game.touched.elapsed() < idle;
            if !stays && recorded && !game.is_over() {
                unfinished.insert(game.number);
            }
            stays
        });
    }
}

impl Game {
    /// Whether it only waits to be asked for its score; a game in use is not over.
    fn is_over(&self) -> bool {
        self.table
            .try_lock()
            .is_ok_and(|seat| seat.session.is_none())
    }
}

#[derive(Debug)]
struct Seat {
    /// Taken when the record is written.
    session: Option<Session>,
    over: Option<Value>,
    /// The finished periods on the disk, where games are kept.
    progress: Option<Progress>,
    /// Bytes that the game has taken in.
    taken: usize,
}

/// Bytes that an input takes in the log.
fn size(input: &Input) -> usize {
    match input {
        Input::Call { tool, arguments } => ENTRY + tool.len() + arguments.to_string().len(),
        _ => ENTRY,
    }
}

/// An answer to a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What the model reads.
    pub text: String,
    /// The same and more as JSON.
    pub value: Value,
    /// Whether it was refused.
    pub error: bool,
}

impl Answer {
    pub(super) fn refused(code: &str, message: impl Into<String>) -> Self {
        let text = message.into();
        let value = json!({"rejected": code, "message": text});
        Self {
            text,
            value,
            error: true,
        }
    }
}

impl Hall {
    /// A hall for games of `plan`. In mode `eval` its one episode is opened here. Games are kept in
    /// `record`: finished ones as records, others period by period, so that a later server on the
    /// same folder goes on with them.
    ///
    /// # Errors
    /// When the environment cannot be opened or the folder not be written.
    pub fn new(
        registry: Registry,
        plan: Plan,
        mode: Mode,
        limits: HallLimits,
        record: Option<Folder>,
    ) -> Result<Self, RunError> {
        let source = open_source(&registry, &plan)?;
        let env = source.case(0)?.open()?;
        let (tools, rules) = (env.tools(), env.briefing().system);
        drop(source);
        let (mut given, mut unfinished) = (BTreeSet::new(), BTreeSet::new());
        let record = match record {
            Some(folder) => {
                let numbers = folder.scan(|record| Ok(record.header.episode))?.results;
                let done: BTreeSet<u64> = numbers.into_iter().collect();
                unfinished = Progress::kept_in(folder.path())?;
                given = done.union(&unfinished).copied().collect();
                unfinished.retain(|number| !done.contains(number));
                if mode == Mode::Eval && !done.is_empty() {
                    return Err(RunError::usage(format!(
                        "the game in {} is over; name another folder",
                        folder.path().display()
                    )));
                }
                let appender = folder.appender()?;
                Some((folder, appender))
            }
            None => None,
        };
        let hall = Self {
            registry,
            plan,
            mode,
            limits,
            tools,
            rules,
            games: Mutex::new(Games {
                open: BTreeMap::new(),
                given,
                next: 0,
                unfinished,
                record,
            }),
        };
        if mode == Mode::Eval {
            hall.open_game(0)?;
        }
        Ok(hall)
    }

    /// What clients may do here.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The tools of the environment.
    #[must_use]
    pub fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.tools
    }

    /// The rules, as an agent is told them.
    #[must_use]
    pub fn rules(&self) -> &str {
        &self.rules
    }

    /// Name of the environment.
    #[must_use]
    pub fn environment(&self) -> &str {
        &self.plan.environment
    }

    /// The identifier of the only episode in mode `eval`.
    #[must_use]
    pub fn bound_episode(&self) -> Option<String> {
        let games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let id = games.open.keys().next().cloned();
        id.filter(|_| self.mode == Mode::Eval)
    }

    /// Number of open games.
    #[must_use]
    pub fn len(&self) -> usize {
        self.games
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .open
            .len()
    }

    /// Whether no game is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Opens a game (mode `play`): the next episode of the run, or the one asked for.
    #[must_use]
    pub fn new_episode(&self, number: Option<u64>) -> Answer {
        if self.mode == Mode::Eval {
            return Answer::refused(
                "not_here",
                "this server holds one episode; it cannot be changed",
            );
        }
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        games.expire(self.limits.idle);
        if games.open.len() >= self.limits.games {
            games.open.retain(|_, game| !game.is_over());
        }
        if games.open.len() >= self.limits.games {
            let text = format!(
                "{} games are open, the most there may be; finish one",
                games.open.len()
            );
            return Answer::refused("full", text);
        }
        let number = match number.or_else(|| games.unfinished.first().copied()) {
            Some(number) => number,
            None => games.first_left(),
        };
        if number >= self.plan.episodes {
            let text = format!("episodes are numbered 0 to {}", self.plan.episodes - 1);
            return Answer::refused("no_such_episode", text);
        }
        let goes_on = games.unfinished.remove(&number);
        if games.record.is_some() && games.given.contains(&number) && !goes_on {
            let text = format!(
                "episode {number} was given out already; the next is {}",
                games.first_left()
            );
            return Answer::refused("given_out", text);
        }
        games.given.insert(number);
        drop(games);
        match self.open_game(number) {
            Ok(id) => self.opening(&id, number),
            Err(e) => Answer::refused("cannot_open", e.to_string()),
        }
    }

    fn open_game(&self, number: u64) -> Result<String, RunError> {
        let source = open_source(&self.registry, &self.plan)?;
        let table = Table::new(&self.plan, &source)?;
        let case = table.case(number)?;
        let header = table.header(&*case, number);
        let folder = {
            let games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
            games
                .record
                .as_ref()
                .map(|(folder, _)| folder.path().to_owned())
        };
        let mut kept = None;
        let session = match folder {
            Some(folder) => {
                let (mut progress, entries) = Progress::open(&folder, number)?;
                let session = Session::resume(case.open()?, header, self.plan.limits, entries)
                    .map_err(|e| RunError::usage(format!("the kept game does not replay: {e}")))?;
                progress.take_over(&session)?;
                kept = Some(progress);
                session
            }
            None => Session::new(case.open()?, header, self.plan.limits),
        };
        // 122 random bits from the system: a client cannot guess another's game.
        let id = uuid::Uuid::new_v4().simple().to_string();
        let taken = session.entries().iter().map(|entry| size(&entry.input));
        let seat = Seat {
            taken: taken.sum(),
            session: Some(session),
            over: None,
            progress: kept,
        };
        let game = Game {
            table: Arc::new(Mutex::new(seat)),
            number,
            touched: Stopwatch::start(),
        };
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        games.open.insert(id.clone(), game);
        Ok(id)
    }

    fn opening(&self, id: &str, number: u64) -> Answer {
        let mut answer = self.status(id);
        answer.text = format!("episode_id: {id}\n\n{}\n\n{}", self.rules, answer.text);
        if let Some(map) = answer.value.as_object_mut() {
            map.insert("episode_id".to_owned(), id.into());
            map.insert("episode".to_owned(), number.into());
            map.insert("rules".to_owned(), self.rules.clone().into());
        }
        answer
    }

    /// Where a game stands: period, what opens it, and the end once it is over.
    #[must_use]
    pub fn status(&self, id: &str) -> Answer {
        let Some(table) = self.find(id) else {
            return Self::unknown();
        };
        let seat = table.lock().unwrap_or_else(PoisonError::into_inner);
        match &*seat {
            Seat {
                session: Some(session),
                ..
            } => {
                let value = self.standing(session);
                Answer {
                    text: session.env().briefing().opening,
                    value,
                    error: false,
                }
            }
            Seat {
                over: Some(end), ..
            } => Answer {
                text: "the episode is over".to_owned(),
                value: end.clone(),
                error: false,
            },
            Seat { .. } => Self::unknown(),
        }
    }

    /// Calls a tool of the environment. `turn`, where given, must be the number of the running
    /// period: a repeated request then finds that its period is gone instead of acting twice.
    #[must_use]
    pub fn call(&self, id: &str, tool: &str, arguments: Value, turn: Option<u64>) -> Answer {
        let Some(table) = self.find(id) else {
            return Self::unknown();
        };
        let mut seat = table.lock().unwrap_or_else(PoisonError::into_inner);
        let Seat {
            session: Some(session),
            progress,
            taken,
            ..
        } = &mut *seat
        else {
            return match &seat.over {
                Some(end) => Answer {
                    text: "the episode is over".to_owned(),
                    value: end.clone(),
                    error: true,
                },
                None => Self::unknown(),
            };
        };
        let period = session.env().period();
        if let Some(turn) = turn.filter(|turn| *turn != u64::from(period.index)) {
            let text = format!(
                "turn is {turn}, but {} {} is being played",
                period.unit, period.index
            );
            return Answer::refused("wrong_turn", text);
        }
        let input = Input::Call {
            tool: tool.to_owned(),
            arguments,
        };
        let size = size(&input);
        if size > self.limits.bytes.saturating_sub(*taken) {
            let text = format!(
                "the call takes {size} bytes, and the game has taken {taken} of the {} that it may",
                self.limits.bytes
            );
            return Answer::refused("too_long", text);
        }
        *taken += size;
        let outcome = session.apply(input);
        let mut text = outcome.reply.text().to_owned();
        let mut value = self.standing(session);
        let error = outcome.reply.is_rejected();
        let turned = matches!(outcome.next, Next::TurnOver | Next::Forfeited);
        if let (true, Some(progress)) = (turned, progress)
            && let Err(e) = progress.keep(session)
            && let Some(map) = value.as_object_mut()
        {
            // The game goes on; whoever keeps it can read that this period is not on the disk.
            map.insert("not_kept".to_owned(), e.to_string().into());
        }
        match outcome.next {
            Next::TurnOver | Next::Restarted => {
                text = format!("{text}\n\n{}", session.env().briefing().opening);
            }
            Next::Forfeited => {
                let opening = session.env().briefing().opening;
                text = format!(
                    "{text}\n\nThat was the last try: the period was forfeited.\n\n{opening}"
                );
            }
            Next::EpisodeOver => {
                value = self.finish(&mut seat);
                text = format!("{text}\n\nThe episode is over.");
                if let Some(score) = value.get("score").and_then(|s| s.get("value")) {
                    text = format!("{text} Score: {score}.");
                }
            }
            Next::GoOn => {}
        }
        Answer { text, value, error }
    }

    /// Ends a game: keeps its record where records are kept, and says how it ended.
    fn finish(&self, seat: &mut Seat) -> Value {
        let Some(session) = seat.session.take() else {
            return Value::Null;
        };
        let end = match session.finish() {
            Ok(record) => {
                let kept = self
                    .keep(&record)
                    .and_then(|()| seat.progress.take().map_or(Ok(()), Progress::done));
                let kept = kept.err().map(|e| e.to_string());
                json!({
                    "over": true,
                    "ending": record.ending,
                    "score": {"value": record.score.value(), "metrics": record.score.metrics()},
                    "not_kept": kept,
                })
            }
            Err(e) => json!({"over": true, "error": e.to_string()}),
        };
        seat.over = Some(end.clone());
        end
    }

    fn keep(&self, record: &sim_core::EpisodeRecord) -> Result<(), RunError> {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((_, appender)) = &mut games.record else {
            return Ok(());
        };
        let line = serde_json::to_string(record).map_err(|e| RunError::Failed(e.to_string()))?;
        appender.line(&line)?;
        appender.sync()
    }

    fn standing(&self, session: &Session) -> Value {
        let env = session.env();
        let period = env.period();
        let mut value = json!({
            "over": env.is_over(),
            "turn": period.index,
            "of": period.total,
            "unit": period.unit,
        });
        let score = env.score().ok().filter(|_| self.mode == Mode::Play);
        if let (Some(score), Some(map)) = (score, value.as_object_mut()) {
            map.insert("score_so_far".to_owned(), score.value().into());
        }
        let several = env.seats().len() > 1;
        if let Some(map) = value.as_object_mut().filter(|_| several) {
            map.insert("seat".to_owned(), env.turn().name().into());
        }
        value
    }

    fn find(&self, id: &str) -> Option<Arc<Mutex<Seat>>> {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        if self.mode == Mode::Play {
            games.expire(self.limits.idle);
        }
        let game = games.open.get_mut(id)?;
        game.touched = Stopwatch::start();
        Some(Arc::clone(&game.table))
    }

    fn unknown() -> Answer {
        Answer::refused(
            "no_such_episode",
            "there is no episode with this episode_id, or it has expired",
        )
    }
}

fn open_source<'a>(registry: &'a Registry, plan: &'a Plan) -> Result<Source<'a>, RunError> {
    let kind = registry.kind(&plan.environment)?;
    Source::of(kind, plan)
}
