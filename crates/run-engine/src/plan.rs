//! What a run is: everything that decides its records.

pub mod agent;
pub mod cast;
pub mod hints;
pub mod instruction;
pub mod list;
pub mod model;
pub mod options;
pub mod routing;
pub mod script;
pub mod setting;
pub mod source;

use crate::error::RunError;
use crate::plan::agent::{AgentSpec, is_served};
use crate::plan::cast::{Cast, SeatPlan, SeatRequest};
use crate::plan::list::InstanceList;
use crate::plan::model::ModelPlan;
pub use crate::plan::options::MAX_EPISODES;
use crate::plan::options::ModelOptions;
use crate::plan::routing::{ROUTED, Routing};
use crate::plan::source::{Cases, InstanceFile, InstanceSource};
use crate::registry::Registry;
pub use crate::shard::Shard;
use crate::terminal::{shell_path, shell_word, shown_name};
use crate::words::counted;
use agent_client::method::MethodSpec;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim_core::{Digest, DynEnvironmentSpec, Effort, Limits, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Episodes of a setting whose instances are drawn, unless said otherwise.
const DRAWN_EPISODES: u64 = 100;

/// A run as asked for on the command line.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// Name of the environment.
    pub environment: String,
    /// Preset; the first of the environment when absent.
    pub preset: Option<String>,
    /// Settings to replace: dotted path and value.
    pub settings: Vec<(String, Value)>,
    /// Published list of instances to play.
    pub suite: Option<String>,
    /// File with one instance to play.
    pub instance: Option<PathBuf>,
    /// Instances to play in place of those of the configuration.
    pub list: Option<InstanceList>,
    /// The methods that a policy chose for the instances of the list.
    pub routing: Option<Routing>,
    /// Who plays every seat that no other agent was given.
    pub agent: String,
    /// Agents with seats of their own, by seat.
    pub seats: BTreeMap<String, SeatRequest>,
    /// Number of episodes; by default each distinct instance once, or 100 where they are drawn.
    pub episodes: Option<u64>,
    /// Seed of the run.
    pub seed: Seed,
    /// Part of the episodes to play; all by default.
    pub shard: Shard,
    /// What an agent may try.
    pub limits: Limits,
    /// How much work the reference may cost.
    pub effort: Effort,
    /// How a model is asked, where one plays.
    pub model: ModelOptions,
}

/// A run with every choice made, as the manifest keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Name of the environment.
    pub environment: String,
    /// Version of its numbers.
    pub version: u32,
    /// Preset, for the reader; `config` decides. For an instance from a file, the name of the file and
    /// the first 16 digits of the instance's digest (`bullwhip@3f9a12cd51e0b764`).
    pub preset: String,
    /// The full configuration; `null` for an instance from a file, which holds everything itself.
    pub config: Value,
    /// Published list of instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<String>,
    /// The one instance to play, where a file gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<Value>,
    /// The instances to play, where they come from outside the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<InstanceList>,
    /// The methods that a policy chose for the instances of the list; the method of `model` is then that of its default
    /// agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing: Option<Routing>,
    /// Who plays every seat that no other agent was given.
    pub agent: String,
    /// How the model is asked, where one plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelPlan>,
    /// Agents with seats of their own, by seat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seats: BTreeMap<String, SeatPlan>,
    /// Number of episodes, over all shards; with streams, of each of them.
    pub episodes: u64,
    /// Times that the episodes are met, each in an order and with a memory of its own; absent where
    /// nothing is learnt from one episode for the next. Episode k of stream s has number
    /// `s * episodes + k` and the instance of number k.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u64>,
    /// Seed of the run.
    pub seed: Seed,
    /// Part of the episodes that this folder holds.
    pub shard: Shard,
    /// What an agent may try.
    pub limits: Limits,
    /// How much work the reference may cost.
    pub effort: Effort,
    /// How much work a policy that plans ahead (`optimal`) may do; absent for `quick`.
    #[serde(default, skip_serializing_if = "is_quick")]
    pub policy_effort: Effort,
}

fn is_quick(effort: &Effort) -> bool {
    *effort == Effort::Quick
}

