//! The command line: the subcommands, their arguments and their dispatch.

mod analyse;
mod args;
mod begin;
mod beginner;
#[cfg(feature = "mcp")]
mod classroom;
mod compare;
mod conclude;
mod consulting;
mod evolve;
mod failure;
mod game;
mod human;
mod office;
mod output;
mod paper;
mod qa;
mod records;
mod route;
mod run;
mod saving;
mod score;
#[cfg(feature = "mcp")]
mod server;
#[cfg(any(feature = "mcp", feature = "view"))]
mod serving;
mod sweep;
#[cfg(feature = "view")]
mod view;

use crate::about;
use crate::registry::Registry;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use conclude::SummaryForm;
use output::{Output, OutputKind};
use run_engine::engine::episodes::RecordChoice;
use run_engine::error::RunError;
use run_engine::files::lock;
use run_engine::plan::hints;
use run_engine::plan::instruction::seen_in_training;
use run_engine::plan::model::RunBudget;
use run_engine::plan::source::InstanceFile;
use run_engine::terminal::{shown, shown_name};
use run_engine::verify::Programs;
use serde::Serialize;
use sim_core::{Seed, Stored as _};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[cfg(feature = "mcp")]
pub use classroom::ClassroomArgs;
pub use consulting::{CasesCommand, ConsultingArgs};
pub use evolve::EvolveArgs;
pub use failure::failure;
pub use human::PlayArgs;
pub use office::OfficeCommand;
pub use paper::PaperArgs;
pub use qa::{QaCommand, QaRunArgs};
pub use route::RouteCommand;
pub use run::RunArgs;
pub use saving::SavingArgs;
pub use score::ScoreArgs;
#[cfg(feature = "mcp")]
pub use server::ServeArgs;
#[cfg(feature = "view")]
pub use view::ViewArgs;

/// The heading of options that every command takes; they come last in its help.
const EVERYWHERE: &str = "Options of every command";

/// Business-decision simulators and their judge.
#[derive(Debug, Parser)]
#[command(name = "boardroom", version = crate::features::VERSION.as_str(), about, max_term_width = 100)]
pub struct Cli {
    /// Data of the office.
    #[command(flatten)]
    office: office::OfficeArgs,
    /// Wait up to SECONDS for a folder that another process is using, instead of ending with code 4
    #[arg(
        long,
        value_name = "SECONDS",
        global = true,
        help_heading = EVERYWHERE,
        default_value_t = 0,
        value_parser = args::whole
    )]
    wait: u64,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Words of a command that this program does not carry out.
