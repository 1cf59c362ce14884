//! The record of an episode, and its verification.
//!
//! A record holds the inputs and a chain of digests over the replies. It holds neither times nor
//! durations, so the same play gives the same bytes. [`EpisodeRecord::verify`] applies the inputs to a new
//! environment and compares every reply, so a record can be checked without trusting its author.

use crate::bytes::{Digest, canonical_text, json};
use crate::cause::Causes;
use crate::environment::Seat;
use crate::limits::Limits;
use crate::schema::Stored;
use crate::score::Score;
use crate::seed::Seed;
use crate::session::Session;
use crate::strict;
use crate::tool::{Input, ToolEnvironment};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Schema number of the record; see [`Stored`].
pub const SCHEMA: u32 = 1;

/// Everything that determines the numbers of an episode, except its inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Name of the environment.
    pub environment: String,
    /// Version of the environment's numbers.
    pub version: u32,
    /// Digest of the configuration.
    pub config: Digest,
    /// Digest of the instance.
    pub instance: Digest,
    /// Seed of the run.
    pub seed: Seed,
    /// Number of the episode in the run.
    pub episode: u64,
    /// Name of the agent (`policy:order-up-to`, `openai:some-model`).
    pub agent: String,
    /// Digest of the agent's settings (method, limits, prompts, sampling); absent for policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Digest>,
    /// Agent method, where one is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Feedback mode of a learning method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// Number of the learning stream that this episode belongs to, for methods with memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<u64>,
    /// Number of the repetition of the same episode, from 0.
    #[serde(default)]
    pub trial: u32,
}

impl Header {
    /// The header of an episode without method, feedback, stream and trial; set these fields if needed.
    ///
    /// ```
    /// use sim_core::record::Header;
    /// use sim_core::{Digest, Seed};
    ///
    /// let settings = Digest::of_bytes(b"the configuration");
    /// let drawn = Digest::of_bytes(b"the instance");
    /// let first = Header::new("beer-game", 1, settings, drawn, Seed(7), 0, "policy:typical");
    /// let again = Header { trial: 1, ..first.clone() };
    /// assert_ne!(first.key(), again.key(), "another unit of work");
    /// ```
    #[must_use]
    pub fn new(
        environment: impl Into<String>,
        version: u32,
        config: Digest,
        instance: Digest,
        seed: Seed,
        episode: u64,
        agent: impl Into<String>,
    ) -> Self {
        Self {
            environment: environment.into(),
            version,
            config,
            instance,
            seed,
            episode,
            agent: agent.into(),
            settings: None,
            method: None,
            feedback: None,
            stream: None,
            trial: 0,
        }
    }

    /// The key of this unit of work: a run that already holds it does not play it again.
    #[must_use]
    pub fn key(&self) -> Digest {
        Digest::of_bytes(canonical_text(&json(self)).as_bytes())
    }
}

/// One input and the digest of its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Period of the input, from 0.
    pub period: u32,
    /// The seat, in environments with several seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The input.
    pub input: Input,
    /// The typed action that a call or a text was parsed into.
    #[serde(
        default,
        deserialize_with = "strict::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub action: Option<Value>,
    /// First 16 digits of the digest chain after the reply.
    pub reply: String,
    /// Number of the model query within the period; 0 when no model was asked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub query: u32,
    /// Calls of the same model reply that were dropped because this one ended the turn.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u32,
    /// Causes of the replies of the seat in the turn that begins with this input; empty for the other inputs of a turn,
    /// and if no model was asked.
    #[serde(default, skip_serializing_if = "Causes::is_empty")]
    pub causes: Causes,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Entry {
    /// The first difference to `again`, the same input applied now; `None` when both are equal.
    pub(crate) fn difference(&self, again: &Self) -> Option<String> {
        // Where the play has got to comes first: once the period or the seat differs, all that
        // follows differs too.
        if self.period != again.period {
            Some(format!(
                "the record says period {}, the replay is in {}",
                self.period, again.period
            ))
        } else if self.seat != again.seat {
            Some("another seat is in turn".to_owned())
        } else if self.action != again.action {
            Some("the input becomes another action".to_owned())
        } else if self.reply != again.reply {
            Some(format!(
                "the answer has digest {}, the record says {}",
                again.reply, self.reply
            ))
        } else if self.input != again.input {
            Some("the limits produce another input".to_owned())
        } else if self.query != again.query {
            Some(format!(
                "the input came after query {}, but the record says {}",
                again.query, self.query
            ))
        } else if self.dropped != again.dropped {
            Some(format!(
                "{} calls were dropped after the input, but the record says {}",
                again.dropped, self.dropped
            ))
        } else {
            None
        }
    }
}

/// How an episode ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// Played to its end.
    Complete,
    /// Too many forfeits in a row: the rest was forfeited.
    Forfeited,
    /// Stopped before its end.
    Abandoned,
}

