//! Which games are open, which episodes are left, and who waits for a place.

use super::seat::GameSession;
use run_engine::clock::Stopwatch;
use run_engine::files::jsonl::Jsonl;
use run_engine::run_dir::Folder;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The games of a server and the episodes that its run has left.
#[derive(Debug)]
pub(super) struct Games {
    pub(super) open: BTreeMap<String, Game>,
    /// Games that are being opened: they have a place already, so that requests at the same time
    /// cannot open more games than there may be.
    opening: usize,
    /// Episodes that were given out, here or by an earlier server on the same folder.
    given: BTreeSet<u64>,
    /// No episode below it is left to give out.
    next: u64,
    /// Episodes with a kept beginning that nobody plays: of an earlier server, or of a client that
    /// fell silent. They are given out before new ones.
    unfinished: BTreeSet<u64>,
    /// Unfinished episodes that could not be opened. Whoever asks for one by its number gets it;
    /// offered to everybody it would stand in the way of all others.
    set_aside: BTreeSet<u64>,
    pub(super) record: Option<(Folder, Jsonl)>,
}

#[derive(Debug)]
pub(super) struct Game {
    /// A lock of its own, so that one slow call holds up no other game.
    pub(super) table: Arc<Mutex<GameSession>>,
    pub(super) number: u64,
    pub(super) touched: Stopwatch,
}

/// An episode with a place for its game.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) number: u64,
    /// Whether nobody had it before.
    new: bool,
    /// Whether it has a kept beginning.
    goes_on: bool,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// So many games are open or being opened.
    Full(usize),
    /// The run has no episode of that number.
    NoSuchEpisode,
    /// The episode was given out; the number of one that was not.
    GivenOut(u64, u64),
}

impl Games {
    /// No game yet; episodes `unfinished` have a kept beginning, `given` are not given out again.
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

    /// Takes one of `most` places for the episode asked for, or the next of `episodes`. A place is
    /// to be seated or given back.
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

    /// Puts a game into its place.
    pub(super) fn seat(&mut self, place: Place, id: String, table: GameSession) {
        self.opening = self.opening.saturating_sub(1);
        let game = Game {
            table: Arc::new(Mutex::new(table)),
            number: place.number,
            touched: Stopwatch::start(),
        };
        self.open.insert(id, game);
    }

    /// Takes back a place whose game could not be opened: another may have it, and the episode is
    /// there for whoever asks next.
    pub(super) fn give_back(&mut self, place: Place) {
        self.opening = self.opening.saturating_sub(1);
        if place.goes_on {
            self.set_aside.insert(place.number);
        } else if place.new {
            self.given.remove(&place.number);
            self.next = self.next.min(place.number);
        }
    }

    /// Closes the games that nobody touched for `idle`. One that is being asked something stays,
    /// however long the answer takes: were its episode given out again, two would play it.
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
    /// Whether a request holds it. Requests take hold under the lock of all games, so none can come
    /// in between while that is held.
    fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.table) > 1
    }

    /// Whether it only waits to be asked for its score; a game in use is not over.
    fn is_over(&self) -> bool {
        self.table
            .try_lock()
            .is_ok_and(|seat| seat.session.is_none())
    }
}