#[derive(Debug, clap::Args)]
pub struct Unread {
    /// Not read
    #[arg(
        value_name = "ARGUMENTS",
        // All words behind the name, options too: the answer is the same whatever they are.
        trailing_var_arg = true,
        allow_hyphen_values = true,
        hide = true
    )]
    _words: Vec<String>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List environments, presets and policies, one line each
    List {
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Show the rules as an agent reads them, tools, settings, presets with references, policies
    Describe {
        /// Environment, as `list` names it; or `method`
        environment: String,
        /// After `method`: the method whose settings are listed [default: all]
        #[arg(value_name = "METHOD")]
        name: Option<String>,
    },
    /// Draw one instance as JSON
    Generate {
        /// Environment, as `list` names it
        environment: String,
        /// Preset and settings
        #[command(flatten)]
        config: args::ConfigArgs,
        /// Seed
        #[arg(long, default_value_t = 0, value_parser = args::whole)]
        seed: u64,
        /// File to write (standard output by default)
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
    /// Play episodes and judge them
    Run(Box<RunArgs>),
    /// Search for an instruction, for runs with --method gepa
    Evolve(Box<EvolveArgs>),
    /// Play yourself, in the terminal
    Play(Box<human::PlayArgs>),
    /// Serve the environment to MCP clients and to programs for training
    #[cfg(feature = "mcp")]
    Serve(Box<ServeArgs>),
    /// Serve the environment to MCP clients and to programs for training (this program was built without it)
    #[cfg(not(feature = "mcp"))]
    Serve(Unread),
    /// Let people play in their browsers, one link per seat
    #[cfg(feature = "mcp")]
    Classroom(Box<ClassroomArgs>),
    /// Let people play in their browsers (this program was built without it)
    #[cfg(not(feature = "mcp"))]
    Classroom(Unread),
    /// Finish an interrupted run or sweep
    Resume {
        /// Run folder, or folder of a sweep [default: the newest unfinished one below runs/]
        dir: Option<PathBuf>,
        /// Concurrency and cost limits
        #[command(flatten)]
        means: RunBudget,
        /// Print one JSON object instead of a table
        #[arg(long)]
        json: bool,
        /// Print everything that was measured: minimum and maximum, all references, metrics
        #[arg(long, conflicts_with = "json")]
        metrics: bool,
        /// Where this system has no jail for programs
        #[command(flatten)]
        trust: args::TrustArgs,
    },
    /// List the runs below a folder, the newest first: status, episodes, mean score
    Runs {
        /// Folder of runs [default: runs]
        dir: Option<PathBuf>,
        /// Print a JSON list instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Show a recorded episode as a readable transcript
    Replay {
        /// Run folder
        dir: PathBuf,
        /// Which record
        #[command(flatten)]
        wanted: RecordChoice,
    },
    /// Check the plan, records (by replay), decisions and references of a folder; print what is
    /// proven
    Verify {
        /// Run folders
        #[arg(required = true)]
        dirs: Vec<PathBuf>,
        /// Run the programs in replies again, in the jail, and compare their values with the records
        #[arg(long)]
        run_programs: bool,
        /// Where this system has no jail for programs
        #[command(flatten)]
        trust: args::TrustArgs,
    },
    /// Score stored actions with this program; print the result next to the stored scores
    Rescore {
        /// Run folders
        #[arg(required = true)]
        dirs: Vec<PathBuf>,
        /// Print one JSON object per run instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Compare each agent with the first one: paired difference by instance, over all seeds
    Compare {
        /// Run folders, folders of sweeps, or other folders of runs. Shards of one run count as one run;
        /// the seeds of one agent are pooled, in a sweep and over folders whose agents have the same
        /// seeds. Every agent is compared with the first one; in a sweep that is the first agent of the
        /// plan. In a folder of runs, each task is compared separately
        #[arg(required = true)]
        dirs: Vec<PathBuf>,
        /// Compare presets instead of agents: for each agent, Welch's one-sided t-test shows whether a
        /// preset is harder than one before it (in the order of `describe`)
        #[arg(long)]
        across_presets: bool,
        /// With --across-presets: draw the score and the exploration rate of every episode by preset
        /// into this SVG file
        #[arg(long, value_name = "FILE", requires = "across_presets")]
        figure: Option<PathBuf>,
        /// Print JSON instead of a table: one object per task, one per line
        #[arg(long)]
        json: bool,
    },
    /// Write one HTML file that opens offline: ranking, plots, episodes
    Report {
        /// Run folders, shards, or folders of runs; grouped as in `compare`
        #[arg(required = true)]
        dirs: Vec<PathBuf>,
        /// File to write [default: report.html, or no file with --json]
        #[arg(short, long)]
        output: Option<PathBuf>,
        /// Also show the scores of questions by capability and difficulty, from this file (see `qa label`)
        #[arg(long, value_name = "FILE")]
        labels: Option<PathBuf>,
        /// Print the content of the page as one JSON object, without its plots
        #[arg(long)]
        json: bool,
    },
    /// Show run folders as a local page: runs, episodes as conversations, plots, comparison, search
    #[cfg(feature = "view")]
    View(ViewArgs),
    /// Show run folders as a local page (this program was built without it)
    #[cfg(not(feature = "view"))]
    View(Unread),
    /// Compute the tables and figures of a paper from runs; print the published figures beside them
    Paper(PaperArgs),
    /// Make, import and export companies and tasks of the enterprise office
    #[command(subcommand)]
    Office(OfficeCommand),
    /// Judge a file of answers to questions
    Score(ScoreArgs),
    /// Make and label questions; compute correlations, means and weights of figures
    #[command(subcommand)]
    Qa(QaCommand),
    /// List the cases of consulting interviews, or check files with cases
    #[command(subcommand)]
    Cases(CasesCommand),
    /// Enter the jail and become Python; the program starts itself with this command
    #[command(name = python_snippets::WORKER_COMMAND, hide = true)]
    SnippetWorker {
        /// The interpreter, as JSON
        interpreter: String,
    },
    /// Learn from all agents' answers which agent should get which question
    #[command(subcommand)]
    Route(RouteCommand),
    /// A command of another program; the answer names the one that works here
    #[command(hide = true, alias = "eval")]
    Inspect(Unread),
    /// Write one CSV row per episode, answer or interview
    Export {
        /// Run folders
        #[arg(required = true)]
        dirs: Vec<PathBuf>,
        /// File to write (standard output by default)
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
}

impl Cli {
    /// Reads the command line; ends the program with a message if it is wrong, as JSON where the command
    /// line asks for JSON.
    ///
    /// A negative number is read as a value, so that the message is about the number and not about
    /// an unknown option.
    #[must_use]
    pub fn read() -> Self {
        let command = with_negative_numbers(Self::command());
        let matches = command.try_get_matches();
        let read = matches.and_then(|matches| Self::from_arg_matches(&matches));
        read.unwrap_or_else(|e| failure::refuse(&e))
    }
}

fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| {
        if arg.get_action().takes_values() {
            arg.allow_negative_numbers(true)
        } else {
            arg
        }
    });
    command.mut_subcommands(with_negative_numbers)
}

/// What a command works with: the environments, and the two output streams.
struct Console<'a> {
    registry: &'a Registry,
    /// Set when the user wants to stop.
    stop: &'a AtomicBool,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
}

impl Console<'_> {
    /// Prints results to standard output.
    fn print(&mut self, text: &str) -> Result<(), RunError> {
        print(self.out, "standard output", text)
    }

    /// Prints a result: as one JSON object, or in words.
    fn show(&mut self, json: bool, value: &(impl Serialize + Display)) -> Result<(), RunError> {
        self.print(&if json {
            line(value)?
        } else {
            value.to_string()
        })
    }

    /// Prints a remark to standard error: one line, whatever the names in it are.
    fn remark(&mut self, text: &str) -> Result<(), RunError> {
        let line = text.strip_suffix('\n').unwrap_or(text);
        print(
            self.err,
            "standard error",
            &format!("{}\n", shown_name(line)),
        )
    }
}

