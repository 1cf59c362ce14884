//! Plans: all orders of the controlled roles, fixed before the game.

use super::FoundPlan;
use crate::action::nearest_units;
use crate::chain::{Chain, Setup};
use crate::instance::Instance;
use crate::role::{ByRole, Role};
use crate::rule::{OrderingRule, RuleMemory};

/// Orders week by week for each role; empty for a role that is not under control \[units\].
///
/// Roles may have plans of different lengths. A role without entries orders nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OrderPlan {
    /// Downstream first.
    pub orders: ByRole<Vec<u32>>,
}

impl OrderPlan {
    /// The order of a role in a week counted from 0; 0 beyond the plan.
    #[must_use]
    pub fn order(&self, role: Role, week: usize) -> u32 {
        self.orders[role].get(week).copied().unwrap_or(0)
    }
}

/// Plays plans of one game with its dynamics alone, without seats and log.
///
/// Made once for a game and used for many plans: a replay of 25 weeks takes microseconds,
/// which is what makes a search over plans possible.
#[derive(Debug, Clone)]
pub struct Replay {
    setup: Setup,
    demand: Vec<f64>,
    controlled: ByRole<bool>,
    counted: ByRole<bool>,
}

impl Replay {
    /// For plans of `instance`.
    #[must_use]
    pub fn new(instance: &Instance) -> Self {
        Self {
            setup: Setup::new(&instance.board, &instance.cost, &instance.opponents),
            demand: instance.demand.iter().copied().map(f64::from).collect(),
            controlled: instance.play.is_controlled(),
            counted: instance.play.is_counted(),
        }
    }

    /// The game's constants.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The roles under control, downstream first.
    #[must_use]
    pub fn controlled(&self) -> ByRole<bool> {
        self.controlled
    }

    /// The roles whose cost counts, downstream first.
    #[must_use]
    pub fn counted(&self) -> ByRole<bool> {
        self.counted
    }

    /// Demand week by week \[units\].
    #[must_use]
    pub fn demand(&self) -> &[f64] {
        &self.demand
    }

    /// Plays the game with `decide` choosing for each controlled role and week (from 0), after
    /// the week's receipts and shipments; `each_week` sees every closed week.
    ///
    /// `decide` is asked downstream first and sees the chain of the open week; it may use
    /// [`Chain::view`] to look as a rule does. Its orders are not limited to the largest
    /// permitted one.
    pub fn play(
        &self,
        mut decide: impl FnMut(&Chain, Role, usize) -> f64,
        mut each_week: impl FnMut(&Chain),
    ) -> Chain {
        let mut chain = Chain::start(&self.setup);
        for (week, &demand) in self.demand.iter().enumerate() {
            chain.open_week(demand);
            let decided =
                ByRole::from_fn(|role| self.controlled[role].then(|| decide(&chain, role, week)));
            chain.close_week(&self.setup, &decided);
            each_week(&chain);
        }
        chain
    }

    /// The score of a finished chain \[cost\].
    #[must_use]
    pub fn value(&self, chain: &Chain) -> f64 {
        chain.costs().total_of(&self.counted)
    }

    /// The cost of a plan \[cost\].
    ///
    /// ```
    /// use beer_game::reference::{OrderPlan, Replay};
    /// use beer_game::role::Role;
    /// use beer_game::rule::OrderingRule;
    /// use beer_game::{Config, Instance};
    /// use sim_core::{Episode, Seed};
    ///
    /// let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
    /// let replay = Replay::new(&game);
    /// let (plan, cost) = replay.by_rule(OrderingRule::constant(400.0), game.play.largest_order);
    /// assert_eq!(plan.orders[Role::Retailer], [400; 25]);
    /// assert_eq!((replay.cost(&plan), cost), (9_200.0, 9_200.0));
    /// // Nothing is ever ordered: the backlog grows to the end.
    /// assert!(replay.cost(&OrderPlan::default()) > cost);
    /// # Ok::<(), sim_core::ConfigError>(())
    /// ```
    #[must_use]
    pub fn cost(&self, plan: &OrderPlan) -> f64 {
        let chain = self.play(|_, role, week| f64::from(plan.order(role, week)), |_| {});
        self.value(&chain)
    }

    /// The plan that results when every controlled seat follows a rule that sees the running week,
    /// and its cost \[cost\].
    ///
    /// The plan has whole orders from 0 to `largest`; halves are rounded up.
    #[must_use]
    pub fn by_rule(&self, rule: OrderingRule, largest: u32) -> (OrderPlan, f64) {
        let mut plan = OrderPlan::default();
        // As in the chain: rules that average or forecast begin with the initial flow.
        let mut memory =
            ByRole::from_fn(|role| RuleMemory::new(self.setup.standing(role).initial_flow));
        let chain = self.play(
            |chain, role, _| {
                let view = chain.view(&self.setup, role);
                let standing = self.setup.standing(role);
                let wanted = rule.order(&view, &standing, &mut memory[role]);
                let units = nearest_units(wanted, largest);
                plan.orders[role].push(units);
                f64::from(units)
            },
            |_| {},
        );
        let cost = self.value(&chain);
        (plan, cost)
    }
}

/// The best of the simple plans: constant orders and order-up-to levels on a grid.
pub(super) fn simple(instance: &Instance) -> FoundPlan {
    /// Grid points per week of initial flow.
    const PER_WEEK: f64 = 8.0;
    let replay = Replay::new(instance);
    let largest = instance.play.largest_order;
    let step = f64::from(instance.board.initial_flow.max(1)) / PER_WEEK;
    // Levels up to 50 weeks of flow: the best ones of the presets (`Config::order_up_to`) lie below 20.
    // Both kinds reach the bound of published games: `docs/beer-game.md` has the table of
    // optima.
    let levels = (0..=400).map(|k| {
        (
            OrderingRule::order_up_to(f64::from(k) * step),
            "an order-up-to level",
        )
    });
    // Constants up to ten times the flow: twice the highest demand of the presets, which is 500 at a flow of 100.
    let constants = (0..=80).map(|k| {
        (
            OrderingRule::constant(f64::from(k) * step),
            "a constant order",
        )
    });
    // Constants first: at equal cost the simpler plan is named.
    let mut best = FoundPlan {
        plan: OrderPlan::default(),
        cost: f64::INFINITY,
        method: "",
    };
    for (rule, method) in constants.chain(levels) {
        let (plan, cost) = replay.by_rule(rule, largest);
        if cost < best.cost {
            best = FoundPlan { plan, cost, method };
        }
    }
    best
}