// Here and not beside the type, because the parts of a plan use the type.
impl<'a> InstanceSource<'a> {
    /// The source of a plan.
    ///
    /// # Errors
    /// When its instance, suite, list or configuration cannot be used.
    pub fn of(kind: &'a dyn DynEnvironmentSpec, plan: &Plan) -> Result<Self, RunError> {
        let Plan { config, seed, .. } = plan;
        let cases = match (&plan.instance, &plan.list, &plan.suite) {
            (Some(instance), ..) => Cases::Listed(vec![kind.load(instance)?]),
            (None, Some(list), _) => Cases::Listed(list.cases(kind)?),
            (None, None, Some(suite)) => Cases::Listed(kind.suite_instances(suite, config)?),
            (None, None, None) => {
                let generator = kind.generator(config)?;
                match kind.distinct_instances(config)? {
                    Some(count) => {
                        // Drawn once for the run, because the same few come again and again.
                        let all = (0..count).map(|index| generator.draw(*seed, index));
                        Cases::Listed(all.collect::<Result<_, _>>()?)
                    }
                    None => Cases::Drawn(generator),
                }
            }
        };
        Ok(Self {
            kind,
            seed: *seed,
            cases,
            again: plan.streams.map(|_| plan.episodes),
        })
    }
}

impl Plan {
    /// Makes every choice that the request leaves open and checks all of it before anything runs.
    ///
    /// # Errors
    /// Names what does not exist or does not fit.
    pub fn new(registry: &Registry, request: RunRequest) -> Result<Self, RunError> {
        let kind = registry.kind(&request.environment)?;
        request.limits.check().map_err(|e| e.within("limits"))?;
        let (mut preset, config, instance) = given(kind, &request)?;
        if let Some(list) = &request.list {
            preset.clone_from(&list.name);
        }
        // Without agents yet, because the seats that they take are those of the instances.
        let mut plan = Self {
            environment: request.environment,
            version: kind.version(),
            preset,
            config,
            suite: request.suite,
            instance,
            list: request.list,
            routing: request.routing,
            agent: String::new(),
            model: None,
            seats: BTreeMap::new(),
            episodes: 0,
            streams: None,
            seed: request.seed,
            shard: request.shard,
            limits: request.limits,
            effort: request.effort,
            // The same work for both: an oracle that plans less than its reference would be
            // measured against a plan it could not find.
            policy_effort: request.effort,
        };
        let source = InstanceSource::of(kind, &plan)
            .map_err(|e| hints::suite_refused(kind, plan.suite.as_deref(), e))?;
        plan.episodes = request
            .episodes
            .unwrap_or_else(|| source.distinct().map_or(DRAWN_EPISODES, |n| n as u64));
        let aside = kind.default_cast();
        let cast = Cast::new(request.agent, &request.model, &request.seats, aside)?;
        let cast = if cast.seats.is_empty() {
            cast
        } else {
            let seats = source.case(plan.shard.index)?.open()?.seats();
            // Before `settled`, which drops seats that say nothing new: a name that does not exist
            // must be refused.
            cast::check_names(
                &format!("{} {}", kind.name(), plan.preset),
                &cast.seats,
                &seats,
                aside,
            )?;
            cast.settled(&seats, aside)
        };
        let Cast {
            agent,
            model,
            seats,
        } = cast;
        let named = request.model.method.streams;
        // A recording holds the calls of as many orders as its run had streams; others were never
        // asked.
        plan.streams = learns(model.as_ref(), plan.routing.as_ref())?.then(|| {
            named
                .or_else(|| model::recorded_streams(&agent))
                .unwrap_or(1)
        });
        (plan.agent, plan.model, plan.seats) = (agent, model, seats);
        plan.check_with(kind, &source, &AgentSpec::parse(&plan.agent)?)?;
        Ok(plan)
    }

    /// Checks the whole plan, whether it comes from a command line or a manifest.
    ///
    /// # Errors
    /// Names what does not exist, does not fit or lies outside its range.
    pub fn check(&self, registry: &Registry) -> Result<(), RunError> {
        self.check_for(registry, &AgentSpec::parse(&self.agent)?)
    }