/// Counts over the entries of a record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// Inputs of the agent, without forfeits and restarts caused by a limit.
    pub inputs: u32,
    /// Model queries that led to an input. Where one seat has two turns in a row in one period and the record has no
    /// causes, equal numbers in both count once.
    pub queries: u32,
    /// Forfeited turns.
    pub forfeits: u32,
    /// Restarted periods.
    pub restarts: u32,
    /// Calls dropped after the end of a turn.
    pub dropped: u32,
    /// Causes of the agent's replies.
    #[serde(skip_serializing_if = "Causes::is_empty")]
    pub causes: Causes,
    /// Causes of the replies of the seats that are not under test, by role (`judge`, `interviewer`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub causes_of_others: BTreeMap<&'static str, Causes>,
}

/// The record of a played episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeRecord {
    /// Schema number of this record ([`SCHEMA`]).
    pub schema: u32,
    /// Environment, instance, seed and agent.
    pub header: Header,
    /// The inputs, in order.
    pub entries: Vec<Entry>,
    /// How it ended.
    pub ending: Ending,
    /// The score.
    pub score: Score,
    /// End of the digest chain over all replies.
    pub digest: Digest,
}

impl Stored for EpisodeRecord {
    const WHAT: &'static str = "episode record";
    const SCHEMA: u32 = SCHEMA;
}

/// The first difference between a replay and its record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{unit} {number}: {what}", number = period.saturating_add(1))]
pub struct Divergence {
    /// The environment's name for a period (`week`).
    pub unit: &'static str,
    /// Period, from 0; shown to people from 1.
    pub period: u32,
    /// The difference.
    pub what: String,
}

impl EpisodeRecord {
    /// Plays the record again on `env`, newly opened from the same instance, and compares everything. The record was played under the default [`Limits`]; see
    /// [`verify_within`](Self::verify_within) for others.
    ///
    /// # Errors
    /// The first difference.
    pub fn verify(&self, env: Box<dyn ToolEnvironment>) -> Result<(), Divergence> {
        self.verify_within(env, Limits::default())
    }

    /// As [`verify`](Self::verify), for a record that was played under `limits`.
    ///
    /// # Errors
    /// The first difference.
    pub fn verify_within(
        &self,
        env: Box<dyn ToolEnvironment>,
        limits: Limits,
    ) -> Result<(), Divergence> {
        self.remake(env, limits).map(|_| ())
    }

    /// Applies the inputs of the record again to `env`, freshly opened from the same instance, and
    /// returns the resulting record, which equals this one in every field. Inputs that `limits` produce
    /// (forfeits, restarts) are not taken from the record.
    ///
    /// # Errors
    /// The first difference.
    pub fn remake(
        &self,
        env: Box<dyn ToolEnvironment>,
        limits: Limits,
    ) -> Result<Self, Divergence> {
        let mut session = Session::new(env, self.header.clone(), limits);
        session.replay_all(&self.entries)?;
        let count = session.env().period();
        let (unit, period) = (count.unit, count.index.saturating_sub(1));
        let fail = |what: String| Err(Divergence { unit, period, what });
        match session.finish() {
            Err(e) => fail(e.to_string()),
            // From what tells most to the rest. The last arm finds what no other compares, so that
            // only an equal record passes, also when fields are added.
            Ok(again) if again.ending != self.ending => fail(format!(
                "the record ends as {:?}, the replay as {:?}",
                self.ending, again.ending
            )),
            Ok(again) if again.digest != self.digest => fail("the digest chain differs".to_owned()),
            // By bits: 0 and -0 are equal as numbers, but a record prints them differently.
            Ok(again) if again.score.value().to_bits() != self.score.value().to_bits() => {
                fail(format!(
                    "the score is {}, but the record says {}",
                    again.score.value(),
                    self.score.value()
                ))
            }
            Ok(again) if again.score.metrics() != self.score.metrics() => {
                fail("the metrics of the score differ".to_owned())
            }
            Ok(again) if again.score != self.score => {
                fail("the incidents of the score differ".to_owned())
            }
            Ok(again) if again != *self => fail("the record has another format".to_owned()),
            Ok(again) => Ok(again),
        }
    }

    /// Counts over the entries.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        let mut last = None;
        for entry in &self.entries {
            match entry.input {
                Input::Forfeit => tally.forfeits += 1,
                Input::Restart => tally.restarts += 1,
                _ => tally.inputs += 1,
            }
            // A file may hold any numbers.
            tally.dropped = tally.dropped.saturating_add(entry.dropped);
            if !entry.causes.is_empty() {
                // They stand where a turn begins.
                last = None;
                match entry.seat.as_ref().map_or("agent", Seat::role) {
                    "agent" => tally.causes.add(&entry.causes),
                    other => {
                        let causes = tally.causes_of_others.entry(other).or_default();
                        causes.add(&entry.causes);
                    }
                }
            }
            // The calls of one reply carry the number of its query, so a query counts where the
            // number changes. Each turn and each try of a period begin with number 1 again.
            let query = (entry.period, &entry.seat, entry.query);
            if last != Some(query) && entry.query > 0 {
                tally.queries += 1;
            }
            let goes_on = !matches!(entry.input, Input::Forfeit | Input::Restart);
            last = goes_on.then_some(query);
        }
        tally
    }
}
