//! `office tasks`: tasks that are drawn, written by a model, or read from other programs' records.

use super::{CompanyArgs, Console, args, drawn as task_drawn, line, pretty, stoppable};
use crate::cli::output::{Output, OutputKind};
use crate::office::{ModelRephraser, Pipeline, PipelineCounts, make_empty};
use agent_client::backend::AgentBackend;
use agent_client::wire::Dialect;
use clap::Args;
use enterprise_sandbox::tasks::records::read_records;
use enterprise_sandbox::tasks::{RephraseCache, Rephraser, TaskSpec, rephrase};
use enterprise_sandbox::{Config, Instance, Spec};
use run_engine::engine::model::backends::Models;
use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::interrupt::Finishing;
use run_engine::plan::model::RunBudget;
use run_engine::plan::options::ModelOptions;
use run_engine::plan::source::InstanceFile;
use run_engine::terminal::shown_path;
use serde::Serialize;
use sim_core::{EnvironmentSpec, Episode, Seed, Stored as _, strict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Arguments of `office tasks`.
#[derive(Debug, Args)]
pub struct TasksArgs {
    #[command(flatten)]
    company: CompanyArgs,
    /// Number of tasks; with --agent, of samples to write tasks from
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// Seed of the tasks; the same as in `run office`, which plays these tasks
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
    /// Reword the requests with a model: openai:MODEL, anthropic:MODEL
    #[arg(long, value_name = "MODEL")]
    rephrase: Option<String>,
    /// Let a model write the tasks from records of the company: openai:MODEL, anthropic:MODEL or
    /// replay:DIR. Its drafts have to pass the same checks as drawn tasks, then a critic
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["rephrase", "wordings"])]
    agent: Option<String>,
    /// The model that criticises the drafts [default: the one of --agent]
    #[arg(long, value_name = "MODEL", requires = "agent")]
    critic: Option<String>,
    /// Folder for the replies of --agent and --critic; requests whose reply is in it are not sent again
    #[arg(long, value_name = "DIR", requires = "agent")]
    calls: Option<PathBuf>,
    /// How often a draft is improved before it is dropped
    #[arg(long, value_name = "N", default_value_t = 3, requires = "agent",
          value_parser = crate::cli::args::from_to(0, 20_u32))]
    rounds: u32,
    /// File of wordings: used before a model is asked, and updated with the model's wordings
    #[arg(long, value_name = "FILE")]
    wordings: Option<PathBuf>,
    /// Folder for one file per task, which `run office --instance` plays
    #[arg(long, value_name = "DIR")]
    instances: Option<PathBuf>,
    /// Read other programs' task records (six published forms) instead of drawing tasks
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "company", "preset", "settings", "count", "seed", "rephrase", "wordings", "instances", "agent",
    ])]
    records: Option<PathBuf>,
    /// File to write (standard output by default)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// With -o: print the summary as one JSON object
    #[arg(long, requires = "output")]
    json: bool,
}

/// Summary of the drawn tasks.
#[derive(Debug, Default, Serialize)]
struct Drawn {
    tasks: u64,
    easy: u64,
    hard: u64,
    subtasks: u64,
    by_category: BTreeMap<&'static str, u64>,
    by_domain: BTreeMap<&'static str, u64>,
    by_template: BTreeMap<String, u64>,
    reworded: u64,
    not_drawn: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline: Option<PipelineCounts>,
}

impl Drawn {
    fn add(&mut self, task: &TaskSpec) {
        self.tasks += 1;
        match task.difficulty {
            enterprise_sandbox::tasks::Difficulty::Easy => self.easy += 1,
            enterprise_sandbox::tasks::Difficulty::Hard => self.hard += 1,
        }
        self.subtasks += task.subtasks.len() as u64;
        *self.by_category.entry(task.category.into()).or_default() += 1;
        *self.by_domain.entry(task.domain.into()).or_default() += 1;
        *self.by_template.entry(task.template.clone()).or_default() += 1;
    }
}

impl std::fmt::Display for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |counts: &BTreeMap<&'static str, u64>| {
            let parts: Vec<String> = counts.iter().map(|(k, n)| format!("{k} {n}")).collect();
            parts.join(", ")
        };
        writeln!(
            f,
            "{} tasks from {} templates: {}; {}; easy {}, hard {}; {:.2} subtasks on average",
            self.tasks,
            self.by_template.len(),
            list(&self.by_category),
            list(&self.by_domain),
            self.easy,
            self.hard,
            self.subtasks as f64 / self.tasks.max(1) as f64,
        )?;
        if let Some(pipeline) = &self.pipeline {
            write!(f, "{pipeline}")?;
        }
        if self.reworded > 0 {
            writeln!(f, "{} requests reworded", self.reworded)?;
        }
        Ok(())
    }
}

