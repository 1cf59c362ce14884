//! The built-in policies: ordering rules, random orders, and the oracle `optimal`, which plays a plan
//! made with hidden state.
//!
//! [`policies`] is the list by name, [`RulePolicy`] a rule in a seat for programs that
//! build their own. A policy carries its rule's memory from week to week, so one object
//! plays one game:
//!
//! ```
//! use beer_game::{BeerGame, Config, Instance, Spec};
//! use sim_core::{Environment, EnvironmentSpec, Episode, PolicyContext, Seed};
//! use std::sync::Arc;
//!
//! let game = Arc::new(Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?);
//! for name in ["order-up-to", "constant:400", "random"] {
//!     let mut env = BeerGame::new(Arc::clone(&game))?;
//!     let seat = env.turn();
//!     let mut policy = Spec.make_policy(name, PolicyContext::new(&*game, &seat, Seed(1)))?;
//!     while !env.is_over() {
//!         env.step(&policy.act(&env.observe()))?;
//!     }
//!     // 9,200 is the proven least cost of this game.
//!     assert!(env.score()?.value() >= 9_200.0);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | policy | knows | needs |
//! |---|---|---|
//! | rules by name | its own stage | a number after a colon where the list says so |
//! | `order-up-to` | its own stage | nothing: the preset's tuned level; or a level |
//! | `adaptive` | its own stage | nothing |
//! | `prepared` | its own stage; tuned on the preset `random` | nothing |
//! | `random` | nothing | nothing, or the largest order |
//! | `optimal` | future demand and the others' rules | nothing; an oracle, for comparison only |

pub use crate::prepared::PreparedPolicy;

use crate::action::{Action, nearest_units};
use crate::chain::standing;
use crate::config::Observe;
use crate::env::BeerGame;
use crate::instance::Instance;
use crate::observation::Observation;
use crate::reference::{OrderPlan, best_plan};
use crate::role::Role;
use crate::rule::{Formula, OrderingRule, RuleMemory, RuleParams};
use sim_core::{ConfigError, Effort, Policy, PolicyContext, PolicySpec, Seat, Seed};
use std::ops::RangeInclusive;

/// An ordering rule that decides from the observation of its seat, as an agent does.
///
/// In the first week of a game whose seats see the previous week only, there is no incoming order
/// yet: rules read 0, as in the paper's program, and rules that forecast read the initial flow.
/// Fractions are rounded to the nearest unit.
///
/// ```
/// use beer_game::policy::RulePolicy;
/// use beer_game::role::Role;
/// use beer_game::rule::OrderingRule;
/// use beer_game::{Action, Config, Instance, Observation};
/// use sim_core::{Episode, Seed};
///
/// let game = Instance::generate(&Config::paper(), Episode::of_run(Seed(7), 0))?;
/// let mut policy = RulePolicy::new(&game, Role::Retailer, OrderingRule::TYPICAL);
/// let seen = Observation {
///     week: 5,
///     incoming_order: 150.0,
///     inventory: 380.0,
///     backlog: 7.0,
///     largest_order: 5_000,
///     ..Observation::default()
/// };
/// // d + T - I + B with the target T of 400 units
/// assert_eq!(policy.order(&seen), Action::of(150 + 400 - 380 + 7));
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RulePolicy {
    rule: OrderingRule,
    standing: RuleParams,
    memory: RuleMemory,
    sees_running_week: bool,
}

impl RulePolicy {
    /// `rule` in the seat of `role`.
    ///
    /// The rule's own parameters are used as they are; a rule from [`OrderingRule::from_name`] or
    /// from a checked configuration has usable ones. An order that is not a number
    /// becomes 0, as in [`Action::nearest`].
    #[must_use]
    pub fn new(instance: &Instance, role: Role, rule: OrderingRule) -> Self {
        let standing = standing(&instance.board, role);
        Self {
            rule,
            standing,
            memory: RuleMemory::new(standing.initial_flow),
            sees_running_week: instance.play.observe == Observe::CurrentWeek,
        }
    }

    /// The order for an observation. Call it once a week: the memory of the rule moves on.
    pub fn order(&mut self, seen: &Observation) -> Action {
        let mut view = seen.view();
        // A mean of past orders would begin with an order of zero that nobody placed, and would
        // carry it on for weeks.
        let forecasts = matches!(
            self.rule.0,
            Formula::Sterman { .. } | Formula::Typical { window: 2.., .. }
        );
        if seen.week == 1 && !self.sees_running_week && forecasts {
            view.incoming_order = self.standing.initial_flow;
        }
        let wanted = self.rule.order(&view, &self.standing, &mut self.memory);
        Action::nearest(wanted, seen.largest_order)
    }
}

impl Policy<BeerGame> for RulePolicy {
    fn act(&mut self, seen: &Observation) -> Action {
        self.order(seen)
    }
}

