//! `office tasks`: tasks that are drawn, written by a model, or read from other programs' records.

use super::{CompanyArgs, Console, args, drawn as task_drawn, line, pretty};
use crate::cli::output::{Output, OutputKind};
use crate::office::{ModelRephraser, Pipeline, PipelineCounts, make_empty};
use clap::Args;
use enterprise_sandbox::tasks::records::read_records;
use enterprise_sandbox::tasks::{RephraseCache, TaskSpec, TaskStats, rephrase};
use enterprise_sandbox::{Config, Instance, Spec};
use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::interrupt::Finishing;
use run_engine::plan::options::ModelOptions;
use run_engine::plan::source::InstanceFile;
use run_engine::terminal::shown_path;
use serde::Serialize;
use sim_core::{EnvironmentSpec, Episode, Seed, Stored as _, strict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Folder for the replies of --agent; requests whose reply is in it are not sent again
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
    #[serde(flatten)]
    stats: TaskStats,
    reworded: u64,
    not_drawn: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline: Option<PipelineCounts>,
}

impl std::fmt::Display for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.stats.fmt(f)?;
        if let Some(pipeline) = &self.pipeline {
            write!(f, "{pipeline}")?;
        }
        if self.reworded > 0 {
            writeln!(f, "{} requests reworded", self.reworded)?;
        }
        Ok(())
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
    let config = args.company.config(spec)?;
    let file = Output::named(args.output.as_deref(), OutputKind::TASKS)?;
    let model = args::opened(agent, &ModelOptions::default(), args.calls.as_deref())?;
    if let Some(dir) = &args.instances {
        make_empty(dir)?;
    }
    let generator = spec.generator(&config)?;
    let pipeline = Pipeline {
        model,
        rounds: args.rounds,
    };
    let seed = Seed(args.seed);
    let (tasks, counts) = pipeline.write(&generator, seed, args.count)?;
    // Everything but the task is as in a run with these settings.
    if let (Some(dir), false) = (&args.instances, tasks.is_empty()) {
        let sample = EnvironmentSpec::generate(spec, &config, Episode::of_run(seed, 0))?;
        for (task, index) in tasks.iter().zip(0..) {
            let task = task.clone();
            write_instance(
                dir,
                index,
                &Instance {
                    task,
                    ..sample.clone()
                },
            )?;
        }
    }
    if file.is_none() {
        // The counts are the only trace of the tasks that were dropped.
        let told = counts.to_string();
        told.lines().try_for_each(|line| console.remark(line))?;
    }
    let drawn = Drawn {
        stats: TaskStats::of(&tasks),
        pipeline: Some(counts),
        ..Drawn::default()
    };
    put(&tasks, &drawn, file, args.json, console)
}

/// Writes the tasks into `file` and prints their summary, or prints the tasks alone.
fn put(
    tasks: &[TaskSpec],
    drawn: &Drawn,
    file: Option<Output<'_>>,
    json: bool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let lines: String = tasks.iter().map(line).collect::<Result<_, _>>()?;
    match file {
        None => console.print(&lines),
        Some(file) => {
            file.write(lines)?;
            console.show(json, drawn)
        }
    }
}

fn draw(args: &TasksArgs, spec: &Spec, console: &mut Console<'_>) -> Result<(), RunError> {
    let config = args.company.config(spec)?;
    // Every error in the company or the settings is reported before any task is drawn.
    spec.generator(&config)?;
    let file = Output::named(args.output.as_deref(), OutputKind::TASKS)?;
    let model = args.rephrase.as_deref();
    let model = model.map(|name| args::opened(name, &ModelOptions::default(), None));
    let model = ModelRephraser::new(model.transpose()?)?;
    let mut wordings = match &args.wordings {
        Some(path) => read_wordings(path)?,
        None => RephraseCache::default(),
    };
    if let Some(dir) = &args.instances {
        make_empty(dir)?;
    }
    // Ctrl-C ends the drawing after the task that is being drawn, so that its wording is kept too.
    let finishing = args.wordings.as_ref().map(|_| Finishing::begin());
    let all = draw_all(args, spec, &config, &model, &mut wordings, console.stop);
    if let Some(path) = &args.wordings {
        // Whatever ended the drawing, and before the tasks: wordings have been paid for.
        run_engine::files::run_file::replace(path, &pretty(&wordings)?, false)?;
    }
    drop(finishing);
    let (tasks, drawn) = all.map_err(|e| match (e, &args.wordings) {
        (RunError::Interrupted(_), Some(path)) => {
            RunError::Interrupted(format!("the wordings are in {}", shown_path(path)))
        }
        (e, _) => e,
    })?;
    put(&tasks, &drawn, file, args.json, console)?;
    match (drawn.not_drawn.first(), model.trouble()) {
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
/// tasks with their summary.
fn draw_all(
    args: &TasksArgs,
    spec: &Spec,
    config: &Config,
    model: &ModelRephraser,
    wordings: &mut RephraseCache,
    stop: &AtomicBool,
) -> Result<(Vec<TaskSpec>, Drawn), RunError> {
    let (mut drawn, mut tasks) = (Drawn::default(), Vec::new());
    for index in 0..args.count {
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Interrupted("nothing was finished".to_owned()));
        }
        let mut instance = match task_drawn(spec, config, (args.seed, index)) {
            Ok(instance) => instance,
            Err(e) => {
                // Counted and reported at the end: one task of thousands should not cost the
                // others.
                drawn.not_drawn.push(format!("task {index}: {e}"));
                continue;
            }
        };
        drawn.reworded += u64::from(rephrase(&mut instance.task, model, wordings));
        if let Some(dir) = &args.instances {
            write_instance(dir, index, &instance)?;
        }
        tasks.push(instance.task);
    }
    drawn.stats = TaskStats::of(&tasks);
    Ok((tasks, drawn))
}

fn write_instance(dir: &Path, index: u64, instance: &Instance) -> Result<(), RunError> {
    // By the number of the task, not of the file: where one cannot be drawn, the others keep the numbers of the episodes of
    // `run office` that play them.
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
