//! A chief executive moves capital between business units, and is told what the plan was worth and
//! how far it was from the best one.
//!
//! ```text
//!   CFO ─┐                 plan                     role integration ─┐
//!   CTO ─┤               {remove_from,              boldness ─────────┤
//!   COO ─┼─►  [ CEO ] ──► add_to, ..} ──► [ rules ] history ──────────┼─► score, grade, labels, regret
//!   CMO ─┘                                          validity and fit ─┘
//! ```
//!
//! Run with: `cargo run --release --example ceo_desk -- C3-R3 follow-cmo` (any scenario id or
//! `generated:<seed>`, any policy or `all`; a third argument is the number of rounds).
#![allow(clippy::print_stdout, reason = "an example prints")]

use ceo_reallocation::optimum::{best_plan, regret};
use ceo_reallocation::score::round2;
use ceo_reallocation::{Action, CeoReallocation, Config, Feedback, Instance, Spec};
use sim_core::{
    ConfigError, Effort, Environment, EnvironmentSpec, Episode, Policy, PolicyContext, Seat, Seed,
};
use std::fmt::Write as _;
use std::sync::Arc;

/// The instance that the arguments name.
fn instance(scenario: &str, rounds: u32) -> Result<Instance, ConfigError> {
    let (name, seed) = match scenario.strip_prefix("generated:") {
        Some(seed) => ("generated", seed.parse().unwrap_or(0)),
        None => (scenario, 0),
    };
    let config = Config {
        rounds,
        ..Config::of_scenario(name)
    };
    Spec.generate(&config, Episode::of_run(Seed(seed), 0))
}

fn player(
    instance: &Instance,
    name: &str,
) -> Result<Box<dyn Policy<CeoReallocation>>, ConfigError> {
    Spec.make_policy(name, PolicyContext::new(instance, &Seat::AGENT, Seed(1)))
        .map_err(|e| ConfigError::new("policy", format!("{}, or all", e.message)))
}

/// One episode, round by round.
fn report(instance: Instance, name: &str) -> Result<String, ConfigError> {
    let instance = Arc::new(instance);
    let mut desk = Spec.begin(Arc::clone(&instance))?;
    let mut player = player(&instance, name)?;
    let mut out = format!(
        "{} at {}: {name}\n",
        instance.company.name, instance.scenario.id
    );
    while !desk.is_over() {
        let action = player.act(&desk.observe());
        let Action::Plan(plan) = &action else {
            return Err(ConfigError::new("policy", "gives no plan"));
        };
        let scorer = desk.scorer();
        let card = scorer.score(plan);
        let best = best_plan(desk.scenario(), scorer, Effort::Quick);
        let off = regret(scorer, &best, &card);
        let marks = &card.marks;
        let moves: Vec<String> = scorer
            .ids()
            .iter()
            .zip(scorer.moves(plan).unwrap_or_default().deltas())
            .filter(|(_, pp)| *pp != 0.0)
            .map(|(id, pp)| format!("{id}{pp:+}"))
            .collect();
        let labels: Vec<&str> = card.labels.iter().map(Into::into).collect();
        let _ = writeln!(
            out,
            "{}: [{}] score {} ({:?})  R {} B {} H {} V {}  best {} (regret {}, of moves {})  {}",
            desk.scenario().id,
            moves.join(" "),
            round2(marks.score),
            card.grade,
            round2(marks.role),
            round2(marks.boldness),
            round2(marks.history),
            round2(marks.validity),
            round2(best.score),
            round2(off.regret),
            round2(off.structural_regret),
            labels.join(" "),
        );
        let feedback = desk
            .step(&action)
            .map_err(|refused| ConfigError::new("policy", refused.message))?;
        if let Feedback::Decided { distress: true, .. } = feedback {
            out.push_str("the company is in distress\n");
        }
    }
    let score = desk
        .score()
        .map_err(|error| ConfigError::new("score", error.to_string()))?;
    let _ = writeln!(out, "episode: {}", round2(score.value()));
    Ok(out)
}

fn main() -> Result<(), ConfigError> {
    let mut arguments = std::env::args().skip(1);
    let scenario = arguments.next().unwrap_or_else(|| "C3-R3".to_owned());
    let policy = arguments.next().unwrap_or_else(|| "all".to_owned());
    let rounds = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    if policy != "all" {
        print!("{}", report(instance(&scenario, rounds)?, &policy)?);
        return Ok(());
    }
    for spec in Spec.policies() {
        print!("{}", report(instance(&scenario, rounds)?, spec.about.name)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_1_is_told_with_its_regret() {
        let told = report(instance("C3-R3", 1).unwrap(), "follow-cmo").unwrap();
        assert!(
            told.contains("[A-17 B-2 C+22 D-3] score 55.58 (C)"),
            "{told}"
        );
        assert!(told.contains("best 97.5 (regret 41.92"), "{told}");
        assert!(
            told.contains("too_aggressive misallocated history_inconsistent"),
            "{told}"
        );
    }

    #[test]
    fn rounds_follow_each_other() {
        let told = report(instance("generated:5", 3).unwrap(), "compromise").unwrap();
        assert_eq!(
            told.lines().filter(|line| line.contains("score")).count(),
            3,
            "{told}"
        );
    }

    #[test]
    fn an_unknown_policy_is_answered_with_the_known_ones() {
        let error = report(instance("C1-R1", 1).unwrap(), "hope").unwrap_err();
        assert!(error.to_string().contains("max-reallocation"), "{error}");
    }
}
