//! The state of a classroom: teams, seats, tokens, and what the teacher chose.

use super::models::Asked;
use super::page::{Page, SharedText};
use super::store::{self, Phase, Place, Stored};
use super::{ClassroomOptions, Link};
use crate::clients::same;
use crate::sessions::{ClosedBy, Opened, SessionManager, Wait};
use boardroom_http::{Admission, lock};
use run_engine::error::RunError;
use run_engine::files::run_file::exists;
use run_engine::plan::agent::is_model;
use run_engine::terminal::{acts, is_invisible};
use serde::Deserialize as _;
use serde_json::Value;
use sim_core::Seat;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Interval at which the time for decisions is checked.
const TICK: Duration = Duration::from_millis(100);

/// Longest name of a person \[characters\].
const NAME: usize = 40;

/// Requests that are answered at a time, and those of one person.
const AT_A_TIME: usize = 64;
const SHARE: usize = 8;

/// Ticks between two checks that everything is saved.
const CHECK: u32 = 10;

#[derive(Debug)]
pub(super) struct Room {
    pub(super) sessions: Arc<SessionManager>,
    pub(super) options: ClassroomOptions,
    pub(super) teams: Vec<Team>,
    /// Where `stored` is written; locked while it is.
    file: Mutex<Option<PathBuf>>,
    stored: Mutex<Stored>,
    /// Changes whenever anything does, for the teacher's page.
    pub(super) changed: watch::Sender<u64>,
    /// The policies that the teacher can choose from, once they were asked for.
    policies: OnceLock<Vec<String>>,
    /// What the reference does, once it is solved; `null` if there is no reference.
    pub(super) optimum: OnceLock<Value>,
    /// Whether the pages were told that every game is over.
    ended: AtomicBool,
    pub(super) asked: Asked,
    pub(super) saving: Mutex<Saving>,
    /// Requests that are answered at a time, by person.
    pub(super) admission: Admission,
    /// The teacher's page, without the games.
    pub(super) page: Page,
}

#[derive(Debug)]
pub(super) struct Team {
    pub(super) game: Opened,
    /// The seats, in the order of the game.
    pub(super) seats: Vec<Seat>,
    /// Changes whenever the game or the classroom does.
    pub(super) changed: watch::Sender<u64>,
    /// What is waited for, and since when.
    clock: Mutex<Option<(Wait, Instant)>>,
    /// Whether its game is over, as far as the pages were told: a page asks about all teams, and must not
    /// wait for games that are being recorded.
    over: AtomicBool,
    /// Held while it changes who plays a seat.
    seating: Mutex<()>,
    /// The page of each seat.
    pub(super) pages: Vec<Page>,
    /// What the teacher's page shows of the team.
    pub(super) text: SharedText,
}

/// Whose token a request has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Person {
    Teacher,
    /// Places of team and seat.
    Player(usize, usize),
}

fn token() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

impl Room {
    pub(super) fn open(
        sessions: Arc<SessionManager>,
        options: ClassroomOptions,
        dir: Option<&Path>,
    ) -> Result<Self, RunError> {
        // Before a game is opened, so that a refused classroom leaves no folder behind.
        options.check_bot(&sessions, &options.bot)?;
        sessions.check_policy(&options.stand_in, options.episode)?;
        let file = dir.map(store::path);
        let kept = file.as_deref().map(Stored::read).transpose()?.flatten();
        let seats: Vec<Seat> = sessions.seats().to_vec();
        let place = |seat: &Seat| Place {
            seat: seat.name().to_owned(),
            token: token(),
            name: None,
            bot: None,
        };
        let mut stored = kept.unwrap_or_else(|| Stored {
            teacher: token(),
            phase: Phase::Lobby,
            limit: options.limit.map(|limit| limit.as_secs()),
            teams: Vec::new(),
            closed: BTreeMap::new(),
        });
        let known = |places: &Vec<Place>| {
            places
                .iter()
                .map(|p| p.seat.as_str())
                .eq(seats.iter().map(Seat::name))
        };
        if !stored.teams.iter().all(known) {
            return Err(RunError::usage(
                "the folder holds a classroom with other seats",
            ));
        }
        for (number, place) in (1..)
            .zip(&stored.teams)
            .flat_map(|(n, all)| all.iter().map(move |p| (n, p)))
        {
            if let Some(bot) = &place.bot {
                let of = |e: RunError| e.at(&format!("team {number}, {}: ", place.seat));
                options.check_bot(&sessions, bot).map_err(of)?;
            }
        }
        if let Some(limit) = options.limit {
            stored.limit = Some(limit.as_secs());
        }
        let count = usize::try_from(options.teams).unwrap_or(usize::MAX);
        // A class may grow. Teams of an earlier server stay, because their games do.
        while stored.teams.len() < count {
            stored.teams.push(seats.iter().map(place).collect());
        }
        let mut teams = Vec::new();
        // The repetition is the number of the team, so that a team goes on with its own game.
        for (place, trial) in (0..stored.teams.len()).zip(0_u32..) {
            let closed = stored.closed.get(&place).copied();
            let game = sessions.open_or_finished(options.episode, trial, closed)?;
            teams.push(Team {
                game,
                seats: seats.clone(),
                changed: watch::Sender::new(0),
                clock: Mutex::default(),
                over: AtomicBool::new(false),
                seating: Mutex::default(),
                pages: seats.iter().map(|_| Page::default()).collect(),
                text: SharedText::default(),
            });
        }
        let room = Self {
            sessions,
            options,
            teams,
            file: Mutex::new(file),
            stored: Mutex::new(stored),
            changed: watch::Sender::new(0),
            policies: OnceLock::new(),
            optimum: OnceLock::new(),
            ended: AtomicBool::new(false),
            asked: Asked::default(),
            saving: Mutex::default(),
            admission: Admission::new(AT_A_TIME, SHARE),
            page: Page::default(),
        };
        room.seat_bots()?;
        // A class that is continued may hold games that are over.
        room.note_ends(None);
        room.try_store()?;
        Ok(room)
    }