    /// Like [`check`](Self::check), but accepts a script whose file is gone.
    pub(crate) fn check_for(&self, registry: &Registry, agent: &AgentSpec) -> Result<(), RunError> {
        let kind = registry.kind(&self.environment)?;
        self.check_version(kind)?;
        self.check_ranges()?;
        if self.instance.is_some() {
            let digest = self.config_digest().short();
            // The name stands in every table, so it has to be that of the instance in the plan.
            if !self.preset.ends_with(&format!("@{digest}")) {
                return Err(RunError::usage(format!(
                    "the plan holds the instance {digest}, not `{}`",
                    sim_core::error::clip(&self.preset)
                )));
            }
        } else {
            if self.list.is_none()
                && !kind
                    .preset_list()
                    .iter()
                    .any(|known| known.name == self.preset)
            {
                // It fails; its message names the presets that there are.
                hints::configure(kind, Some(&self.preset), &[])?;
            }
            kind.check_config(&self.config)?;
        }
        let lists = [
            self.suite.is_some(),
            self.instance.is_some(),
            self.list.is_some(),
        ];
        if lists.into_iter().filter(|named| *named).count() > 1 {
            return Err(RunError::usage(
                "the plan names more than one of a suite, an instance and a list; a run can play only one of them",
            ));
        }
        let source = InstanceSource::of(kind, self)
            .map_err(|e| hints::suite_refused(kind, self.suite.as_deref(), e))?;
        self.check_with(kind, &source, agent)
    }

    /// Checks that the plan was made with the version of the environment that this program has.
    pub(crate) fn check_version(&self, kind: &dyn DynEnvironmentSpec) -> Result<(), RunError> {
        let version = kind.version();
        if version == self.version {
            return Ok(());
        }
        Err(RunError::usage(format!(
            "the run was made with version {} of `{}`, this program has version {version}: its \
             numbers differ; see `boardroom rescore`",
            self.version, self.environment
        )))
    }

    /// Checks everything that can be checked without an environment: every number is within its range,
    /// so that loops over episodes and shards end.
    ///
    /// # Errors
    /// Names the number and its range.
    pub fn check_ranges(&self) -> Result<(), RunError> {
        self.limits.check().map_err(|e| e.within("limits"))?;
        self.shard.check()?;
        let total = self.episodes.checked_mul(self.streams.unwrap_or(1));
        if !total.is_some_and(|total| (1..=MAX_EPISODES).contains(&total)) {
            let times = self.streams;
            let times = times.map_or_else(String::new, |n| format!(" times --streams {n}"));
            return Err(RunError::usage(format!(
                "episodes must be at least 1 and at most {MAX_EPISODES}, not `{}`{times}",
                self.episodes
            )));
        }
        if let Some(list) = &self.list
            && self.episodes > list.len()
        {
            return Err(RunError::usage(format!(
                "there are {} instances in the list, fewer than the {} episodes",
                list.len(),
                self.episodes
            )));
        }
        if let Some(routing) = &self.routing {
            let listed = self.list.as_ref().map_or(0, InstanceList::len);
            let unknown = routing
                .chosen
                .iter()
                .find(|name| !routing.methods.contains_key(*name));
            if routing.chosen.len() as u64 != listed || unknown.is_some() {
                return Err(RunError::usage(
                    "the plan does not have one method for each instance of its list",
                ));
            }
        }
        Ok(())
    }

