//! The session manager: all games of a server, their limits, and their records.

mod answer;
mod end;
mod game_session;
mod games;
mod hold;
mod limits;
mod open;
mod quota;
mod turn_texts;

pub use answer::ClientAnswer;
pub use limits::SessionLimits;

use super::ServerMode;
use end::with_score;
use game_session::{GameSession, size};
use games::Games;
use hold::InUse;
use quota::{MemoryQuota, QuotaPool};
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::progress::Progress;
use serde_json::{Value, json};
use sim_core::error::clip;
use sim_core::{Input, Next, Session, ToolKind, ToolSpec};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use turn_texts::{TurnTexts, add, tools_of_all_seats};

/// Name of the tool that opens a game, in mode `play`.
pub(super) const NEW_EPISODE: &str = "new_episode";
/// Name of the tool that returns the status of a game.
pub(super) const GET_STATUS: &str = "get_status";

/// The games of one server.
#[derive(Debug)]
pub struct SessionManager {
    registry: Registry,
    plan: Plan,
    mode: ServerMode,
    limits: SessionLimits,
    /// Tools of every seat of the games.
    tools: Arc<[ToolSpec]>,
    about: &'static str,
    /// What the game calls a turn, such as "week".
    unit: &'static str,
    ledger: Arc<QuotaPool>,
    games: Mutex<Games>,
    /// Write errors that have not been reported to the operator yet.
    unkept: Mutex<Vec<String>>,
}

impl SessionManager {
    /// A session manager for games of `plan`. In mode `eval` its only episode is opened here. Games
    /// are stored in `record`: finished ones as records, others period by period, so that a later
    /// server on the same folder can continue them.
    ///
    /// # Errors
    /// When the environment cannot be opened or the folder cannot be written.
    pub fn new(
        registry: Registry,
        plan: Plan,
        mode: ServerMode,
        limits: SessionLimits,
        record: Option<Folder>,
    ) -> Result<Self, RunError> {
        let source = open_source(&registry, &plan)?;
        let about = source.kind().about();
        let env = source.case(0)?.open()?;
        let (tools, unit) = (tools_of_all_seats(&*env), env.period().unit);
        drop(source);
        let (mut given, mut unfinished) = (BTreeSet::new(), BTreeSet::new());
        let record = match record {
            Some(folder) => {
                let numbers = folder.scan(|record| Ok(record.header.episode))?.results;
                let done: BTreeSet<u64> = numbers.into_iter().collect();
                unfinished = Progress::kept_in(folder.path())?;
                given = done.union(&unfinished).copied().collect();
                unfinished.retain(|number| !done.contains(number));
                if mode == ServerMode::Eval && !done.is_empty() {
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
        let sessions = Self {
            registry,
            plan,
            mode,
            limits,
            tools: tools.into(),
            about,
            unit,
            ledger: QuotaPool::new(limits.total),
            games: Mutex::new(Games::new(given, unfinished, record)),
            unkept: Mutex::new(Vec::new()),
        };
        if mode == ServerMode::Eval {
            sessions.open_bound()?;
        }
        Ok(sessions)
    }

    /// The mode of the server.
    #[must_use]
    pub fn mode(&self) -> ServerMode {
        self.mode
    }

    /// The tools of the environment, of all seats. They are the same in every game of a plan.
    #[must_use]
    pub fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.tools
    }

    /// One line that describes all games.
    #[must_use]
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// What the game calls a turn, such as "week".
    #[must_use]
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// The tools that the server adds to those of the environment.
    #[must_use]
    pub fn own_tools(&self) -> &'static [&'static str] {
        match self.mode {
            ServerMode::Play => &[NEW_EPISODE, GET_STATUS],
            ServerMode::Eval => &[GET_STATUS],
        }
    }

    /// Name of the environment.
    #[must_use]
    pub fn environment(&self) -> &str {
        &self.plan.environment
    }

    /// The identifier of the only episode in mode `eval`.
    #[must_use]
    pub fn bound_episode(&self) -> Option<String> {
        let games = self.games();
        let id = games.open.keys().next().cloned();
        id.filter(|_| self.mode == ServerMode::Eval)
    }

    /// Number of open games.
    #[must_use]
    pub fn len(&self) -> usize {
        self.games().open.len()
    }

    /// Whether no game is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the write errors since the last call, one line each. Clients are told of them too, but
    /// the operator of the server does not see what clients read.
    #[must_use]
    pub fn take_unkept(&self) -> Vec<String> {
        let mut unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut unkept)
    }

    /// The status of a game: the turn, the rules and the text that opens the turn, as `run` shows
    /// them to a model; after the end, how it ended.
    #[must_use]
    pub fn status(&self, id: &str) -> ClientAnswer {
        let Some(game) = self.find(id) else {
            return self.unknown(id);
        };
        let seat = game.seat();
        match &*seat {
            GameSession {
                session: Some(session),
                ..
            } => {
                let (texts, mut value) = (TurnTexts::of(session), self.standing(session));
                texts.add_rules(&mut value);
                texts.add_opening(&mut value);
                let turn = turn_texts::turn(session.env().period());
                ClientAnswer {
                    text: format!("{turn}\n\n{}\n\n{}", texts.rules(), texts.opening()),
                    reminder: None,
                    value,
                    error: false,
                }
            }
            GameSession {
                over: Some(end), ..
            } => ClientAnswer {
                text: "the episode is over".to_owned(),
                reminder: None,
                value: end.clone(),
                error: false,
            },
            GameSession { .. } => self.unknown(id),
        }
    }

