//! Games that are over: those of an earlier server, and what the reference policy would have done.

use super::end::ClosedBy;
use super::game_session::GameSession;
use super::open::Opened;
use super::result::value_of;
use super::seats::{SeatPlay, SeatRows};
use super::{SessionManager, open_source};
use crate::clients::LOCAL;
use run_engine::engine::episode::EpisodeRunner;
use run_engine::engine::others::Others;
use run_engine::error::RunError;
use run_engine::plan::agent::{AgentSpec, reference_policy};
use serde_json::{Value, json};
use sim_core::{EpisodeRecord, Session};

impl SessionManager {
    /// Opens trial `trial` of episode `episode` for the host: it begins, goes on, or is over and shows
    /// its result. Records do not say why a game was `closed` early, so the host of the earlier server does.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open_or_finished(
        &self,
        episode: u64,
        trial: u32,
        closed: Option<ClosedBy>,
    ) -> Result<Opened, RunError> {
        // Opened first: only that says whether the game is new, goes on, or is over. A look into the records before it would
        // read them all for each team of a new class.
        let refused = match self.open(LOCAL, Some(episode), Some(trial)) {
            Ok(opened) => return Ok(opened),
            Err(refused) => refused,
        };
        let given_out = refused
            .value
            .get("rejected")
            .is_some_and(|code| code == "given_out");
        let record = match &self.records {
            Some(records) if given_out => records.find((episode, trial))?,
            _ => None,
        };
        match record {
            Some(record) => self.open_record(&record, closed),
            None => Err(RunError::usage(refused.text)),
        }
    }

    fn open_record(
        &self,
        record: &EpisodeRecord,
        closed: Option<ClosedBy>,
    ) -> Result<Opened, RunError> {
        let (episode, trial) = (record.header.episode, record.header.trial);
        let source = open_source(&self.registry, &self.plan)?;
        let case = source.case(episode)?;
        let others = Others::new(&self.plan, source.kind(), (episode, &*case))?;
        let env = case.open()?;
        let seats = others.leave(env.seats());
        let mut play = SeatPlay::new(&*env, others, self.options.follows);
        play.replay(env, &record.entries);
        let game = GameSession {
            trial: (episode, trial),
            // Nothing is played any more; the entries are replayed for the curves alone.
            over: Some(self.ended(record, closed, None)),
            play: Some(play),
            seats,
            ..GameSession::default()
        };
        let opened = self.named(episode, trial, &game);
        let mut games = self.games();
        let place = games.place_of_finished((episode, trial), LOCAL);
        games.seat(place, opened.id.clone(), &opened.seats, game);
        Ok(opened)
    }

    /// What the reference policy (`optimal` or `oracle`) does in an episode: the periods of every seat,
    /// and the value and the metrics of its score. `None` if the environment has no such policy. Where
    /// references are kept, that of the episode is known from then on.
    #[must_use]
    pub fn reference_play(&self, episode: u64) -> Option<(SeatRows, Value)> {
        self.try_reference_play(episode).ok()
    }

    fn try_reference_play(&self, episode: u64) -> Result<(SeatRows, Value), RunError> {
        let source = open_source(&self.registry, &self.plan)?;
        let table = EpisodeRunner::new(&self.plan, &source)?;
        let case = table.case(episode)?;
        // Games that end at the same time would each search for it.
        self.references.of(&*case)?;
        let agent = AgentSpec::Policy(reference_policy(source.kind())?.to_owned());
        let others = Others::new(&self.plan, source.kind(), (episode, &*case))?;
        let env = case.open()?;
        let seats = others.leave(env.seats());
        let mut play = SeatPlay::new(&*env, others, true);
        for seat in &seats {
            let seed = self.plan.seed.child("episode", episode);
            // With the effort of the plan, so that the curve is that of the reference in results.
            let policy = agent.player(&*case, seat, seed, self.plan.policy_effort)?;
            play.set_bot(seat, policy);
        }
        let header = table.header(&*case, episode);
        let mut session = Session::new(env, header, self.plan.limits);
        play.settle(&mut session);
        let rows = seats
            .iter()
            .map(|seat| (seat.clone(), play.rows(seat, u32::MAX)));
        let rows = rows.collect();
        let score = session.finish().map_err(RunError::failed)?.score;
        let value = json!({"value": value_of(&score), "metrics": score.metrics()});
        Ok((rows, value))
    }
}