    /// The part of the check that needs the instances and the agent.
    fn check_with(
        &self,
        kind: &dyn DynEnvironmentSpec,
        source: &InstanceSource<'_>,
        agent: &AgentSpec,
    ) -> Result<(), RunError> {
        self.check_ranges()?;
        let first = source.case(self.shard.index)?;
        self.check_seats()?;
        let others = self.seat_specs(kind)?;
        let seats = first.open()?.seats();
        let game = format!("{} {}", self.environment, self.preset);
        cast::check_names(&game, &self.seats, &seats, kind.default_cast())?;
        for seat in seats {
            let agent = others.get(&seat).unwrap_or(agent);
            // Quick, because only the name is checked here: with the effort of the run, an oracle
            // would begin to search.
            let player = agent.player(&*first, &seat, Seed(0), Effort::Quick);
            player.map_err(|e| {
                let is_aside = kind
                    .default_cast()
                    .iter()
                    .any(|(name, _)| *name == seat.name());
                let refusal = match agent {
                    AgentSpec::Policy(name) if is_aside => {
                        hints::not_of_seat(kind, &*first, &seat, name)
                    }
                    _ => hints::agent_refused(kind, agent, e),
                };
                if self.seats.contains_key(seat.name()) {
                    refusal.at(&format!("seat {seat}: "))
                } else {
                    refusal
                }
            })?;
        }
        if let Some(model) = &self.model {
            match &self.routing {
                Some(routing) => routing.default_model(model)?.check(&self.agent)?,
                None => model.check(&self.agent)?,
            }
        }
        let online = learns(self.model.as_ref(), self.routing.as_ref())?;
        if self.models().any(ModelPlan::is_gold) {
            agent::reference_policy(kind)?;
        }
        if self.model.is_some() != matches!(agent, AgentSpec::Model) {
            return Err(RunError::usage(format!(
                "the agent `{}` does not match the plan's settings for asking a model",
                sim_core::error::clip(&self.agent)
            )));
        }
        if self.streams.is_some() != online {
            return Err(RunError::usage(
                "the plan must have streams if its method learns, and must not have streams otherwise",
            ));
        }
        Ok(())
    }

    /// Names of the instances that are played, over all shards, as a search has them: see
    /// [`instance_name`](source::instance_name).
    ///
    /// # Errors
    /// When there is no such environment, or an instance cannot be made.
    pub fn instances(&self, registry: &Registry) -> Result<BTreeSet<String>, RunError> {
        let source = InstanceSource::of(registry.kind(&self.environment)?, self)?;
        let different = source.distinct().map_or(u64::MAX, |count| count as u64);
        let cases = (0..self.episodes.min(different)).map(|index| source.case(index));
        cases
            .map(|case| Ok(source::instance_name(&*case?)))
            .collect()
    }

