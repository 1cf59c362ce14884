//! The pictures of an episode: the shares of the units before and after the last plan, the four
//! proposals, and the marks, each beside the best known plan.

use crate::action::Action;
use crate::env::CeoReallocation;
use crate::optimum::best_plan;
use crate::plan::ReallocationPlan;
use crate::scenario::{Officer, Scenario, UnitId};
use crate::score::{ScoreCard, Scorer};
use serde::Deserialize as _;
use sim_core::plot::{Axis, Plot, Series, SeriesRole};
use sim_core::{Effort, Entry, Environment as _, EpisodeRecord, Input};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A decision of the chief executive, with what was known when it was made.
struct Decided {
    scenario: Scenario,
    scorer: Arc<Scorer>,
    plan: ReallocationPlan,
    /// The moves that each advisor asked for \[pp\].
    preferences: Vec<(Officer, BTreeMap<UnitId, f64>)>,
}

/// The pictures of the last plan of an episode, and of the scores of its rounds. The score of a round
/// is the mean of its four dimensions' bars as the card weighs them.
pub(crate) fn plots(played: &CeoReallocation, record: &EpisodeRecord) -> Vec<Plot> {
    let mut plots = Vec::new();
    if let Some(last) = last_plan(played, record) {
        let best = best_plan(&last.scenario, &last.scorer, Effort::Quick).plan;
        plots.push(shares(&last, &best));
        plots.push(proposals(&last, &best));
        plots.push(marks(&last, &best, &played.state().results));
    }
    if played.instance().config.rounds > 1 {
        plots.push(rounds(played));
    }
    plots
}

/// The last decision with a plan that can be read; `None` where there is none.
fn last_plan(played: &CeoReallocation, record: &EpisodeRecord) -> Option<Decided> {
    // Played again, because the end of an episode does not hold the company of its last decision:
    // in rolling mode it has moved on.
    let instance = Arc::new(played.instance().clone());
    let mut env = CeoReallocation::new(instance).ok()?;
    let mut last = None;
    for entry in &record.entries {
        if entry.input == Input::Forfeit {
            env.forfeit();
            continue;
        }
        let Some(action) = action(entry) else {
            continue;
        };
        let plan = match &action {
            Action::Plan(plan) => Some(plan.clone()),
            Action::Moves(moves) => Some(env.plan_of_moves(moves)),
            Action::Unreadable(_) | Action::Report(_) => None,
        };
        let plan = plan.filter(|plan| env.scorer().moves(plan).is_ok());
        if let Some(plan) = plan.filter(|_| env.officer_in_turn().is_none()) {
            last = Some(Decided {
                scenario: env.scenario().clone(),
                scorer: Arc::new(env.scorer().clone()),
                preferences: preferences(&env),
                plan,
            });
        }
        // A step that is refused changes nothing, as in the episode.
        let _ = env.step(&action);
    }
    last
}

/// The typed action of an input, if it was one.
fn action(entry: &Entry) -> Option<Action> {
    let value = match (&entry.input, &entry.action) {
        (Input::Act(value), _) | (_, Some(value)) => value,
        _ => return None,
    };
    Action::deserialize(value).ok()
}

/// What the advisors ask for: in their reports where they spoke, else as the scenario states it.
fn preferences(env: &CeoReallocation) -> Vec<(Officer, BTreeMap<UnitId, f64>)> {
    let advisors = env.scenario().advisors.iter();
    advisors
        .map(|(officer, advisor)| {
            let spoken = env.state().talk.report(officer);
            let asked = spoken.map_or(&advisor.preference_pp, |report| &report.preference_pp);
            (officer, asked.clone())
        })
        .collect()
}

/// The move of each unit, in the order of ids \[pp\]; nothing is moved by a plan that cannot be read.
fn moves(scorer: &Scorer, plan: &ReallocationPlan) -> Vec<f64> {
    let deltas = scorer.moves(plan).map(|moves| moves.deltas());
    let deltas = deltas.unwrap_or_default();
    deltas.into_iter().take(scorer.ids().len()).collect()
}

fn names(scenario: &Scenario) -> Vec<String> {
    let units = scenario.units_by_id();
    let name = |unit: &&crate::scenario::Unit| format!("{} {}", unit.id.as_str(), unit.name);
    units.iter().map(name).collect()
}

fn shares(last: &Decided, best: &ReallocationPlan) -> Plot {
    let before: Vec<f64> = last
        .scenario
        .units_by_id()
        .iter()
        .map(|unit| unit.share_pp)
        .collect();
    let after = |plan| -> Vec<f64> {
        let moved = moves(&last.scorer, plan);
        before
            .iter()
            .zip(moved)
            .map(|(share, by)| share + by)
            .collect()
    };
    let title = "Share of capital of each unit, before and after the plan";
    let (x, y) = (Axis::new("unit", ""), Axis::new("share of capital", "pp"));
    Plot::bars("shares", title, x, y, names(&last.scenario))
        .bar(SeriesRole::Baseline, "before", before.clone())
        .bar(SeriesRole::Own, "after", after(&last.plan))
        .bar(SeriesRole::Optimum, "best known plan", after(best))
}

fn proposals(last: &Decided, best: &ReallocationPlan) -> Plot {
    let title = "Moves that the advisors ask for, and those of the plan";
    let (x, y) = (Axis::new("unit", ""), Axis::new("move", "pp"));
    let mut plot = Plot::bars("proposals", title, x, y, names(&last.scenario));
    for (officer, preference) in &last.preferences {
        let ids = last.scorer.ids().iter();
        let asked = ids.map(|id| preference.get(id).copied().unwrap_or(0.0));
        plot = plot.bar(
            SeriesRole::Own,
            officer.to_string(),
            asked.collect::<Vec<_>>(),
        );
    }
    let (own, best) = (moves(&last.scorer, &last.plan), moves(&last.scorer, best));
    plot.bar(SeriesRole::Own, "plan", own)
        .bar(SeriesRole::Optimum, "best known plan", best)
}

fn marks(last: &Decided, best: &ReallocationPlan, results: &[crate::env::RoundResult]) -> Plot {
    let of = |card: &ScoreCard| {
        let m = &card.marks;
        [m.score, m.role, m.boldness, m.history, m.validity]
    };
    // The stored card, which counts live preferences; without one the plan is scored as it stands.
    let own = results
        .iter()
        .rev()
        .find(|result| result.round == last.scenario.round)
        .map_or_else(
            || of(&last.scorer.score(&last.plan)),
            |result| of(&result.card),
        );
    let groups = ["score", "roles", "boldness", "history", "validity"];
    let title = "Score and its four dimensions";
    let (x, y) = (Axis::default(), Axis::new("points", "points"));
    Plot::bars("marks", title, x, y, groups.map(str::to_owned).to_vec())
        .bar(SeriesRole::Own, "plan", own)
        .bar(
            SeriesRole::Optimum,
            "best known plan",
            of(&last.scorer.score(best)),
        )
}

fn rounds(played: &CeoReallocation) -> Plot {
    let results = played.state().results.iter();
    let scores = results.map(|result| (f64::from(result.round), result.card.score()));
    let (x, y) = (Axis::new("round", ""), Axis::new("score", "points"));
    Plot::lines("rounds", "Score of each round", x, y).with(Series::own("plan", scores))
}
