//! `boardroom evolve`: the search for an instruction, before the test (method `gepa`).

use super::ask::{runtime, unless_stopped};
use super::backends::Models;
use crate::environments::Environments;
use crate::error::RunError;
use crate::interrupt::Finishing;
use crate::plan::instruction::{EvolvedFile, INSTRUCTION, read_instruction};
use crate::plan::model::{ModelPlan, ModelRequest, RunBudget};
use crate::plan::source::InstanceSource;
use crate::ranges;
use crate::run_dir::write_clean;
use agent_client::backend::AgentBackend;
use agent_client::decide::Single;
use agent_client::method::{EvolveSettings, Split, Trial, TrialSource, evolve};
use agent_client::play::retell::retell;
use agent_client::play::{Agent, AgentSet, PlaySettings, play};
use agent_client::request::Slot;
use agent_client::{AgentError, ErrorClass};
use async_trait::async_trait;
use serde_json::Value;
use sim_core::stats::normalise;
use sim_core::{
    Digest, DynEnvironmentSpec, DynInstance, Effort, EpisodeRecord, Header, Limits, Reference,
    Seed, Sense, Session,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What was found, with how.
const EVOLVED: &str = "evolved.json";

/// Most instances of a search: all of them are drawn and held in memory before it begins.
const MOST_INSTANCES: usize = 10_000;

/// Most episodes of a search.
const MOST_CALLS: usize = 10_000_000;

/// The instruction that a search begins with.
const FIRST: &str = "Before each decision, write down what is known in numbers, compare what each \
option would bring, and say which risk could spoil it. Then decide.";

/// A search as asked for on the command line.
#[derive(Debug, Clone)]
pub struct EvolveRequest {
    /// Name of the environment.
    pub environment: String,
    /// Preset; the first of the environment when absent.
    pub preset: Option<String>,
    /// Settings to replace.
    pub settings: Vec<(String, Value)>,
    /// Who plays and proposes.
    pub agent: String,
    /// Seed of the instances and of the search. Instances are drawn apart from those of any run.
    pub seed: Seed,
    /// Instances from which instructions are made.
    pub train: usize,
    /// Instances on which instructions are compared.
    pub validation: usize,
    /// Most episodes.
    pub metric_calls: usize,
    /// Most proposals; as many as the episodes allow when absent.
    pub iterations: Option<usize>,
    /// File with the instruction to begin with.
    pub first: Option<PathBuf>,
    /// What the agent may try.
    pub limits: Limits,
    /// How the model plays.
    pub model: ModelRequest,
}

/// Searches for an instruction and writes it to the folder `out`. A search that was cut off goes on
/// when it is asked for again with the same folder: answered requests are not asked twice.
///
/// # Errors
/// When the request cannot be carried out, a model fails for good, or the budget is spent.
pub fn evolve_instruction(
    registry: &Environments,
    request: &EvolveRequest,
    means: &RunBudget,
    out: &Path,
    stop: &AtomicBool,
) -> Result<EvolvedFile, RunError> {
    let kind = registry.kind(&request.environment)?;
    request.limits.check().map_err(|e| e.within("limits"))?;
    for (name, count) in [
        ("--train", request.train),
        ("--validation", request.validation),
    ] {
        ranges::whole(name, &count, &(1..=MOST_INSTANCES))?;
    }
    ranges::whole("--metric-calls", &request.metric_calls, &(1..=MOST_CALLS))?;
    let config = kind.configure(request.preset.as_deref(), &request.settings)?;
    let Some(model) = ModelPlan::new(&request.agent, &request.model)? else {
        return Err(RunError::usage(format!(
            "`{}` is not a model; name openai:MODEL, anthropic:MODEL or replay:DIR",
            sim_core::error::clip(&request.agent)
        )));
    };
    let first = match &request.first {
        Some(path) => read_instruction(path)?,
        None => FIRST.to_owned(),
    };
    // Before the folder is made: a request that cannot work leaves no files behind.
    let (train, validation) = items(kind, &config, request, &model)?;
    std::fs::create_dir_all(out).map_err(RunError::file(out))?;
    let models = Models::open(&request.agent, &[&model.dialect], means, Some(out))?;
    let agent = models.backend(0)?;
    let trials = EpisodeTrials {
        agent: Arc::clone(&agent),
        play: model.play,
        limits: request.limits,
        sense: kind.sense(),
        unit: kind.unit(),
        train,
        validation,
    };
    let settings = EvolveSettings {
        metric_calls: request.metric_calls,
        iterations: request.iterations,
        seed: request.seed,
        ..EvolveSettings::default()
    };
    let slot = Slot::new("evolve");
    let search = evolve(&trials, &agent, &first, &settings, &slot);
    let finishing = Finishing::begin();
    let found = runtime()?.block_on(unless_stopped(search, stop));
    // From here on a signal ends the process at once again: the result only has to be written.
    drop(finishing);
    let again = format!(
        "the same command goes on with the search in {}",
        out.display()
    );
    let found = match found {
        None => return Err(RunError::Interrupted(again)),
        Some(Ok(found)) => found,
        // What was paid for is in the folder, so the message says that the same command goes on from there.
        Some(Err(e)) if e.class == ErrorClass::Budget => {
            return Err(RunError::Budget(format!("{e}; {again}")));
        }
        Some(Err(e)) if e.class == ErrorClass::Setup => return Err(RunError::usage(e.message)),
        Some(Err(e)) => return Err(RunError::Failed(format!("{e}; {again}"))),
    };
    let file = EvolvedFile {
        environment: request.environment.clone(),
        version: kind.version(),
        preset: request.preset.clone().unwrap_or_default(),
        agent: model.dialect.name(),
        seed: request.seed,
        train: request.train,
        validation: request.validation,
        budget: request.metric_calls,
        found,
    };
    write(out, &file)?;
    Ok(file)
}

fn write(out: &Path, file: &EvolvedFile) -> Result<(), RunError> {
    let text = serde_json::to_string_pretty(file).map_err(|e| RunError::Failed(e.to_string()))?;
    for (name, text) in [
        (INSTRUCTION, file.found.instruction.clone()),
        (EVOLVED, text),
    ] {
        let path = out.join(name);
        write_clean(&path, &(text + "\n"))?;
    }
    Ok(())
}

/// An instance to try instructions on.
struct Item {
    case: Arc<dyn DynInstance>,
    header: Header,
    reference: Reference,
}

/// Training and validation instances, apart from each other and from those of any run: where they
/// are drawn from a seed of their own, else from the list of distinct ones.
fn items(
    kind: &dyn DynEnvironmentSpec,
    config: &Value,
    request: &EvolveRequest,
    model: &ModelPlan,
) -> Result<(Vec<Item>, Vec<Item>), RunError> {
    // A seed of its own: with the seed of a run, the instruction would be tuned on the instances of the test.
    let seed = request.seed.child("evolve", 0);
    let source = InstanceSource::open(kind, config, seed, None, None)?;
    let wanted = request.train + request.validation;
    if let Some(count) = source.distinct().filter(|count| *count < wanted) {
        return Err(RunError::usage(format!(
            "there are {count} different instances, too few for --train {} and --validation {}; \
             take a preset whose instances are drawn",
            request.train, request.validation
        )));
    }
    let config = Digest::of_bytes(sim_core::bytes::canonical_text(config).as_bytes());
    let item = |index: usize| {
        let index = index as u64;
        let case = source.case(index)?;
        let header = Header {
            environment: kind.name().to_owned(),
            version: kind.version(),
            config,
            instance: case.digest(),
            seed,
            episode: index,
            agent: model.dialect.name(),
            settings: None,
            method: Some("evolve".to_owned()),
            feedback: None,
            stream: None,
            trial: 0,
        };
        Ok(Item {
            // Quick, because the reference only brings scores to one scale; a search would take longer than the
            // episodes.
            reference: case.reference(Effort::Quick),
            case,
            header,
        })
    };
    let mut train = (0..wanted)
        .map(item)
        .collect::<Result<Vec<_>, RunError>>()?;
    let validation = train.split_off(request.train);
    Ok((train, validation))
}

/// Episodes in which instructions are tried.
struct EpisodeTrials {
    agent: Arc<dyn AgentBackend>,
    play: PlaySettings,
    limits: Limits,
    sense: Sense,
    unit: &'static str,
    train: Vec<Item>,
    validation: Vec<Item>,
}

impl EpisodeTrials {
    fn of(&self, split: Split) -> &[Item] {
        match split {
            Split::Train => &self.train,
            Split::Validation => &self.validation,
        }
    }

    /// The score on a scale on which instances can be added up and 1 is perfect: between baseline
    /// and reference where both are known, else as a share of the reference, else as it is.
    fn place(&self, value: f64, reference: &Reference) -> f64 {
        // Sums over instances decide which instruction is accepted. In raw units a few large instances would
        // decide alone.
        let placed = normalise(value, reference, self.sense);
        placed
            .normalised
            .or(placed.ratio)
            .unwrap_or(match self.sense {
                Sense::Maximise => value,
                Sense::Minimise => -value,
            })
    }

    /// What is to be said about an episode: its score and what the environment measured.
    fn remarks(&self, record: &EpisodeRecord, reference: &Reference) -> String {
        let better = match self.sense {
            Sense::Maximise => "higher is better",
            Sense::Minimise => "lower is better",
        };
        let value = record.score.value();
        let mut lines = vec![format!("Score: {value} {} ({better}).", self.unit)];
        if let Some(best) = reference.value() {
            lines.push(format!("A score of {best} was possible."));
        }
        let metrics = record.score.metrics().iter();
        lines.extend(metrics.map(|(name, value)| format!("{name}: {value}")));
        lines.join("\n")
    }
}

#[async_trait]
impl TrialSource for EpisodeTrials {
    fn len(&self, split: Split) -> usize {
        self.of(split).len()
    }

    async fn run(
        &self,
        instruction: &str,
        split: Split,
        index: usize,
        slot: &Slot,
    ) -> Result<Trial, AgentError> {
        let item = self
            .of(split)
            .get(index)
            .ok_or_else(|| AgentError::setup(format!("there is no instance {index}")))?;
        // A new environment for each trial: no state may pass from one instruction to the next.
        let env = item.case.open()?;
        let mut session = Session::new(env, item.header.clone(), self.limits);
        let minds = AgentSet::one(Agent {
            deliberator: Arc::new(Single::default()),
            memory: instruction.to_owned(),
            ..Agent::new(Arc::clone(&self.agent))
        });
        play(&mut session, &minds, &self.play, slot, &mut |_| {}).await?;
        let record = session
            .finish()
            .map_err(|e| AgentError::setup(e.to_string()))?;
        Ok(Trial {
            score: self.place(record.score.value(), &item.reference),
            transcript: retell(item.case.open()?, &record.entries, None),
            feedback: self.remarks(&record, &item.reference),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client::method::Evolved;

    #[test]
    fn instructions_are_read_as_text_folder_or_json() {
        let dir = tempfile::tempdir().unwrap();
        let file = EvolvedFile {
            environment: "beer-game".to_owned(),
            version: 1,
            preset: "random".to_owned(),
            agent: "openai:m".to_owned(),
            seed: Seed(1),
            train: 3,
            validation: 3,
            budget: 30,
            found: Evolved {
                instruction: "Order little.".to_owned(),
                mean: 0.5,
                first_mean: 0.25,
                history: Vec::new(),
                metric_calls: 30,
            },
        };
        write(dir.path(), &file).unwrap();
        for name in ["", INSTRUCTION, EVOLVED] {
            let text = read_instruction(&dir.path().join(name)).unwrap();
            assert_eq!(text, "Order little.", "{name}");
        }
        let empty = dir.path().join("empty.txt");
        std::fs::write(&empty, " \n").unwrap();
        let error = read_instruction(&empty).unwrap_err();
        assert!(matches!(error, RunError::Usage(_)), "{error:?}");
        assert!(error.to_string().contains("empty.txt"), "{error}");
    }
}
