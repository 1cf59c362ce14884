//! Environment specs, instances and policies behind trait objects, with JSON in place of types.
//! The runner's registry holds these.

use crate::batch::BatchEnvironment;
use crate::bytes::Digest;
use crate::environment::{Environment as _, Seat};
use crate::error::{ConfigError, read};
use crate::limits::Limits;
use crate::notes::WithNotes;
use crate::plot::Plot;
use crate::policy::{Policy, PolicyAbout, PolicyContext, PolicySpec};
use crate::record::EpisodeRecord;
use crate::rollout::{self, Player, Rollout};
use crate::score::{Effort, Reference, Sense};
use crate::seed::Seed;
use crate::spec::{EnvironmentAbout, EnvironmentSpec, Episode, make_named};
use crate::tool::ToolEnvironment;
use crate::tool_adapter::ToolAdapter;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Description of a preset, as `list` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PresetAbout {
    /// Name on the command line.
    pub name: &'static str,
    /// One line of description.
    pub about: &'static str,
    /// Number of different instances when they do not depend on the seed; `None` when they do.
    pub distinct: Option<u64>,
}

/// An [`EnvironmentSpec`] without type parameters: configurations and instances are JSON values.
///
/// Implemented for every [`EnvironmentSpec`]. No method has the name of a method of that trait, so
/// both can be imported.
pub trait DynEnvironmentSpec: Send + Sync {
    /// Its facts ([`EnvironmentSpec::ABOUT`]).
    fn about(&self) -> EnvironmentAbout;
    /// Name on the command line.
    fn name(&self) -> &'static str {
        self.about().name
    }
    /// Version of its numbers.
    fn version(&self) -> u32 {
        self.about().version
    }
    /// Unit of the score.
    fn unit(&self) -> &'static str {
        self.about().unit
    }
    /// Whether larger or smaller scores are better.
    fn sense(&self) -> Sense {
        self.about().sense
    }
    /// Whether one end of the scale is better than the other.
    fn is_ranked(&self) -> bool {
        self.about().is_ranked
    }
    /// Named settings; the first is the default.
    fn preset_list(&self) -> Vec<PresetAbout>;
    /// The configuration of a preset (the first one when `preset` is `None`) with single values
    /// replaced. `settings` holds dotted paths and their new values.
    ///
    /// # Errors
    /// When the preset or a path does not exist, or a value does not fit.
    fn configure(
        &self,
        preset: Option<&str>,
        settings: &[(String, Value)],
    ) -> Result<Value, ConfigError>;
    /// Checks a stored configuration with the rules of [`configure`](Self::configure).
    ///
    /// # Errors
    /// When a value does not fit, or the configuration is not written as `configure` writes it.
    fn check_config(&self, config: &Value) -> Result<(), ConfigError>;
    /// Number of different instances of a configuration when they do not depend on the seed; `None`
    /// when they do.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    fn distinct_instances(&self, config: &Value) -> Result<Option<u64>, ConfigError>;
    /// JSON Schema of the configuration, with descriptions and defaults.
    fn config_schema(&self) -> Value;
    /// The built-in policies.
    fn policy_list(&self) -> Vec<PolicyAbout>;
    /// The agents of the seats that are not under test ([`EnvironmentSpec::cast`]).
    fn default_cast(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Figures over finished episodes ([`EnvironmentSpec::figures`]).
    fn figures_of(&self, played: &[Box<dyn ToolEnvironment>]) -> Option<Vec<Value>> {
        let _ = played;
        None
    }

    /// Names of published lists of instances.
    fn suite_names(&self) -> Vec<&'static str>;
    /// The instances of a published list.
    ///
    /// # Errors
    /// When there is no such list or it has nothing for this configuration.
    fn suite_instances(
        &self,
        name: &str,
        config: &Value,
    ) -> Result<Vec<Arc<dyn DynInstance>>, ConfigError>;
    /// The generator of the instances of `config`, for many episodes: the configuration is read once.
    ///
    /// # Errors
    /// When the configuration cannot be read.
    fn generator(&self, config: &Value) -> Result<Box<dyn DynGenerator>, ConfigError>;
    /// Draws the instance of episode `index` of the run with seed `run`.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    fn draw(
        &self,
        config: &Value,
        run: Seed,
        index: u64,
    ) -> Result<Arc<dyn DynInstance>, ConfigError> {
        self.generator(config)?.draw(run, index)
    }
    /// Reads an instance in the form that [`DynInstance::instance`] writes.
    ///
    /// # Errors
    /// When it is not a valid instance; the error names the path of the value at fault.
    fn load(&self, instance: &Value) -> Result<Arc<dyn DynInstance>, ConfigError>;
    /// A batch of `lanes` lanes; `None` when the environment has no batch form.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    fn new_batch(
        &self,
        config: &Value,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError>;
}