/// Runs the command, writing results to `out` and remarks to `err`.
///
/// # Errors
/// When the command fails; [`RunError::exit_code`] is the exit code of the program.
pub fn dispatch(
    cli: Cli,
    registry: &Registry,
    stop: &AtomicBool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<(), RunError> {
    let mut console = Console {
        registry,
        stop,
        out,
        err,
    };
    // For the whole process, before any command opens a folder.
    lock::wait_for(Duration::from_secs(cli.wait));
    // For all commands alike, as a plan, a replay or a report may name such a company.
    let offered = office::offer(registry, &cli.office)?;
    let done = command(cli.command, &mut console);
    offered.checked(done, &mut console)
}

fn command(command: Command, console: &mut Console<'_>) -> Result<(), RunError> {
    match command {
        Command::List { json: true } => {
            console.print(&pretty(&about::list_json(console.registry))?)
        }
        Command::List { json: false } => console.print(&about::list_text(console.registry)),
        // Before the environments, none of which is called so.
        Command::Describe { environment, name } if environment == "method" => {
            console.print(&about::method::describe_method(name.as_deref())?)
        }
        Command::Describe {
            name: Some(name), ..
        } => Err(RunError::usage(format!(
            "unexpected second name `{}`; only `describe method NAME` takes a second name",
            sim_core::error::clip(&name)
        ))),
        Command::Describe { environment, .. } => {
            console.print(&about::describe(console.registry, &environment)?)
        }
        Command::Generate {
            environment,
            config,
            seed,
            output,
        } => {
            // The file first, so that a wrong name costs no drawing.
            let file = Output::named(output.as_deref(), OutputKind::INSTANCE)?;
            let spec = console.registry.kind(&environment)?;
            let config = hints::configure(spec, config.preset.as_deref(), &config.settings)?;
            let case = spec.draw(&config, Seed(seed), 0)?;
            let drawn = InstanceFile {
                schema: InstanceFile::SCHEMA,
                environment,
                version: spec.version(),
                instance: case.instance().clone(),
            };
            let text = pretty(&drawn)?;
            match file {
                Some(file) => file.write(text),
                None => console.print(&text),
            }
        }
        Command::Office(command) => office::office(command, console),
        Command::Paper(args) => paper::paper(&args, console),
        Command::Route(command) => route::route(command, console),
        Command::Run(args) => run::run(*args, console),
        Command::Evolve(args) => evolve::evolve(*args, console),
        Command::Play(args) => human::play(&args, console),
        #[cfg(feature = "mcp")]
        Command::Serve(args) => server::serve(&args, console),
        #[cfg(not(feature = "mcp"))]
        Command::Serve(_) => Err(RunError::Usage(sim_core::error::feature_is_off(
            "mcp", "`serve`",
        ))),
        #[cfg(feature = "mcp")]
        Command::Classroom(args) => classroom::classroom(&args, console),
        #[cfg(not(feature = "mcp"))]
        Command::Classroom(_) => Err(RunError::Usage(sim_core::error::feature_is_off(
            "mcp",
            "`classroom`",
        ))),
        Command::Score(args) => score::score(&args, console),
        Command::Qa(command) => qa::qa(command, console),
        Command::Cases(command) => consulting::case_studies(&command, console),
        // Entering the jail replaces this program, so coming back is the error.
        Command::SnippetWorker { interpreter } => Err(RunError::Failed(
            python_snippets::enter_jail(&interpreter).to_string(),
        )),
        Command::Runs { dir, json } => run::list(dir.as_deref(), json, console),
        Command::Inspect(_) => Err(beginner::inspect()),
        Command::Resume {
            dir,
            means,
            json,
            metrics,
            trust,
        } => {
            trust.apply();
            let dir = run::to_resume(dir, json, console)?;
            let how = SummaryForm::of(json, metrics);
            run::resume(&dir, &means, how, console)
        }
        Command::Replay { dir, wanted } => records::replay(&dir, wanted, console),
        Command::Verify {
            dirs,
            run_programs,
            trust,
        } => {
            trust.apply();
            let programs = if run_programs {
                Programs::Run
            } else {
                Programs::Recorded
            };
            records::verify(&dirs, programs, console)
        }
        Command::Rescore { dirs, json } => records::rescore(&dirs, json, console),
        Command::Compare {
            dirs,
            across_presets: true,
            figure,
            json,
        } => compare::across(&dirs, figure.as_deref(), json, console),
        Command::Compare { dirs, json, .. } => compare::compare(&dirs, json, console),
        Command::Report {
            dirs,
            output,
            labels,
            json,
        } => {
            let labels = labels.as_deref();
            let output = (output.as_deref(), json);
            records::report(&dirs, output, labels, console)
        }
        #[cfg(feature = "view")]
        Command::View(args) => view::view(&args, console),
        #[cfg(not(feature = "view"))]
        Command::View(_) => Err(RunError::Usage(sim_core::error::feature_is_off(
            "view", "`view`",
        ))),
        Command::Export { dirs, output } => records::export(&dirs, output.as_deref(), console),
    }
}

/// The notes on a run whose instruction was made on some of its items, also printed as a warning.
///
/// # Errors
/// When the items cannot be made or the warning cannot be written.
fn training_note(
    instruction: Option<&Path>,
    environment: &str,
    items: impl FnOnce() -> Result<BTreeSet<String>, RunError>,
    console: &mut Console<'_>,
) -> Result<Vec<String>, RunError> {
    let Some(path) = instruction else {
        return Ok(Vec::new());
    };
    let note = seen_in_training(path, environment, items)?;
    if let Some(note) = &note {
        console.remark(&format!("warning: {note}\n"))?;
    }
    Ok(note.into_iter().collect())
}

fn line<T: serde::Serialize>(value: &T) -> Result<String, RunError> {
    let text = serde_json::to_string(value).map_err(RunError::failed)?;
    Ok(text + "\n")
}

fn pretty<T: serde::Serialize>(value: &T) -> Result<String, RunError> {
    let text = serde_json::to_string_pretty(value).map_err(RunError::failed)?;
    Ok(text + "\n")
}

/// Prints `text`; it is not an error if the reader has closed the pipe (`| head`).
fn print(to: &mut dyn Write, name: &str, text: &str) -> Result<(), RunError> {
    let text = shown(text);
    // Flushed each time: a result that waits in a buffer would be lost where a later step ends the
    // program.
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(RunError::File {
            place: name.to_owned(),
            source: e,
        }),
        _ => Ok(()),
    }
}
