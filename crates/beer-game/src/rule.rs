//! Ordering rules: the formulas by which opponents, and baselines in an agent's seat, order.
//!
//! A rule sees a [`RuleInput`] (what one role knows when it orders) and its own [`RuleMemory`], and
//! answers with a quantity. The same code serves an opponent inside the chain and a policy in a
//! seat; only the view differs.
//!
//! Symbols in the formulas: `d` incoming order, `I` inventory, `B` backlog, `O` on order
//! (ordered and not received), `SL` supply line, `T` target inventory, `L` order delay plus
//! shipment delay, `f` forecast. A negative result means 0.
//!
//! ```
//! use beer_game::chain::Setup;
//! use beer_game::config::{Board, Cost};
//! use beer_game::role::Role;
//! use beer_game::rule::{Lineup, RuleMemory, OrderingRule, RuleInput};
//!
//! let rule = OrderingRule::from_name("typical")?;
//! let setup = Setup::new(&Board::default(), &Cost::default(), &Lineup::all(rule));
//! let standing = setup.standing(Role::Retailer);
//! let mut memory = RuleMemory::new(standing.initial_flow);
//! let view = RuleInput {
//!     incoming_order: 150.0,
//!     inventory: 380.0,
//!     backlog: 7.0,
//!     on_order: 300.0,
//!     in_transit: 200.0,
//!     unmet: 0.0,
//! };
//! // d + T - I + B
//! assert_eq!(rule.order(&view, &standing, &mut memory), 150.0 + 400.0 - 380.0 + 7.0);
//!
//! // A moving average over four weeks still holds three weeks of the initial flow of 100.
//! let slow = OrderingRule::SMOOTHING_4.order(&view, &standing, &mut RuleMemory::new(100.0));
//! assert_eq!(slow, (150.0 + 3.0 * 100.0) / 4.0 + 400.0 - 380.0 + 7.0);
//! # Ok::<(), beer_game::rule::BadRuleName>(())
//! ```
//!
//! In configurations a rule is a name or an object with parameters, and a [`Lineup`] is
//! one rule for all roles or one for each:
//!
//! ```
//! use beer_game::role::Role;
//! use beer_game::rule::{Lineup, OrderingRule};
//!
//! let all: Lineup = serde_json::from_str(r#"{"rule": "typical", "alpha": 0.5}"#)?;
//! assert!(all.shared().is_some());
//! let each: Lineup = serde_json::from_str(
//!     r#"{"retailer": "sterman", "wholesaler": "typical",
//!         "distributor": "order-up-to:1200", "brewery": "constant:100"}"#,
//! )?;
//! assert_eq!(each.rule(Role::Brewery), OrderingRule::constant(100.0));
//! # Ok::<(), serde_json::Error>(())
//! ```

use crate::number::Number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::Ranges;

mod lineup;
mod name;

pub use lineup::Lineup;
pub use name::BadRuleName;

/// Longest moving average \[weeks\].
// An array in each stage, as the slots of a pipeline are. At most eight also keeps averages exact in the compact blocks
// of a batch, see `batch::row::LIMIT`.
pub const MAX_WINDOW: u32 = 8;
/// Largest price, level and share.
pub(crate) const MAX_AMOUNT: f64 = 1e6;

/// An ordering rule. In JSON either a name (`"typical"`, `"smoothing-4"`, `"constant:400"`) or an object with its parameters
/// (`{"rule": "typical", "alpha": 0.5, "beta": 0.5}`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(with = "name::RuleText")]
pub struct OrderingRule(pub Formula);

/// The meaning of "supply line" in the rules that use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SupplyLine {
    /// Goods on their way to the role.
    InTransit,
    /// Everything that was ordered and not yet received: slips, the supplier's backlog and goods in
    /// transit.
    OnOrder,
}

