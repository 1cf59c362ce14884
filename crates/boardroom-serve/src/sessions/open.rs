//! Opens games: reserves a place, opens the episode, and replays the stored beginning if there is
//! one.

use super::answer::ClientAnswer;
use super::game_session::{GameSession, size};
use super::games::{Held, Place};
use super::quota::MemoryQuota;
use super::seats::SeatPlay;
use super::turn_texts::{add, merge};
use super::{SessionManager, open_source};
use crate::ServerMode;
use crate::clients::{HOST, LOCAL};
use run_engine::engine::episode::EpisodeRunner;
use run_engine::engine::others::Others;
use run_engine::error::RunError;
use run_engine::files::run_file;
use run_engine::run_dir::progress::Progress;
use serde_json::{Value, json};
use sim_core::{Seat, Session};
use std::collections::BTreeMap;

/// A game that was opened.
#[derive(Debug, Clone)]
pub struct Opened {
    /// Its identifier, for a client that plays all of its seats.
    pub id: String,
    /// Number of the episode.
    pub episode: u64,
    /// Repetition of the episode, from 0.
    pub trial: u32,
    /// The identifier of each seat, where there are several: a client with one of them sees and plays
    /// that seat alone.
    pub seats: BTreeMap<Seat, String>,
    /// Whether an earlier server left it unfinished, so that it may not stand at its start.
    pub goes_on: bool,
}

impl Opened {
    /// The same as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let seats = self.seats.iter();
        let seats = seats.map(|(seat, id)| (seat.name().to_owned(), Value::from(id.as_str())));
        let seats: serde_json::Map<String, Value> = seats.collect();
        let mut value =
            json!({"episode_id": self.id, "episode": self.episode, "trial": self.trial});
        if !seats.is_empty() {
            add(&mut value, "seats", seats.into());
        }
        value
    }
}

impl SessionManager {
    /// Opens a game (mode `play`): the next episode of the run, or the requested one.
    #[must_use]
    pub fn new_episode(&self, number: Option<u64>) -> ClientAnswer {
        self.new_episode_for(LOCAL, number)
    }

    /// As [`new_episode`](Self::new_episode), for the client with this name.
    #[must_use]
    pub fn new_episode_for(&self, client: &str, number: Option<u64>) -> ClientAnswer {
        if self.mode() == ServerMode::Eval {
            return ClientAnswer::refused(
                "not_here",
                "this server holds one episode; it cannot be changed",
            );
        }
        match self.open(client, number.or(self.options.episode), None) {
            Ok(opened) => self.opening(&opened),
            Err(refused) => *refused,
        }
    }

    /// Opens a game for the host, in any mode: trial `trial` of episode `episode`. Without a trial it
    /// is the unfinished one, or the next one; without an episode, the next episode.
    ///
    /// # Errors
    /// The refusal, if there is no place, no such episode, or the trial was given out already.
    pub fn open(
        &self,
        client: &str,
        episode: Option<u64>,
        trial: Option<u32>,
    ) -> Result<Opened, Box<ClientAnswer>> {
        // Before the place: a quota that is not needed returns by itself.
        let Some(quota) = self.quota() else {
            return Err(Box::new(self.server_full()));
        };
        self.close_idle();
        let (wanted, limits) = ((episode, trial), self.options.limits);
        let reserved = self
            .games()
            .reserve(wanted, client, limits, self.plan.episodes);
        let opened = self.open_game(reserved?, quota);
        opened.map_err(|e| Box::new(ClientAnswer::refused("cannot_open", e.to_string())))
    }

    /// Whether an earlier server left this trial unfinished, and nobody has gone on with it.
    pub(crate) fn is_unfinished(&self, episode: u64, trial: u32) -> bool {
        self.games().is_unfinished((episode, trial))
    }

    /// Gives a game of the host to `client`, or its seats to `clients`: no other client may use their identifiers.
    pub fn assign(
        &self,
        opened: &Opened,
        client: Option<&str>,
        clients: &BTreeMap<String, String>,
    ) {
        let mut games = self.games();
        // Who plays one seat must not see and play the others, whatever identifiers it learns.
        let host = (!clients.is_empty()).then_some(HOST);
        if let Some(client) = client.or(host) {
            games.players.insert(opened.id.clone(), client.to_owned());
        }
        for (seat, id) in &opened.seats {
            let own = clients.get(seat.name()).map(String::as_str);
            if let Some(own) = own.or(client) {
                games.players.insert(id.clone(), own.to_owned());
            }
        }
    }

