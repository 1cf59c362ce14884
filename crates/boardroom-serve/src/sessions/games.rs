//! Open games, remaining episodes, and places for new games; and what a request holds while it is served.

use super::answer::ClientAnswer;
use super::game_session::GameSession;
use super::limits::SessionLimits;
use crate::clients::{HOST, LOCAL};
use boardroom_http::lock;
use sim_core::Seat;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::time::Instant;

/// An episode and its repetition, from 0.
pub(super) type Trial = (u64, u32);

/// The games of a server and the remaining episodes of its run.
#[derive(Debug)]
pub(super) struct Games {
    pub(super) open: BTreeMap<String, Game>,
    /// The identifiers of single seats: the game, and the seat.
    pub(super) seats: BTreeMap<String, (String, Seat)>,
    /// The clients that play what the host opened, by the identifier of a game or a seat.
    pub(super) players: BTreeMap<String, String>,
    /// Number of games that are being opened. They count as open, so that concurrent requests
    /// cannot exceed the maximum.
    opening: usize,
    /// How many trials of each episode were given out, by this server or an earlier one on the same
    /// folder.
    given: BTreeMap<u64, u32>,
    /// All episodes below this one were given out.
    next: u64,
    /// Trials with a stored beginning that are not being played: those of an earlier server. They are
    /// given out before new ones.
    unfinished: BTreeSet<Trial>,
    /// Unfinished trials that could not be opened. A client that asks for one by number gets it;
    /// if they were given out to any client, they would block all other episodes.
    set_aside: BTreeSet<Trial>,
    /// No game becomes idle for too long before this time.
    next_look: Option<Instant>,
}

#[derive(Debug)]
pub(super) struct Game {
    /// Each game has its own lock, so that a slow call does not block other games.
    pub(super) table: Arc<Mutex<GameSession>>,
    /// The client that opened it.
    owner: String,
    /// The end of its last call, by Tokio's clock, which tests can pause and advance.
    pub(super) touched: Instant,
}

/// An episode with a place for its game.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) number: u64,
    pub(super) trial: u32,
    owner: String,
    /// How many trials of the episode had been given out before.
    before: u32,
    /// Whether it has a stored beginning.
    pub(super) goes_on: bool,
}

impl Games {
    /// Without games; trials in `unfinished` have a stored beginning, those in `given` are not
    /// given out again.
    pub(super) fn new(given: &BTreeSet<Trial>, unfinished: BTreeSet<Trial>) -> Self {
        let mut counts = BTreeMap::new();
        for (episode, trial) in given {
            let count: &mut u32 = counts.entry(*episode).or_default();
            *count = (*count).max(trial.saturating_add(1));
        }
        Self {
            open: BTreeMap::new(),
            seats: BTreeMap::new(),
            players: BTreeMap::new(),
            opening: 0,
            given: counts,
            next: 0,
            unfinished,
            set_aside: BTreeSet::new(),
            next_look: None,
        }
    }

    /// Reserves a place for the episode and the trial that `owner` wants, of a run with so many `episodes`; the next ones
    /// if absent. The place must then be seated or given back.
    pub(super) fn reserve(
        &mut self,
        wanted: (Option<u64>, Option<u32>),
        owner: &str,
        limits: SessionLimits,
        episodes: u64,
    ) -> Result<Place, Box<ClientAnswer>> {
        let refused = |code, why: String| Err(Box::new(ClientAnswer::refused(code, why)));
        if self.places() >= limits.games {
            // Games that are over are kept for their scores as long as there is room.
            self.drop_if(|_, game| game.is_over());
        }
        if self.places() >= limits.games {
            let open = self.places();
            let why = format!("{open} games are open, which is the maximum; finish one");
            return refused("full", why);
        }
        // The host opens games for all clients, so a share of one would leave most places empty.
        if limits.per_client < limits.games && owner != HOST {
            let games = self.open.values();
            let count = games.filter(|g| g.owner == owner && !g.is_over()).count();
            if count >= limits.per_client {
                let why =
                    format!("you have {count} open games, the maximum for one client; finish one");
                return refused("full", why);
            }
        }
        let (number, trial) = self.choose(wanted);
        if number >= episodes {
            let why = format!("episodes are numbered 0 to {}", episodes.saturating_sub(1));
            return refused("no_such_episode", why);
        }
        // The count of trials has the same type, so the last number would be given out again and again.
        let Some(after) = trial.checked_add(1) else {
            let why = format!("trials are numbered 0 to {}", u32::MAX - 1);
            return refused("no_such_trial", why);
        };
        let place = (number, trial);
        let goes_on = self.unfinished.remove(&place) || self.set_aside.remove(&place);
        let before = self.given.get(&number).copied().unwrap_or(0);
        // An unfinished trial was given out by an earlier server and goes on; any other one below
        // the count was played.
        if trial < before && !goes_on {
            let why = format!(
                "trial {trial} of episode {number} was given out already; the next one is {before}"
            );
            return refused("given_out", why);
        }
        self.opening += 1;
        self.given.insert(number, before.max(after));
        Ok(Place {
            number,
            trial,
            owner: owner.to_owned(),
            before,
            goes_on,
        })
    }

