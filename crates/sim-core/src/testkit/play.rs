//! Playing policies, and the promises about records, snapshots and resuming.

use super::expect;
use crate::bytes::canonical_text;
use crate::dyn_spec::{DynEnvironmentSpec, DynInstance, DynPolicy, seated};
use crate::environment::{Environment as _, Seat};
use crate::limits::Limits;
use crate::policy::PolicyContext;
use crate::record::{EpisodeRecord, Header};
use crate::score::{Effort, Reference};
use crate::seed::Seed;
use crate::session::{Next, Session};
use crate::spec::EnvironmentSpec;
use crate::tool::Input;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Inputs after which an episode counts as endless.
const ENDLESS: usize = 1_000_000;

fn header(spec: &dyn DynEnvironmentSpec, instance: &dyn DynInstance, policy: &str) -> Header {
    let (version, digest) = (spec.version(), instance.digest());
    let agent = format!("policy:{policy}");
    Header::new(spec.name(), version, digest, digest, Seed(0), 0, agent)
}

/// Seed of the policy in `seat`.
fn seed(seat: &Seat) -> Seed {
    Seed(11).child(seat.name(), 0)
}

/// Plays one episode of `instance` with the policy `name` (one copy per seat), and the default cast in the
/// seats that are not under test. Returns the record.
///
/// # Errors
/// When the policy does not exist, sends an action that is refused, or never ends.
pub fn play(
    spec: &dyn DynEnvironmentSpec,
    instance: &dyn DynInstance,
    name: &str,
) -> Result<EpisodeRecord, String> {
    let cast = spec.default_cast();
    let make = |seat: &Seat| {
        let name = seated(cast, seat).unwrap_or(name);
        instance
            .policy(name, seat, seed(seat))
            .map_err(|e| e.to_string())
    };
    play_with(spec, instance, name, make)
}

/// Whether the policy `name` is for the seats of the default cast alone: a member of the cast that refuses the
/// seats under test.
pub(super) fn is_aside(
    spec: &dyn DynEnvironmentSpec,
    instance: &dyn DynInstance,
    name: &str,
) -> Result<bool, String> {
    let cast = spec.default_cast();
    if cast.iter().all(|(_, agent)| *agent != name) {
        return Ok(false);
    }
    let seats = instance.open().map_err(|e| e.to_string())?.seats();
    let mut tested = seats.iter().filter(|seat| seated(cast, seat).is_none());
    Ok(tested.all(|seat| instance.policy(name, seat, seed(seat)).is_err()))
}

/// Plays one episode of `instance` with policies made by `make`, one per seat.
///
/// # Errors
/// When a policy cannot be made, sends an action that is refused, or never ends.
pub fn play_with(
    spec: &dyn DynEnvironmentSpec,
    instance: &dyn DynInstance,
    name: &str,
    make: impl Fn(&Seat) -> Result<Box<dyn DynPolicy>, String>,
) -> Result<EpisodeRecord, String> {
    let env = instance.open().map_err(|e| e.to_string())?;
    let mut policies = BTreeMap::new();
    for seat in env.seats() {
        policies.insert(seat.clone(), make(&seat)?);
    }
    let mut session = Session::new(env, header(spec, instance, name), Limits::default());
    for _ in 0..ENDLESS {
        if session.env().is_over() {
            return session.finish().map_err(|e| e.to_string());
        }
        let seat = session.env().turn();
        let Some(policy) = policies.get_mut(&seat) else {
            return Err(format!("seat `{seat}` is in turn but not among the seats"));
        };
        let action = policy.act(session.env()).map_err(|e| e.to_string())?;
        let outcome = session.apply(Input::Act(action.clone()));
        if outcome.reply.is_rejected() {
            return Err(format!(
                "its action {action} is refused: {}",
                outcome.reply.text()
            ));
        }
        policy.learn(session.env());
    }
    Err("the episode does not end".to_owned())
}

/// Plays one episode of `instance` with the policy `name`, one copy per seat with the seed `seed`, and the
/// default cast in the seats that are not under test, on the typed side: without tools, session or record. Returns the environment at its end.
///
/// # Errors
/// When the policy does not exist or sends an action that is refused.
pub fn play_typed<S: EnvironmentSpec>(
    spec: &S,
    instance: &Arc<S::Instance>,
    name: &str,
    seed: Seed,
) -> Result<S::Env, String> {
    let mut env = spec
        .begin(Arc::clone(instance))
        .map_err(|e| e.to_string())?;
    let mut policies = BTreeMap::new();
    for seat in env.seats() {
        let name = seated(spec.cast(), &seat).unwrap_or(name);
        let policy = spec.make_policy(name, PolicyContext::new(&**instance, &seat, seed));
        policies.insert(seat.clone(), policy.map_err(|e| e.to_string())?);
    }
    while !env.is_over() {
        let seat = env.turn();
        let Some(policy) = policies.get_mut(&seat) else {
            return Err(format!("seat `{seat}` is in turn but not among the seats"));
        };
        let feedback = env
            .step(&policy.act(&env.observe()))
            .map_err(|e| format!("an action of `{name}` is refused: {e}"))?;
        policy.learn(&feedback);
    }
    Ok(env)
}

