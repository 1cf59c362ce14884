//! Opens games: reserves a place, opens the episode, and replays the stored beginning if there is
//! one.

use super::answer::ClientAnswer;
use super::game_session::{GameSession, size};
use super::games::{NoPlace, Place};
use super::hold::Held;
use super::quota::MemoryQuota;
use super::turn_texts::add;
use super::{SessionManager, open_source};
use crate::ServerMode;
use run_engine::engine::episode::EpisodeRunner;
use run_engine::error::RunError;
use run_engine::run_dir::progress::Progress;
use sim_core::Session;

impl SessionManager {
    /// Opens a game (mode `play`): the next episode of the run, or the requested one.
    #[must_use]
    pub fn new_episode(&self, number: Option<u64>) -> ClientAnswer {
        if self.mode == ServerMode::Eval {
            return ClientAnswer::refused(
                "not_here",
                "this server holds one episode; it cannot be changed",
            );
        }
        let Some(quota) = self.quota() else {
            return self.server_full();
        };
        let reserved = {
            let mut games = self.games();
            games.expire(self.limits.idle);
            games.reserve(number, self.limits.games, self.plan.episodes)
        };
        let place = match reserved {
            Ok(place) => place,
            Err(why) => return self.no_place(why),
        };
        match self.open_game(place, quota) {
            Ok(id) => self.opening(&id, place.number),
            Err(e) => ClientAnswer::refused("cannot_open", e.to_string()),
        }
    }

    fn no_place(&self, why: NoPlace) -> ClientAnswer {
        match why {
            NoPlace::Full(games) => ClientAnswer::refused(
                "full",
                format!("{games} games are open, the most there may be; finish one"),
            ),
            NoPlace::NoSuchEpisode => ClientAnswer::refused(
                "no_such_episode",
                format!("episodes are numbered 0 to {}", self.plan.episodes - 1),
            ),
            NoPlace::GivenOut(number, next) => ClientAnswer::refused(
                "given_out",
                format!("episode {number} was given out already; the next is {next}"),
            ),
        }
    }

    /// Opens the only game of mode `eval`.
    pub(super) fn open_bound(&self) -> Result<(), RunError> {
        let place = self.games().reserve(Some(0), 1, 1);
        let place = place.map_err(|_| RunError::usage("the game is being played already"))?;
        let quota = self.quota();
        let quota =
            quota.ok_or_else(|| RunError::usage("a game needs more memory than there is"))?;
        self.open_game(place, quota).map(drop)
    }

    /// Opens the game of a place; the place is given back on an error or a panic.
    fn open_game(&self, place: Place, quota: MemoryQuota) -> Result<String, RunError> {
        let held = Held {
            games: &self.games,
            place: Some(place),
        };
        let seat = self.set_up(place.number, quota)?;
        // 122 random bits from the system: a client cannot guess another's game.
        let id = uuid::Uuid::new_v4().simple().to_string();
        held.take(id.clone(), seat);
        Ok(id)
    }

    fn set_up(&self, number: u64, mut quota: MemoryQuota) -> Result<GameSession, RunError> {
        let source = open_source(&self.registry, &self.plan)?;
        let table = EpisodeRunner::new(&self.plan, &source)?;
        let case = table.case(number)?;
        let header = table.header(&*case, number);
        let folder = {
            let games = self.games();
            let record = games.record.as_ref();
            record.map(|(folder, _)| folder.path().to_owned())
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
        let taken = session.entries().iter().map(|entry| size(&entry.input));
        if !quota.restore(taken.sum()) {
            return Err(RunError::usage(
                "the kept game is longer than the quota that all games have left; finish others",
            ));
        }
        Ok(GameSession {
            quota: Some(quota),
            session: Some(session),
            over: None,
            progress: kept,
        })
    }

    fn opening(&self, id: &str, number: u64) -> ClientAnswer {
        let mut answer = self.status(id);
        answer.text = format!(
            "episode_id: {id} (give it with every call; get_status says where the game stands)\n\n\
             {}",
            answer.text
        );
        add(&mut answer.value, "episode_id", id.into());
        add(&mut answer.value, "episode", number.into());
        answer
    }
}
