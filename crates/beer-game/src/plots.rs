//! The pictures of a game: orders, stock and backlog, cost, and the best known plan beside them.

use crate::env::{BeerGame, WeekRecord};
use crate::reference::{FoundPlan, Replay, best_plan};
use crate::role::{ByRole, Role};
use sim_core::plot::{Axis, Plot, Series, SeriesRole};
use sim_core::{Effort, Environment as _};

/// The pictures of `game` so far. The costs of a week sum to the cost of the chain, and the last
/// value of `so_far` is the score.
pub(crate) fn plots(game: &BeerGame) -> Vec<Plot> {
    let log = &game.state().log;
    // Quick: a picture is drawn after every game, and the plan is only for the eye.
    let best = best_plan(game.instance(), Effort::Quick);
    vec![
        orders(game, log, &best),
        stock(log),
        cost(log),
        so_far(game, log, &best),
    ]
}

/// Number of a week, from its place in the log.
fn weeks() -> impl Iterator<Item = f64> {
    (1_u32..).map(f64::from)
}

/// A value of a role, week by week.
fn line(
    log: &[ByRole<WeekRecord>],
    role: Role,
    value: impl Fn(&WeekRecord) -> f64,
) -> Vec<(f64, f64)> {
    weeks()
        .zip(log)
        .map(|(week, lines)| (week, value(&lines[role])))
        .collect()
}

fn week() -> Axis {
    Axis::new("week", "")
}

fn orders(game: &BeerGame, log: &[ByRole<WeekRecord>], best: &FoundPlan) -> Plot {
    let title = "Orders of the four roles";
    let mut plot = Plot::lines("orders", title, week(), Axis::new("order", "units"));
    for role in Role::ALL {
        plot = plot.with(Series::own(role.name(), line(log, role, |week| week.order)));
    }
    // What the retailer is asked for is what customers want.
    let demand = line(log, Role::Retailer, |week| week.incoming_order);
    plot = plot.with(Series::of(SeriesRole::Limit, "customer demand", demand));
    // Of the seats that were played only; the plan leaves the others to their rules.
    for &role in &game.instance().play.controlled {
        let orders = (0..log.len()).map(|week| f64::from(best.plan.order(role, week)));
        let name = format!("{role}, best known plan");
        let planned = Series::of(SeriesRole::Optimum, name, weeks().zip(orders));
        plot = plot.with(planned);
    }
    plot
}

fn stock(log: &[ByRole<WeekRecord>]) -> Plot {
    let title = "Stock (above 0) and backlog (below 0) at the end of the week";
    let mut plot = Plot::lines("stock", title, week(), Axis::new("stock", "units"));
    for role in Role::ALL {
        // One line for both: they are never positive together.
        let net = line(log, role, |week| week.inventory - week.backlog);
        plot = plot.with(Series::own(role.name(), net));
    }
    plot
}

fn cost(log: &[ByRole<WeekRecord>]) -> Plot {
    let title = "Cost of each week by role";
    let mut plot = Plot::stacked("cost", title, week(), Axis::new("cost", "cost"));
    for role in Role::ALL {
        plot = plot.with(Series::own(role.name(), line(log, role, |week| week.cost)));
    }
    plot
}

/// The cost that counts, week by week, beside that of the best known plan.
fn so_far(game: &BeerGame, log: &[ByRole<WeekRecord>], best: &FoundPlan) -> Plot {
    let replay = Replay::new(game.instance());
    let counted = replay.counted();
    let mut sum = 0.0;
    let own = log.iter().map(|week| {
        let roles = Role::ALL.into_iter().filter(|role| counted[*role]);
        sum += roles.map(|role| week[role].cost).sum::<f64>();
        sum
    });
    let own = Series::own("this game", weeks().zip(own));
    let mut planned = Vec::new();
    replay.play(
        |_, role, week| f64::from(best.plan.order(role, week)),
        |chain| planned.push(replay.value(chain)),
    );
    // A game that is going on must not show how the future would be paid for.
    planned.truncate(log.len());
    let title = "Cost so far, beside the best known plan";
    Plot::lines("so_far", title, week(), Axis::new("cost", "cost"))
        .with(own)
        .with(Series::of(
            SeriesRole::Optimum,
            "best known plan",
            weeks().zip(planned),
        ))
}