/// Orders drawn uniformly from 0 to a largest amount, from one stream per week.
///
/// The draw of a week does not depend on what the policy did before, so a game that is
/// restored in the middle goes on as it would have.
#[derive(Debug, Clone)]
pub struct RandomPolicy {
    largest: u32,
    seed: Seed,
}

impl Policy<BeerGame> for RandomPolicy {
    fn act(&mut self, seen: &Observation) -> Action {
        let mut stream = self.seed.stream("order", u64::from(seen.week));
        Action::of(i64::from(stream.between_u32(0, self.largest)))
    }
}

/// An oracle (knows hidden state): plays a plan made with future demand and the others' rules.
///
/// It looks at the week and its role only. Beyond the plan it orders nothing. The plan is made when the first
/// order is asked for: a run makes each policy once to check its settings, and that should take no time.
#[derive(Debug, Clone)]
pub struct PlanPolicy {
    instance: Instance,
    effort: Effort,
    plan: Option<OrderPlan>,
}

impl Policy<BeerGame> for PlanPolicy {
    fn act(&mut self, seen: &Observation) -> Action {
        let week = seen.week.saturating_sub(1) as usize;
        let plan = self
            .plan
            .get_or_insert_with(|| best_plan(&self.instance, self.effort).plan);
        Action::of(i64::from(plan.order(seen.role, week)))
    }
}

/// The rule that the policy `adaptive` plays: Sterman's formula with parameters tuned on the preset
/// `random`, on games that no test plays. The stock aimed at is in weeks of flow, so that the rule
/// can play at any scale. `docs/beer-game.md` says how the numbers were found.
///
/// ```
/// use beer_game::policy::adaptive;
///
/// // The same rule for beer counted in crates of 24.
/// assert_ne!(adaptive(100.0), adaptive(100.0 / 24.0));
/// assert!(adaptive(100.0).to_string().starts_with("sterman (theta 0.78"));
/// ```
#[must_use]
pub fn adaptive(initial_flow: f64) -> OrderingRule {
    OrderingRule(Formula::Sterman {
        theta: 0.78,
        alpha: 1.89,
        beta: 0.99,
        desired: Some(9.66 * initial_flow),
        reach: 1.03,
    })
}

type BuiltIn = PolicySpec<BeerGame, Instance>;

/// All built-in policies; `boardroom describe beer-game` prints them.
///
/// An argument out of range is refused when the policy is made: times from 1 to 1,000
/// weeks, orders from 0 to the largest one of the game, levels from 0 to 10,000,000
/// units.
#[must_use]
pub fn policies() -> Vec<BuiltIn> {
    vec![
        random(),
        // The first that plays a game alone also plays the empty seats of a class: it orders as people do.
        named(
            "sterman",
            "Sterman's anchoring and adjustment with the mean parameters of his subjects",
        ),
        named(
            "typical",
            "incoming order + stock gap + backlog; ignores what is on order (strategic paper, A.5)",
        ),
        named(
            "smoothing-4",
            "typical on a moving average of four incoming orders (strategic paper, A.5)",
        ),
        parametric(
            "smoothing",
            "closes the gap between target and stock plus goods in transit over <weeks>, the \
             paper's program",
            "<weeks>",
            "4",
            weeks,
        ),
        named(
            "ignore-backorder",
            "typical without the backlog term (BPTK)",
        ),
        named(
            "base-stock",
            "target - (stock + supply line - backlog) + incoming order (paper's program)",
        ),
        named(
            "include-supply-line",
            "stock gap and supply line gap at once, without backlog (BPTK)",
        ),
        parametric(
            "slow-adjustment",
            "stock and supply line gap closed over <weeks>, 8 by default (BPTK)",
            "<weeks>",
            "8",
            weeks,
        ),
        parametric(
            "order-balance",
            "gap of the whole inventory position closed over <weeks>, 8 by default (BPTK)",
            "<weeks>",
            "8",
            weeks,
        ),
        parametric(
            "system-dynamics",
            "the sophisticated decision of BPTK's system dynamics model, over <weeks>, 8 by \
             default",
            "<weeks>",
            "8",
            weeks,
        ),
        order_up_to(),
        PolicySpec::new(
            "adaptive",
            "Sterman's rule with parameters tuned on the preset `random`; its stock follows a forecast",
            |making: PolicyContext<'_, Instance>| {
                // By the flow of this game, since stocks are aimed at in weeks of it.
                let rule = adaptive(f64::from(making.instance.board.initial_flow));
                Ok(RulePolicy::new(
                    making.instance,
                    role_of(making.seat)?,
                    rule,
                ))
            },
        ),
        PolicySpec::new(
            "prepared",
            "a table of orders until it sees demand above the initial flow, then up to a level of the \
             new demand; tuned on the preset `random`",
            |making: PolicyContext<'_, Instance>| {
                role_of(making.seat)?;
                Ok(PreparedPolicy::new(f64::from(
                    making.instance.board.initial_flow,
                )))
            },
        ),
        named("follow-demand", "orders what was asked for"),
        parametric(
            "constant",
            "orders <units> every week",
            "<units>",
            "400",
            orders,
        ),
        optimal(),
    ]
}

