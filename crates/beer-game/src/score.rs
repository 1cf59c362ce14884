//! What a game was worth.

use crate::config::Objective;
use crate::instance::Instance;
use crate::role::{ROLES, Role};
use crate::state::{Line, State};
use sim_core::{Incident, NotFinite, Score};

/// The score: the cost that the objective names \[cost\], less is better.
///
/// Metrics, all over the weeks played so far:
/// * `own_cost`, `chain_cost`: cost of the roles under control, of all four \[cost\];
/// * `cost_<role>` \[cost\];
/// * `holding_cost`, `backlog_cost`: the two parts of `own_cost` by the price list \[cost\]; where
///   booking lags or is cut to whole numbers they are those of the states themselves;
/// * `bullwhip`: population variance of the orders of the most downstream controlled role over
///   that of the customer's demand (absent while demand has not varied), `bullwhip_<role>` the
///   same for each role;
/// * `service`: share of the units asked of the controlled roles that left without waiting.
///
/// A week that a seat let pass is an incident `forfeited_week`.
///
/// # Errors
/// When the cost is not a finite number, which the limits on orders rule out.
pub(crate) fn score(instance: &Instance, state: &State) -> Result<Score, NotFinite> {
    let costs = state.chain.costs();
    let controlled = |role: &Role| instance.play.controlled.contains(role);
    let own_cost: f64 = Role::ALL
        .iter()
        .zip(costs)
        .filter(|(role, _)| controlled(role))
        .map(|(_, c)| c)
        .sum();
    let chain_cost: f64 = costs.iter().sum();
    let value = match instance.play.objective {
        Objective::OwnCost => own_cost,
        Objective::ChainCost => chain_cost,
    };
    let (mut holding, mut backlog) = (0.0, 0.0);
    let (mut asked, mut at_once) = (0.0, 0.0);
    for week in &state.log {
        for (_, line) in Role::ALL
            .iter()
            .zip(week)
            .filter(|(role, _)| controlled(role))
        {
            let cost = &instance.cost;
            holding += (cost.holding * line.inventory).max(cost.minimum);
            backlog += cost.backlog * line.backlog;
            asked += line.incoming_order;
            at_once += (line.incoming_order - line.backlog).max(0.0);
        }
    }
    let mut score = Score::new(value)?
        .metric("own_cost", own_cost)
        .metric("chain_cost", chain_cost)
        .metric("holding_cost", holding)
        .metric("backlog_cost", backlog)
        .metric("service", (asked > 0.0).then(|| at_once / asked));
    let whips = bullwhips(&state.log);
    for ((role, cost), whip) in Role::ALL.iter().zip(costs).zip(whips) {
        score = score
            .metric(&format!("cost_{role}"), cost)
            .metric(&format!("bullwhip_{role}"), whip);
    }
    let first = instance
        .play
        .controlled
        .first()
        .map_or(0, |role| role.index());
    let incidents = state.forfeits.iter().map(|forfeit| Incident {
        code: "forfeited_week".to_owned(),
        period: forfeit.week - 1,
        note: format!(
            "the {} ordered nothing in week {}",
            forfeit.role, forfeit.week
        ),
    });
    Ok(score
        .metric("bullwhip", whips.get(first).copied().flatten())
        .incidents(incidents))
}

/// Each role's variance of orders over the variance of customer demand.
fn bullwhips(log: &[[Line; ROLES]]) -> [Option<f64>; ROLES] {
    let demand = variance(log.iter().map(|[retailer, ..]| retailer.incoming_order));
    let ratio = |orders: f64| (demand > 0.0).then(|| orders / demand);
    [
        ratio(variance(log.iter().map(|[line, _, _, _]| line.order))),
        ratio(variance(log.iter().map(|[_, line, _, _]| line.order))),
        ratio(variance(log.iter().map(|[_, _, line, _]| line.order))),
        ratio(variance(log.iter().map(|[_, _, _, line]| line.order))),
    ]
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