    /// Whether a trial has a stored beginning and is not being played.
    pub(super) fn is_unfinished(&self, trial: Trial) -> bool {
        self.unfinished.contains(&trial) || self.set_aside.contains(&trial)
    }

    /// The trial that is meant. Unfinished ones come before new ones.
    fn choose(&mut self, (episode, trial): (Option<u64>, Option<u32>)) -> Trial {
        let Some(episode) = episode else {
            let begun = self.unfinished.first().copied();
            return begun.unwrap_or_else(|| (self.first_left(), 0));
        };
        if let Some(trial) = trial {
            return (episode, trial);
        }
        let all = (episode, 0)..=(episode, u32::MAX);
        let begun = self.unfinished.range(all.clone()).next();
        let begun = begun.or_else(|| self.set_aside.range(all).next());
        let new = self.given.get(&episode).copied().unwrap_or(0);
        begun.copied().unwrap_or((episode, new))
    }

    /// A place for a game that is over, which does not count as one of the remaining episodes.
    pub(super) fn place_of_finished(&mut self, (number, trial): Trial, owner: &str) -> Place {
        self.opening += 1;
        Place {
            number,
            trial,
            owner: owner.to_owned(),
            before: trial,
            goes_on: false,
        }
    }

    /// Adds the game of a reserved place, with the identifiers of its seats.
    pub(super) fn seat(
        &mut self,
        place: Place,
        id: String,
        seats: &BTreeMap<Seat, String>,
        table: GameSession,
    ) {
        self.opening = self.opening.saturating_sub(1);
        let game = Game {
            table: Arc::new(Mutex::new(table)),
            owner: place.owner,
            touched: Instant::now(),
        };
        for (seat, name) in seats {
            self.seats.insert(name.clone(), (id.clone(), seat.clone()));
        }
        self.open.insert(id, game);
    }

    /// Gives back a place whose game could not be opened: the place and the episode become
    /// available again.
    pub(super) fn give_back(&mut self, place: &Place) {
        self.opening = self.opening.saturating_sub(1);
        if place.goes_on {
            self.set_aside.insert((place.number, place.trial));
            return;
        }
        // A later trial may have been given out meanwhile; then the number stays used.
        if self.given.get(&place.number) != Some(&place.trial.saturating_add(1)) {
            return;
        }
        if place.before == 0 {
            self.given.remove(&place.number);
            self.next = self.next.min(place.number);
        } else {
            self.given.insert(place.number, place.before);
        }
    }

    /// The games that were not used for `idle` and have to be closed. A game with a call in progress
    /// is not among them, however long the call takes. Games that are over and idle are dropped,
    /// apart from the game `bound`.
    pub(super) fn expired(
        &mut self,
        idle: Duration,
        bound: Option<&str>,
    ) -> Vec<Arc<Mutex<GameSession>>> {
        let now = Instant::now();
        if self.next_look.is_some_and(|at| now < at) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let is_idle = |game: &Game| !game.is_in_use() && now - game.touched >= idle;
        self.drop_if(|id, game| is_idle(game) && game.is_over() && bound != Some(id));
        for game in self.open.values_mut() {
            if is_idle(game) && !game.is_over() {
                // So that no other request finds it as well while it is being closed.
                game.touched = now;
                found.push(Arc::clone(&game.table));
            }
        }
        let next = self.open.values().map(|game| game.touched + idle).min();
        // Games become less idle with time and new ones are not idle, so none is due earlier.
        self.next_look = Some(next.unwrap_or(now + idle).min(now + idle).max(now));
        found
    }

    fn drop_if(&mut self, dropped: impl Fn(&str, &Game) -> bool) {
        self.open.retain(|id, game| !dropped(id, game));
        // Names of seats and players go with their games, or they would be those of all games that
        // were ever played.
        let open = &self.open;
        self.seats.retain(|_, (game, _)| open.contains_key(game));
        let seats = &self.seats;
        self.players
            .retain(|id, _| open.contains_key(id) || seats.contains_key(id));
    }

