use super::*;
use beer_game::Spec;
use serde_json::{Value, json};
use sim_core::record::Header;
use sim_core::{ConfigError, Digest, EnvironmentSpec as _, Seed};

/// Orders in three weeks of four; in the fourth it cannot act or, with `refused`, decides what the game refuses.
struct Faulty {
    refused: bool,
}

impl DynPolicy for Faulty {
    fn act(&mut self, env: &dyn ToolEnvironment) -> Result<Value, ConfigError> {
        match (env.period().index % 4, self.refused) {
            (3, false) => Err(ConfigError::new("agent", "it cannot act")),
            (3, true) => Ok(json!("no order")),
            (week, _) => Ok(json!({"quantity": 100 * week})),
        }
    }

    fn learn(&mut self, _: &dyn ToolEnvironment) {}
}

/// A game in which every seat has such a policy, played to its end.
fn played(refused: bool) -> (Box<dyn ToolEnvironment>, Vec<Entry>) {
    let kind = Spec.boxed();
    let config = kind.configure(Some("classic"), &[]).unwrap();
    let case = kind.draw(&config, Seed(7), 0).unwrap();
    let env = case.open().unwrap();
    let header = Header::new(
        Spec::ABOUT.name,
        Spec::ABOUT.version,
        Digest::of_bytes(b"settings"),
        case.digest(),
        Seed(7),
        0,
        "mcp",
    );
    let mut others = every_seat(&*env, refused);
    let mut session = Session::new(env, header, Limits::default());
    assert!(others.act(&mut session));
    assert!(session.env().is_over());
    (case.open().unwrap(), session.entries().to_vec())
}

fn every_seat(env: &dyn ToolEnvironment, refused: bool) -> Others {
    let seats = env.seats().into_iter();
    Others(
        seats
            .map(|seat| (seat, Box::new(Faulty { refused }) as _))
            .collect(),
    )
}

/// A policy is asked once in a turn, and the record says the same when the policies decide again.
#[test]
fn a_turn_without_a_permitted_action_is_forfeited_and_follows_from_the_policy() {
    for refused in [false, true] {
        let (mut env, entries) = played(refused);
        let forfeits = entries.iter().filter(|e| e.input == Input::Forfeit).count();
        assert!(forfeits > 4, "{forfeits}");
        let tries = entries
            .iter()
            .filter(|e| e.input == Input::Act(json!("no order")));
        assert_eq!(tries.count(), if refused { forfeits } else { 0 });
        let mut others = every_seat(&*env, refused);
        let differs = others.follow(&mut *env, &entries, Limits::default());
        assert_eq!(differs, None);
    }
}

/// A forfeit in place of a decision, or a decision in place of a forfeit, is found.
#[test]
fn what_the_policies_do_not_decide_is_found() {
    let (env, entries) = played(false);
    let number = entries
        .iter()
        .position(|e| e.input == Input::Forfeit)
        .unwrap();
    for (number, input) in [
        (0, Input::Forfeit),
        (number, Input::Act(json!({"quantity": 1}))),
    ] {
        let mut changed = entries.clone();
        changed[number].input = input;
        let mut others = every_seat(&*env, false);
        let differs = others.follow(&mut *env.fork(), &changed, Limits::default());
        let week = entries[number].period + 1;
        assert!(differs.is_some_and(|place| place.ends_with(&format!(" {week}"))));
    }
}