    /// Opens the only game of mode `eval`: the unfinished trial of its episode, or the next one.
    pub(super) fn open_bound(&self) -> Result<Opened, RunError> {
        let opened = self.open(LOCAL, Some(self.options.episode.unwrap_or(0)), None);
        opened.map_err(|refused| RunError::usage(refused.text))
    }

    /// Opens the game of a place; the place is given back on an error or a panic.
    fn open_game(&self, place: Place, quota: MemoryQuota) -> Result<Opened, RunError> {
        let (episode, trial, goes_on) = (place.number, place.trial, place.goes_on);
        let held = Held {
            games: &self.games,
            place: Some(place),
        };
        let game = self.set_up(episode, trial, quota)?;
        let opened = Opened {
            goes_on,
            ..self.named(episode, trial, &game)
        };
        held.take(opened.id.clone(), &opened.seats, game);
        Ok(opened)
    }

    /// Identifiers for a game and its seats.
    pub(super) fn named(&self, episode: u64, trial: u32, game: &GameSession) -> Opened {
        // 122 random bits from the system: a client cannot guess another's game.
        let id = || uuid::Uuid::new_v4().simple().to_string();
        // A class has a link for each seat, also where a team has one.
        let several = game.seats.len() > 1 || self.options.follows;
        let seats = game.seats.iter().filter(|_| several);
        let seats: BTreeMap<Seat, String> = seats.map(|seat| (seat.clone(), id())).collect();
        Opened {
            id: id(),
            episode,
            trial,
            seats,
            goes_on: false,
        }
    }

    fn set_up(
        &self,
        number: u64,
        trial: u32,
        mut quota: MemoryQuota,
    ) -> Result<GameSession, RunError> {
        let source = open_source(&self.registry, &self.plan)?;
        let table = EpisodeRunner::new(&self.plan, &source)?;
        let case = table.case(number)?;
        let mut header = table.header(&*case, number);
        header.trial = trial;
        let env = case.open()?;
        let mut kept = None;
        let mut sealed = None;
        let session = match self.records.as_ref() {
            Some(records) => {
                let (mut progress, entries) = Progress::open(records.path(), number, trial)?;
                // A new game writes its file with its first turn.
                let length = run_file::about(progress.path()).map_or(0, |file| file.len());
                let begun = length > 0;
                let session = Session::continue_from(env, header, self.plan.limits, entries)
                    .map_err(|e| RunError::usage(format!("the kept game does not replay: {e}")))?;
                // The session has dropped an unfinished period, so the file is written anew without
                // it.
                if begun {
                    progress.take_over(&session)?;
                }
                sealed = Some(progress.path().with_extension("sealed"));
                kept = Some(progress);
                session
            }
            None => Session::new(env, header, self.plan.limits),
        };
        // What an earlier server let in counts against the quota, or a game could be continued
        // without end.
        let taken = session.entries().iter().map(|entry| size(&entry.input));
        if !quota.restore(taken.sum()) {
            return Err(RunError::usage(
                "the kept game is longer than the quota that all games have left; finish others",
            ));
        }
        let of_case = (number, &*case);
        let others = Others::after(&self.plan, source.kind(), of_case, session.entries())?;
        // A second environment at its start: the one of the session stands where the stored game
        // ends.
        let (has_others, start) = (!others.is_empty(), case.open()?);
        let seats = others.leave(start.seats());
        let is_played = has_others || seats.len() > 1 || self.options.follows;
        let mut play = is_played.then(|| SeatPlay::new(&*start, others, self.options.follows));
        if let (Some(play), Some(sealed)) = (&mut play, sealed) {
            play.replay(start, session.entries());
            play.restore(&session, self.plan.limits, &sealed)?;
        }
        let mut game = GameSession {
            trial: (number, trial),
            quota: Some(quota),
            session: Some(session),
            progress: kept,
            play,
            seats,
            ..GameSession::default()
        };
        if has_others {
            // They may have the first turn, or that after the last one of an earlier server.
            for fault in game.settle() {
                self.not_kept(game.trial, &fault);
            }
        }
        // The server may have been stopped after the last turn and before the record was written.
        let over = game
            .session
            .as_ref()
            .is_some_and(|session| session.env().is_over());
        if over {
            self.finish(&mut game, None);
        }
        Ok(game)
    }

    fn opening(&self, opened: &Opened) -> ClientAnswer {
        let mut answer = self.status(&opened.id);
        let id = &opened.id;
        answer.text = format!(
            "episode_id: {id} (give it with every call; get_status says where the game stands)\n\n\
             {}",
            answer.text
        );
        merge(&mut answer.value, opened.json());
        answer
    }
}
