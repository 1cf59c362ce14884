//! The family: presets, generator, reference and players under one name.

use crate::batch::CeoBatch;
use crate::environment::CeoDesk;
use crate::instance::Instance;
use crate::policy;
use crate::scenario::AUTHORED_IDS;
use crate::score::Scorer;
use crate::setting::{ALL, CeoConfig, GENERATED, Visibility};
use crate::solve::{BestPlan, best_plan, closed_bound};
use crate::world::World;
use sim_core::{
    BatchEnvironment, ConfigError, Effort, Environment, EnvironmentSpec, Episode, PolicySpec,
    Preset, Reference, Seed, Sense, Status,
};
use std::sync::Arc;

/// The chief executive's desk as the runner knows it.
#[derive(Debug, Clone, Copy, Default)]
pub struct CeoFamily;

impl EnvironmentSpec for CeoFamily {
    const NAME: &'static str = "ceo";
    const VERSION: u32 = 1;
    const SENSE: Sense = Sense::Maximise;
    const ABOUT: &'static str =
        "move capital between business units against four advisors who contradict each other";
    const UNIT: &'static str = "points";

    type Env = CeoDesk;
    type Config = CeoConfig;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<CeoConfig>> {
        CeoConfig::presets()
    }

    fn check(&self, config: &CeoConfig) -> Result<(), ConfigError> {
        config.check()
    }

    fn generate(&self, config: &CeoConfig, episode: Episode) -> Result<Instance, ConfigError> {
        Instance::generate(config, episode)
    }

    fn distinct(&self, config: &CeoConfig) -> Option<u64> {
        match config.scenario.as_str() {
            GENERATED => None,
            _ if config.noise_sigma > 0.0 && config.rounds > 1 => None,
            ALL => Some(AUTHORED_IDS.len() as u64),
            _ => Some(1),
        }
    }

    fn suites(&self) -> Vec<&'static str> {
        vec!["authored"]
    }

    fn suite(&self, name: &str, config: &CeoConfig) -> Result<Vec<Instance>, ConfigError> {
        if name != "authored" {
            return Err(ConfigError::new(
                "suite",
                format!(
                    "`ceo` has no suite `{}`; there is authored (the authors' own scenarios have no \
                     licence and are not part of this project)",
                    sim_core::error::clip(name)
                ),
            ));
        }
        AUTHORED_IDS
            .into_iter()
            .map(|id| {
                let config = CeoConfig {
                    scenario: id.to_owned(),
                    ..config.clone()
                };
                Instance::generate(&config, Episode::of_run(Seed(0), 0))
            })
            .collect()
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<CeoDesk, ConfigError> {
        CeoDesk::new(instance)
    }

    fn reference(&self, instance: &Instance, effort: Effort) -> Reference {
        reference(instance, effort).unwrap_or_else(|_| Reference::none())
    }

    fn policies(&self) -> Vec<PolicySpec<CeoDesk, Instance>> {
        policy::specs()
    }

    fn batch(
        &self,
        config: &CeoConfig,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        if config.visibility == Visibility::Deliberation {
            return Ok(None);
        }
        CeoBatch::new(config, lanes, seed)
            .map(|batch| Some(Box::new(batch) as Box<dyn BatchEnvironment>))
    }
}

/// What scores of an instance are measured against.
///
/// With one decision the solver says it. With several, the value is that of playing each round's
/// best plan: the best known, as a worse round may pay off later; the bound is that of the first
/// round, whose evaluation is given, and 100 for each further one.
fn reference(instance: &Instance, effort: Effort) -> Result<Reference, ConfigError> {
    let scorer = Scorer::new(&instance.scenario, &instance.config.scoring)?;
    let live = instance.config.visibility == Visibility::Deliberation
        && instance.config.scoring.role.preferences == crate::config::PreferenceSource::Live;
    let first = best_plan(&instance.scenario, &scorer, effort);
    let rounds = f64::from(instance.config.rounds);
    if rounds > 1.0 || live {
        let bound = (closed_bound(&scorer) + 100.0 * (rounds - 1.0)) / rounds;
        let (optimum, baseline) = if live {
            (None, None)
        } else {
            let best =
                |world: &World, scorer: &Scorer| best_plan(&world.scenario, scorer, effort).plan;
            let nothing = |_: &World, _: &Scorer| policy::nothing();
            (
                Some(played(instance, best)?),
                Some(played(instance, nothing)?),
            )
        };
        return Ok(Reference {
            optimum,
            bound: Some(bound),
            baseline,
            status: if live {
                Status::Bound
            } else {
                Status::BestKnown
            },
            method: "the best plan of each round".to_owned(),
        });
    }
    Ok(one_round(&scorer, &first))
}

fn one_round(scorer: &Scorer, best: &BestPlan) -> Reference {
    let method = match (best.status, best.boxes) {
        (Status::Proven, 0) => "hill climbing attains the closed bound",
        (Status::Proven, _) => "box search",
        _ => "hill climbing, bound by box search",
    };
    Reference {
        optimum: Some(best.score),
        bound: Some(best.bound),
        baseline: Some(scorer.score(&policy::nothing()).score()),
        status: best.status,
        method: method.to_owned(),
    }
}

/// Score of an episode in which `decide` makes every plan.
fn played(
    instance: &Instance,
    decide: impl Fn(&World, &Scorer) -> crate::plan::Plan,
) -> Result<f64, ConfigError> {
    let mut instance = instance.clone();
    // Advisors need not speak for a plan that does not listen.
    instance.config.visibility = Visibility::Views;
    let mut desk = CeoDesk::new(Arc::new(instance))?;
    while !desk.is_over() {
        let plan = decide(&desk.state().world, desk.scorer());
        desk.step(&crate::action::Action::Plan(plan))
            .map_err(|e| ConfigError::new("instance", e.message))?;
    }
    desk.score()
        .map(|score| score.value())
        .map_err(|e| ConfigError::new("", e.to_string()))
}