    pub(super) fn links(&self) -> Vec<Link> {
        let stored = self.stored();
        let mut links = vec![Link {
            of: "teacher".to_owned(),
            token: stored.teacher.clone(),
        }];
        for (number, places) in (1..).zip(&stored.teams) {
            for place in places {
                let of = if places.len() > 1 {
                    format!("team {number}, {}", place.seat)
                } else {
                    format!("team {number}")
                };
                let token = place.token.clone();
                links.push(Link { of, token });
            }
        }
        links
    }

    pub(super) fn stored(&self) -> MutexGuard<'_, Stored> {
        lock(&self.stored)
    }

    pub(super) fn try_store(&self) -> Result<(), RunError> {
        // Locked before the copy is made, so that the last to write has the newest state.
        let file = lock(&self.file);
        // A copy, because writing waits for the disk, and pages read it meanwhile.
        let stored = self.stored().clone();
        match &*file {
            Some(file) => stored.write(file),
            None => Ok(()),
        }
    }

    /// Pauses the games.
    pub(super) fn pause(&self) -> Result<(), RunError> {
        if self.stored().phase == Phase::Lobby {
            return Err(RunError::usage(
                "the games have not begun, so they cannot be paused",
            ));
        }
        self.set_phase(Phase::Paused)
    }

    /// A pause does not use up anybody's time.
    pub(super) fn stop_clocks(&self) {
        for team in &self.teams {
            *lock(&team.clock) = None;
        }
    }

    /// Whose token it is.
    pub(super) fn person(&self, token: &str) -> Option<Person> {
        let stored = self.stored();
        let mut found = None;
        // All of them are compared, so that the time does not tell which one fits.
        for (team, places) in stored.teams.iter().enumerate() {
            for (seat, place) in places.iter().enumerate() {
                if same(&place.token, token) {
                    found = Some(Person::Player(team, seat));
                }
            }
        }
        if same(&stored.teacher, token) {
            found = Some(Person::Teacher);
        }
        found
    }

    /// The identifier of a seat for the sessions.
    pub(super) fn id(&self, team: usize, seat: usize) -> Option<&str> {
        let team = self.teams.get(team)?;
        let seat = team.seats.get(seat)?;
        team.game.seats.get(seat).map(String::as_str)
    }

    /// Whether the game of every team is over.
    pub(super) fn is_over(&self) -> bool {
        let mut teams = self.teams.iter();
        teams.all(|team| team.over.load(Ordering::SeqCst))
    }

    /// Whether the game of a team is over.
    pub(super) fn is_over_for(&self, team: usize) -> bool {
        let game = self.teams.get(team).map(|team| &team.game);
        game.is_some_and(|game| self.sessions.period(&game.id).is_none())
    }

    /// Notes which of the games are over; whether one of them is.
    fn note_ends(&self, team: Option<usize>) -> bool {
        let mut any = false;
        for (place, of) in self.teams.iter().enumerate() {
            let asked = team.is_none_or(|team| team == place);
            if asked && self.sessions.period(&of.game.id).is_none() {
                any = true;
                if !of.over.swap(true, Ordering::SeqCst) {
                    self.note_why(place, &of.game.id);
                }
            }
        }
        any
    }

    /// Stores whether a game was closed early: its record does not tell that from a game in which people did nothing,
    /// and the results say it also after a restart.
    fn note_why(&self, team: usize, game: &str) {
        let status = self.sessions.status(game).value;
        let why = status.get("closed_by");
        let why = why.and_then(|why| ClosedBy::deserialize(why).ok());
        let before = {
            let mut stored = self.stored();
            match why {
                Some(why) => stored.closed.insert(team, why),
                // A game whose record was lost with the earlier server was played again.
                None => stored.closed.remove(&team),
            }
        };
        if before != why {
            self.store();
        }
    }

    /// Tells the pages of a team, or all pages, that something changed.
    pub(super) fn tell(&self, team: Option<usize>) {
        self.note_faults();
        self.notify(team);
    }

    pub(super) fn notify(&self, team: Option<usize>) {
        // With the last game the debrief of every team changes.
        let ends = self.note_ends(team) && self.is_over();
        let all = ends && !self.ended.swap(true, Ordering::SeqCst);
        let team = team.filter(|_| !all);
        let next = |number: &mut u64| *number += 1;
        for (place, of) in self.teams.iter().enumerate() {
            if team.is_none_or(|team| team == place) {
                of.changed.send_modify(next);
            }
        }
        self.changed.send_modify(next);
    }

    /// A person takes a seat, from a policy or a model if one plays it.
    ///
    /// # Errors
    /// When the game is over.
    pub(super) fn join(&self, team: usize, seat: usize, name: &str) -> Result<(), RunError> {
        self.check_goes_on(team)?;
        // Marks of writing direction would reorder the lines of others in which the name stands.
        let name: String = name
            .chars()
            .filter(|c| c.is_control() || !acts(*c))
            .collect();
        let name = sim_core::error::one_line(name.trim(), NAME);
        // On the page of the teacher, a seat with a name that nobody sees would look empty.
        let is_nothing = name.chars().all(|c| c.is_whitespace() || is_invisible(c));
        {
            // The team's lock from the list to the game, so that two requests leave both with the
            // same player.
            let _seating = self.seating(team);
            let mut stored = self.stored();
            if let Some(place) = stored.place_mut(team, seat) {
                place.name = Some(if is_nothing { place.seat.clone() } else { name });
                place.bot = None;
            }
            // Given up before the game is asked for, which may be in a slow call; the pages read
            // the list meanwhile.
            drop(stored);
            self.asked.forget((team, seat));
            if let Some(id) = self.id(team, seat) {
                self.sessions.set_bot(id, None)?;
            }
        }
        self.store();
        self.tell(Some(team));
        Ok(())
    }

    pub(super) fn set_phase(&self, phase: Phase) -> Result<(), RunError> {
        let begins = {
            let mut stored = self.stored();
            let begins = phase == Phase::Running && stored.phase == Phase::Lobby;
            stored.phase = phase;
            if begins {
                for place in stored.teams.iter_mut().flatten() {
                    // The game would wait for ever for a seat that nobody took.
                    if place.name.is_none() && place.bot.is_none() {
                        place.bot = Some(self.options.bot.clone());
                    }
                }
            }
            begins
        };
        self.stop_clocks();
        self.store();
        if begins {
            self.seat_bots()?;
        }
        self.tell(None);
        Ok(())
    }

    pub(super) fn set_limit(&self, seconds: Option<u32>) -> Result<(), RunError> {
        self.stored().limit = seconds.map(u64::from);
        // The running turn gets the whole new time: with a shorter limit it could be over at once.
        self.stop_clocks();
        self.store();
        self.tell(None);
        Ok(())
    }

    /// Lets a policy or a model play a seat, or a person.
    pub(super) fn set_bot(
        &self,
        team: usize,
        seat: usize,
        bot: Option<&str>,
    ) -> Result<(), RunError> {
        if let Some(bot) = bot {
            self.options.check_bot(&self.sessions, bot)?;
        }
        self.check_goes_on(team)?;
        {
            let _seating = self.seating(team);
            self.asked.forget((team, seat));
            let running = {
                let mut stored = self.stored();
                if let Some(place) = stored.place_mut(team, seat) {
                    place.bot = bot.map(str::to_owned);
                }
                stored.phase != Phase::Lobby
            };
            if let Some(id) = self.id(team, seat).filter(|_| running) {
                self.sessions
                    .set_bot(id, bot.filter(|bot| !self.is_model(bot)))?;
            }
        }
        self.store();
        self.tell(Some(team));
        Ok(())
    }

    /// Refuses to change who plays a game that is over: the pages go on to show who played.
    fn check_goes_on(&self, team: usize) -> Result<(), RunError> {
        if self.is_over_for(team) {
            return Err(RunError::usage(format!(
                "the game of team {} is over, so nobody can play its seats",
                team + 1
            )));
        }
        Ok(())
    }

    /// Keeps others from changing who plays the seats of a team.
    fn seating(&self, team: usize) -> Option<MutexGuard<'_, ()>> {
        self.teams.get(team).map(|team| lock(&team.seating))
    }

    /// Who plays a seat instead of a person.
    pub(super) fn bot(&self, (team, seat): (usize, usize)) -> Option<String> {
        let stored = self.stored();
        stored.teams.get(team)?.get(seat)?.bot.clone()
    }

    /// Whether `bot` is a model, and not a policy.
    pub(super) fn is_model(&self, bot: &str) -> bool {
        self.options.is_model(bot)
    }

    /// The policies that the teacher can choose from.
    pub(super) fn policies(&self) -> &[String] {
        let find = || self.sessions.policy_names(self.options.episode);
        self.policies.get_or_init(find)
    }

    /// Ends the game of a team before its last period.
    pub(super) fn end(&self, team: usize) {
        if let Some(of) = self.teams.get(team) {
            let _ = self.sessions.close_episode(&of.game.id);
            self.tell(Some(team));
        }
    }

    /// Hands the seats of policies to them, once the games have begun. Games that are over, as they may be
    /// in a classroom that is continued, stay as they are.
    fn seat_bots(&self) -> Result<(), RunError> {
        if self.stored().phase == Phase::Lobby {
            return Ok(());
        }
        for (team, of) in self.teams.iter().enumerate() {
            // A person may take a seat meanwhile, so each team is looked at when it is its turn.
            let _seating = self.seating(team);
            for seat in 0..of.seats.len() {
                let policy = self.bot((team, seat)).filter(|bot| !self.is_model(bot));
                if let (Some(id), Some(_)) = (self.id(team, seat), &policy) {
                    self.sessions.set_bot(id, policy.as_deref())?;
                }
            }
        }
        Ok(())
    }

    /// Decides for everybody whose time is up.
    fn check_time(&self) {
        let (phase, limit) = {
            let stored = self.stored();
            (stored.phase, stored.limit)
        };
        let Some(limit) = limit.filter(|_| phase == Phase::Running) else {
            return;
        };
        for (place, team) in self.teams.iter().enumerate() {
            // Before the time: who is waited for after it may have had none yet.
            let Some(wait) = self.sessions.wait(&team.game.id) else {
                continue;
            };
            let waiting = self.sessions.waiting_for(&team.game.id);
            // Also where nobody's time is up: the first look at a wait starts its clock, if no page has asked before.
            if self.left(place, limit) != Some(Duration::ZERO) {
                continue;
            }
            for seat in waiting {
                let id = team.game.seats.get(&seat);
                if let Some(id) = id {
                    // A person who decides in this moment may end the wait, and the next one has a time of its own.
                    let policy = &self.options.stand_in;
                    // The policy was checked, so there is one.
                    let _ = self.sessions.decide_for(id, policy, wait);
                }
            }
            self.tell(Some(place));
        }
    }

    /// The time that is left for the running turn of a team, where there is a limit \[s\]; `None` if
    /// its game is over.
    pub(super) fn left(&self, team: usize, limit: u64) -> Option<Duration> {
        let team = self.teams.get(team)?;
        let turn = self.sessions.wait(&team.game.id)?;
        let mut clock = lock(&team.clock);
        let now = Instant::now();
        let running = clock.filter(|(at, _)| *at == turn);
        let (_, began) = *clock.insert(running.unwrap_or((turn, now)));
        Some(Duration::from_secs(limit).saturating_sub(now - began))
    }
}

