//! Open games, remaining episodes, and places for new games.

use super::game_session::GameSession;
use run_engine::files::jsonl::Jsonl;
use run_engine::run_dir::Folder;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// The games of a server and the remaining episodes of its run.
#[derive(Debug)]
pub(super) struct Games {
    pub(super) open: BTreeMap<String, Game>,
    /// Number of games that are being opened. They count as open, so that concurrent requests
    /// cannot exceed the maximum.
    opening: usize,
    /// Episodes that were given out, by this server or an earlier one on the same folder.
    given: BTreeSet<u64>,
    /// All episodes below this one were given out.
    next: u64,
    /// Episodes with a stored beginning that are not being played: those of an earlier server, or
    /// of an inactive client. They are given out before new ones.
    unfinished: BTreeSet<u64>,
    /// Unfinished episodes that could not be opened. A client that asks for one by number gets it;
    /// if they were given out to any client, they would block all other episodes.
    set_aside: BTreeSet<u64>,
    pub(super) record: Option<(Folder, Jsonl)>,
}

#[derive(Debug)]
pub(super) struct Game {
    /// Each game has its own lock, so that a slow call does not block other games.
    pub(super) table: Arc<Mutex<GameSession>>,
    pub(super) number: u64,
    /// The end of its last call, by Tokio's clock, which tests can pause and advance.
    pub(super) touched: Instant,
}

/// An episode with a place for its game.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) number: u64,
    /// Whether the episode was never given out before.
    new: bool,
    /// Whether it has a stored beginning.
    goes_on: bool,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// This many games are open or being opened: the maximum.
    Full(usize),
    /// The run has no episode with this number.
    NoSuchEpisode,
    /// The episode was already given out; the second number is the next one that was not.
    GivenOut(u64, u64),
}

impl Games {
    /// Without games; episodes in `unfinished` have a stored beginning, those in `given` are not
    /// given out again.
    pub(super) fn new(
        given: BTreeSet<u64>,
        unfinished: BTreeSet<u64>,
        record: Option<(Folder, Jsonl)>,
    ) -> Self {
        Self {
            open: BTreeMap::new(),
            opening: 0,
            given,
            next: 0,
            unfinished,
            set_aside: BTreeSet::new(),
            record,
        }
    }

    /// Reserves one of `most` places for the requested episode, or for the next of `episodes`. The
    /// place must then be seated or given back.
    pub(super) fn reserve(
        &mut self,
        number: Option<u64>,
        most: usize,
        episodes: u64,
    ) -> Result<Place, NoPlace> {
        if self.places() >= most {
            self.open.retain(|_, game| !game.is_over());
        }
        if self.places() >= most {
            return Err(NoPlace::Full(self.places()));
        }
        let number = match number.or_else(|| self.unfinished.first().copied()) {
            Some(number) => number,
            None => self.first_left(),
        };
        if number >= episodes {
            return Err(NoPlace::NoSuchEpisode);
        }
        let goes_on = self.unfinished.remove(&number) || self.set_aside.remove(&number);
        if self.record.is_some() && self.given.contains(&number) && !goes_on {
            return Err(NoPlace::GivenOut(number, self.first_left()));
        }
        self.opening += 1;
        Ok(Place {
            number,
            new: self.given.insert(number),
            goes_on,
        })
    }

    /// Adds the game of a reserved place.
    pub(super) fn seat(&mut self, place: Place, id: String, table: GameSession) {
        self.opening = self.opening.saturating_sub(1);
        let game = Game {
            table: Arc::new(Mutex::new(table)),
            number: place.number,
            touched: Instant::now(),
        };
        self.open.insert(id, game);
    }

    /// Gives back a place whose game could not be opened: the place and the episode become
    /// available again.
    pub(super) fn give_back(&mut self, place: Place) {
        self.opening = self.opening.saturating_sub(1);
        if place.goes_on {
            self.set_aside.insert(place.number);
        } else if place.new {
            self.given.remove(&place.number);
            self.next = self.next.min(place.number);
        }
    }

    /// Closes the games that were not used for `idle`. A game with a call in progress stays open,
    /// however long the call takes: if its episode were given out again, two clients would play it.
    pub(super) fn expire(&mut self, idle: Duration) {
        let (recorded, unfinished) = (self.record.is_some(), &mut self.unfinished);
        self.open.retain(|_, game| {
            let stays = game.is_in_use() || game.touched.elapsed() < idle;
            if !stays && recorded && !game.is_over() {
                unfinished.insert(game.number);
            }
            stays
        });
    }

    fn places(&self) -> usize {
        self.open.len() + self.opening
    }

    /// The first episode that was not given out.
    fn first_left(&mut self) -> u64 {
        while self.given.contains(&self.next) {
            self.next += 1;
        }
        self.next
    }
}

impl Game {
    /// Whether a request is using it. Requests take their reference while they hold the lock of all
    /// games, so the result is reliable while that lock is held.
    fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.table) > 1
    }

    /// Whether the game is over and only kept for its score; a game in use counts as not over.
    fn is_over(&self) -> bool {
        self.table
            .try_lock()
            .is_ok_and(|seat| seat.session.is_none())
    }
}