pub(super) fn check_policy(
    spec: &dyn DynEnvironmentSpec,
    instance: &dyn DynInstance,
    reference: &Reference,
    name: &str,
) -> Result<EpisodeRecord, String> {
    let record = play(spec, instance, name)?;
    let again = play(spec, instance, name)?;
    expect(
        record == again,
        "the same seed plays two different episodes",
    )?;
    check_rollout(instance, name, &record)?;
    check_record(instance, &record)?;
    check_moving(instance, &record)?;
    super::restart::check(instance, &record)?;
    if let Some(bound) = reference.bound {
        let slack = 1e-9 * bound.abs().max(1.0);
        expect(
            spec.sense().regret(record.score.value(), bound) >= -slack,
            &format!("its score {} beats the bound {bound}", record.score.value()),
        )?;
    }
    Ok(record)
}

/// Without a log the policy plays the same episode.
fn check_rollout(
    instance: &dyn DynInstance,
    name: &str,
    record: &EpisodeRecord,
) -> Result<(), String> {
    let rollout = instance.rollout(name, &seed, Effort::Quick, Limits::default());
    let Some(rollout) = rollout.map_err(|e| e.to_string())? else {
        return Err("it cannot play without a log".to_owned());
    };
    let last = record.entries.last();
    let periods = last.map_or(0, |entry| u64::from(entry.period) + 1);
    expect(
        (
            &rollout.score,
            rollout.tally,
            rollout.refused,
            rollout.periods,
        ) == (&record.score, record.tally(), 0, periods),
        "without a log its score or its counts differ",
    )
}

fn check_record(instance: &dyn DynInstance, record: &EpisodeRecord) -> Result<(), String> {
    let open = || instance.open().map_err(|e| e.to_string());
    record
        .verify(open()?)
        .map_err(|e| format!("its record does not verify: {e}"))?;
    let text = serde_json::to_string(record).map_err(|e| e.to_string())?;
    let read: EpisodeRecord = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    expect(
        read == *record,
        "its record changes when it is written and read",
    )?;
    for at in [
        0,
        record.entries.len() / 2,
        record.entries.len().saturating_sub(1),
    ] {
        let mut altered = record.clone();
        let Some(entry) = altered.entries.get_mut(at) else {
            continue;
        };
        // A forfeit fits every environment; another action might be the one that was played.
        entry.input = Input::Forfeit;
        expect(
            altered.verify(open()?).is_err(),
            "an altered record verifies",
        )?;
    }
    Ok(())
}

/// Snapshot, fork and resume at several places of the episode all lead to the same end.
fn check_moving(instance: &dyn DynInstance, record: &EpisodeRecord) -> Result<(), String> {
    let open = || instance.open().map_err(|e| e.to_string());
    let inputs = &record.entries;
    for at in [0, 1, inputs.len() / 2, inputs.len().saturating_sub(1)] {
        let mut here = open()?;
        for entry in inputs.iter().take(at) {
            here.apply(&entry.input);
        }
        let snapshot = here.snapshot();
        // By way of its text: a number that a file does not hold exactly would go unnoticed in
        // memory.
        let text = canonical_text(&snapshot);
        let read = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let mut there = open()?;
        there.restore(&read).map_err(|e| e.to_string())?;
        expect(
            canonical_text(&there.snapshot()) == text,
            "a restored snapshot differs",
        )?;
        let mut forked = here.fork();
        for entry in inputs.iter().skip(at) {
            let reply = here.apply(&entry.input);
            expect(
                reply == there.apply(&entry.input),
                "a restored episode answers differently",
            )?;
            expect(
                reply == forked.apply(&entry.input),
                "a forked episode answers differently",
            )?;
        }
        expect(
            here.snapshot() == there.snapshot(),
            "a restored episode ends differently",
        )?;
        expect(
            here.snapshot() == forked.snapshot(),
            "a forked episode ends differently",
        )?;
        let kept = inputs.iter().take(at).cloned().collect();
        let mut resumed = Session::resume(open()?, record.header.clone(), Limits::default(), kept)
            .map_err(|e| format!("an interrupted episode does not resume: {e}"))?;
        let done = resumed.entries().len();
        for entry in inputs.iter().skip(done) {
            if resumed.apply(entry.input.clone()).next == Next::EpisodeOver {
                break;
            }
        }
        let resumed = resumed.finish().map_err(|e| e.to_string())?;
        expect(resumed == *record, "a resumed episode has another record")?;
    }
    Ok(())
}