impl ClassroomOptions {
    /// Whether `bot` is one of the models.
    fn is_model(&self, bot: &str) -> bool {
        let models = self.models.as_ref();
        models.is_some_and(|models| models.names().iter().any(|name| name == bot))
    }

    /// Checks that there is a model or a policy `bot`.
    fn check_bot(&self, sessions: &SessionManager, bot: &str) -> Result<(), RunError> {
        if self.is_model(bot) {
            return Ok(());
        }
        if is_model(bot) {
            return Err(RunError::usage(format!(
                "the model `{}` was not named when the classroom was opened: use `--model`",
                sim_core::error::clip(bot)
            )));
        }
        sessions.check_policy(bot, self.episode)
    }
}

/// Watches the time of all turns until the result is dropped.
pub(super) fn keep_time(room: Arc<Room>) -> tokio::task::JoinSet<()> {
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move {
        let mut tick = tokio::time::interval(TICK);
        for number in (0..CHECK).cycle() {
            tick.tick().await;
            let room = Arc::clone(&room);
            let work = move || {
                room.note_faults();
                if number == 0 {
                    room.save_again();
                }
                room.check_time();
            };
            // An error means that it panicked; the next tick tries again.
            let _ = tokio::task::spawn_blocking(work).await;
        }
    });
    tasks
}

