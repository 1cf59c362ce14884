//! The search for an instruction (method `gepa`): on games, questions and interviews alike.

use super::ask::{CONCURRENCY, runtime, unless_stopped};
use super::backends::Models;
use super::players::Players;
use crate::error::RunError;
use crate::files::names::{EVOLVED, INSTRUCTION};
use crate::files::run_file;
use crate::interrupt::Finishing;
use crate::plan::instruction::{EvolvedFile, read_instruction};
use crate::plan::list::InstanceList;
use crate::plan::model::{ModelPlan, RunBudget};
use crate::plan::options::{from_to, whole};
use crate::plan::source::{InstanceSource, instance_name};
use crate::plan::{Plan, RunRequest};
use crate::registry::Registry;
use crate::run_dir::search::{SearchDir, SearchPlan};
use crate::terminal::shown_path;
use crate::words::direction;
use agent_client::memory::FeedbackMode;
use agent_client::method::{
    EpisodeUnit, EpisodeWork, EvolveSettings, Evolved, ItemTrial, LearningStream, Trial, Trials,
    evolve, instructed,
};
use agent_client::play::retell::{retell, retell_metrics};
use agent_client::request::Slot;
use agent_client::wire::ways::LearntStore;
use agent_client::{AgentError, ErrorClass, in_flight};
use async_trait::async_trait;
use clap::Args;
use serde_json::json;
use sim_core::stats::normalise;
use sim_core::{
    DynEnvironmentSpec, DynInstance, Effort, EpisodeRecord, Header, Limits, Reference, ReplyForm,
    Retold, ScoreRange, Seed, Sense, Session, ToolEnvironment,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Maximum number of items of a search: all of them are held in memory before it begins.
const MOST_ITEMS: usize = 10_000;

/// Maximum number of trials of a search.
const MOST_CALLS: usize = 10_000_000;

/// Default number of training items, and of validation items.
const ITEMS: usize = 6;

/// The instruction that a search on decisions begins with.
const FIRST: &str = "Before each decision, write down what is known in numbers, compare what each \
option would bring, and say which risk could spoil it. Then decide.";

/// The instruction that a search on questions begins with. It says nothing of the form of an answer: each task
/// asks for the form that its scoring reads.
const FIRST_ON_QUESTIONS: &str = "Read the whole question before you answer. Use what it gives, and give the answer in \
exactly the form that you are asked for.";

/// A request for a search, without the items on which instructions are tried.
// The comments of the fields are the help texts of their options.
#[derive(Debug, Clone, Args)]
pub struct SearchRequest {
    /// The model that is tried and that proposes: openai:MODEL, anthropic:MODEL, replay:DIR
    #[arg(long, required = true)]
    pub agent: Option<String>,
    /// Seed of the search and of the draw of its items
    #[arg(long, default_value = "0", value_parser = |text: &str| whole(text).map(Seed))]
    pub seed: Seed,
    /// Items from which instructions are made: instances, cases, or questions of each task [default:
    /// 6, or half of a list of fewer than 12 instances]
    #[arg(long, value_parser = from_to(1, MOST_ITEMS))]
    pub train: Option<usize>,
    /// Other items, on which instructions are compared [default: as many as for training]
    #[arg(long, value_parser = from_to(1, MOST_ITEMS))]
    pub validation: Option<usize>,
    /// Maximum number of trials of the search: episodes, questions or interviews
    #[arg(long, default_value_t = 150, value_parser = from_to(1, MOST_CALLS))]
    pub metric_calls: usize,
    /// Maximum number of proposals [default: as many as the trials allow]
    #[arg(long)]
    pub iterations: Option<usize>,
    /// Instruction to begin with: a text file, or the folder of an earlier search
    #[arg(long, value_name = "FILE")]
    pub first: Option<PathBuf>,
}

impl SearchRequest {
    /// The instruction to begin with: `default` if no file is named.
    fn first(&self, default: &str) -> Result<String, RunError> {
        match &self.first {
            Some(path) => read_instruction(path),
            None => Ok(default.to_owned()),
        }
    }

    /// The numbers of training and of validation items, where there are enough of them.
    #[must_use]
    pub fn sizes(&self) -> (usize, usize) {
        (
            self.train.unwrap_or(ITEMS),
            self.validation.unwrap_or(ITEMS),
        )
    }

    /// The same for a list of `count` instances: by default, each side gets half of a short list.
    /// If the list has one instance, it is on both sides.
    fn sizes_of(&self, count: usize) -> Result<(usize, usize), RunError> {
        let (mut train, mut validation) = self.sizes();
        if self.train.is_none() {
            let rest = self.validation.unwrap_or(count / 2 + count % 2);
            train = train.min(count.saturating_sub(rest).max(1));
        }
        if self.validation.is_none() {
            validation = validation.min(count.saturating_sub(train).max(1));
        }
        let is_alone = (count, train, validation) == (1, 1, 1);
        if is_alone || train.saturating_add(validation) <= count {
            return Ok((train, validation));
        }
        Err(RunError::usage(format!(
            "too few different instances ({count}) for --train {train} and --validation {validation}; \
             take a preset whose instances are drawn"
        )))
    }
}

/// A request for a search on episodes, as on the command line.
#[derive(Debug, Clone)]
pub struct EvolveRequest {
    /// Environment, settings, limits, seats and model, as a run has them; its agent and episodes are those of the search.
    pub run: RunRequest,
    /// The instances for training and for validation, where they come from outside the program.
    pub lists: Option<[InstanceList; 2]>,
    /// Model, seed, sizes and budget.
    pub search: SearchRequest,
}

/// Searches for an instruction and writes it to the folder `out`. Returns it with remarks on the
/// instances. A search that was cut off goes on when it is asked for again with the same folder:
/// answered requests are not asked twice.
///
/// # Errors
/// When the request cannot be carried out, the folder holds something else, a model fails for good, or the
/// budget is spent.
pub fn evolve_instruction(
    registry: &Registry,
    request: &EvolveRequest,
    means: &RunBudget,
    out: &Path,
    stop: &AtomicBool,
) -> Result<(EvolvedFile, Vec<String>), RunError> {
    let kind = registry.kind(&request.run.environment)?;
    if !kind.is_ranked() {
        return Err(RunError::usage(format!(
            "the score of `{}` describes an agent, and neither end of the scale is better: there is no better \
             instruction to search for",
            request.run.environment
        )));
    }
    let wanted = &request.search;
    let agent = wanted.agent.clone().unwrap_or_default();
    // The plan of a run of this agent checks names and settings, and says who plays which seat.
    let plan = Plan::new(
        registry,
        RunRequest {
            // A plan checks one list; the validation items are of the same kind.
            list: request.lists.as_ref().map(|[train, _]| train.clone()),
            agent: agent.clone(),
            episodes: Some(1),
            ..request.run.clone()
        },
    )?;
    let Some(model) = plan.model.clone() else {
        return Err(RunError::usage(format!(
            "`{}` is not a model; name openai:MODEL, anthropic:MODEL or replay:DIR",
            sim_core::error::clip(&agent)
        )));
    };
    // Before the folder is made: a request that cannot work leaves no files behind.
    let Drawn {
        train,
        validation,
        remarks,
    } = Drawn::new(kind, &plan, request, &model)?;
    let is_question = train
        .first()
        .map(|item| item.case.open())
        .transpose()?
        .and_then(|env| env.ask())
        .is_some_and(|ask| ask.form == ReplyForm::Answer);
    let first = wanted.first(if is_question {
        FIRST_ON_QUESTIONS
    } else {
        FIRST
    })?;
    let lists = request.lists.as_ref();
    let search_plan = SearchPlan {
        environment: plan.environment.clone(),
        version: kind.version(),
        preset: match lists {
            Some([train, _]) => train.name.clone(),
            None => request.run.preset.clone().unwrap_or_default(),
        },
        agent,
        dialect: model.dialect.clone(),
        seed: wanted.seed,
        training_items: names(&train),
        validation_items: names(&validation),
        metric_calls: wanted.metric_calls,
        iterations: wanted.iterations,
        first,
        more: json!({
            "config": plan.config,
            "limits": plan.limits,
            "play": model.play,
            "seats": plan.seats,
            "lists": lists.map(|lists| lists.each_ref().map(|list| list.digest)),
        }),
    };
    let settings = EvolveSettings {
        metric_calls: wanted.metric_calls,
        iterations: wanted.iterations,
        seed: wanted.seed,
        concurrency: means.concurrency.unwrap_or(CONCURRENCY),
        ..EvolveSettings::default()
    };
    // Before the folder is made, so that a search which cannot be carried out leaves none.
    let enough = settings.check(train.len(), validation.len());
    enough.map_err(|e| RunError::usage(e.message))?;
    let mut folder = SearchDir::open(out, &search_plan)?;
    let learnt = Some(Arc::new(folder.learnt()) as Arc<dyn LearntStore>);
    let agent = &search_plan.agent;
    // The agent comes first, which is tried and proposes.
    let opened = Models::open_after(
        agent,
        &plan.dialects(),
        means,
        Some(out),
        learnt,
        &|| Ok(()),
    )
    .and_then(|models| Ok((models.backend(0)?, Players::new(kind, &plan, &models)?)));
    let (reflector, players) = folder.settle(opened)?;
    let how = EpisodeTrial {
        players,
        work: EpisodeWork {
            feedback: FeedbackMode::None,
            play: model.play,
            ..EpisodeWork::new(kind.sense())
        },
        limits: plan.limits,
        range: kind.about().range,
        unit: kind.unit(),
    };
    let trials = Arc::new(Trials {
        how,
        train,
        validation,
    });
    let slot = Slot::new("evolve");
    let search = evolve(&trials, &reflector, &search_plan.first, &settings, &slot);
    let found = carried_out(search, out, stop)?;
    let file = result_of(search_plan, found);
    write_found(folder.path(), &file)?;
    Ok((file, remarks))
}

/// Runs `search` in the folder `out` and returns what it found.
///
/// # Errors
/// When the budget is spent, a model fails for good, or `stop` was set.
fn carried_out(
    search: impl Future<Output = Result<Evolved, AgentError>>,
    out: &Path,
    stop: &AtomicBool,
) -> Result<Evolved, RunError> {
    let finishing = Finishing::begin();
    let found = runtime()?.block_on(async {
        let found = unless_stopped(search, stop).await;
        in_flight::settled().await;
        found
    });
    // From here on a signal ends the process at once again: the result only has to be written.
    drop(finishing);
    let again = format!(
        "the same command continues the search in {}",
        shown_path(out)
    );
    match found {
        None => Err(RunError::Interrupted(again)),
        Some(Ok(found)) => Ok(found),
        // What was paid for is in the folder, so the message says that the same command goes on from there.
        Some(Err(e)) if e.class == ErrorClass::Budget => {
            Err(RunError::Budget(format!("{e}; {again}")))
        }
        Some(Err(e)) if e.class == ErrorClass::Setup => Err(RunError::usage(e.message)),
        Some(Err(e)) => Err(RunError::Failed(format!("{e}; {again}"))),
    }
}

/// What the search `plan` found, for its file.
fn result_of(plan: SearchPlan, found: Evolved) -> EvolvedFile {
    EvolvedFile {
        agent: plan.dialect.name(),
        environment: plan.environment,
        version: plan.version,
        preset: plan.preset,
        seed: plan.seed,
        train: plan.training_items.len(),
        validation: plan.validation_items.len(),
        training_items: plan.training_items,
        validation_items: plan.validation_items,
        budget: plan.metric_calls,
        found,
    }
}

/// Writes what was found to the folder of its search.
fn write_found(out: &Path, file: &EvolvedFile) -> Result<(), RunError> {
    let text = serde_json::to_string_pretty(file).map_err(RunError::failed)?;
    for (name, text) in [
        (INSTRUCTION, file.found.instruction.clone()),
        (EVOLVED, text),
    ] {
        run_file::replace(&out.join(name), &(text + "\n"), false)?;
    }
    Ok(())
}

/// An instance to try instructions on.
#[derive(Clone)]
struct Item {
    case: Arc<dyn DynInstance>,
    header: Header,
    reference: Reference,
}

impl Item {
    /// Instance `index` of `source`, which is that of `plan`.
    fn new(
        source: &InstanceSource<'_>,
        plan: &Plan,
        index: u64,
        model: &ModelPlan,
    ) -> Result<Self, RunError> {
        let case = source.case(index)?;
        let header = Header {
            method: Some("evolve".to_owned()),
            ..Header::new(
                &*plan.environment,
                plan.version,
                plan.config_digest(),
                case.digest(),
                plan.seed,
                index,
                model.dialect.name(),
            )
        };
        Ok(Self {
            // Quick, because the reference only brings scores to one scale; a search would take longer than
            // the episodes.
            reference: case.reference(Effort::Quick),
            case,
            header,
        })
    }
}

fn names(items: &[Item]) -> Vec<String> {
    let cases = items.iter().map(|item| &*item.case);
    cases.map(instance_name).collect()
}

/// Training and validation instances, apart from each other and from those of any run: where they
/// are drawn, they come from a seed of their own; else from the list of different ones.
struct Drawn {
    train: Vec<Item>,
    validation: Vec<Item>,
    remarks: Vec<String>,
}

impl Drawn {
    fn new(
        kind: &dyn DynEnvironmentSpec,
        plan: &Plan,
        request: &EvolveRequest,
        model: &ModelPlan,
    ) -> Result<Self, RunError> {
        let of = |list: Option<&InstanceList>| Plan {
            // A seed of its own: with the seed of a run, the instruction would be tuned on the instances of the test.
            seed: request.search.seed.child("evolve", 0),
            suite: None,
            instance: None,
            list: list.cloned(),
            // The agent may be the recording of a run with streams, which meet the same episodes again and again.
            streams: None,
            ..plan.clone()
        };
        if let Some(lists) = &request.lists {
            let [train, validation] = lists.each_ref().map(|list| {
                let plan = of(Some(list));
                let source = InstanceSource::of(kind, &plan)?;
                let item = |index| Item::new(&source, &plan, index, model);
                (0..list.len()).map(item).collect::<Result<Vec<_>, _>>()
            });
            return Ok(Self {
                train: train?,
                validation: validation?,
                remarks: Vec::new(),
            });
        }
        let plan = of(None);
        let source = InstanceSource::of(kind, &plan)?;
        let (train, validation) = match source.distinct() {
            Some(count) => request.search.sizes_of(count)?,
            None => request.search.sizes(),
        };
        let item = |index: usize| Item::new(&source, &plan, index as u64, model);
        let draw = |count: usize| (0..count).map(item).collect::<Result<Vec<_>, RunError>>();
        // One instance is the same however often it is asked for, so it is drawn once and stands on
        // both sides.
        if source.distinct() == Some(1) {
            let one = draw(1)?;
            let remark = "there is one instance: instructions are made from it and compared on it, and runs play it too";
            return Ok(Self {
                train: one.clone(),
                validation: one,
                remarks: vec![remark.to_owned()],
            });
        }
        let mut drawn = draw(train + validation)?;
        let remark = |count| format!("there are {count} different instances, which runs play too");
        Ok(Self {
            validation: drawn.split_off(train),
            train: drawn,
            remarks: source.distinct().map(remark).into_iter().collect(),
        })
    }
}

/// Episodes in which instructions are tried.
struct EpisodeTrial {
    players: Players,
    work: EpisodeWork,
    limits: Limits,
    range: ScoreRange,
    unit: &'static str,
}

impl EpisodeTrial {
    /// The score on a scale on which instances can be added up and 1 is perfect: between baseline
    /// and reference where both are known, else as a share of the reference, else of the range of scores, else as it is.
    fn place(&self, value: f64, reference: &Reference) -> f64 {
        // Sums over instances decide which instruction is accepted. In raw units a few large instances would
        // decide alone.
        let ScoreRange { low, high } = self.range;
        let placed = normalise(value, reference, self.work.sense);
        let share = (low.is_finite() && high.is_finite()).then(|| (value - low) / (high - low));
        let share = share.filter(|_| self.work.sense == Sense::Maximise);
        placed
            .normalised
            .or(placed.ratio)
            .or(share)
            .unwrap_or(match self.work.sense {
                Sense::Maximise => value,
                Sense::Minimise => -value,
            })
    }

    /// What is to be said about an episode: its score, the best one, the metrics that the agent may know, and what the
    /// environment says of it.
    fn remarks(
        &self,
        env: &dyn ToolEnvironment,
        record: &EpisodeRecord,
        reference: &Reference,
        told: Option<&Retold>,
    ) -> String {
        let better = direction(Some(self.work.sense));
        let value = record.score.value();
        let mut lines = Vec::new();
        if record.score.is_scored() {
            lines.push(format!("Score: {value} {} ({better}).", self.unit));
        } else {
            lines.push("There is no score: nobody could judge it.".to_owned());
        }
        if let Some(best) = reference.value() {
            lines.push(format!("A score of {best} was possible."));
        }
        lines.push(retell_metrics(env, &record.score));
        if let Some(told) = told {
            lines.push(told.feedback.clone());
            lines.extend(
                told.truth
                    .as_ref()
                    .map(|truth| format!("What is right: {truth}")),
            );
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }
}

#[async_trait]
impl ItemTrial for EpisodeTrial {
    type Item = Item;

    async fn run(&self, item: &Item, instruction: &str, slot: &Slot) -> Result<Trial, AgentError> {
        let setup = |e: RunError| AgentError::setup(e.to_string());
        let open = || Ok(item.case.open()?);
        // A new environment for each trial: no state may pass from one instruction to the next.
        let env = item.case.open()?;
        let seed = item.header.seed.child("episode", item.header.episode);
        let seats = self
            .players
            .seated(&*item.case, &*env, seed, None)
            .map_err(setup)?;
        let method = instructed(instruction)?.make()?;
        let mut stream = LearningStream::new(self.players.team.clone(), method, self.work);
        let unit = EpisodeUnit {
            name: item.header.episode.to_string(),
            task: String::new(),
            session: Session::new(env, item.header.clone(), self.limits),
            open: &open,
            gold: None,
            truth: None,
            seats,
            after_turn: &mut |_| {},
        };
        let (record, _) = stream.next_at(unit, slot.clone()).await?;
        // The stream has consumed the session. Environments are deterministic, so its inputs give
        // the last state again.
        let mut env = item.case.open()?;
        for entry in &record.entries {
            env.apply(&entry.input);
        }
        let told = env.retold();
        let transcript = match &told {
            Some(told) => format!("{}\n\n{}", told.task, told.transcript),
            None => retell(item.case.open()?, &record.entries, None),
        };
        let score = match record.score.is_scored() {
            true => self.place(record.score.value(), &item.reference),
            // A trial needs a number.
            false => 0.0,
        };
        Ok(Trial {
            score,
            feedback: self.remarks(&*env, &record, &item.reference, told.as_ref()),
            transcript,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            training_items: Vec::new(),
            validation_items: Vec::new(),
            budget: 30,
            found: Evolved {
                instruction: "Order little.".to_owned(),
                mean: 0.5,
                first_mean: 0.25,
                history: Vec::new(),
                metric_calls: 30,
            },
        };
        write_found(dir.path(), &file).unwrap();
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
