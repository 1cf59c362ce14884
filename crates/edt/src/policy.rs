//! Built-in ways to decide.

use crate::decision::{Decision, Window};
use crate::environment::Edt;
use crate::firm::Firm;
use crate::instance::Instance;
use crate::observe::Observation;
use crate::optimum::Search;
use crate::reference;
use crate::{Chance, Engine};
use sim_core::{Policy, PolicyContext, PolicySpec, Seed, Stream};

/// A plan drawn at random: head count and risk level anywhere, each project accepted with
/// probability 3/4, start and deadline anywhere in order.
#[must_use]
pub fn random_decision(firm: &Firm, stream: &mut Stream) -> Decision {
    let consultants = stream.between(0, i64::from(firm.head_count()));
    let risk_level = stream.unit();
    let last = u64::from(firm.stop.max(firm.start + 1) - firm.start);
    let mut time =
        || f64::from(firm.start) + f64::from(u32::try_from(stream.below(last)).unwrap_or(0));
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
    Decision {
        consultants,
        risk_level,
        projects,
    }
}

/// Plans that local search simulates.
const CLIMB_PLANS: u32 = 3_000;

/// Draws on which local search judges a plan where the firm's own are unknown.
const CLIMB_DRAWS: u64 = 4;

/// A plan by local search from the Simple plan, with the simulator as a model. Where chance plays
/// a part it judges plans on draws of its own, never on those that await the firm.
#[must_use]
pub fn local_search(instance: &Instance, seed: Seed) -> Decision {
    let firm = &instance.firm;
    let random = instance.risk_mode.is_random();
    let draws: Vec<Chance> = (0..if random { CLIMB_DRAWS } else { 1 })
        .map(|k| Chance {
            seed: seed.child("imagined draws", k),
            ..instance.chance(0.0)
        })
        .collect();
    let mut engine = Engine::new(firm);
    let value = |plan: &Decision| {
        draws
            .iter()
            .map(|chance| engine.run(plan, chance).accumulated_earnings)
            .sum::<f64>()
    };
    let search = Search {
        moves: CLIMB_PLANS,
        seed,
        ..Search::default()
    };
    search
        .climb(firm, Decision::simple(firm), random, value)
        .decision
}

/// A policy that has made up its mind beforehand.
struct Fixed(Decision);

impl Policy<Edt> for Fixed {
    fn act(&mut self, _: &Observation) -> Decision {
        self.0.clone()
    }
}

type Spec = PolicySpec<Edt, Instance>;

/// The built-in players, worst first.
pub(crate) fn specs() -> Vec<Spec> {
    vec![
        Spec::new("random", "a plan drawn at random", |making: PolicyContext<'_, Instance>| {
            let mut stream = making.seed.stream("plan", 0);
            Ok(Fixed(random_decision(&making.instance.firm, &mut stream)))
        })
        .random(),
        Spec::new(
            "template",
            "the template as it stands: everybody stays, every project in its own window",
            |making: PolicyContext<'_, Instance>| Ok(Fixed(Decision::template(&making.instance.firm))),
        ),
        Spec::new(
            "simple",
            "the paper's plan: every project over the whole run, no risk, just enough consultants",
            |making: PolicyContext<'_, Instance>| Ok(Fixed(Decision::simple(&making.instance.firm))),
        ),
        Spec::new(
            "local-search",
            "improves the simple plan for 3,000 simulated plans; knows the rules of the run in full",
            |making: PolicyContext<'_, Instance>| Ok(Fixed(local_search(making.instance, making.seed))),
        )
        .oracle()
        .random(),
        Spec::new(
            "optimal",
            "the best plan of a long search, the draws known in advance",
            |making: PolicyContext<'_, Instance>| Ok(Fixed(reference::best_known(making.instance))),
        )
        .oracle(),
    ]
}
