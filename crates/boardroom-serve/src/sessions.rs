//! The session manager: all games of a server, their limits, and their records.

mod answer;
mod calls;
mod end;
mod finished;
mod game_session;
mod games;
mod limits;
mod open;
mod quota;
mod records;
mod result;
mod seat_turns;
mod seats;
mod turn_texts;

pub use answer::ClientAnswer;
use boardroom_http::lock;
pub use calls::Meant;
pub use end::ClosedBy;
use end::Unkept;
pub use limits::{SessionLimits, SessionOptions};
pub use open::Opened;
pub use seat_turns::{SeatState, Wait};
pub use seats::{PeriodRow, SeatRows};
pub(crate) use turn_texts::{add, merge};

use super::ServerMode;
use games::{Games, InUse, Trial};
use quota::{MemoryQuota, QuotaPool};
use records::Records;
use run_engine::engine::others::Others;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::plan::agent::is_served;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::progress::Progress;
use run_engine::run_dir::references::References;
use sim_core::error::clip;
use sim_core::{Effort, PeriodCount, Seat, Session, ToolKind, ToolSpec};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};
use turn_texts::tools_of_seats;

/// Name of the tool that opens a game, in mode `play`.
pub(super) const NEW_EPISODE: &str = "new_episode";
/// Name of the tool that returns the status of a game.
pub(super) const GET_STATUS: &str = "get_status";

/// The field of answers with the score before the end, in mode `play`.
pub(super) const SCORE_SO_FAR: &str = "score_so_far";

/// The games of one server.
#[derive(Debug)]
pub struct SessionManager {
    registry: Registry,
    plan: Plan,
    options: SessionOptions,
    /// Tools of every seat of clients.
    tools: Arc<[ToolSpec]>,
    /// The seats of the first game that clients can play; the others are played by the policies of the plan.
    seats: Vec<Seat>,
    about: &'static str,
    /// What the game calls a turn, such as "week".
    unit: &'static str,
    ledger: Arc<QuotaPool>,
    games: Mutex<Games>,
    /// The run folder, if games are stored.
    records: Option<Records>,
    references: References,
    /// The game of mode `eval`.
    bound: Option<Opened>,
    unkept: Mutex<Unkept>,
}