/// Draws the instances of one configuration.
pub trait DynGenerator: Send + Sync {
    /// The instance of episode `index` of the run with seed `run`.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    fn draw(&self, run: Seed, index: u64) -> Result<Arc<dyn DynInstance>, ConfigError>;
}

/// One instance without type parameters. It can be opened any number of times.
pub trait DynInstance: Send + Sync {
    /// The instance as JSON.
    fn instance(&self) -> &Value;
    /// Digest of the instance.
    fn digest(&self) -> Digest;
    /// What distinguishes it in tables ([`EnvironmentSpec::labels`]).
    fn labels(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Its group ([`EnvironmentSpec::group`]).
    fn group(&self) -> Option<String> {
        None
    }

    /// Digest of what two runs must have in common to be compared on it.
    fn compared_by(&self) -> Digest {
        self.digest()
    }

    /// An environment at the start of the episode.
    ///
    /// # Errors
    /// When the instance cannot be used.
    fn open(&self) -> Result<Box<dyn ToolEnvironment>, ConfigError>;
    /// The reference that scores are measured against.
    fn reference(&self, effort: Effort) -> Reference;
    /// The score of the best play known that uses only what its seat observes
    /// ([`EnvironmentSpec::own_information`]).
    fn own_information(&self, effort: Effort) -> Option<f64> {
        let _ = effort;
        None
    }
    /// The pictures of an episode of this instance, the main one first
    /// ([`EnvironmentSpec::plots`]). The inputs of the record are applied again and not compared.
    ///
    /// # Errors
    /// When the record is of another instance, or the instance cannot be used.
    fn plots(&self, record: &EpisodeRecord) -> Result<Vec<Plot>, ConfigError> {
        let _ = record;
        Ok(Vec::new())
    }
    /// The policy `name` (with its argument after a colon, `constant:400`) for one seat, with the
    /// effort of a quick reference.
    ///
    /// # Errors
    /// When there is no such policy or its argument is wrong.
    fn policy(
        &self,
        name: &str,
        seat: &Seat,
        seed: Seed,
    ) -> Result<Box<dyn DynPolicy>, ConfigError> {
        self.policy_with(name, seat, seed, Effort::Quick)
    }
    /// As [`policy`](Self::policy), where an oracle may spend `effort` on its plan.
    ///
    /// # Errors
    /// When there is no such policy or its argument is wrong.
    fn policy_with(
        &self,
        name: &str,
        seat: &Seat,
        seed: Seed,
        effort: Effort,
    ) -> Result<Box<dyn DynPolicy>, ConfigError>;
    /// Plays an episode with the policy `name` in every seat under test, the default cast in the others
    /// ([`EnvironmentSpec::cast`]), and keeps no log; the seed of a seat is `seed(seat)`. `None` (the default) where only a [`Session`](crate::Session) can play as `limits` say.
    ///
    /// # Errors
    /// When there is no such policy, its argument is wrong, or the score is not a finite number.
    fn rollout(
        &self,
        name: &str,
        seed: &dyn Fn(&Seat) -> Seed,
        effort: Effort,
        limits: Limits,
    ) -> Result<Option<Rollout>, ConfigError> {
        let _ = (name, seed, effort, limits);
        Ok(None)
    }
}

/// A [`Policy`] without type parameters: actions are JSON values.
pub trait DynPolicy: Send {
    /// The action for the current observation of `env`, as the JSON of the typed action.
    ///
    /// # Errors
    /// When `env` is not of the environment that the policy was made for.
    fn act(&mut self, env: &dyn ToolEnvironment) -> Result<Value, ConfigError>;

