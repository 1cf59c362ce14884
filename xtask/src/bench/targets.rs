//! Performance targets.
//!
//! A limit is the time of a kernel that was written by hand for one purpose, on this kind of
//! machine (a 2025 server core), on one thread, with varying inputs. A target is 1.5 to 2.8 times the
//! limit, and 3.5 times for a week of a single Beer Game, whose delays are settings; the difference allows for an interface that checks its
//! input and for the work that the kernel leaves out. Where `exp` and `ln` come from the `libm` crate, so that
//! results agree on every platform, the target says so.

/// One target: a kind of work, and all figures that measure it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Description of the work.
    pub work: &'static str,
    /// The figures; the slowest one counts.
    pub figures: &'static [&'static str],
    /// Time of the best kernel on the reference machine \[ns\].
    pub limit: f64,
    /// Target time on the reference machine \[ns\].
    pub ns: f64,
    /// Why it takes more than 1.5 times the limit, if the reason is known.
    pub reason: Option<&'static str>,
}

const fn target(
    work: &'static str,
    figures: &'static [&'static str],
    limit: f64,
    ns: f64,
) -> Target {
    Target {
        work,
        figures,
        limit,
        ns,
        reason: None,
    }
}

impl Target {
    const fn because(self, reason: &'static str) -> Self {
        Self {
            reason: Some(reason),
            ..self
        }
    }
}

/// The figure for the speed of a machine.
pub(super) const YARDSTICK: &str = "yardstick/multiply";

/// That figure on the machine of the limits \[ns\].
pub(super) const REFERENCE: f64 = 0.73;

/// Why one game takes longer than the kernel of its limit.
const SETTINGS: &str = "the kernel has constants where every week here reads settings: the delays, and on boards other than \
    that of `paper` also rounding, the order of events and the booking of costs. A week also keeps what each role has \
    received, read, shipped, ordered and paid";

/// Why one game with its view takes longer than the kernel of its limit, in instructions.
const WITH_VIEW: &str = "as in the row above. A week of `paper` with its view takes 371 instructions (callgrind), and that \
    of the kernel 188, also with a view: 163 are four orders and their costs, and the others move goods and orders \
    through pipelines whose length is a setting, and make the view";

/// Why work with `exp` and `ln` takes longer than the kernel of its limit.
const LIBM: &str = "`exp` and `ln` come from the `libm` crate, so that results agree on every platform; each takes \
    twice as long as that of the C library, which the kernel calls. An optimum takes ten exponentials together \
    and seven more functions one after the other, each of which needs the result of the one before";