/// A rephraser without a model: only the wordings of the file are used.
struct Silent;

impl Rephraser for Silent {
    fn rephrase(&self, _: &str) -> Option<String> {
        None
    }
}

pub(super) fn tasks(
    args: &TasksArgs,
    spec: &Spec,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    match (&args.records, &args.agent) {
        (Some(records), _) => foreign(records, args.output.as_deref(), args.json, console),
        (None, Some(agent)) => write(args, agent, spec, console),
        (None, None) => draw(args, spec, console),
    }
}

/// Has a model write tasks.
fn write(
    args: &TasksArgs,
    agent: &str,
    spec: &Spec,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let config = args.company.config(spec, console.stop)?;
    let file = Output::named(args.output.as_deref(), OutputKind::TASKS)?;
    let critic = args.critic.as_deref().unwrap_or(agent);
    let [writer, critic] = models([agent, critic], args.calls.as_deref())?;
    if let Some(dir) = &args.instances {
        make_empty(dir)?;
    }
    let (maker, wanted) = (spec.clone(), config.clone());
    let generator = stoppable(console.stop, move || Ok(maker.generator(&wanted)?))?;
    let pipeline = Pipeline {
        writer,
        critic,
        rounds: args.rounds,
    };
    let (seed, count) = (Seed(args.seed), args.count);
    let written = stoppable(console.stop, move || {
        pipeline.write(&generator, seed, count)
    });
    let (tasks, counts) = written?;
    let mut drawn = Drawn {
        pipeline: Some(counts),
        ..Drawn::default()
    };
    let mut lines = String::new();
    // Everything but the task is as in a run with these settings.
    let sample = match (&args.instances, tasks.is_empty()) {
        (Some(_), false) => {
            let first = Episode::of_run(seed, 0);
            Some(EnvironmentSpec::generate(spec, &config, first)?)
        }
        _ => None,
    };
    for (task, index) in tasks.into_iter().zip(0..) {
        drawn.add(&task);
        lines += &line(&task)?;
        if let (Some(dir), Some(sample)) = (&args.instances, &sample) {
            let instance = Instance {
                task,
                ..sample.clone()
            };
            write_instance(dir, index, &instance)?;
        }
    }
    match file {
        // The counts are the only trace of the tasks that were dropped.
        None => {
            console.print(&lines)?;
            let told = drawn.to_string();
            told.lines().try_for_each(|line| console.remark(line))
        }
        Some(file) => {
            file.write(lines)?;
            console.show(args.json, &drawn)
        }
    }
}

/// Opens the writer and the critic, whose replies are stored in the folder `calls`.
fn models(names: [&str; 2], calls: Option<&Path>) -> Result<[Arc<dyn AgentBackend>; 2], RunError> {
    let dialect = |name| -> Result<Dialect, RunError> {
        Ok(args::model(name, &ModelOptions::default())?.dialect)
    };
    let one = |name, calls| args::opened(name, &dialect(name)?, calls);
    let [writer, critic] = names;
    // One model, opened once: two would write into one recording.
    if writer == critic {
        let one = one(writer, calls)?;
        return Ok([Arc::clone(&one), one]);
    }
    // A recording is read only, and each of the two may have its own.
    if names.iter().any(|name| name.starts_with("replay:")) {
        return Ok([one(writer, None)?, one(critic, None)?]);
    }
    if let Some(calls) = calls {
        std::fs::create_dir_all(calls).map_err(RunError::file(calls))?;
    }
    let (a, b) = (dialect(writer)?, dialect(critic)?);
    let models = Models::open(writer, &[&a, &b], &RunBudget::default(), calls)?;
    Ok([models.backend(0)?, models.backend(1)?])
}