    /// Receives the feedback of the last action in `env`.
    fn learn(&mut self, env: &dyn ToolEnvironment);
}

/// Gives a spec the method `boxed`, which makes a [`DynEnvironmentSpec`] of it.
///
/// A macro instead of a trait method, because code of a trait is compiled in every program that calls it:
/// with the macro, the functions behind the trait object are compiled once, with the crate of the simulator.
#[macro_export]
macro_rules! boxed_spec {
    ($spec:ty) => {
        impl $spec {
            /// This environment as a trait object, the form in which a registry of environments stores it.
            ///
            /// The functions behind the trait object are compiled once, with this crate, and not again in
            /// each program that uses one.
            #[must_use]
            pub fn boxed(self) -> ::std::boxed::Box<dyn $crate::DynEnvironmentSpec> {
                ::std::boxed::Box::new(self)
            }
        }
    };
}

impl<S: EnvironmentSpec> DynEnvironmentSpec for S {
    fn about(&self) -> EnvironmentAbout {
        S::ABOUT
    }

    fn preset_list(&self) -> Vec<PresetAbout> {
        EnvironmentSpec::presets(self)
            .into_iter()
            .map(|preset| PresetAbout {
                name: preset.name,
                about: preset.about,
                distinct: EnvironmentSpec::distinct(self, &preset.config),
            })
            .collect()
    }

    fn configure(
        &self,
        preset: Option<&str>,
        settings: &[(String, Value)],
    ) -> Result<Value, ConfigError> {
        let presets = EnvironmentSpec::presets(self);
        let chosen = match preset {
            None => presets.first(),
            Some(name) => presets.iter().find(|p| p.name == name),
        };
        let Some(chosen) = chosen else {
            let names: Vec<&str> = presets.iter().map(|p| p.name).collect();
            return Err(ConfigError::new(
                "preset",
                format!(
                    "`{}` has no preset `{}`; there are {}",
                    S::ABOUT.name,
                    preset.unwrap_or_default(),
                    names.join(", ")
                ),
            ));
        };
        let mut value = to_value(&chosen.config)?;
        for (path, new) in settings {
            if let Some(fields) = value.as_object_mut()
                && !fields.contains_key(path)
                && is_setting(&self.config_schema(), path)
            {
                // A setting that is not written while it has its default.
                fields.insert(path.clone(), Value::Null);
            }
            set_path(&mut value, path, new.clone())?;
        }
        // Read into the type and written again: a setting that was given as `1` becomes `1.0` where
        // the type has a real number. So equal settings have equal texts and digests.
        let config: S::Config = from_value("", &value)?;
        self.check(&config)?;
        to_value(&config)
    }

    fn check_config(&self, config: &Value) -> Result<(), ConfigError> {
        let read: S::Config = from_value("", config)?;
        self.check(&read)?;
        // Reading alone is not enough: an absent setting would take its default, which may be
        // another one in a later version. The text must say all that was played.
        if to_value(&read)? == *config {
            return Ok(());
        }
        Err(ConfigError::new(
            "config",
            "settings are missing, or are not written as this program writes them",
        ))
    }

    fn distinct_instances(&self, config: &Value) -> Result<Option<u64>, ConfigError> {
        Ok(EnvironmentSpec::distinct(self, &from_value("", config)?))
    }

    fn config_schema(&self) -> Value {
        crate::described::plain_schema(schemars::schema_for!(S::Config).to_value())
    }

    fn policy_list(&self) -> Vec<PolicyAbout> {
        EnvironmentSpec::policies(self)
            .into_iter()
            .map(|spec| spec.about)
            .collect()
    }