/// Whether what the class is told is saved.
#[derive(Debug, Default)]
pub(super) struct Saving {
    /// Number of write errors that were seen.
    seen: u64,
    /// Why something is not saved, as long as it is not.
    fault: Option<String>,
    /// Whether the teacher wants to go on nevertheless.
    is_accepted: bool,
    /// Whether the file of the classroom is older than what it should hold.
    is_behind: bool,
}

impl Room {
    /// Stores the classroom. It goes on if that fails, and everybody is told.
    pub(super) fn store(&self) {
        let stored = self.try_store();
        lock(&self.saving).is_behind = stored.is_err();
        if let Err(e) = stored {
            self.sessions
                .report_unkept(format!("the classroom could not be saved: {e}"));
            self.note_faults();
        }
    }

    /// Why something is not saved, as long as it is not.
    pub(super) fn fault(&self) -> Option<String> {
        lock(&self.saving).fault.clone()
    }

    /// Whether the teacher goes on although something is not saved.
    pub(super) fn goes_on_unsaved(&self) -> bool {
        lock(&self.saving).is_accepted
    }

    /// Looks for new write errors. With the first one the class pauses, and all pages are told.
    pub(super) fn note_faults(&self) {
        let (count, last) = self.sessions.write_errors();
        let is_accepted = {
            let mut saving = lock(&self.saving);
            // Only new errors pause the class: after the old ones the teacher may have chosen to go
            // on.
            if saving.seen == count {
                return;
            }
            saving.seen = count;
            saving.fault = last;
            saving.is_accepted
        };
        if !is_accepted {
            let mut stored = self.stored();
            if stored.phase == Phase::Running {
                stored.phase = Phase::Paused;
                // Once it can be saved: a server that starts again waits for the teacher as well.
                lock(&self.saving).is_behind = true;
            }
            drop(stored);
            self.stop_clocks();
        }
        self.notify(None);
    }