fn draw(args: &TasksArgs, spec: &Spec, console: &mut Console<'_>) -> Result<(), RunError> {
    let config = args.company.config(spec, console.stop)?;
    // Every error in the company or the settings is reported before any task is drawn.
    let (maker, wanted) = (spec.clone(), config.clone());
    stoppable(console.stop, move || {
        Ok(maker.generator(&wanted).map(drop)?)
    })?;
    let file = Output::named(args.output.as_deref(), OutputKind::TASKS)?;
    let model = args.rephrase.as_deref().map(ModelRephraser::new);
    let model = model.transpose()?;
    let mut wordings = match &args.wordings {
        Some(path) => read_wordings(path)?,
        None => RephraseCache::default(),
    };
    if let Some(dir) = &args.instances {
        make_empty(dir)?;
    }
    // Ctrl-C ends the drawing after the task that is being drawn, so that its wording is kept too.
    let finishing = args.wordings.as_ref().map(|_| Finishing::begin());
    let all = draw_all(
        args,
        spec,
        &config,
        model.as_ref(),
        &mut wordings,
        console.stop,
    );
    if let Some(path) = &args.wordings {
        // Whatever ended the drawing, and before the tasks: wordings have been paid for.
        run_engine::files::run_file::replace(path, &pretty(&wordings)?, false)?;
    }
    drop(finishing);
    let (drawn, lines) = all.map_err(|e| match (e, &args.wordings) {
        (RunError::Interrupted(_), Some(path)) => {
            RunError::Interrupted(format!("the wordings are in {}", shown_path(path)))
        }
        (e, _) => e,
    })?;
    match file {
        None => console.print(&lines)?,
        Some(file) => {
            file.write(lines)?;
            console.show(args.json, &drawn)?;
        }
    }
    let trouble = model.as_ref().and_then(ModelRephraser::trouble);
    match (drawn.not_drawn.first(), trouble) {
        // The tasks are written all the same; the exit code says that some are missing.
        (Some(first), _) => Err(RunError::Failed(format!(
            "{} of {} tasks could not be drawn; {first}",
            drawn.not_drawn.len(),
            args.count
        ))),
        (None, Some(trouble)) => Err(RunError::Failed(format!(
            "some requests were not reworded: {trouble}"
        ))),
        (None, None) => Ok(()),
    }
}

/// Draws the tasks and rewords them; the new wordings are added to `wordings`, also where an error ends it. Returns the
/// tasks as lines, with their summary.
fn draw_all(
    args: &TasksArgs,
    spec: &Spec,
    config: &Config,
    model: Option<&ModelRephraser>,
    wordings: &mut RephraseCache,
    stop: &AtomicBool,
) -> Result<(Drawn, String), RunError> {
    let rewording = model.is_some() || args.wordings.is_some();
    let (mut drawn, mut lines) = (Drawn::default(), String::new());
    for index in 0..args.count {
        let mut instance = match task_drawn(spec, config, (args.seed, index), stop)? {
            Ok(instance) => instance,
            Err(e) => {
                // Counted and reported at the end: one task of thousands should not cost the
                // others.
                drawn.not_drawn.push(format!("task {index}: {e}"));
                continue;
            }
        };
        let task = &mut instance.task;
        if rewording {
            let taken = match model {
                Some(model) => rephrase(task, model, wordings),
                None => rephrase(task, &Silent, wordings),
            };
            drawn.reworded += u64::from(taken);
        }
        drawn.add(task);
        lines += &line(task)?;
        if let Some(dir) = &args.instances {
            write_instance(dir, index, &instance)?;
        }
    }
    Ok((drawn, lines))
}

fn write_instance(dir: &Path, index: u64, instance: &Instance) -> Result<(), RunError> {
    let path = dir.join(format!("{index:06}.json"));
    let file = InstanceFile {
        schema: InstanceFile::SCHEMA,
        environment: Spec::ABOUT.name.to_owned(),
        version: Spec::ABOUT.version,
        instance: serde_json::to_value(instance).map_err(RunError::failed)?,
    };
    Output::chosen(&path, OutputKind::INSTANCE)?.write(pretty(&file)?)
}

fn read_wordings(path: &Path) -> Result<RephraseCache, RunError> {
    if !path.exists() {
        return Ok(RephraseCache::default());
    }
    let text = regular::json_text(path, regular::MOST_DATA).map_err(RunError::file(path))?;
    let wordings = strict::json(text.as_bytes()).and_then(serde_json::from_value);
    wordings.map_err(|e| {
        RunError::usage(format!(
            "{} is not a file of wordings: {e}",
            shown_path(path)
        ))
    })
}

/// Reads other programs' task records and writes them in one form.
fn foreign(
    path: &Path,
    output: Option<&Path>,
    json: bool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let text = regular::json_text(path, regular::MOST_DATA).map_err(RunError::file(path))?;
    let records = read_records(&text).map_err(RunError::in_file(path))?;
    let mut lines = String::new();
    let mut forms: BTreeMap<&'static str, u64> = BTreeMap::new();
    for record in &records {
        lines += &line(record)?;
        *forms.entry(record.form.into()).or_default() += 1;
    }
    let Some(output) = output else {
        return console.print(&lines);
    };
    Output::at(output, OutputKind::TASK_RECORDS)?.write(lines)?;
    if json {
        return console.print(&line(&forms)?);
    }
    let parts: Vec<String> = forms.iter().map(|(k, n)| format!("{n} {k}")).collect();
    console.print(&format!(
        "{} records: {}\n",
        records.len(),
        parts.join(", ")
    ))
}
