//! Models in the seats of a classroom: each is asked on a copy of its game, so that nobody waits for it but
//! its team.

use super::room::Room;
use super::store::Phase;
use crate::sessions::Wait;
use boardroom_http::lock;
use run_engine::secrets;
use sim_core::{Input, Session};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

/// What a model does in a turn, or why it did not decide.
pub type ModelFuture = Pin<Box<dyn Future<Output = Result<Vec<Input>, String>> + Send>>;

/// Plays turns with language models. The program implements it, so that the server needs no client of
/// models.
pub trait ModelPlayer: Debug + Send + Sync {
    /// The models that may play, such as `openai:MODEL`.
    fn names(&self) -> &[String];
    /// The inputs of one of the models in a turn; the last one is its decision.
    fn play(&self, turn: ModelTurn) -> ModelFuture;
}

/// A turn that a model plays.
#[derive(Debug)]
pub struct ModelTurn {
    /// The model.
    pub model: String,
    /// A name that no other turn of the run folder has: `classroom/team1/brewery/turn3`, or
    /// `classroom/team1/cfo/turn0.4` where seats decide one after the other.
    pub name: String,
    /// A copy of the game, in which it is the turn of the seat.
    pub session: Session,
}

/// The state of the models of a classroom.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// What was asked for last, by team and seat.
    turns: Mutex<BTreeMap<(usize, usize), Wait>>,
    /// The last period in which a model did not decide, and why, by team and seat.
    faults: Mutex<BTreeMap<(usize, usize), (u32, String)>>,
}

impl Asked {
    /// The last period in which the model at a seat did not decide, and why.
    pub(super) fn fault(&self, place: (usize, usize)) -> Option<(u32, String)> {
        lock(&self.faults).get(&place).cloned()
    }

    /// Somebody else plays the seat from now on.
    pub(super) fn forget(&self, place: (usize, usize)) {
        lock(&self.turns).remove(&place);
        lock(&self.faults).remove(&place);
    }
}

/// A turn in progress.
struct Due {
    place: (usize, usize),
    wait: Wait,
    model: String,
    asked: ModelFuture,
}

/// Lets models play their seats until it is dropped.
pub(super) async fn play(room: Arc<Room>) {
    if room.options.models.is_none() {
        return;
    }
    // Subscribed before the first look, so that no change falls between the two.
    let mut changed = room.changed.subscribe();
    let mut turns = JoinSet::new();
    loop {
        let of = Arc::clone(&room);
        // An error means that it panicked; the next change tries again.
        let due = tokio::task::spawn_blocking(move || room_due(&of)).await;
        for due in due.unwrap_or_default() {
            turns.spawn(turn(Arc::clone(&room), due));
        }
        tokio::select! {
            news = changed.changed() => if news.is_err() { return },
            Some(_) = turns.join_next() => {}
        }
    }
}

/// The turns of models that wait for an answer and were not asked yet.
fn room_due(room: &Room) -> Vec<Due> {
    let Some(models) = &room.options.models else {
        return Vec::new();
    };
    let stored = room.stored().clone();
    if stored.phase != Phase::Running {
        return Vec::new();
    }
    let mut due = Vec::new();
    for (team, places) in stored.teams.iter().enumerate() {
        for (seat, place) in places.iter().enumerate() {
            let model = place.bot.as_ref().filter(|bot| room.is_model(bot));
            let (Some(model), Some(id)) = (model, room.id(team, seat)) else {
                continue;
            };
            // The limits of a run, not those of the class, under which a person may mistype a thousand times: a model that
            // errs so often costs money, and a policy stands in for it.
            let copy = room.sessions.copy_turn(id, sim_core::Limits::default());
            let Some((wait, session)) = copy else {
                continue;
            };
            // Noted before the model answers: any change in the room leads here again meanwhile.
            if lock(&room.asked.turns).insert((team, seat), wait) == Some(wait) {
                continue;
            }
            let name = format!("classroom/team{}/{}/turn{wait}", team + 1, place.seat);
            due.push(Due {
                place: (team, seat),
                wait,
                model: model.clone(),
                asked: models.play(ModelTurn {
                    model: model.clone(),
                    name,
                    session,
                }),
            });
        }
    }
    due
}

/// Asks a model and applies what it did; where it did not decide, a policy does.
async fn turn(room: Arc<Room>, due: Due) {
    let Due {
        place,
        wait,
        model,
        asked,
    } = due;
    let played = asked.await;
    let mut changed = room.changed.subscribe();
    // A decision that comes during a pause waits for its end: the teacher may hand the seat to
    // somebody meanwhile.
    while room.stored().phase == Phase::Paused {
        if changed.changed().await.is_err() {
            return;
        }
    }
    let done = move || {
        let is_still = room.bot(place).as_deref() == Some(&*model);
        if let Some(id) = room.id(place.0, place.1).filter(|_| is_still) {
            let fault = match played {
                Ok(inputs) => {
                    let has_decided = room.sessions.apply_turn(id, wait, inputs);
                    (!has_decided).then(|| "its decision was not accepted".to_owned())
                }
                Err(why) => Some(secrets::scrub().text(&why).into_owned()),
            };
            if let Some(why) = fault {
                // Before the policy decides, so that nobody sees the next turn without the reason.
                lock(&room.asked.faults).insert(place, (wait.period, why));
                // Nothing is done where the turn is over, because the time was up.
                let _ = room.sessions.decide_for(id, &room.options.stand_in, wait);
            }
        }
        room.tell(Some(place.0));
    };
    // An error means that it panicked; then the time limit or the teacher helps.
    let _ = tokio::task::spawn_blocking(done).await;
}