    /// Tries again to save what could not be saved. Whether everything is saved now.
    pub(super) fn save_again(&self) -> bool {
        self.note_faults();
        let is_gone = || {
            lock(&self.file)
                .as_deref()
                .is_some_and(|file| !exists(file))
        };
        let is_behind = lock(&self.saving).is_behind;
        let class = if is_behind || is_gone() {
            self.try_store().map_err(|e| e.to_string())
        } else {
            Ok(())
        };
        if class.is_ok() {
            lock(&self.saving).is_behind = false;
        }
        let saved = class.and_then(|()| self.sessions.save_again());
        let mut saving = lock(&self.saving);
        match (saved, saving.fault.is_some()) {
            (Ok(()), true) => {
                (saving.fault, saving.is_accepted) = (None, false);
                drop(saving);
                self.notify(None);
                true
            }
            (Ok(()), false) => true,
            (Err(_), true) => false,
            (Err(why), false) => {
                drop(saving);
                self.sessions
                    .report_unkept(format!("the games could not be saved: {why}"));
                self.note_faults();
                false
            }
        }
    }

    /// Starts the games, or goes on after a pause. Where something cannot be saved, only if the teacher
    /// wants to go on without it (`unsaved`).
    pub(super) fn go_on(&self, unsaved: bool) -> Result<(), RunError> {
        if !self.save_again() {
            let mut saving = lock(&self.saving);
            saving.is_accepted = unsaved;
            if !unsaved {
                let why = saving.fault.clone().unwrap_or_default();
                return Err(RunError::usage(format!(
                    "the class is not saved ({why}); it can only go on without being saved"
                )));
            }
        }
        self.set_phase(Phase::Running)
    }
}
