//! The score of a game.

use crate::config::Disclosure;
use crate::env::{State, WeekRecord};
use crate::instance::Instance;
use crate::role::{ByRole, Role};
use sim_core::{Incident, NotFinite, Score, Seat};

/// The score: the cost that the objective names \[cost\]; lower is better.
///
/// The table in [`env`](crate::env#score) says what each metric is.
///
/// A week that a seat let pass is an incident `forfeited_week`.
///
/// # Errors
/// When the cost is not a finite number, which the limits on orders rule out.
pub(crate) fn score(instance: &Instance, state: &State) -> Result<Score, NotFinite> {
    let costs = state.chain.costs();
    let controlled = instance.play.is_controlled();
    let own_cost = costs.total_of(&controlled);
    let chain_cost = costs.total();
    // The log has the states at the ends of weeks. Booked costs may lag or be cut, so
    // these two parts need not add up to the own cost there.
    let (mut holding, mut backlog) = (0.0, 0.0);
    let (mut asked, mut at_once) = (0.0, 0.0);
    for week in &state.log {
        for (_, line) in week.iter().filter(|(role, _)| controlled[*role]) {
            let cost = &instance.cost;
            holding += (cost.holding * line.inventory).max(cost.minimum);
            backlog += cost.backlog * line.backlog;
            asked += line.incoming_order;
            // Orders are served oldest first, so what is still owed at the end of the
            // week belongs to the newest order first; only the rest of that order left at
            // once.
            at_once += (line.incoming_order - line.backlog).max(0.0);
        }
    }
    let mut score = Score::new(cost(instance, state))?
        .metric("own_cost", own_cost)
        .metric("chain_cost", chain_cost)
        .metric("holding_cost", holding)
        .metric("backlog_cost", backlog)
        .metric("service", (asked > 0.0).then(|| at_once / asked));
    let whips = bullwhips(&state.log);
    for (role, cost) in costs {
        let (cost_name, bullwhip_name) = metric_names(role);
        score = score
            .metric(cost_name, cost)
            .metric(bullwhip_name, whips[role]);
    }
    // What a team does to the demand shows at its far end; its retailer hardly amplifies anything.
    let farthest = Role::ALL.into_iter().rfind(|role| controlled[*role]);
    let incidents = state.forfeits.iter().map(|forfeit| Incident {
        code: "forfeited_week".to_owned(),
        period: forfeit.week - 1,
        note: format!(
            "the {} ordered nothing in week {}",
            forfeit.role, forfeit.week
        ),
    });
    Ok(score
        .metric("bullwhip", farthest.and_then(|role| whips[role]))
        .incidents(incidents))
}

/// The cost that the objective names, over the weeks played so far \[cost\]: the value of [`score`].
pub(crate) fn cost(instance: &Instance, state: &State) -> f64 {
    state.chain.costs().total_of(&instance.play.is_counted())
}

/// Whether a metric follows from what `seat` sees: its own stage only.
///
/// Source: the strategic paper's section on serious games, where the retailer "observes only local information".
pub(crate) fn sees(instance: &Instance, seat: &Seat, metric: &str) -> bool {
    let Some(role) = Role::of_seat(seat) else {
        return false;
    };
    let is_alone = instance.play.controlled == [role];
    let (own_cost, own_bullwhip) = metric_names(role);
    match metric {
        // Figures of the roles under control, together.
        "own_cost" | "service" => is_alone,
        // The two parts tell the prices of stock and backlog.
        "holding_cost" | "backlog_cost" => is_alone && instance.disclosure == Disclosure::Full,
        // Only the retailer sees the customer's demand, against which orders are measured.
        "bullwhip" => is_alone && role == Role::Retailer,
        other => other == own_cost || (role == Role::Retailer && other == own_bullwhip),
    }
}

/// Names of the metrics of a role: cost and bullwhip.
fn metric_names(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Retailer => ("cost_retailer", "bullwhip_retailer"),
        Role::Wholesaler => ("cost_wholesaler", "bullwhip_wholesaler"),
        Role::Distributor => ("cost_distributor", "bullwhip_distributor"),
        Role::Brewery => ("cost_brewery", "bullwhip_brewery"),
    }
}

/// Each role's variance of orders over the variance of customer demand.
fn bullwhips(log: &[ByRole<WeekRecord>]) -> ByRole<Option<f64>> {
    let demand = variance(log.iter().map(|week| week[Role::Retailer].incoming_order));
    ByRole::from_fn(|role| {
        let orders = variance(log.iter().map(|week| week[role].order));
        (demand > 0.0).then(|| orders / demand)
    })
}

/// Population variance; 0 of nothing.
fn variance(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let (count, sum) = values
        .clone()
        .fold((0.0, 0.0), |(n, sum), x| (n + 1.0, sum + x));
    if count == 0.0 {
        return 0.0;
    }
    let mean = sum / count;
    values.map(|x| (x - mean) * (x - mean)).sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn population_variance() {
        assert_eq!(variance([2.0, 4.0, 4.0, 6.0].into_iter()), 2.0);
        assert_eq!(variance(std::iter::empty()), 0.0);
    }
}
