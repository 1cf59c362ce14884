//! What a request holds while it is served: an existing game, or the place of a new one.

use super::game_session::GameSession;
use super::games::{Games, Place};
use boardroom_http::lock;
use sim_core::Seat;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::time::Instant;

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
