//! The built-in policies.
//!
//! Every built-in policy of this environment is a fixed plan: with one decision per
//! episode there is nothing to react to. They differ in what they know. `random`,
//! `template` and `simple` use the template only; `local-search` simulates plans, so it
//! knows the rules of the run, as does `expected`; `optimal` also knows the draws.
//!
//! ```
//! use edt::{Config, Edt, Instance, policies};
//! use sim_core::{Environment, Episode, PolicyContext, Seat, Seed};
//! use std::sync::Arc;
//!
//! let instance = Instance::generate(&Config::default(), Episode::of_run(Seed(0), 0))?;
//! let (seat, seed) = (Seat::AGENT, Seed(1));
//! let mut earned = Vec::new();
//! for spec in policies().iter().filter(|spec| !spec.about.oracle) {
//!     let mut policy = spec.make(PolicyContext::new(&instance, &seat, seed))?;
//!     let mut env = Edt::new(Arc::new(instance.clone()))?;
//!     env.step(&policy.act(&env.observe()))?;
//!     earned.push((spec.about.name, env.score()?.value()));
//! }
//! assert_eq!(earned[2], ("simple", 7_116_500.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::action::{Action, Window};
use crate::engine::{Chance, Engine};
use crate::env::Edt;
use crate::firm::Firm;
use crate::instance::Instance;
use crate::observation::Observation;
use crate::optimum::SearchSettings;
use crate::reference;
use sim_core::{Effort, Policy, PolicyContext, PolicySpec, Seed, Stream};

/// A plan drawn at random: head count and risk level anywhere, each project accepted with
/// probability 3/4, start and deadline anywhere in order.
///
/// Windows begin and end on whole times from the first to the one before the last, so the
/// default rule accepts every plan that is drawn.
#[must_use]
pub fn random_decision(firm: &Firm, stream: &mut Stream) -> Action {
    let consultants = stream.between(0, i64::from(firm.head_count()));
    let risk_level = stream.unit();
    let times = firm.stop.saturating_sub(firm.start).max(1);
    let mut time = || {
        let later = stream.below(times.into());
        f64::from(firm.start) + f64::from(u32::try_from(later).unwrap_or(0))
    };
    // In two passes, because `time` borrows the stream; the order of the draws is part of the plans
    // of a seed.
    let windows: Vec<Window> = firm
        .projects
        .iter()
        .map(|_| {
            let (a, b) = (time(), time());
            Window {
                start: a.min(b),
                deadline: a.max(b),
            }
        })
        .collect();
    let projects = windows
        .into_iter()
        .map(|w| stream.chance(0.75).then_some(w))
        .collect();
    Action {
        consultants,
        risk_level,
        projects,
    }
}

/// Number of plans that local search simulates.
// With so many it finds the optimum of the paper's template with 19 of 20 seeds (`docs/edt.md`).
const CLIMB_PLANS: u32 = 3_000;

/// Draws on which local search judges a plan where the firm's own are unknown.
const CLIMB_DRAWS: u64 = 4;

/// A plan by local search from the Simple plan, with the simulator as a model. Where chance plays
/// a part it evaluates plans on draws of its own, never on those of the firm.
///
/// It simulates 3,000 plans, each on four draws where chance plays a part, and keeps
/// changes that do not lower the mean.
#[must_use]
pub fn local_search(instance: &Instance, seed: Seed) -> Action {
    climb(instance, seed, CLIMB_PLANS, CLIMB_DRAWS)
}

/// Local search over `plans` plans. If events are drawn, each plan is tried on `draws` imagined
/// draws.
fn climb(instance: &Instance, seed: Seed, plans: u32, draws: u64) -> Action {
    let firm = &instance.firm;
    let random = instance.risk_mode.is_random();
    let draws: Vec<Chance> = (0..if random { draws } else { 1 })
        // Draws of its own: with those of the firm, local search would be an oracle.
        .map(|k| Chance {
            seed: seed.child("imagined draws", k),
            ..instance.chance(0.0)
        })
        .collect();
    let mut engine = Engine::new(firm);
    let value = |plan: &Action| {
        draws
            .iter()
            .map(|chance| engine.run(plan, chance).accumulated_earnings)
            .sum::<f64>()
    };
    let search = SearchSettings {
        moves: plans,
        seed,
        ..SearchSettings::default()
    };
    search
        .climb(firm, Action::simple(firm), random, value)
        .decision
}