    /// Number of episodes, over all shards and streams.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.episodes.saturating_mul(self.streams.unwrap_or(1))
    }

    /// Numbers of the episodes of this shard; where there are streams, a shard has whole ones.
    pub fn indices(&self) -> impl Iterator<Item = u64> + use<> {
        let Shard { index, count } = self.shard;
        let in_a_row = self.in_a_row();
        (0..self.total()).filter(move |k| (k / in_a_row) % count == index)
    }

    /// Whether episode `index` belongs to this shard.
    #[must_use]
    pub fn holds(&self, index: u64) -> bool {
        let Shard { index: part, count } = self.shard;
        index < self.total() && (index / self.in_a_row()) % count == part
    }

    /// The stream of episode `index`, where there are streams.
    #[must_use]
    pub fn stream(&self, index: u64) -> Option<u64> {
        self.streams.map(|_| index / self.in_a_row())
    }

    /// Numbers of the episodes of this shard in the order in which a finished run holds their records:
    /// by number; with streams by place in the stream, then by stream.
    #[must_use]
    pub(crate) fn in_order(&self) -> Vec<u64> {
        if self.streams.is_none() {
            return self.indices().collect();
        }
        let mut places = Vec::new();
        for row in self.rows() {
            let met = row.episodes.into_iter().enumerate();
            places.extend(met.map(|(place, index)| (place, row.number, index)));
        }
        places.sort_unstable();
        places.into_iter().map(|(_, _, index)| index).collect()
    }

    /// The rows of the streams of this shard: the episodes of a group that one method meets one after the other.
    pub(crate) fn rows(&self) -> Vec<StreamRow> {
        let streams: BTreeSet<u64> = self.indices().filter_map(|k| self.stream(k)).collect();
        let mut rows = Vec::new();
        for stream in streams {
            let mut of_stream = Vec::new();
            for group in self.groups() {
                let count = usize::try_from(group.end - group.start).unwrap_or(usize::MAX);
                // Each stream meets the episodes in another order, because what a memory learns depends on the order, and
                // several streams average over it.
                let met = self.seed.order(stream, count).into_iter();
                let met = met.map(|k| group.start + k as u64);
                // Each method of a routed run learns from its own episodes only, so these are a row
                // of their own.
                let mut by_method: BTreeMap<Option<&str>, Vec<u64>> = BTreeMap::new();
                for place in met {
                    let routed = self.routing.as_ref();
                    let name = routed.and_then(|routing| {
                        let at = usize::try_from(place).ok()?;
                        routing.chosen.get(at).map(String::as_str)
                    });
                    let index = stream * self.episodes + place;
                    by_method.entry(name).or_default().push(index);
                }
                of_stream.extend(by_method.into_values());
            }
            let width = of_stream.len() as u64;
            // Every stream has the same episodes and so the same number of rows; no number occurs
            // twice.
            let numbered = (stream * width..).zip(of_stream);
            rows.extend(numbered.map(|(number, episodes)| StreamRow {
                number,
                stream,
                episodes,
            }));
        }
        rows
    }

    /// The episodes of a stream by group, numbered within the stream.
    fn groups(&self) -> Vec<Range<u64>> {
        let mut groups: Vec<Range<u64>> = Vec::new();
        for (_, count) in self.list.iter().flat_map(|list| &list.groups) {
            let start = groups.last().map_or(0, |group| group.end);
            let end = start.saturating_add(*count).min(self.episodes);
            if start < end {
                groups.push(start..end);
            }
        }
        if groups.is_empty() {
            groups.push(0..self.episodes);
        }
        groups
    }

    /// The method with which a model plays episode `index`.
    pub(crate) fn method_of(&self, index: u64) -> Option<&MethodSpec> {
        let place = self.streams.map_or(index, |_| index % self.in_a_row());
        let routed = self.routing.as_ref();
        let routed = routed.and_then(|routing| routing.method(place));
        routed.or(self.model.as_ref().map(|model| &model.method))
    }

    /// Episodes that are met one after the other.
    fn in_a_row(&self) -> u64 {
        self.streams.map_or(1, |_| self.episodes.max(1))
    }

    /// Digest of the configuration, for the records; of an instance from a file, its own digest.
    #[must_use]
    pub fn config_digest(&self) -> Digest {
        match &self.instance {
            Some(instance) => digest_of(instance),
            None => digest_of(&self.config),
        }
    }
}

/// Episodes of a stream that are met one after the other, with one memory.
#[derive(Debug, Clone)]
pub(crate) struct StreamRow {
    /// Its number in the run; that of the stream where a stream has one row.
    pub(crate) number: u64,
    /// The stream.
    pub(crate) stream: u64,
    /// The episodes, in the order in which they are met.
    pub(crate) episodes: Vec<u64>,
}

/// Whether a method of the run learns from one episode for the next.
fn learns(model: Option<&ModelPlan>, routing: Option<&Routing>) -> Result<bool, RunError> {
    let Some(model) = model else {
        return Ok(false);
    };
    let routed = routing
        .into_iter()
        .flat_map(|routing| routing.methods.values());
    let mut all = routed
        .map(model::is_online)
        .collect::<Result<Vec<_>, _>>()?;
    if routing.is_none() {
        all.push(model.is_online()?);
    }
    Ok(all.into_iter().any(|online| online))
}

fn digest_of(value: &Value) -> Digest {
    Digest::of_bytes(sim_core::bytes::canonical_text(value).as_bytes())
}

/// What is played: the name of the preset and its configuration, or name and content of an instance from a file.
fn given(
    kind: &dyn DynEnvironmentSpec,
    request: &RunRequest,
) -> Result<(String, Value, Option<Value>), RunError> {
    let Some(path) = &request.instance else {
        let preset = request.preset.clone().or_else(|| {
            let first = kind.preset_list().into_iter().next();
            first.map(|preset| preset.name.to_owned())
        });
        let config = hints::configure(kind, request.preset.as_deref(), &request.settings)?;
        return Ok((preset.unwrap_or_default(), config, None));
    };
    if request.preset.is_some() || !request.settings.is_empty() {
        return Err(RunError::usage(
            "an instance file holds every setting: leave out --preset and --set",
        ));
    }
    let file = InstanceFile::read_for(kind, path)?;
    // As this program writes it: two files that differ in form alone hold one instance.
    let case = kind.load(&file.instance)?;
    let name = path.file_stem().map(|name| name.to_string_lossy());
    let name = sim_core::error::clip(&name.unwrap_or_default());
    let preset = format!("{name}@{}", case.digest().short());
    Ok((preset, Value::Null, Some(case.instance().clone())))
}

