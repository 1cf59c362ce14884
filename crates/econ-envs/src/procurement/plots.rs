//! The pictures of a run: what each plan was worth and cost, the best so far, and what a budget can buy.

use super::env::Procurement;
use super::evaluate::{Evaluator, PlanEvaluation};
use super::instance::Instance;
use super::menu::dollars;
use super::optimum::solve;
use sim_core::Environment as _;
use sim_core::plot::{Axis, Plot, Series, SeriesRole};
use std::sync::Arc;

/// Relaxations for each point of the frontier: the points are best known plans, not proven ones.
const RELAXATIONS: usize = 2_000;

/// Points of the frontier.
const POINTS: i64 = 8;

/// Largest menu for which the frontier is drawn: ten times that of the largest published level.
const MOST_OFFERS: usize = 1_000;

/// A plan of a period, from 1.
type Tried = (f64, PlanEvaluation);

/// The pictures of a run so far.
pub(super) fn plots(env: &Procurement) -> Vec<Plot> {
    let instance = env.instance();
    let Ok(evaluator) = Evaluator::new(instance) else {
        return Vec::new();
    };
    let plans = (1_u32..).map(f64::from).zip(&env.state().attempts);
    let tried: Vec<Tried> = plans
        .filter_map(|(period, plan)| Some((period, evaluator.evaluate(plan.as_ref()?))))
        .collect();
    let end = f64::from(instance.rules.periods.max(1));
    let frontier = frontier(instance);
    vec![
        value(&tried, end, frontier.last().map(|(_, workers)| *workers)),
        cost(&tried, end, dollars(evaluator.budget_cents())),
        bought(&tried, frontier),
    ]
}

fn split(tried: &[Tried], feasible: bool) -> impl Iterator<Item = &Tried> {
    tried
        .iter()
        .filter(move |(_, plan)| plan.is_feasible() == feasible)
}

fn period() -> Axis {
    Axis::new("attempt", "")
}

fn value(tried: &[Tried], end: f64, best: Option<f64>) -> Plot {
    let of = |feasible| split(tried, feasible).map(|(period, plan)| (*period, plan.workers));
    let mut most = 0.0_f64;
    let so_far = tried.iter().map(|(period, plan)| {
        if plan.is_feasible() {
            most = most.max(plan.workers);
        }
        (*period, most)
    });
    let title = "Workers that each plan supports, and the best so far";
    let mut plot = Plot::lines("value", title, period(), Axis::new("workers", "workers"))
        .with(Series::own("best so far", so_far))
        .with(Series::own("plan", of(true)).apart())
        .with(Series::own("plan that is not allowed", of(false)).apart());
    if let Some(best) = best {
        let name = "best known plan";
        plot = plot.with(Series::level(SeriesRole::Optimum, name, best, 1.0, end));
    }
    plot
}

fn cost(tried: &[Tried], end: f64, budget: f64) -> Plot {
    let of =
        |feasible| split(tried, feasible).map(|(period, plan)| (*period, dollars(plan.cost_cents)));
    Plot::lines(
        "cost",
        "Cost of each plan",
        period(),
        Axis::new("cost", "$"),
    )
    .with(Series::own("plan", of(true)))
    .with(Series::own("plan that is not allowed", of(false)).apart())
    .with(Series::level(SeriesRole::Limit, "budget", budget, 1.0, end))
}

fn bought(tried: &[Tried], frontier: Vec<(f64, f64)>) -> Plot {
    let of = |feasible| {
        let points = split(tried, feasible);
        let mut points: Vec<_> = points
            .map(|(_, plan)| (dollars(plan.cost_cents), plan.workers))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let title = "What a plan costs and supports, and the best known plan for each budget";
    let y = Axis::new("workers", "workers");
    Plot::lines("frontier", title, Axis::new("cost", "$"), y)
        .with(Series::own("plan", of(true)).apart())
        .with(Series::own("plan that is not allowed", of(false)).apart())
        .with(Series::of(
            SeriesRole::Optimum,
            "best known for the budget",
            frontier,
        ))
}

/// Budget \[$\] and the workers of the best known plan within it; the last point is the budget of the
/// run.
fn frontier(instance: &Instance) -> Vec<(f64, f64)> {
    if instance.menu.offers.len() > MOST_OFFERS {
        return Vec::new();
    }
    let mut points: Vec<(f64, f64)> = Vec::new();
    for point in 1..=POINTS {
        let mut cut = instance.clone();
        let budget = instance.menu.budget_cents / POINTS * point;
        // The division loses up to seven cents, and the last point is what the run is compared
        // with.
        let budget = if point == POINTS {
            instance.menu.budget_cents
        } else {
            budget
        };
        Arc::make_mut(&mut cut.menu).budget_cents = budget;
        if let Ok(best) = solve(&cut, RELAXATIONS) {
            // A plan within a smaller budget is one within this budget too.
            let before = points.last().map_or(0.0, |(_, workers)| *workers);
            points.push((dollars(budget), best.workers.max(before)));
        }
    }
    points
}