impl SessionManager {
    /// A session manager for games of `plan`, see [`with`](Self::with).
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
        Self::with(registry, plan, SessionOptions::new(mode, limits), record)
    }

    /// A session manager for games of `plan`. In mode `eval` its only episode is opened here. Games
    /// are stored in `record`: finished ones as records, others turn by turn, so that a later
    /// server on the same folder can continue them.
    ///
    /// # Errors
    /// When the environment cannot be opened or the folder cannot be written.
    pub fn with(
        registry: Registry,
        plan: Plan,
        options: SessionOptions,
        record: Option<Folder>,
    ) -> Result<Self, RunError> {
        let source = open_source(&registry, &plan)?;
        let about = source.kind().about().about;
        let number = options.episode.unwrap_or(0);
        // A game is opened here, so that a wrong seat, policy or setting stops the server and not
        // its first client.
        let case = source.case(number)?;
        let mut others = Others::after(&plan, source.kind(), (number, &*case), &[])?;
        let env = case.open()?;
        let seats = others.leave(env.seats());
        if seats.is_empty() || !is_served(&plan.agent) {
            return Err(RunError::usage(
                "every seat has an agent of its own, so none is left for clients; leave out one --seat",
            ));
        }
        let (tools, unit) = (
            tools_of_seats(&*env, &seats, &mut others)?,
            env.period().unit,
        );
        // All games of a classroom play one episode.
        let keeps = source.distinct().is_some() || options.follows;
        let references = References::open(plan.effort, keeps, None)?;
        drop(source);
        let (mut given, mut unfinished) = (BTreeSet::new(), BTreeSet::new());
        let records = match record {
            Some(folder) => {
                let number = |record: sim_core::EpisodeRecord| {
                    Ok((record.header.episode, record.header.trial))
                };
                let numbers = folder.scan(number)?.results;
                let done: BTreeSet<Trial> = numbers.into_iter().collect();
                unfinished = Progress::kept_trials_in(folder.path())?;
                given = done.union(&unfinished).copied().collect();
                // An earlier server may have been stopped between writing the record and removing
                // the turns.
                unfinished.retain(|number| !done.contains(number));
                Some(Records::new(folder)?)
            }
            None => None,
        };
        let mut sessions = Self {
            registry,
            plan,
            options,
            tools: tools.into(),
            seats,
            about,
            unit,
            ledger: QuotaPool::new(options.limits.total),
            games: Mutex::new(Games::new(&given, unfinished)),
            records,
            references,
            bound: None,
            unkept: Mutex::default(),
        };
        if options.mode == ServerMode::Eval {
            sessions.bound = Some(sessions.open_bound()?);
        }
        Ok(sessions)
    }

    /// The mode of the server.
    #[must_use]
    pub fn mode(&self) -> ServerMode {
        self.options.mode
    }

    /// The plan of its run.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The environments that it knows.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Whether its games have a unit score: scores are ranked, and the first game has a reference and a baseline.
    ///
    /// # Errors
    /// When that game cannot be drawn.
    pub fn has_unit_score(&self) -> Result<bool, RunError> {
        let source = open_source(&self.registry, &self.plan)?;
        let case = source.case(self.options.episode.unwrap_or(0))?;
        // Quick: a search may find a better reference, but only where there is one.
        let reference = case.reference(Effort::Quick);
        let is_measured = reference.value().is_some() && reference.baseline.is_some();
        Ok(is_measured && source.kind().is_ranked())
    }

    /// The seats of its games that clients can play.
    #[must_use]
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// The tools of the environment, of all seats of clients. They are the same in every game of a plan.
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
        match self.mode() {
            ServerMode::Play => &[NEW_EPISODE, GET_STATUS],
            ServerMode::Eval => &[GET_STATUS],
        }
    }

    /// Name of the environment.
    #[must_use]
    pub fn environment(&self) -> &str {
        &self.plan.environment
    }

    /// The only episode in mode `eval`, with the identifiers of its seats.
    #[must_use]
    pub fn bound(&self) -> Option<&Opened> {
        self.bound.as_ref()
    }

    /// Whether there is a game `id` that is not over. Asking does not count as using it.
    #[must_use]
    pub fn is_open(&self, id: &str) -> bool {
        let games = self.games();
        games.open.get(id).is_some_and(|game| !game.is_over())
    }

    /// The running period of the game `id`; `None` if it is over, or there is none. It waits for a call in
    /// progress; asking does not count as using the game.
    #[must_use]
    pub fn period(&self, id: &str) -> Option<PeriodCount> {
        self.of_session(id, |session| session.env().period())
    }

    /// What the game `id` waits for. `None` as for [`period`](Self::period).
    #[must_use]
    pub fn wait(&self, id: &str) -> Option<Wait> {
        self.of_session(id, Wait::of)
    }

    fn of_session<R>(&self, id: &str, see: impl FnOnce(&Session) -> R) -> Option<R> {
        let games = self.games();
        let table = games.open.get(id).map(|game| Arc::clone(&game.table));
        // The lock of all games is given up before that of one is taken: a slow call in it would
        // stop every other game.
        drop(games);
        let table = table?;
        let game = lock(&table);
        game.session.as_ref().map(see)
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
        let mut unkept = lock(&self.unkept);
        std::mem::take(&mut unkept.lines)
    }

    /// How many write errors there were, and the last one.
    #[must_use]
    pub fn write_errors(&self) -> (u64, Option<String>) {
        let unkept = lock(&self.unkept);
        (unkept.count, unkept.last.clone())
    }

    /// Whether a call of the tool is a decision, without which the game cannot continue.
    fn decides(&self, tool: &str) -> bool {
        let mut tools = self.tools.iter();
        tools.any(|spec| spec.name == tool && spec.kind == ToolKind::Action)
    }

    fn quota(&self) -> Option<MemoryQuota> {
        MemoryQuota::open(&self.ledger, self.options.limits.bytes)
    }

    fn server_full(&self) -> ClientAnswer {
        let text = format!(
            "all games together already use their limit of {} bytes; try again when one has ended",
            self.ledger.most()
        );
        ClientAnswer::refused("full", text)
    }

    fn games(&self) -> MutexGuard<'_, Games> {
        lock(&self.games)
    }

    /// The game or seat with the identifier `id`. Games that were idle for too long are closed first.
    fn find(&self, id: &str) -> Option<InUse<'_>> {
        self.close_idle();
        let games = self.games();
        let (id, seat) = match games.seats.get(id) {
            Some((game, seat)) => (game.as_str(), Some(seat.clone())),
            None => (id, None),
        };
        // Under the lock of all games, so that a game that is found counts as used and is not
        // closed for being idle.
        let table = Arc::clone(&games.open.get(id)?.table);
        Some(InUse {
            games: &self.games,
            id: id.to_owned(),
            seat,
            table,
        })
    }

    fn unknown(&self, id: &str) -> ClientAnswer {
        let what_now = match self.mode() {
            ServerMode::Play => "or it has expired; new_episode opens one and tells its episode_id",
            ServerMode::Eval if self.bound().is_some_and(|opened| !opened.seats.is_empty()) => {
                "this server holds one game, and each seat has an episode_id of its own"
            }
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
    let spec = registry.kind(&plan.environment)?;
    InstanceSource::of(spec, plan)
}

#[cfg(test)]
mod tests;