/// All targets.
pub const TARGETS: &[Target] = &[
    // Delays are settings here, and constants in the limit's kernel.
    target(
        "Beer Game, one game, a week",
        &[
            "beer_game/single/dynamics/bptk/typical",
            "beer_game/single/dynamics/bptk/order-up-to",
        ],
        7.1,
        25.0,
    )
    .because(SETTINGS),
    // The target is that of a kernel with fixed delays, although they are settings here.
    target(
        "Beer Game, one game, a week and what a role sees of it",
        &["beer_game/single/dynamics+view/paper/typical"],
        9.5,
        15.0,
    )
    .because(WITH_VIEW),
    target(
        "Beer Game, lanes in lockstep, a week of a lane",
        &[
            "beer_game/lockstep/bptk/typical/1024",
            "beer_game/lockstep/bptk/order-up-to/1024",
            "beer_game/lockstep/bptk/typical/8192",
            "beer_game/lockstep/bptk/order-up-to/8192",
            "beer_game/lockstep/paper/typical/1024",
            "beer_game/lockstep/paper/typical/8192",
        ],
        2.4,
        5.0,
    )
    .because(
        "the kernel of the limit writes four fields row by row; here eight fields are transposed lane by lane (a \
         tenth of the time, compared with the next row), rewards and the ends of games are written as well, and \
         costs are doubles, so that a lane agrees with a single game to the last bit",
    ),
    target(
        "Beer Game, lanes in lockstep with one field after the other, a week of a lane",
        &[
            "beer_game/lockstep-by-field/bptk/typical/1024",
            "beer_game/lockstep-by-field/bptk/order-up-to/1024",
            "beer_game/lockstep-by-field/bptk/typical/8192",
            "beer_game/lockstep-by-field/bptk/order-up-to/8192",
            "beer_game/lockstep-by-field/paper/typical/1024",
            "beer_game/lockstep-by-field/paper/typical/8192",
        ],
        2.4,
        5.0,
    )
    .because(
        "eight fields, the reward and the end of the game are written where the kernel of the limit writes four \
         fields, and costs are doubles (46 % of the profile is all that is not the week itself, and 40 % is the \
         week). The slowest rows are those of 8,192 lanes, which do not fit in the second-level cache; rows of \
         1,024 lanes take a sixth to a third less",
    ),
    target(
        "Beer Game, rules alone, constant orders, a week of a lane",
        &[
            "beer_game/rules/bptk/constant/1024",
            "beer_game/rules/bptk/constant/8192",
        ],
        2.3,
        4.5,
    ),
    target(
        "Beer Game, rules alone, base-stock, a week of a lane",
        &[
            "beer_game/rules/bptk/base-stock/1024",
            "beer_game/rules/bptk/base-stock/8192",
        ],
        2.2,
        4.5,
    )
    .because(
        "of the 75 instructions of a week (callgrind, AVX2), 16 are the formula, which cuts off fractions and \
         reads the state before the week's receipts, and 12 keep costs in doubles and go from block to block; \
         the limit's kernel has 13 in all, in 32 bits",
    ),
    target(
        "Beer Game, rules alone on the paper's board, a week of a lane",
        &[
            "beer_game/rules/paper/constant/1024",
            "beer_game/rules/paper/constant/8192",
            "beer_game/rules/paper/base-stock/1024",
            "beer_game/rules/paper/base-stock/8192",
        ],
        2.1,
        4.5,
    )
    .because(
        "costs are kept in doubles, so that a lane agrees with a single game to the last bit; the \
         limit's kernel counts them in 32 bits",
    ),
    target(
        "EDT, final figures",
        &["edt/paper/totals"],
        3_580.0,
        5_500.0,
    ),
    target("EDT, all series", &["edt/paper/series"], 3_580.0, 9_000.0),
    target(
        "blocking pairs, as bits",
        &["scheduling/blocking/rows"],
        248.0,
        375.0,
    )
    .because(
        "a matching takes 4,229 instructions (callgrind), fewer than the 5,490 of the kernel of the limit",
    ),
    target(
        "blocking pairs, listed",
        &["scheduling/blocking/list"],
        670.0,
        1_000.0,
    ),
    target(
        "blocking pairs, five drawn",
        &["scheduling/blocking/five"],
        395.0,
        750.0,
    )
    .because(
        "a matching takes 7,005 instructions (callgrind), fewer than the 7,310 of the kernel of the limit",
    ),
    target(
        "scheduling, exact denominator",
        &["scheduling/market/expectation"],
        305.0,
        500.0,
    ),
    // With `libm`.
    target(
        "pricing, one market",
        &["pricing/market/demand"],
        91.0,
        190.0,
    ),
    target(
        "pricing, optimum",
        &["pricing/market/optimum"],
        159.0,
        300.0,
    )
    .because(LIBM),
    target(
        "pricing, a market of a batch",
        &["pricing/step/lockstep"],
        36.0,
        100.0,
    )
    .because(
        "the figure is for a whole step, in which thirty numbers of each market are rounded to \
         cents and forty-two fields are written; the limit does not include this work (a third of \
         the time in the profile)",
    ),
    target(
        "procurement, sparse plan",
        &["procurement/plan/sparse"],
        82.0,
        125.0,
    ),
    target(
        "procurement, dense plan",
        &["procurement/plan/dense"],
        244.0,
        365.0,
    ),
    target(
        "procurement, optimum, BASIC, median",
        &["procurement/optimum/basic median"],
        0.09e6,
        0.2e6,
    ),
    target(
        "procurement, optimum, MEDIUM, median",
        &["procurement/optimum/medium median"],
        0.33e6,
        0.7e6,
    ),
    target(
        "procurement, optimum, HARD, median",
        &["procurement/optimum/hard median"],
        1.24e6,
        2.5e6,
    ),
    target(
        "procurement, optimum, HARD, worst",
        &["procurement/optimum/hard worst"],
        9.7e6,
        20.0e6,
    ),
    target("ROUGE, 55 words", &["qa/rouge/55"], 3_110.0, 4_700.0),
    target("ROUGE, 344 words", &["qa/rouge/344"], 19_800.0, 30_000.0),
    target(
        "ROUGE, 2,250 words",
        &["qa/rouge/2250"],
        178_000.0,
        270_000.0,
    ),
    // The texts of this bench are published data, which is not part of the project.
    target(
        "ROUGE, the 329 pairs of the reference vectors",
        &["qa/rouge_golden"],
        5_470.0,
        8_200.0,
    ),
    target("CEO, numbers of a plan", &["ceo/numbers"], 125.0, 200.0),
    target("CEO, a plan with its text", &["ceo/plan"], 1_750.0, 3_000.0),
];

impl Target {
    /// The time of the slowest figure, as a share of the target on a machine that is `slower` times
    /// as slow as the reference; `None` if one of the figures was not measured, because it may be
    /// the slowest.
    #[must_use]
    pub fn ratio(&self, slower: f64, figure: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let slowest = self.figures.iter().try_fold(0.0_f64, |slowest, id| {
            figure(id).map(|value| slowest.max(value))
        });
        slowest.map(|slowest| slowest / (self.ns * slower))
    }
}

/// The target of a figure, if it has one.
#[must_use]
pub fn target_of(id: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.figures.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_has_one_target_above_its_limit() {
        for target in TARGETS {
            assert!(target.limit < target.ns, "{target:?}");
            for id in target.figures {
                let same = TARGETS.iter().filter(|other| other.figures.contains(id));
                assert_eq!(same.count(), 1, "{id}");
            }
        }
        assert_eq!(target_of("no/such"), None);
    }

    #[test]
    fn the_slowest_figure_counts_and_all_must_be_there() {
        let target = target("w", &["a", "b"], 1.0, 2.0);
        assert_eq!(
            target.ratio(1.0, |id| Some(if id == "a" { 1.0 } else { 3.0 })),
            Some(1.5)
        );
        assert_eq!(target.ratio(1.0, |id| (id == "a").then_some(1.0)), None);
    }
}