/// The formulas, each with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Formula {
    /// `mean(d) + alpha (T - I) + beta B`: anchor on what was ordered, correct inventory and
    /// backlog, ignore goods on order.
    ///
    /// Source: strategic paper, A.5, equations 1 to 3 (`typical` has window 1, `smoothing-4` window 4);
    /// BPTK tutorial. `beta` 0 is the tutorial's `ignore-backorder`.
    Typical {
        /// Share of the inventory gap ordered at once (default 1).
        #[serde(default = "one")]
        #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
        alpha: f64,
        /// Share of the backlog ordered once more (default 1).
        #[serde(default = "one")]
        #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
        beta: f64,
        /// Weeks of the moving average over incoming orders \[weeks, default 1\]; before the first week the initial
        /// flow counts.
        #[serde(default = "one_week")]
        #[schemars(range(min = 1, max = MAX_WINDOW))]
        window: u32,
    },
    /// `trunc(d + (T - (I + SL - B)) / weeks)`. Source: the paper's program, where it is
    /// called `smoothing:k`; it is not a moving average.
    GradualSmoothing {
        /// Weeks over which the gap is closed \[weeks\] (the program's `k`; default 4).
        #[serde(default = "four_weeks")]
        #[schemars(range(min = 1.0, max = f64::MAX))]
        weeks: f64,
    },
    /// `trunc(T - (I + SL - B) + d)`. Source: the paper's program (`base_stock`).
    BaseStock,
    /// `d + T - I + L d - O`. Source: BPTK tutorial.
    IncludeSupplyLine,
    /// `trunc(d + (T - I + L d - O) / weeks)`. Source: BPTK tutorial.
    SlowAdjustment {
        /// Weeks over which the gap is closed \[weeks\] (default 8).
        #[serde(default = "eight_weeks")]
        #[schemars(range(min = 1.0, max = f64::MAX))]
        weeks: f64,
    },
    /// `trunc(d + (L d + T - (I - B + O)) / weeks)`. Source: BPTK tutorial.
    OrderBalance {
        /// Weeks over which the gap is closed \[weeks\] (default 8).
        #[serde(default = "eight_weeks")]
        #[schemars(range(min = 1.0, max = f64::MAX))]
        weeks: f64,
    },
    /// `round(d + (T - I + w (L d - O)) / weeks)` with `w` 1 or 0, halves to even; no backlog
    /// term. Source: BPTK tutorial, system dynamics model, its sophisticated order decision.
    SystemDynamics {
        /// Weeks over which the gap is closed \[weeks\] (default 8).
        #[serde(default = "eight_weeks")]
        #[schemars(range(min = 1.0, max = f64::MAX))]
        weeks: f64,
        /// Whether what is on order counts (default true).
        #[serde(default = "yes")]
        supply_line: bool,
    },
    /// Raises what is in stock and on order, net of backlog and of this week's order, to a fixed
    /// level: `level - (I - B + O)`.
    OrderUpTo {
        /// The level \[units\]; by default what the role starts with (stock plus on order), which
        /// keeps the initial steady state.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
        level: Option<f64>,
    },
    /// `f + alpha (desired + reach f - (I - B) - beta O)` with `f` an exponential smoothing of
    /// incoming orders: the anchoring and adjustment rule.
    ///
    /// Source: Sterman (1989); the defaults are the mean estimates over his subjects. `reach`
    /// is ours: 0 is his rule.
    Sterman {
        /// Weight of the newest order in the forecast (default 0.36).
        #[serde(default = "sterman_theta")]
        #[schemars(range(min = 0.0, max = 1.0))]
        theta: f64,
        /// Share of the gap ordered at once (default 0.26).
        #[serde(default = "sterman_alpha")]
        #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
        alpha: f64,
        /// Share of what is on order that is remembered (default 0.34).
        #[serde(default = "sterman_beta")]
        #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
        beta: f64,
        /// Desired stock including `beta` times the desired supply line \[units\]; by default
        /// 4.25 weeks of the initial flow (17 on the classic board, 425 at a flow of 100).
        #[serde(default)]
        #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
        desired: Option<f64>,
        /// Further desired stock in weeks of the forecast \[weeks\] (default 0).
        #[serde(default)]
        #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
        reach: f64,
    },
    /// `d`: passes on what was ordered.
    FollowDemand,
    /// The same order every week.
    Constant {
        /// The order \[units a week\].
        #[schemars(range(min = 0.0, max = MAX_AMOUNT))]
        units: f64,
    },
}

