//! The named settings.
//!
//! Most presets are written as their differences from another one, so that reading one
//! shows what the two games do not share. Games recorded from the programs behind the
//! first five are reproduced in `tests/golden`.

use super::{
    Board, Charged, Config, Cost, Demand, Disclosure, Objective, Observe, OrderBasis, OutOfRange,
    Play, Rounding, SupplyLine,
};
use crate::role::{ByRole, Role};
use crate::rule::Lineup;
use crate::rule::{Formula, OrderingRule};
use sim_core::Preset;

impl Default for Config {
    fn default() -> Self {
        Self::paper()
    }
}

impl Default for Board {
    fn default() -> Self {
        Config::paper().board
    }
}

impl Default for Cost {
    fn default() -> Self {
        Config::paper().cost
    }
}

impl Default for Play {
    fn default() -> Self {
        Config::paper().play
    }
}

impl Config {
    /// The preset called `name`; `None` when there is no such preset.
    ///
    /// ```
    /// use beer_game::Config;
    ///
    /// assert_eq!(Config::preset("classic"), Some(Config::classic()));
    /// assert_eq!(Config::preset("Classic"), None);
    /// ```
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Preset::find(Self::presets(), name)
    }

    /// All presets, the default first.
    ///
    /// ```
    /// use beer_game::Config;
    ///
    /// let names: Vec<_> = Config::presets().iter().map(|preset| preset.name).collect();
    /// let expected = ["paper", "paper-exact", "bptk", "bptk-sd", "classic", "random", "stationary"];
    /// assert_eq!(names, expected);
    /// ```
    #[must_use]
    pub fn presets() -> Vec<Preset<Self>> {
        vec![
            Preset::new(
                "paper",
                "the source paper's game: 25 weeks, demand 100 then 400, the retailer decides",
                Self::paper(),
            ),
            Preset::new(
                "paper-exact",
                "the paper's program, with its brewery error and its smoothing formula",
                Self::paper_exact(),
            ),
            Preset::new(
                "bptk",
                "the agent model of the BPTK tutorial: 24 weeks, goods one week on their way",
                Self::bptk(),
            ),
            Preset::new(
                "bptk-sd",
                "the system dynamics model of the BPTK tutorial: costs lag",
                Self::bptk_sd(),
            ),
            Preset::new(
                "classic",
                "the board game of Sterman (1989): 36 weeks, four seats, the team's cost",
                Self::classic(),
            ),
            Preset::new(
                "random",
                "as paper, with week and height of the demand step drawn",
                Self::random(),
            ),
            Preset::new(
                "stationary",
                "as paper, with demand drawn each week and steady suppliers",
                Self::stationary(),
            ),
        ]
    }

    /// The source paper's game as its text describes it, with the event order of its program:
    /// 25 weeks, demand 100 then 400 from week 3, orders 1 week and goods 2 weeks on their way,
    /// the retailer against `typical` and against `smoothing-4` (a moving average) in turn.
    ///
    /// Source: strategic paper, A.5; the authors' public program (github.com/bitpyc/Finbench, commit
    /// 2739367) for what the text leaves open: the step falls into its 0-based week 2, orders
    /// are whole numbers, the retailer decides before the week's events.
    #[must_use]
    pub fn paper() -> Self {
        Self {
            weeks: 25,
            demand: Demand::Step {
                low: 100,
                high: 400,
                from_week: 3,
            },
            opponents: vec![
                Lineup::all(OrderingRule::TYPICAL),
                Lineup::all(OrderingRule::SMOOTHING_4),
            ],
            board: Board {
                order_delay: 1,
                ship_delay: 2,
                production_delay: 2,
                initial_inventory: 400,
                initial_flow: 100,
                target_inventory: 400,
                forced_weeks: 0,
                order_on: OrderBasis::EndOfWeek,
                supply_line: SupplyLine::InTransit,
                rounding: Rounding::Orders,
                brewery_self_order: false,
            },
            cost: Cost {
                holding: 0.5,
                backlog: 1.0,
                minimum: 200.0,
                charged: Charged::EndOfWeek,
            },
            play: Play {
                controlled: vec![Role::Retailer],
                observe: Observe::PreviousWeek,
                objective: Objective::OwnCost,
                largest_order: 5000,
                out_of_range: OutOfRange::Refuse,
                reveal_opponents: false,
                tell_delays: true,
            },
            order_up_to: ByRole::all(1800.0),
            disclosure: Disclosure::Full,
        }
    }

    /// The authors' program as it runs: as [`paper`](Self::paper), but the brewery's own orders
    /// return to it as demand, `smoothing` is the program's formula, the opponents' rule is
    /// shown, and orders out of range are clipped.
    #[must_use]
    pub fn paper_exact() -> Self {
        let paper = Self::paper();
        Self {
            // The program has its own smoothing formula, which is not the moving average of the
            // text.
            opponents: vec![
                Lineup::all(OrderingRule::TYPICAL),
                Lineup::all(OrderingRule(Formula::GradualSmoothing { weeks: 4.0 })),
            ],
            board: Board {
                brewery_self_order: true,
                ..paper.board
            },
            play: Play {
                out_of_range: OutOfRange::Clip,
                reveal_opponents: true,
                ..paper.play
            },
            order_up_to: ByRole::all(1975.0),
            ..paper
        }
    }

    /// The agent-based model of the BPTK tutorial: 24 weeks, the step already in week 2, goods
    /// one week on their way, orders based on the state before the week's receipts, fractions
    /// kept.
    ///
    /// Source: BPTK-Py 3.2.0 and its tutorial models, with integer properties read as doubles.
    #[must_use]
    pub fn bptk() -> Self {
        let paper = Self::paper();
        Self {
            weeks: 24,
            demand: Demand::Step {
                low: 100,
                high: 400,
                from_week: 2,
            },
            board: Board {
                ship_delay: 1,
                order_on: OrderBasis::StartOfWeek,
                supply_line: SupplyLine::OnOrder,
                rounding: Rounding::Exact,
                ..paper.board
            },
            play: Play {
                observe: Observe::CurrentWeek,
                ..paper.play
            },
            order_up_to: ByRole::all(1200.0),
            ..paper
        }
    }

    /// The system dynamics model of the BPTK tutorial: the flows of [`bptk`](Self::bptk) with
    /// costs summed as a stock, which lags.
    #[must_use]
    pub fn bptk_sd() -> Self {
        let bptk = Self::bptk();
        Self {
            opponents: vec![Lineup::all(OrderingRule::TYPICAL)],
            cost: Cost {
                charged: Charged::LaggedStock,
                ..bptk.cost
            },
            ..bptk
        }
    }

    /// The board game: 36 scored weeks, demand 4 then 8 from week 5, orders and goods two weeks
    /// on their way, three weeks of production, all orders fixed at 4 for four weeks, no floor
    /// under the holding cost. All four roles are under control and the team's cost counts; the
    /// rules of absent players are Sterman's with the mean estimates over his subjects.
    ///
    /// Source: Sterman (1989), Modeling managerial behavior, Management Science 35(3); the
    /// timing is the one that reproduces his benchmark costs 46, 50, 54 and 54.
    #[must_use]
    pub fn classic() -> Self {
        Self {
            weeks: 36,
            demand: Demand::Step {
                low: 4,
                high: 8,
                from_week: 5,
            },
            // What his subjects did on average: an absent player is replaced by a typical and not
            // by a good one.
            opponents: vec![Lineup::all(OrderingRule::STERMAN)],
            board: Board {
                order_delay: 2,
                ship_delay: 2,
                production_delay: 3,
                initial_inventory: 12,
                initial_flow: 4,
                target_inventory: 12,
                // As on the board, where the first weeks teach the steps of the game.
                forced_weeks: 4,
                order_on: OrderBasis::EndOfWeek,
                supply_line: SupplyLine::OnOrder,
                rounding: Rounding::Exact,
                brewery_self_order: false,
            },
            cost: Cost {
                minimum: 0.0,
                ..Self::paper().cost
            },
            play: Play {
                controlled: Role::ALL.to_vec(),
                // A player at the table sees the week's slip and goods before writing an order.
                observe: Observe::CurrentWeek,
                objective: Objective::ChainCost,
                ..Self::paper().play
            },
            order_up_to: ByRole::new([32.0, 32.0, 32.0, 24.0]),
            disclosure: Disclosure::Full,
        }
    }

    /// Sterman's benchmark on the classic board: his rule with theta 0, alpha and beta 1 and a
    /// desired stock of 28 units (20 at the brewery). It costs 46/50/54/54, 204 in all.
    ///
    /// ```
    /// use beer_game::chain::{Chain, Setup};
    /// use beer_game::role::ByRole;
    /// use beer_game::{Config, Instance};
    /// use sim_core::{Episode, Seed};
    ///
    /// let lineup = Config::classic_benchmark();
    /// let game = Instance::generate(&Config::classic(), Episode::of_run(Seed(0), 0))?;
    /// let setup = Setup::new(&game.board, &game.cost, &lineup);
    /// let mut chain = Chain::start(&setup);
    /// for demand in &game.demand {
    ///     chain.open_week(f64::from(*demand));
    ///     chain.close_week(&setup, &ByRole::all(None));
    /// }
    /// assert_eq!(chain.costs(), ByRole::new([46.0, 50.0, 54.0, 54.0]));
    /// # Ok::<(), sim_core::ConfigError>(())
    /// ```
    #[must_use]
    pub const fn classic_benchmark() -> Lineup {
        const fn rule(desired: f64) -> OrderingRule {
            OrderingRule(Formula::Sterman {
                theta: 0.0,
                alpha: 1.0,
                beta: 1.0,
                desired: Some(desired),
                reach: 0.0,
            })
        }
        Lineup {
            rules: ByRole::new([rule(28.0), rule(28.0), rule(28.0), rule(20.0)]),
        }
    }

    /// The physics and opponents of [`paper`](Self::paper) with a drawn step: 100 a week, and
    /// from a week uniform in 1 to 10 on a level uniform in 200 to 500.
    #[must_use]
    pub fn random() -> Self {
        Self {
            demand: Demand::DrawnStep {
                low: 100,
                from_week: [1, 10],
                high: [200, 500],
            },
            order_up_to: ByRole::all(1775.0),
            ..Self::paper()
        }
    }

    /// The physics of [`paper`](Self::paper) with demand drawn anew each week, uniform in 50 to
    /// 150, and opponents that order up to what they start with.
    #[must_use]
    pub fn stationary() -> Self {
        Self {
            demand: Demand::Uniform { low: 50, high: 150 },
            opponents: vec![Lineup::all(OrderingRule(Formula::OrderUpTo {
                level: None,
            }))],
            order_up_to: ByRole::all(600.0),
            ..Self::paper()
        }
    }
}
