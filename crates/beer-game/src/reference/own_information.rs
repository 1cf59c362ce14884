//! The best known play that uses only what its seat observes.

use super::played;
use crate::config::{Config, Demand};
use crate::instance::Instance;
use crate::policy::{PreparedPolicy, RulePolicy};
use crate::rule::OrderingRule;

/// The cost, in this game, of the best policy known that decides from its seat's observations alone
/// \[cost\]; `None` where no policy was tuned for the setting.
///
/// The bound of a drawn game knows the future, so no seat can be expected to reach it. On average
/// over games of one setting the difference between this cost and the bound is the price of that
/// information, and the rest is what better decisions could gain. A single game may cost less than
/// this, because the policy is good on average only.
///
/// There are two such settings: the physics of the presets `random` and `stationary`, with demand that
/// they can draw. The policies are [`PreparedPolicy`] and an order-up-to level;
/// `docs/beer-game.md` says how they were found and what they reach.
///
/// ```
/// use beer_game::reference::{bound, own_information};
/// use beer_game::{Config, Instance};
/// use sim_core::{Episode, Seed};
///
/// let game = Instance::generate(&Config::random(), Episode::of_run(Seed(7), 0))?;
/// let cost = own_information(&game).ok_or("a game of the preset `random`")?;
/// assert!(cost >= bound(&game));
/// // Nothing was drawn in the published game, so nothing is hidden that could be learnt.
/// let paper = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
/// assert_eq!(own_information(&paper), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn own_information(instance: &Instance) -> Option<f64> {
    // A game that was published as it is has nothing that a seat could only guess.
    if !instance.drawn {
        return None;
    }
    let flow = f64::from(instance.board.initial_flow);
    if is_of(&Config::random(), instance) {
        return played(instance, |_| PreparedPolicy::new(flow));
    }
    let stationary = Config::stationary();
    if is_of(&stationary, instance) {
        return played(instance, |role| {
            let level = stationary.order_up_to[role];
            RulePolicy::new(instance, role, OrderingRule::order_up_to(level))
        });
    }
    None
}

/// Whether `config` could have drawn the game. What its seats are told and how wrong orders are
/// treated may differ.
fn is_of(config: &Config, instance: &Instance) -> bool {
    let (ours, theirs) = (&config.play, &instance.play);
    instance.weeks() == config.weeks
        && instance.board == config.board
        && instance.cost == config.cost
        && config.opponents.contains(&instance.opponents)
        && theirs.controlled == ours.controlled
        // The policies were tuned to what a seat sees and may order; for others they say nothing.
        && theirs.observe == ours.observe
        && theirs.objective == ours.objective
        && theirs.largest_order == ours.largest_order
        && can_draw(&config.demand, &instance.demand)
}

/// Whether `demand` can draw these weeks.
fn can_draw(demand: &Demand, weeks: &[u32]) -> bool {
    match demand {
        Demand::DrawnStep {
            low,
            from_week: [first, last],
            high: [least, most],
        } => {
            // Told from the weeks alone, because a stored game does not name the setting that drew
            // it.
            let before = weeks.iter().take_while(|units| *units == low).count();
            let from_week =
                u32::try_from(before).map_or(u32::MAX, |before| before.saturating_add(1));
            let mut after = weeks.iter().skip(before);
            let level = after.next();
            (*first..=*last).contains(&from_week)
                && level.is_some_and(|level| {
                    (*least..=*most).contains(level) && after.all(|units| units == level)
                })
        }
        Demand::Uniform { low, high } => weeks.iter().all(|units| (*low..=*high).contains(units)),
        Demand::Script { .. } | Demand::Step { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::{Episode, Seed};

    #[test]
    fn only_games_of_a_tuned_setting_have_one() {
        let game =
            |config: &Config| Instance::generate(config, Episode::of_run(Seed(3), 1)).unwrap();
        for config in [Config::random(), Config::stationary()] {
            assert!(own_information(&game(&config)).is_some());
            let mut told = config.clone();
            told.play.tell_delays = false;
            assert!(
                own_information(&game(&told)).is_some(),
                "the same game, told otherwise"
            );
            let mut longer = config.clone();
            longer.weeks = 30;
            let mut dearer = config.clone();
            dearer.cost.backlog = 2.0;
            let mut others = config;
            others.opponents = vec![crate::config::Lineup::all(OrderingRule::STERMAN)];
            for other in [longer, dearer, others] {
                assert_eq!(own_information(&game(&other)), None);
            }
        }
        // Demand that the preset cannot draw: another range, or two steps.
        let mut wide = Config::random();
        wide.demand = Demand::DrawnStep {
            low: 100,
            from_week: [1, 10],
            high: [900, 900],
        };
        assert_eq!(own_information(&game(&wide)), None);
        let mut twice = game(&Config::random());
        twice.demand[20] += 1;
        assert_eq!(own_information(&twice), None);
    }
}