const fn one() -> f64 {
    1.0
}
const fn one_week() -> u32 {
    1
}
const fn four_weeks() -> f64 {
    4.0
}
const fn eight_weeks() -> f64 {
    8.0
}
const fn yes() -> bool {
    true
}
const fn sterman_theta() -> f64 {
    0.36
}
const fn sterman_alpha() -> f64 {
    0.26
}
const fn sterman_beta() -> f64 {
    0.34
}

/// Weeks of initial flow in Sterman's mean desired stock (17 units at 4 a week).
const STERMAN_DESIRED_WEEKS: f64 = 4.25;

/// The input of a rule: the state of the role's own stage when it orders.
///
/// Depending on the board this is the state after the week's receipts and shipments or the state
/// before them; [`unmet`](Self::unmet) makes the two comparable.
///
/// Amounts are never negative, except that `on_order` can be at the distributor of a
/// brewery that orders from itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleInput<N = f64> {
    /// `d`: the newest incoming order \[units\].
    pub incoming_order: N,
    /// `I`: stock on hand \[units\].
    pub inventory: N,
    /// `B`: orders not yet shipped \[units\].
    pub backlog: N,
    /// `O`: ordered and not received, wherever it is \[units\].
    pub on_order: N,
    /// Goods on their way to the role; at the brewery, beer in production \[units\].
    pub in_transit: N,
    /// The part of `d` that `I` and `B` do not reflect yet: `d` itself where the state is that
    /// of the start of the week, else 0 \[units\].
    pub unmet: N,
}

/// The fixed numbers that formulas refer to.
///
/// [`Setup::standing`](crate::chain::Setup::standing) has those of a board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleParams<N = f64> {
    /// `T`: target inventory \[units\].
    pub target: N,
    /// `L`: order delay plus shipment delay \[weeks\].
    pub lead_time: N,
    /// Units in every slot of every pipeline at the start \[units a week\].
    pub initial_flow: N,
    /// Stock plus on order at the start \[units\].
    pub initial_position: N,
    /// `SL`: which of the two a rule takes for its supply line.
    pub supply_line: SupplyLine,
}

/// The memory of a rule from week to week.
///
/// One for each role and game. Rules without average or forecast leave it alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleMemory {
    /// Forecast of incoming orders \[units a week\].
    forecast: f64,
    /// The last incoming orders \[units\], a ring.
    recent: [f64; MAX_WINDOW as usize],
    /// Orders seen so far.
    seen: u32,
}

impl RuleMemory {
    /// The memory before the first week, as if the initial flow had been ordered in every week before.
    #[must_use]
    pub const fn new(initial_flow: f64) -> Self {
        Self {
            forecast: initial_flow,
            recent: [initial_flow; MAX_WINDOW as usize],
            seen: 0,
        }
    }

    /// Whether no number of it is further from 0 than `most`.
    #[must_use]
    pub fn is_within(&self, most: f64) -> bool {
        let is_within = |x: &f64| x.abs() <= most;
        is_within(&self.forecast) && self.recent.iter().all(is_within)
    }

    /// The demand that `formula` uses when the newest order is `newest` \[units a week\]: a moving
    /// average, a forecast, or the order itself. Call it once a week.
    // Not inlined: most rules do not use it, and its code would slow down their loop.
    #[inline(never)]
    pub(crate) fn estimate(&mut self, formula: &Formula, newest: f64) -> f64 {
        match *formula {
            Formula::Typical { window: 2.., .. } => {
                let window = formula.window();
                if let Some(slot) = self.recent.get_mut((self.seen % window) as usize) {
                    *slot = newest;
                }
                self.seen = self.seen.wrapping_add(1);
                let recent = self.recent.iter().take(window as usize);
                recent.sum::<f64>() / f64::from(window)
            }
            Formula::Sterman { theta, .. } => {
                self.forecast = smoothed(theta, newest, self.forecast);
                self.forecast
            }
            _ => newest,
        }
    }
}

/// One step of exponential smoothing.
#[inline(always)]
pub(crate) fn smoothed<N: Number>(theta: f64, newest: N, before: N) -> N {
    // A weighted mean: `before + theta * (newest - before)` rounds differently and would
    // move recorded scores in the last bit.
    N::of(theta) * newest + N::of(1.0 - theta) * before
}