    /// Whether `client` may use the game or the seat with the identifier `id`: one that it opened itself, or
    /// one of the host that is its own. Of those of the host that were given to nobody, the first client that
    /// uses one is its player from then on. The host may use all of them.
    pub(super) fn is_for(&mut self, client: &str, id: &str) -> bool {
        let game = self.seats.get(id).map_or(id, |(game, _)| game.as_str());
        let Some(game) = self.open.get(game) else {
            return false;
        };
        if client == HOST || client == game.owner {
            return true;
        }
        if game.owner != HOST && game.owner != LOCAL {
            return false;
        }
        let player = self.players.entry(id.to_owned());
        player.or_insert_with(|| client.to_owned()) == client
    }

    fn places(&self) -> usize {
        self.open.len() + self.opening
    }

    /// The first episode that was not given out.
    fn first_left(&mut self) -> u64 {
        while self.given.contains_key(&self.next) {
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
    pub(super) fn is_over(&self) -> bool {
        self.table
            // Not `lock`: a slow call in one game would hold up whoever has the lock of all games.
            .try_lock()
            .is_ok_and(|seat| seat.session.is_none())
    }
}

/// A game with a call in progress. Its idle time starts when the call has been answered.
pub(super) struct InUse<'a> {
    pub(super) games: &'a Mutex<Games>,
    pub(super) id: String,
    /// The seat that the identifier of the call names; `None` for the game with all its seats.
    pub(super) seat: Option<Seat>,
    pub(super) table: Arc<Mutex<GameSession>>,
}

impl InUse<'_> {
    pub(super) fn game(&self) -> MutexGuard<'_, GameSession> {
        lock(&self.table)
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        let mut games = lock(self.games);
        if let Some(game) = games.open.get_mut(&self.id) {
            game.touched = Instant::now();
        }
    }
}

/// A place whose game is being opened.
pub(super) struct Held<'a> {
    pub(super) games: &'a Mutex<Games>,
    pub(super) place: Option<Place>,
}

impl Held<'_> {
    pub(super) fn take(mut self, id: String, seats: &BTreeMap<Seat, String>, game: GameSession) {
        if let Some(place) = self.place.take() {
            let mut games = lock(self.games);
            games.seat(place, id, seats, game);
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Given back here, so that an error and a panic while a game is opened cost no place.
        if let Some(place) = self.place.take() {
            let mut games = lock(self.games);
            games.give_back(&place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reserved(games: &mut Games) -> Place {
        let limits = SessionLimits::default();
        let place = games.reserve((Some(4), None), "a client", limits, 100);
        place.unwrap()
    }

    /// Opens of one episode, some of which fail; `ends` has the places in the order in which they end, each with
    /// whether its game could be opened.
    fn given_after(opened: usize, ends: &[(usize, bool)]) -> Vec<u32> {
        let mut games = Games::new(&BTreeSet::new(), BTreeSet::new());
        let places: Vec<Place> = (0..opened).map(|_| reserved(&mut games)).collect();
        let mut played = Vec::new();
        for (at, is_open) in ends {
            let place = &places[*at];
            assert_eq!(place.number, 4);
            if *is_open {
                played.push(place.trial);
                games.opening -= 1;
            } else {
                games.give_back(place);
            }
        }
        assert_eq!(games.opening, 0);
        let next: Vec<u32> = (0..opened + 1)
            .map(|_| reserved(&mut games).trial)
            .collect();
        let all: BTreeSet<&u32> = played.iter().chain(&next).collect();
        assert_eq!(
            all.len(),
            played.len() + next.len(),
            "{played:?}, then {next:?}"
        );
        next
    }

    /// Two opens at once, of which one fails: no later game gets the number of the one that is played.
    #[test]
    fn no_trial_is_given_out_twice() {
        for first in [0, 1] {
            for opens in [[true, true], [true, false], [false, true], [false, false]] {
                let ends = [(first, opens[first]), (1 - first, opens[1 - first])];
                given_after(2, &ends);
            }
        }
        // The number of a place that was given back is used again, if it is the last one.
        assert_eq!(given_after(1, &[(0, false)]), [0, 1]);
        assert_eq!(given_after(2, &[(0, true), (1, false)]), [1, 2, 3]);
        assert_eq!(given_after(2, &[(1, false), (0, false)]), [0, 1, 2]);
        assert_eq!(given_after(2, &[(0, false), (1, true)]), [2, 3, 4]);
    }

    /// The last number that a trial can have is not one that is always free.
    #[test]
    fn the_largest_trial_is_given_out_once_or_never() {
        let mut games = Games::new(&BTreeSet::new(), BTreeSet::new());
        let mut reserve = |trial| {
            let limits = SessionLimits::default();
            let place = games.reserve((Some(0), trial), "a client", limits, 1);
            place.map(|place| place.trial).ok()
        };
        assert_eq!(reserve(Some(u32::MAX - 1)), Some(u32::MAX - 1));
        for trial in [Some(u32::MAX - 1), Some(u32::MAX), None] {
            assert_eq!(reserve(trial), None, "{trial:?}");
        }
    }
}