    fn default_cast(&self) -> &'static [(&'static str, &'static str)] {
        EnvironmentSpec::cast(self)
    }

    fn figures_of(&self, played: &[Box<dyn ToolEnvironment>]) -> Option<Vec<Value>> {
        let played = played.iter().filter_map(|env| {
            let adapter = env.as_any().downcast_ref::<ToolAdapter<S::Env>>();
            adapter.map(ToolAdapter::env)
        });
        EnvironmentSpec::figures(self, &played.collect::<Vec<_>>())
    }

    fn suite_names(&self) -> Vec<&'static str> {
        EnvironmentSpec::suites(self)
    }

    fn suite_instances(
        &self,
        name: &str,
        config: &Value,
    ) -> Result<Vec<Arc<dyn DynInstance>>, ConfigError> {
        let config = from_value("", config)?;
        EnvironmentSpec::suite(self, name, &config)?
            .into_iter()
            .map(|instance| Ok(SpecInstance::of(self, Arc::new(instance))))
            .collect()
    }

    fn generator(&self, config: &Value) -> Result<Box<dyn DynGenerator>, ConfigError> {
        Ok(Box::new(SpecGenerator {
            spec: self.clone(),
            config: from_value("", config)?,
        }))
    }

    fn load(&self, instance: &Value) -> Result<Arc<dyn DynInstance>, ConfigError> {
        let instance: S::Instance = from_value("instance", instance)?;
        let instance = Arc::new(instance);
        // Opened once here, so that a file that cannot be played is refused before the run.
        self.begin(Arc::clone(&instance))
            .map_err(|e| e.within("instance"))?;
        Ok(SpecInstance::of(self, instance))
    }

    fn new_batch(
        &self,
        config: &Value,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        EnvironmentSpec::batch(self, &from_value("", config)?, lanes, seed)
    }
}

fn to_value<T: Serialize>(value: &T) -> Result<Value, ConfigError> {
    serde_json::to_value(value).map_err(|e| ConfigError::new("", e.to_string()))
}

fn from_value<T: DeserializeOwned>(outer: &str, value: &Value) -> Result<T, ConfigError> {
    read(value).map_err(|e| e.within(outer))
}

/// The agent of `seat` in the default cast `cast`, if the seat is not under test.
#[must_use]
pub(crate) fn seated(
    cast: &'static [(&'static str, &'static str)],
    seat: &Seat,
) -> Option<&'static str> {
    let found = cast.iter().find(|(name, _)| *name == seat.name());
    found.map(|(_, agent)| *agent)
}

/// Whether the schema of a configuration has a field `name`.
fn is_setting(schema: &Value, name: &str) -> bool {
    schema
        .get("properties")
        .is_some_and(|fields| fields.get(name).is_some())
}

/// Replaces the value at a dotted path (`cost.holding`, `initial.0`). The path must exist.
fn set_path(value: &mut Value, path: &str, new: Value) -> Result<(), ConfigError> {
    let mut at = value;
    let mut done = String::new();
    for part in path.split('.') {
        // Listed at every step, although only an error shows them: the borrow of the next value
        // does not end when there is none, so the keys could not be read any more.
        let known = match at {
            Value::Object(map) => {
                let mut keys: Vec<&str> = map.keys().map(String::as_str).collect();
                keys.sort_unstable();
                keys.join(", ")
            }
            Value::Array(items) => format!("0..{}", items.len()),
            _ => "none".to_owned(),
        };
        let next = match at {
            Value::Object(map) => map.get_mut(part),
            Value::Array(items) => part.parse::<usize>().ok().and_then(|i| items.get_mut(i)),
            _ => None,
        };
        let Some(next) = next else {
            return Err(ConfigError::new(
                done,
                format!("no key `{part}`; there are {known}"),
            ));
        };
        at = next;
        if !done.is_empty() {
            done.push('.');
        }
        done.push_str(part);
    }
    *at = new;
    Ok(())
}

struct SpecGenerator<S: EnvironmentSpec> {
    spec: S,
    config: S::Config,
}

