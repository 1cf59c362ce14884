//! The Enterprise Digital Twin as the runner sees it: name, presets, generator, reference, policies.
//!
//! [`Spec`] is what a program uses when it handles all environments of the workspace
//! through one interface: it lists presets and policies, draws instances, begins games,
//! and gives references and batches. A program that plays only this environment uses
//! [`Instance::generate`] and [`Edt::new`] directly; both ways give the same episodes.

use crate::config::Config;
use crate::env::Edt;
use crate::instance::Instance;
use crate::reference;
use sim_core::{ConfigError, Effort, EnvironmentAbout, EnvironmentSpec, Episode, Seed, Sense};

/// Implements [`EnvironmentSpec`] for the Enterprise Digital Twin.
///
/// A value without content: it holds no cache, and copies are free.
///
/// ```
/// use edt::Spec;
/// use sim_core::{EnvironmentSpec, Episode, Seed};
/// use std::sync::Arc;
///
/// let spec = Spec;
/// let presets: Vec<_> = spec.presets().into_iter().map(|preset| preset.name).collect();
/// assert_eq!(presets, ["paper", "small", "large"]);
/// // The template does not depend on the seed, so there is one instance; drawn firms have no such limit.
/// assert_eq!(spec.distinct(&Default::default()), Some(1));
/// let instance = spec.generate(&Default::default(), Episode::of_run(Seed(0), 0))?;
/// let env = spec.begin(Arc::new(instance))?;
/// assert_eq!(env.firm().projects.len(), 10);
/// # Ok::<(), sim_core::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Spec;

sim_core::boxed_spec!(Spec);

impl EnvironmentSpec for Spec {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "edt",
        version: 2,
        about: "consulting firm: choose staff, risk and projects once, then watch it run",
        unit: "$",
        sense: Sense::Maximise,
        ..EnvironmentAbout::DEFAULT
    };

    type Env = Edt;
    type Config = Config;
    type Instance = Instance;

    sim_core::facade_methods!(presets check generate begin reference plots policies batch);

    /// One for the template under the threshold rule, which draws nothing; `None` for
    /// drawn firms and for the random rules.
    fn distinct(&self, config: &Config) -> Option<u64> {
        config.is_fixed().then_some(1)
    }

    fn suites(&self) -> Vec<&'static str> {
        vec!["paper"]
    }

    /// `paper`: the authors' template, once; their protocol plays it six times in one stream.
    fn suite(&self, name: &str, config: &Config) -> Result<Vec<Instance>, ConfigError> {
        if name != "paper" {
            return Err(self.no_suite(name));
        }
        let fixed = Config {
            template: crate::config::Template::Paper,
            ..config.clone()
        };
        let episode = Episode {
            seed: Seed(0),
            index: 0,
        };
        Ok(vec![Instance::generate(&fixed, episode)?])
    }

    fn own_information(&self, instance: &Instance, effort: Effort) -> Option<f64> {
        reference::own_information(instance, effort)
    }
}