    /// Calls a tool of the environment. `turn`, if given, must be the number of the current turn: a
    /// repeated request is then refused because its turn is over, instead of acting twice.
    #[must_use]
    pub fn call(&self, id: &str, tool: &str, arguments: Value, turn: Option<u64>) -> ClientAnswer {
        let Some(game) = self.find(id) else {
            return self.unknown(id);
        };
        let mut seat = game.seat();
        let GameSession {
            session: Some(session),
            progress,
            quota: Some(quota),
            ..
        } = &mut *seat
        else {
            return match &seat.over {
                Some(end) => ClientAnswer {
                    text: "the episode is over".to_owned(),
                    reminder: None,
                    value: end.clone(),
                    error: true,
                },
                None => self.unknown(id),
            };
        };
        let period = session.env().period();
        if let Some(meant) = turn.filter(|turn| *turn != u64::from(period.index)) {
            let text = format!(
                "nothing was done: the call is for turn {meant}, and {} is being played",
                turn_texts::turn(period)
            );
            return ClientAnswer::refused("wrong_turn", text);
        }
        let input = Input::Call {
            tool: tool.to_owned(),
            arguments,
        };
        let size = size(&input);
        if let Err(why) = quota.take(size, self.decides(tool)) {
            return self.no_room(&mut seat, size, why);
        }
        let before = TurnTexts::of(session);
        let outcome = session.apply(input);
        let reply = outcome.reply.text();
        let mut value = self.standing(session);
        add(&mut value, "reply", reply.into());
        let error = outcome.reply.is_rejected();
        let mut text = reply.to_owned();
        if error && self.tools.iter().all(|spec| spec.name != tool) {
            text = format!("{text}; the server adds {}", self.own_tools().join(" and "));
        }
        let turned = matches!(outcome.next, Next::TurnOver | Next::Forfeited);
        if let (true, Some(progress)) = (turned, progress)
            && let Err(e) = progress.keep(session)
        {
            // The game continues; the client and the operator are told that this turn is not on the
            // disk.
            add(&mut value, "not_kept", e.to_string().into());
            self.not_kept(session.header().episode, &e);
        }
        let mut reminder = None;
        match outcome.next {
            Next::TurnOver | Next::Restarted | Next::Forfeited => {
                if outcome.next == Next::Forfeited {
                    let unit = self.unit;
                    text.push_str(&format!(
                        "\n\nThat was the last try: the {unit} was forfeited."
                    ));
                }
                let after = TurnTexts::of(session);
                if !before.covers(&after) {
                    after.add_rules(&mut value);
                    text = format!("{text}\n\n{}", after.rules());
                }
                after.add_opening(&mut value);
                text = format!("{text}\n\n{}", after.opening());
            }
            Next::EpisodeOver => {
                value = self.finish(&mut seat);
                add(&mut value, "reply", reply.into());
                text = with_score(&text, value.get("score"));
            }
            Next::GoOn => {
                let said = session.env().briefing().reminder;
                add(&mut value, "reminder", said.as_str().into());
                reminder = Some(said).filter(|said| !said.is_empty());
            }
        }
        ClientAnswer {
            text,
            reminder,
            value,
            error,
        }
    }

    /// Whether a call of the tool is a decision, without which the game cannot continue.
    fn decides(&self, tool: &str) -> bool {
        let mut tools = self.tools.iter();
        tools.any(|spec| spec.name == tool && spec.kind == ToolKind::Action)
    }

    fn quota(&self) -> Option<MemoryQuota> {
        MemoryQuota::open(&self.ledger, self.limits.bytes)
    }

    fn server_full(&self) -> ClientAnswer {
        let text = format!(
            "all games together already use their limit of {} bytes; try again when one has ended",
            self.ledger.most()
        );
        ClientAnswer::refused("full", text)
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
        let score = env.score().ok().filter(|_| self.mode == ServerMode::Play);
        if let (Some(score), Some(map)) = (score, value.as_object_mut()) {
            // A cost of zero is -0.0; adding 0.0 turns it into 0.0, so that no client prints a
            // minus sign.
            map.insert("score_so_far".to_owned(), (score.value() + 0.0).into());
        }
        let several = env.seats().len() > 1;
        if let Some(map) = value.as_object_mut().filter(|_| several) {
            map.insert("seat".to_owned(), env.turn().name().into());
        }
        value
    }

    fn games(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find<'a>(&'a self, id: &'a str) -> Option<InUse<'a>> {
        let mut games = self.games();
        if self.mode == ServerMode::Play {
            games.expire(self.limits.idle);
        }
        let table = Arc::clone(&games.open.get(id)?.table);
        Some(InUse {
            games: &self.games,
            id,
            table,
        })
    }

    fn unknown(&self, id: &str) -> ClientAnswer {
        let what_now = match self.mode {
            ServerMode::Play => "or it has expired; new_episode opens one and tells its episode_id",
            ServerMode::Eval => "leave episode_id out: this server holds one game",
        };
        let text = format!(
            "there is no game with episode_id `{}`, {what_now}",
            clip(id)
        );
        ClientAnswer::refused("no_such_episode", text)
    }
}

fn open_source<'a>(registry: &'a Registry, plan: &'a Plan) -> Result<InstanceSource<'a>, RunError> {
    let kind = registry.kind(&plan.environment)?;
    InstanceSource::of(kind, plan)
}

#[cfg(test)]
mod tests;