impl<S: EnvironmentSpec> DynGenerator for SpecGenerator<S> {
    fn draw(&self, run: Seed, index: u64) -> Result<Arc<dyn DynInstance>, ConfigError> {
        let episode = Episode::of_run(run, index);
        let instance = EnvironmentSpec::generate(&self.spec, &self.config, episode)?;
        Ok(SpecInstance::of(&self.spec, Arc::new(instance)))
    }
}

struct SpecInstance<S: EnvironmentSpec> {
    spec: S,
    instance: Arc<S::Instance>,
    /// The instance as JSON and its digest, once they were asked for: for a short game they take longer than
    /// the game, and a run that keeps no records does not need them.
    value: OnceLock<Value>,
    digest: OnceLock<Digest>,
    /// The environment at the start of the episode, once it was opened: a copy costs less than a new one, which
    /// checks the instance.
    env: OnceLock<S::Env>,
    /// The same with its tools, which take about as long to make as a short game; a rollout does not need them.
    start: OnceLock<ToolAdapter<S::Env>>,
    /// The built-in policies, once one was asked for.
    policies: OnceLock<Vec<PolicySpec<S::Env, S::Instance>>>,
}

impl<S: EnvironmentSpec> SpecInstance<S> {
    fn of(spec: &S, instance: Arc<S::Instance>) -> Arc<dyn DynInstance> {
        Arc::new(Self {
            spec: spec.clone(),
            instance,
            value: OnceLock::new(),
            digest: OnceLock::new(),
            env: OnceLock::new(),
            start: OnceLock::new(),
            policies: OnceLock::new(),
        })
    }

    fn start(&self) -> Result<&ToolAdapter<S::Env>, ConfigError> {
        if let Some(start) = self.start.get() {
            return Ok(start);
        }
        let env = self.env()?.clone();
        Ok(self.start.get_or_init(|| ToolAdapter::new(env)))
    }

    fn env(&self) -> Result<&S::Env, ConfigError> {
        if let Some(env) = self.env.get() {
            return Ok(env);
        }
        // `OnceLock` has no stable form of `get_or_init` that may fail. If two threads get here at
        // once, both make the value and one of them is kept; the values are equal.
        let env = self.spec.begin(Arc::clone(&self.instance))?;
        Ok(self.env.get_or_init(|| env))
    }

    /// The policy called `name`, with its argument after a colon, for a seat.
    fn typed_policy(
        &self,
        name: &str,
        seat: &Seat,
        seed: Seed,
        effort: Effort,
    ) -> Result<Box<dyn Policy<S::Env>>, ConfigError> {
        let specs = || EnvironmentSpec::policies(&self.spec);
        let specs = self.policies.get_or_init(specs);
        let context = PolicyContext {
            effort,
            ..PolicyContext::new(&*self.instance, seat, seed)
        };
        make_named(S::ABOUT.name, specs, name, &context)
    }
}

impl<S: EnvironmentSpec> DynInstance for SpecInstance<S> {
    fn instance(&self) -> &Value {
        self.value
            .get_or_init(|| crate::bytes::json(&*self.instance))
    }

    fn digest(&self) -> Digest {
        let text = || crate::bytes::canonical_text(self.instance());
        *self
            .digest
            .get_or_init(|| Digest::of_bytes(text().as_bytes()))
    }

    fn labels(&self) -> Vec<(&'static str, String)> {
        self.spec.labels(&self.instance)
    }

    fn group(&self) -> Option<String> {
        self.spec.group(&self.instance)
    }

    fn compared_by(&self) -> Digest {
        let own = self.spec.compared_by(&self.instance);
        own.unwrap_or_else(|| self.digest())
    }

    fn open(&self) -> Result<Box<dyn ToolEnvironment>, ConfigError> {
        let adapter = self.start()?.clone();
        Ok(match self.spec.notes(&self.instance) {
            Some(limits) => Box::new(WithNotes::new(Box::new(adapter), limits)),
            None => Box::new(adapter),
        })
    }