fn role_of(seat: &Seat) -> Result<Role, ConfigError> {
    Role::of_seat(seat)
        .ok_or_else(|| ConfigError::new("seat", format!("`{seat}` is not a role of the chain")))
}

/// A rule that is known by its own name.
fn named(name: &'static str, about: &'static str) -> BuiltIn {
    PolicySpec::new(name, about, move |making: PolicyContext<'_, Instance>| {
        by_name(name, &making)
    })
}

fn by_name(name: &str, making: &PolicyContext<'_, Instance>) -> Result<RulePolicy, ConfigError> {
    let rule =
        OrderingRule::from_name(name).map_err(|e| ConfigError::new("agent", e.to_string()))?;
    Ok(RulePolicy::new(
        making.instance,
        role_of(making.seat)?,
        rule,
    ))
}

/// Longest time over which a rule may close a gap (weeks).
const MAX_WEEKS: f64 = 1_000.0;
/// Highest level that a rule may order up to (units).
const MAX_LEVEL: f64 = 10_000_000.0;

fn weeks(_: &Instance) -> RangeInclusive<f64> {
    1.0..=MAX_WEEKS
}

fn orders(instance: &Instance) -> RangeInclusive<f64> {
    0.0..=f64::from(instance.play.largest_order)
}

/// The argument of a policy, which must lie in `range`.
fn number(
    name: &str,
    form: &str,
    making: &PolicyContext<'_, Instance>,
    range: RangeInclusive<f64>,
) -> Result<Option<f64>, ConfigError> {
    let (low, high) = (*range.start(), *range.end());
    let text = sim_core::error::clip(making.argument.unwrap_or_default());
    let wrong = |_| {
        let message = format!("{form} of `{name}` must be in {low} to {high}, not `{text}`");
        ConfigError::new("agent", message)
    };
    let given = making.number().map_err(wrong)?;
    if given.is_some_and(|given| !range.contains(&given)) {
        return Err(wrong(ConfigError::new("agent", "out of range")));
    }
    Ok(given)
}

/// A rule whose name may carry a number.
fn parametric(
    name: &'static str,
    about: &'static str,
    form: &'static str,
    example: &'static str,
    range: fn(&Instance) -> RangeInclusive<f64>,
) -> BuiltIn {
    PolicySpec::new(name, about, move |making: PolicyContext<'_, Instance>| {
        number(name, form, &making, range(making.instance))?;
        match making.argument {
            Some(argument) => by_name(&format!("{name}:{argument}"), &making),
            // Without a value some rules have a usual one and some have none; only the name list
            // knows which.
            None => by_name(name, &making).map_err(|_| {
                let message = format!(
                    "`{name}` needs a value: write it as `{name}:{form}`, such as `{name}:{example}`"
                );
                ConfigError::new("agent", message)
            }),
        }
    })
    .argument(form, example)
}

fn order_up_to() -> BuiltIn {
    PolicySpec::new(
        "order-up-to",
        "raises stock plus on order minus backlog to <level>, by default the preset's own, which \
         was tuned on other seeds",
        |making: PolicyContext<'_, Instance>| {
            let role = role_of(making.seat)?;
            let level = match number("order-up-to", "<level>", &making, 0.0..=MAX_LEVEL)? {
                Some(level) => level,
                None => making.instance.order_up_to[role],
            };
            Ok(RulePolicy::new(
                making.instance,
                role,
                OrderingRule::order_up_to(level),
            ))
        },
    )
    .argument("<level>", "1200")
}

fn random() -> BuiltIn {
    PolicySpec::new(
        "random",
        "whole numbers drawn evenly from 0 to <units>, by default five weeks of initial flow",
        |making: PolicyContext<'_, Instance>| {
            let default = making.instance.board.initial_flow.saturating_mul(5);
            let range = orders(making.instance);
            let largest =
                number("random", "<units>", &making, range)?.unwrap_or(f64::from(default));
            // The default of five weeks of flow may exceed what a seat may order.
            let largest = nearest_units(largest, making.instance.play.largest_order);
            let seed = making.seed;
            Ok(RandomPolicy { largest, seed })
        },
    )
    .argument("<units>", "500")
    .random()
}

fn optimal() -> BuiltIn {
    PolicySpec::new(
        "optimal",
        "the best plan of a search that knows the demand and all ordering rules; the search is \
         short, and long with `--reference search`",
        |making: PolicyContext<'_, Instance>| {
            // Only to refuse a wrong seat now: the plan asks each observation for its role.
            role_of(making.seat)?;
            Ok(PlanPolicy {
                instance: making.instance.clone(),
                effort: making.effort,
                plan: None,
            })
        },
    )
    .oracle()
}