/// The best plan known for the mean over all draws: it knows the rules and the probabilities, not
/// the draws.
///
/// For the paper's template the plan is stored. For other firms a local search on imagined draws
/// finds it: 8 draws and 5,000 plans, or 32 draws and 20,000 plans with [`Effort::Search`]; firms
/// with more than ten projects get fewer plans. If nothing is drawn, it is the plan of `optimal`.
#[must_use]
pub fn expected_plan(instance: &Instance, effort: Effort) -> Action {
    if !instance.risk_mode.is_random() {
        return reference::best_known(instance, effort);
    }
    if let Some(plan) = reference::stored_expected(instance) {
        return plan;
    }
    let (plans, draws) = match effort {
        Effort::Quick => (5_000_u32, 8),
        Effort::Search => (20_000, 32),
    };
    // The time to simulate a plan is proportional to the number of projects.
    let projects = u32::try_from(instance.firm.projects.len()).unwrap_or(u32::MAX);
    let plans = (10 * plans / projects.max(10)).max(500);
    climb(instance, Seed(0), plans, draws)
}

/// A policy with a fixed plan.
struct Fixed(Action);

impl Policy<Edt> for Fixed {
    fn act(&mut self, _: &Observation) -> Action {
        self.0.clone()
    }
}

/// A policy that searches for its plan when it is asked for it: a run makes each policy once to check
/// its settings, and that should take no time.
struct Searched {
    instance: Instance,
    seed: Seed,
    effort: Effort,
    search: fn(&Instance, Seed, Effort) -> Action,
    plan: Option<Action>,
}

impl Searched {
    fn new(
        making: &PolicyContext<'_, Instance>,
        search: fn(&Instance, Seed, Effort) -> Action,
    ) -> Self {
        Self {
            instance: making.instance.clone(),
            seed: making.seed,
            effort: making.effort,
            search,
            plan: None,
        }
    }
}

impl Policy<Edt> for Searched {
    fn act(&mut self, _: &Observation) -> Action {
        let plan = self
            .plan
            .get_or_insert_with(|| (self.search)(&self.instance, self.seed, self.effort));
        plan.clone()
    }
}

type BuiltIn = PolicySpec<Edt, Instance>;

/// All built-in policies, worst first; `boardroom describe edt` prints them.
#[must_use]
pub fn policies() -> Vec<PolicySpec<Edt, Instance>> {
    vec![
        BuiltIn::new("random", "a plan drawn at random", |making: PolicyContext<'_, Instance>| {
            let mut stream = making.seed.stream("plan", 0);
            Ok(Fixed(random_decision(&making.instance.firm, &mut stream)))
        })
        .random(),
        BuiltIn::new(
            "template",
            "the template as it stands: everybody stays, every project in its own window",
            |making: PolicyContext<'_, Instance>| Ok(Fixed(Action::template(&making.instance.firm))),
        ),
        BuiltIn::new(
            "simple",
            "the paper's plan: every project over the whole run, no risk, just enough consultants",
            |making: PolicyContext<'_, Instance>| Ok(Fixed(Action::simple(&making.instance.firm))),
        ),
        BuiltIn::new(
            "local-search",
            "improves the simple plan by a search over 3,000 simulated plans; it knows all rules of the run",
            |making: PolicyContext<'_, Instance>| {
                Ok(Searched::new(&making, |instance, seed, _| {
                    local_search(instance, seed)
                }))
            },
        )
        .oracle()
        .random(),
        BuiltIn::new(
            "expected",
            "the plan with the best known mean over all draws; it knows all rules of the run, but not the \
             draws",
            |making: PolicyContext<'_, Instance>| {
                Ok(Searched::new(&making, |instance, _, effort| expected_plan(instance, effort)))
            },
        )
        .oracle(),
        BuiltIn::new(
            "optimal",
            "the best plan of a long search that knows the draws in advance; with `--reference search`, \
             the plan of the reference",
            |making: PolicyContext<'_, Instance>| {
                Ok(Searched::new(&making, |instance, _, effort| {
                    reference::best_known(instance, effort)
                }))
            },
        )
        .oracle(),
    ]
}