impl RuleParams {
    /// The same in another number format.
    pub(crate) fn into_format<N: Number>(self) -> RuleParams<N> {
        RuleParams {
            target: N::of(self.target),
            lead_time: N::of(self.lead_time),
            initial_flow: N::of(self.initial_flow),
            initial_position: N::of(self.initial_position),
            supply_line: self.supply_line,
        }
    }
}

impl OrderingRule {
    /// The quantity to order \[units\], at least 0, and whole only where the formula says so.
    /// Call it once a week: the memory moves on.
    ///
    /// The parameters of the formula are used as they are;
    /// [`Config::check`](crate::Config::check) and [`OrderingRule::from_name`] refuse unusable
    /// ones.
    #[must_use]
    #[inline]
    pub fn order(&self, view: &RuleInput, standing: &RuleParams, memory: &mut RuleMemory) -> f64 {
        let estimate = memory.estimate(&self.0, view.incoming_order);
        self.0.order(view, standing, estimate)
    }

    /// Whether the rule looks at the goods in transit on such a board.
    ///
    /// The dynamics sum a pipeline only for rules that do.
    #[must_use]
    pub fn reads_transit(&self, supply_line: SupplyLine) -> bool {
        let line = matches!(
            self.0,
            Formula::GradualSmoothing { .. } | Formula::BaseStock
        );
        line && supply_line == SupplyLine::InTransit
    }
}

/// Treatment of the fraction in a formula's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fraction {
    /// It stays.
    Stays,
    /// It is cut off, as the source does.
    Cut,
    /// It is rounded to the nearest whole number, halves to even, as the source does.
    Rounded,
}

impl Formula {
    /// Treatment of the fraction in the result.
    #[inline(always)]
    pub(crate) const fn fraction(&self) -> Fraction {
        match self {
            Self::GradualSmoothing { .. }
            | Self::BaseStock
            | Self::SlowAdjustment { .. }
            | Self::OrderBalance { .. } => Fraction::Cut,
            Self::SystemDynamics { .. } => Fraction::Rounded,
            _ => Fraction::Stays,
        }
    }

    /// Whether the estimate of demand depends on earlier weeks.
    pub(crate) fn remembers(&self) -> bool {
        self.window() > 1 || matches!(self, Self::Sterman { .. })
    }

    /// Whether the order is whole when all amounts in the view are. Parameters with fractions (`level`, `units`)
    /// are not looked at: a wrong answer costs time and changes no order.
    pub(crate) fn orders_whole(&self) -> bool {
        match *self {
            Self::Typical { alpha, beta, .. } => {
                let plain = |factor: f64| [0.0, 1.0].contains(&factor);
                self.window() == 1 && plain(alpha) && plain(beta)
            }
            Self::Sterman { .. } => false,
            _ => true,
        }
    }

    /// Weeks of the moving average, 1 for formulas without one.
    #[inline]
    pub(crate) fn window(&self) -> u32 {
        match *self {
            Self::Typical { window, .. } => window.clamp(1, MAX_WINDOW),
            _ => 1,
        }
    }

    /// The quantity to order for what is seen and the estimate of demand, see
    /// [`RuleMemory::estimate`].
    #[inline(always)]
    pub(crate) fn order<N: Number>(
        &self,
        view: &RuleInput<N>,
        standing: &RuleParams<N>,
        estimate: N,
    ) -> N {
        // Cut to 0 before rounding: `whole` and `nearest` are exact for amounts from 0 on
        // only.
        let wanted = self.wanted(view, standing, estimate).larger(N::ZERO);
        match self.fraction() {
            Fraction::Stays => wanted,
            Fraction::Cut => wanted.whole(),
            Fraction::Rounded => wanted.nearest(),
        }
    }