    fn reference(&self, effort: Effort) -> Reference {
        self.spec.reference(&self.instance, effort)
    }

    fn own_information(&self, effort: Effort) -> Option<f64> {
        self.spec.own_information(&self.instance, effort)
    }

    fn plots(&self, record: &EpisodeRecord) -> Result<Vec<Plot>, ConfigError> {
        if record.header.instance != self.digest() {
            return Err(ConfigError::new(
                "record",
                "its instance is not the one that is to be drawn",
            ));
        }
        let mut env = self.open()?;
        for entry in &record.entries {
            env.apply(&entry.input);
        }
        let adapter = env.as_any().downcast_ref::<ToolAdapter<S::Env>>();
        Ok(adapter.map_or_else(Vec::new, |adapter| self.spec.plots(adapter.env(), record)))
    }

    fn policy_with(
        &self,
        name: &str,
        seat: &Seat,
        seed: Seed,
        effort: Effort,
    ) -> Result<Box<dyn DynPolicy>, ConfigError> {
        let policy = self.typed_policy(name, seat, seed, effort)?;
        Ok(untyped_policy::<S>(policy))
    }

    fn rollout(
        &self,
        name: &str,
        seed: &dyn Fn(&Seat) -> Seed,
        effort: Effort,
        limits: Limits,
    ) -> Result<Option<Rollout>, ConfigError> {
        // Errors are hidden by restarting the period, which is the work of the tool side; here
        // there is the typed side alone.
        if limits.faithful_errors {
            return Ok(None);
        }
        let env = self.env()?.clone();
        let cast = self.spec.cast();
        let player = |seat: Seat| {
            let name = seated(cast, &seat).unwrap_or(name);
            let policy = self.typed_policy(name, &seat, seed(&seat), effort)?;
            Ok(Player::new(seat, policy))
        };
        let players = env.seats().into_iter().map(player);
        let players = players.collect::<Result<_, ConfigError>>()?;
        let rollout = rollout::play(env, players, limits);
        let rollout = rollout.map_err(|e| ConfigError::new("score", e.to_string()))?;
        Ok(Some(rollout))
    }
}

/// `policy`, such as an agent of the caller's own, as a policy without types. It plays environments of
/// the spec `S` only.
#[must_use]
pub fn untyped_policy<S: EnvironmentSpec>(policy: Box<dyn Policy<S::Env>>) -> Box<dyn DynPolicy> {
    Box::new(SpecPolicy::<S> { policy })
}

struct SpecPolicy<S: EnvironmentSpec> {
    policy: Box<dyn Policy<S::Env>>,
}

impl<S: EnvironmentSpec> DynPolicy for SpecPolicy<S> {
    fn act(&mut self, env: &dyn ToolEnvironment) -> Result<Value, ConfigError> {
        let Some(adapter) = env.as_any().downcast_ref::<ToolAdapter<S::Env>>() else {
            return Err(ConfigError::new(
                "agent",
                format!("this policy plays `{}` only", S::ABOUT.name),
            ));
        };
        to_value(&self.policy.act(&adapter.env().observe()))
    }

    fn learn(&mut self, env: &dyn ToolEnvironment) {
        let adapter = env.as_any().downcast_ref::<ToolAdapter<S::Env>>();
        if let Some(feedback) = adapter.and_then(ToolAdapter::last_feedback) {
            self.policy.learn(feedback);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_must_exist() {
        let mut value = json!({"cost": {"holding": 0.5}, "slots": [1, 2]});
        set_path(&mut value, "cost.holding", json!(1)).unwrap();
        set_path(&mut value, "slots.1", json!(7)).unwrap();
        assert_eq!(value, json!({"cost": {"holding": 1}, "slots": [1, 7]}));
        let error = set_path(&mut value, "cost.back", json!(1)).unwrap_err();
        assert_eq!(error.to_string(), "cost: no key `back`; there are holding");
        assert!(set_path(&mut value, "slots.2", json!(1)).is_err());
        assert!(set_path(&mut value, "", json!(1)).is_err());
    }
}