impl Plan {
    /// Name of a unit of the run.
    pub const UNIT: &'static str = "episode";

    /// Name of the record file.
    pub const RECORDS: &'static str = "episodes.jsonl";

    /// The plan of all shards together.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self {
            shard: Shard::default(),
            ..self.clone()
        }
    }

    /// Writes the files that the plan needs beside the manifest to the new folder `dir`.
    pub(crate) fn write_files(&self, dir: &Path) -> Result<(), RunError> {
        self.list.as_ref().map_or(Ok(()), |list| list.write(dir))
    }

    /// Takes up the files that lie beside the manifest in `dir`.
    pub fn attach(&mut self, dir: &Path) {
        if let Some(list) = &mut self.list {
            list.attach(dir);
        }
    }

    /// Number of episodes that the finished folder holds.
    #[must_use]
    pub fn planned(&self) -> u64 {
        self.indices().count() as u64
    }

    /// The same, absent where clients or a class play as many games as they like.
    #[must_use]
    pub fn asked(&self) -> Option<u64> {
        (!is_served(&self.agent)).then(|| self.planned())
    }

    /// Name of the model's method, or of the policy that chooses among several; absent where no model plays.
    #[must_use]
    pub fn method(&self) -> Option<String> {
        let model = self.model.as_ref()?;
        Some(match &self.routing {
            Some(_) => ROUTED.to_owned(),
            None => model.method.label(),
        })
    }

    /// The number of episodes in words, as the command states it (`12 episodes`).
    #[must_use]
    pub fn size_in_words(&self) -> String {
        let episodes = counted(self.episodes, Self::UNIT);
        match self.streams {
            Some(streams) if streams > 1 => format!("{episodes} in each of {streams} streams"),
            _ => episodes,
        }
    }

    /// The same run with the numbers of episodes and streams of `other`.
    #[must_use]
    pub fn sized_as(&self, other: &Self) -> Self {
        Self {
            episodes: other.episodes,
            streams: self.streams.map(|own| other.streams.unwrap_or(own)),
            ..self.clone()
        }
    }

    /// Whether `other` has more episodes or more streams than this run, and fewer of neither; the two must be equal
    /// otherwise.
    pub(crate) fn is_shorter_than(&self, other: &Self) -> bool {
        self.episodes <= other.episodes
            && self.streams <= other.streams
            && self.total() < other.total()
    }

    /// Why the records of the run would not be those of the `longer` one; `None` if they would.
    pub(crate) fn why_fixed(&self, longer: &Self) -> Option<String> {
        let is_met_otherwise = self.streams.is_some() && self.episodes != longer.episodes;
        is_met_otherwise.then(|| {
            "its method learns from each episode for the next, so more episodes would change their order; add streams \
             (--streams) instead"
                .to_owned()
        })
    }

    /// The command that plays the missing episodes of the run in `dir`, as the end of a sentence.
    #[must_use]
    pub fn how_to_finish(&self, dir: &Path) -> String {
        let dir = shell_path(dir);
        if let Some(name) = self.agent.strip_prefix("own:") {
            format!(
                "the program with the agent `{}` continues the run with `EpisodeRun::play_in`",
                shown_name(name)
            )
        } else if self.agent == "human" {
            format!(
                "`boardroom play {} --preset {} --seed {} --out {dir}` continues it; add the --set \
                 options of the first call, if it had any",
                shell_word(&self.environment),
                shell_word(&self.preset),
                self.seed.0
            )
        } else {
            format!(
                "`boardroom resume {dir}` plays what is missing of preset {}, seed {}",
                shown_name(&self.preset),
                self.seed.0
            )
        }
    }
}
