//! What every environment promises, for environments whose other seats have players of their own.
//!
//! `sim_core::testkit::check_contract` puts one policy in every seat; here the seats of the cast keep theirs.

use serde_json::json;
use sim_core::testkit::{hostile_values, play_with};
use sim_core::{
    DynEnvironmentSpec, DynInstance, EpisodeRecord, Input, Seat, Seed, ToolEnvironment,
};

/// Plays `agent`, with the default cast in the other seats.
pub(crate) fn play(
    spec: &dyn DynEnvironmentSpec,
    instance: &dyn DynInstance,
    agent: &str,
) -> EpisodeRecord {
    let cast = spec.default_cast();
    let name = |seat: &Seat| {
        let found = cast.iter().find(|(name, _)| *name == seat.name());
        found.map_or(agent, |(_, policy)| *policy)
    };
    let make = |seat: &Seat| {
        let made = instance.policy(name(seat), seat, Seed(1));
        made.map_err(|e| e.to_string())
    };
    play_with(spec, instance, agent, make).unwrap()
}

/// Plays each of `agents` on the first `episodes` instances of each preset and checks records, forks, snapshots, refusals
/// and forfeits. Returns the number of records.
pub(crate) fn check(spec: &dyn DynEnvironmentSpec, agents: &[&str], episodes: u64) -> usize {
    let mut records = 0;
    for preset in spec.preset_list() {
        let config = spec.configure(Some(preset.name), &[]).unwrap();
        for index in 0..episodes {
            let instance = spec.draw(&config, Seed(7), index).unwrap();
            let loaded = spec.load(instance.instance()).unwrap();
            assert_eq!(instance.digest(), loaded.digest());
            for agent in agents {
                let record = play(spec, &*instance, agent);
                assert_eq!(
                    record,
                    play(spec, &*loaded, agent),
                    "{agent}: the same again"
                );
                check_record(&*instance, &record);
                records += 1;
            }
            check_forfeits(&*instance);
        }
    }
    records
}

fn check_record(instance: &dyn DynInstance, record: &EpisodeRecord) {
    record.verify(instance.open().unwrap()).unwrap();
    let text = serde_json::to_string(record).unwrap();
    assert_eq!(
        &serde_json::from_str::<EpisodeRecord>(&text).unwrap(),
        record
    );
    let mut here = instance.open().unwrap();
    for at in 0..record.entries.len() {
        let mut altered = record.clone();
        altered.entries[at].input = Input::Forfeit;
        assert!(
            altered.verify(instance.open().unwrap()).is_err(),
            "entry {at}"
        );
        check_refusals(&*here);
        let mut there = instance.open().unwrap();
        there.restore(&here.snapshot()).unwrap();
        let mut fork = here.fork();
        for entry in &record.entries[at..] {
            assert_eq!(there.apply(&entry.input), fork.apply(&entry.input));
        }
        for end in [there, fork] {
            assert_eq!(end.score().unwrap(), record.score);
        }
        here.apply(&record.entries[at].input);
    }
    assert!(here.is_over());
}

/// What is refused changes nothing.
fn check_refusals(env: &dyn ToolEnvironment) {
    let before = env.snapshot();
    for value in hostile_values() {
        let call = |tool: &str, arguments| Input::Call {
            tool: tool.to_owned(),
            arguments,
        };
        let mut inputs = vec![Input::Act(value.clone()), call("no_such_tool", json!({}))];
        for spec in env.tools().iter() {
            inputs.push(call(&spec.name, value.clone()));
            inputs.push(call(&spec.name, json!({"text": value})));
        }
        for input in inputs {
            let mut fork = env.fork();
            let reply = fork.apply(&input);
            if reply.is_rejected() {
                assert_eq!(fork.snapshot(), before);
                assert!(reply.text().len() < 4_000 && !reply.text().contains('\n'));
            }
        }
    }
}

fn check_forfeits(instance: &dyn DynInstance) {
    let mut env = instance.open().unwrap();
    for _ in 0..1_000 {
        if env.is_over() {
            break;
        }
        env.forfeit_period();
    }
    assert!(env.is_over() && env.score().is_ok());
}