    #[inline(always)]
    fn wanted<N: Number>(&self, view: &RuleInput<N>, standing: &RuleParams<N>, estimate: N) -> N {
        let &RuleInput {
            incoming_order: d,
            inventory,
            backlog,
            on_order,
            in_transit,
            unmet,
        } = view;
        let &RuleParams {
            target, lead_time, ..
        } = standing;
        let supply_line = match standing.supply_line {
            SupplyLine::InTransit => in_transit,
            SupplyLine::OnOrder => on_order,
        };
        match *self {
            Self::Typical { alpha, beta, .. } => {
                estimate + N::of(alpha) * (target - inventory) + N::of(beta) * backlog
            }
            Self::GradualSmoothing { weeks } => {
                d + (target - (inventory + supply_line - backlog)) / N::of(weeks)
            }
            // The order of operations is part of the numbers of a version: a simplified
            // term can round differently, and a fraction is cut below.
            Self::BaseStock => target - (inventory + supply_line - backlog) + d,
            Self::IncludeSupplyLine => d + target - inventory + lead_time * d - on_order,
            Self::SlowAdjustment { weeks } => {
                d + (target - inventory + lead_time * d - on_order) / N::of(weeks)
            }
            Self::OrderBalance { weeks } => {
                let position = inventory - backlog + on_order;
                d + (lead_time * d + target - position) / N::of(weeks)
            }
            Self::SystemDynamics { weeks, supply_line } => {
                let line = if supply_line {
                    lead_time * d - on_order
                } else {
                    N::ZERO
                };
                d + (target - inventory + line) / N::of(weeks)
            }
            Self::OrderUpTo { level } => {
                // `unmet` makes the level mean the same whether the state was taken
                // before or after the week's shipments.
                let level = level.map_or(standing.initial_position, N::of);
                level - (inventory - backlog - unmet + on_order)
            }
            Self::Sterman {
                alpha,
                beta,
                desired,
                reach,
                ..
            } => {
                // Sterman's desired stock already contains `beta` times the desired
                // supply line, so the gap subtracts the supply line times `beta` and no
                // second target.
                let usual = N::of(STERMAN_DESIRED_WEEKS) * standing.initial_flow;
                let desired = desired.map_or(usual, N::of) + N::of(reach) * estimate;
                let gap = desired - (inventory - backlog) - N::of(beta) * on_order;
                estimate + N::of(alpha) * gap
            }
            Self::FollowDemand => d,
            Self::Constant { units } => N::of(units),
        }
    }
}

/// Evaluates an expression with a closure in which the kind of a formula is a constant, once for each
/// kind: the compiler then sees arithmetic without branches. The estimate of demand is not part of it.
macro_rules! specialised {
    ($kind:expr, $formula:ident => |$($argument:ident: $type:ty),+| $order:expr, $rule:ident => $body:expr) => {
        specialised! { @match $kind, $formula, ($($argument: $type),+), $order, $rule, $body;
            // The factors 1 are spelt out: multiplying by a variable costs more than the rest.
            Formula::Typical { alpha: 1.0, beta: 1.0, .. } =>
                Formula::Typical { alpha: 1.0, beta: 1.0, window: 1 },
            Formula::Typical { alpha, beta, .. } => Formula::Typical { alpha, beta, window: 1 },
            Formula::GradualSmoothing { weeks } => Formula::GradualSmoothing { weeks },
            Formula::BaseStock => Formula::BaseStock,
            Formula::IncludeSupplyLine => Formula::IncludeSupplyLine,
            Formula::SlowAdjustment { weeks } => Formula::SlowAdjustment { weeks },
            Formula::OrderBalance { weeks } => Formula::OrderBalance { weeks },
            Formula::SystemDynamics { weeks, supply_line } =>
                Formula::SystemDynamics { weeks, supply_line },
            Formula::OrderUpTo { level } => Formula::OrderUpTo { level },
            Formula::Sterman { theta, alpha, beta, desired, reach } =>
                Formula::Sterman { theta, alpha, beta, desired, reach },
            Formula::FollowDemand => Formula::FollowDemand,
            Formula::Constant { units } => Formula::Constant { units },
        }
    };
    (
        @match $kind:expr, $formula:ident, $arguments:tt, $order:expr, $rule:ident, $body:expr;
        $($pattern:pat => $constant:expr),+ $(,)?
    ) => {
        match $kind {
            $($pattern => specialised!(
                @with $formula = $constant, $arguments, $order, $rule, $body
            ),)+
        }
    };
    // Inside the closure, so that the formula is part of the type of the closure and a constant in it.
    (
        @with $formula:ident = $constant:expr, ($($argument:ident: $type:ty),+), $order:expr,
        $rule:ident, $body:expr
    ) => {{
        let $rule = |$($argument: $type),+| {
            let $formula = $constant;
            $order
        };
        $body
    }};
}
pub(crate) use specialised;

#[cfg(test)]
mod tests;
