//! The command `route`: learns a routing policy from the answers of all agents, evaluates it and
//! explains it.

use super::args::{Heat, opened_at};
use super::output::{Output, OutputKind};
use super::{Console, line, pretty};
use agent_client::method::METHODS;
use aoa_router::matrix::Incomplete;
use aoa_router::trace::halves;
use aoa_router::{
    Agents, Bucket, Explanation, Features, LearnSettings, Learned, Matrix, PolicyEvaluation,
    Router, RoutingExperience, RoutingPlaybook, Sample, Strictness, TraceRecord, evaluate,
    evaluate_picks, learn, write_experiences,
};
use clap::{Args, Subcommand, ValueEnum};
use run_engine::engine::model::ask::runtime;
use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::plan::options::ModelOptions;
use run_engine::terminal::{shown_name, shown_path};
use run_report::route::picks;
use run_report::route::policy::{read_policy, routed_name};
use run_report::route::traces::{self, Traces};
use run_report::route::write::{WriteSettings, Written, write};
use serde_json::json;
use sim_core::Seed;
use sim_core::described::plain_schema;
use std::path::{Path, PathBuf};

/// Default number of concurrent requests.
const AT_ONCE: usize = 8;

/// The subcommands of `route`.
#[derive(Debug, Subcommand)]
pub enum RouteCommand {
    /// Learn a policy from the answers of all agents to the same questions
    Learn(LearnArgs),
    /// Evaluate a policy on stored answers: accuracy, cells, regret, cost; runs no agent
    Eval(EvalArgs),
    /// Print the agent that a policy chooses for a question, and why
    Explain(ExplainArgs),
    /// Print the JSON Schema of a file
    Schema {
        /// The kind of file
        what: Form,
    },
}

/// The files of the router.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Form {
    /// A policy file
    Policy,
    /// A line of an experience file
    Experience,
}

/// Which answers are read.
#[derive(Debug, Args)]
struct TraceArgs {
    /// Question runs (folders of `run qa`), or files or folders of trace records (JSON lines), of
    /// all agents together
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    predictions: Vec<PathBuf>,
    /// Capability and difficulty of each question of a run, as written by `qa label`
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Use only this half of the questions; both halves have some of every task, capability and
    /// difficulty
    #[arg(long, value_enum)]
    half: Option<Half>,
    /// Seed of the halves, of the folds, and of the traces that a model reads
    #[arg(long, default_value_t = 0, value_parser = super::args::whole)]
    seed: u64,
    /// Leave out questions that not all agents have answered
    #[arg(long)]
    leave_out: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Half {
    /// The half to learn from
    First,
    /// The half to evaluate on
    Second,
}

impl TraceArgs {
    fn incomplete(&self) -> Incomplete {
        if self.leave_out {
            Incomplete::LeaveOut
        } else {
            Incomplete::Refuse
        }
    }

    /// The answers of all agents side by side.
    ///
    /// # Errors
    /// As [`Matrix::join`]; names the option for missing answers where it helps.
    fn matrix(&self, traces: &[TraceRecord]) -> Result<Matrix, RunError> {
        Matrix::join(traces, self.incomplete()).map_err(|e| {
            // Tried, because the error does not say whether it is about missing answers alone, and without a question
            // that all agents have answered the option gives another error.
            match Matrix::join(traces, Incomplete::LeaveOut) {
                Ok(_) => RunError::usage(format!("{e}; --leave-out leaves these questions out")),
                Err(_) => e.into(),
            }
        })
    }

    fn read(&self, console: &mut Console<'_>) -> Result<Vec<TraceRecord>, RunError> {
        // Remarks before the halves are cut: they are about the files and not about a half.
        let Traces { records, remarks } =
            traces::read(console.registry, &self.predictions, self.labels.as_deref())?;
        for remark in remarks {
            console.remark(&format!("note: {remark}\n"))?;
        }
        Ok(match self.half {
            None => records,
            Some(half) => {
                let (first, second) = halves(records, Seed(self.seed));
                if half == Half::First { first } else { second }
            }
        })
    }
}

/// Arguments of `route learn`.
#[derive(Debug, Args)]
pub struct LearnArgs {
    #[command(flatten)]
    traces: TraceArgs,
    /// Let this model write the policy from traces (openai:MODEL, anthropic:MODEL, replay:DIR); it
    /// is evaluated on a quarter of the questions that it does not see, and rejected if it lowers
    /// the accuracy
    #[arg(long)]
    agent: Option<String>,
    /// Folder for the model's replies; requests whose reply is in it are not sent again
    #[arg(long, value_name = "DIR", requires = "agent")]
    calls: Option<PathBuf>,
    /// Sampling temperature of the model, or `omitted`, which sends none [default: 0]
    #[arg(long, value_name = "T", requires = "agent")]
    temperature: Option<Heat>,
    /// File for the lessons that the model drew
    #[arg(long, value_name = "FILE", requires = "agent")]
    experiences: Option<PathBuf>,
    /// Policy file to write (standard output by default)
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Print one JSON object about what was learnt instead of a summary; needs -o
    #[arg(long, requires = "output")]
    json: bool,
}

/// Arguments of `route eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    #[command(flatten)]
    traces: TraceArgs,
    /// Policy file
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// Ignore unknown fields of the policy file instead of refusing it
    #[arg(long)]
    lenient: bool,
    /// Let this model pick the agent of each question, from the policy's findings and rules
    /// (openai:MODEL, anthropic:MODEL, replay:DIR)
    #[arg(long)]
    agent: Option<String>,
    /// Folder for the model's replies; requests whose reply is in it are not sent again
    #[arg(long, value_name = "DIR", requires = "agent")]
    calls: Option<PathBuf>,
    /// Sampling temperature of the model, or `omitted`, which sends none [default: 0]
    #[arg(long, value_name = "T", requires = "agent")]
    temperature: Option<Heat>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// Arguments of `route explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Policy file
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// Ignore unknown fields of the policy file instead of refusing it
    #[arg(long)]
    lenient: bool,
    /// The question
    #[arg(long, default_value = "")]
    question: String,
    /// File with the context of the question
    #[arg(long, value_name = "FILE")]
    context: Option<PathBuf>,
    /// Name of the task
    #[arg(long)]
    task: Option<String>,
    /// Capability that the question needs: IE, NC, DK, CR
    #[arg(long)]
    capability: Option<String>,
    /// Difficulty, 0 to 10
    #[arg(long)]
    difficulty: Option<f64>,
    /// Names that the policy may use besides those of the agent methods, separated by commas
    #[arg(long, value_delimiter = ',')]
    agents: Vec<String>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn route(command: RouteCommand, console: &mut Console<'_>) -> Result<(), RunError> {
    match command {
        RouteCommand::Learn(args) => learn_policy(&args, console),
        RouteCommand::Eval(args) => judge(&args, console),
        RouteCommand::Explain(args) => explain(&args, console),
        RouteCommand::Schema { what } => console.print(&pretty(&plain_schema(match what {
            Form::Policy => RoutingPlaybook::schema(),
            Form::Experience => RoutingExperience::schema(),
        }))?),
    }
}

fn learn_policy(args: &LearnArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let settings = LearnSettings {
        seed: Seed(args.traces.seed),
        ..LearnSettings::default()
    };
    // Output paths are checked before a model is paid.
    let lessons = Output::named(args.experiences.as_deref(), OutputKind::EXPERIENCES)?;
    let file = Output::named(args.output.as_deref(), OutputKind::POLICY)?;
    let traces = args.traces.read(console)?;
    let matrix = args.traces.matrix(&traces)?;
    let (playbook, told, json) = match &args.agent {
        None => {
            let learned = learn(&matrix, &settings)?;
            let told = counted(&learned);
            let json = json!({"tried": learned.tried, "cross_fit": learned.cross_fit});
            (learned.playbook, told, json)
        }
        Some(agent) => {
            let (heat, calls) = (args.temperature, args.calls.as_deref());
            let model = opened_at(heat, agent, &ModelOptions::default(), calls)?;
            let settings = WriteSettings {
                at_once: AT_ONCE,
                incomplete: args.traces.incomplete(),
                learn: settings,
                ..WriteSettings::default()
            };
            let written = runtime()?.block_on(write(model, traces, settings))?;
            if let Some(file) = lessons {
                file.write(write_experiences(&written.experiences))?;
            }
            let told = by_model(&written);
            let json = json!({
                "experiences": written.experiences.len(),
                "unread": written.unread,
                "guard": written.guarded,
                "unusable": written.unusable,
                "cross_fit": written.counted.as_ref().map(|it| it.cross_fit),
            });
            (written.playbook, told, json)
        }
    };
    match file {
        None => {
            told.lines().try_for_each(|line| console.remark(line))?;
            // To standard output goes the policy alone, so that it can be redirected into a file.
            console.print(&pretty(&playbook)?)
        }
        Some(file) => {
            file.write(pretty(&playbook)?)?;
            if args.json {
                let mut json = json;
                if let Some(fields) = json.as_object_mut() {
                    // The rules only: the whole policy is in the file that `out` names.
                    fields.insert("rules".to_owned(), json!(playbook.routing_policy.rules));
                    fields.insert("out".to_owned(), json!(file.path().to_string_lossy()));
                }
                return console.print(&line(&json)?);
            }
            console.print(&told)?;
            console.print(&rules(&playbook))?;
            console.print(&format!("policy in {}\n", shown_path(file.path())))
        }
    }
}

/// Summary of a policy that was learnt by counting.
fn counted(learned: &Learned) -> String {
    let fit = &learned.cross_fit;
    let interval = fit.interval.as_ref().map_or(String::new(), |it| {
        format!(" ({:+.3} to {:+.3})", it.low, it.high)
    });
    format!(
        "{} questions, {} rules tried; on questions they were not learnt from ({} folds) the rules \
         reach {:.3}, the best single agent {:.3}: {:+.3}{interval}{}\n",
        fit.n,
        learned.tried,
        fit.folds,
        fit.accuracy,
        fit.default_accuracy,
        fit.gain.mean(),
        if fit.distinguishable {
            ""
        } else {
            ", not distinguishable"
        }
    )
}

/// Summary of a policy that a model wrote.
fn by_model(written: &Written) -> String {
    let mut text = format!("{} lessons\n", written.experiences.len());
    if let Some((name, why)) = written.unread.first() {
        let count = written.unread.len();
        text.push_str(&format!(
            "no lesson from {count} traces; the first is {}: {}\n",
            shown_name(name),
            shown_name(why)
        ));
    }
    if let Some(why) = &written.unusable {
        let why = shown_name(why);
        text.push_str(&format!("the model's policy cannot be used: {why}\n"));
    }
    if let Some(guarded) = &written.guarded {
        let against = &guarded.against_default;
        text.push_str(&format!(
            "on {} questions that the model did not see its policy is {:+.3} from its default agent{}: \
             {}\n",
            against.counts.n,
            against.difference,
            if against.distinguishable {
                ""
            } else {
                ", not distinguishable"
            },
            if guarded.kept { "kept" } else { "refused" }
        ));
    }
    if let Some(learned) = &written.counted {
        text.push_str("learnt by counting instead: ");
        text.push_str(&counted(learned));
    }
    text
}

fn rules(playbook: &RoutingPlaybook) -> String {
    let policy = &playbook.routing_policy;
    let mut text = String::new();
    for (at, rule) in policy.rules.iter().enumerate() {
        let (number, when, agent) = (at + 1, &rule.when, &rule.choose);
        text.push_str(&format!(
            "{number:>3}. {}: {}\n     {}\n",
            shown_name(&when.to_string()),
            shown_name(agent),
            shown_name(&rule.rationale)
        ));
    }
    text.push_str(&format!(
        "  otherwise: {}\n",
        shown_name(&policy.default_agent)
    ));
    text
}

fn judge(args: &EvalArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let traces = args.traces.read(console)?;
    let matrix = args.traces.matrix(&traces)?;
    let agents = matrix.agents();
    // Against the agents of the matrix: a rule for an agent without answers cannot be measured.
    let playbook = policy(&args.policy, &agents, args.lenient, console)?;
    let evaluation = match &args.agent {
        None => evaluate(&matrix, &playbook.routing_policy)?,
        Some(agent) => {
            let (heat, calls) = (args.temperature, args.calls.as_deref());
            let model = opened_at(heat, agent, &ModelOptions::default(), calls)?;
            let work = picks::picks(model, &playbook, &agents, &traces, AT_ONCE);
            let (picks, unusable) = runtime()?.block_on(work)?;
            if unusable > 0 {
                console.remark(&format!(
                    "note: {unusable} questions without a usable pick went to the default agent\n"
                ))?;
            }
            evaluate_picks(&matrix, &picks, &playbook.routing_policy.default_agent)?
        }
    };
    if args.json {
        return console.print(&line(&evaluation)?);
    }
    console.print(&shown_evaluation(evaluation).to_string())
}

/// The names come from files of traces: none of them may look like a line of the program.
fn shown_evaluation(mut evaluation: PolicyEvaluation) -> PolicyEvaluation {
    let agents = evaluation.agents.iter_mut().map(|of| &mut of.name);
    let cells = evaluation.cells.iter_mut().flat_map(|of| {
        let names = of.task_name.iter_mut().chain(&mut of.capability);
        names.chain([&mut of.best_here])
    });
    let rules = evaluation.rules.iter_mut();
    let rules = rules.flat_map(|of| [&mut of.when, &mut of.agent]);
    let own = [
        &mut evaluation.best_single,
        &mut evaluation.router.default_agent,
    ];
    for text in agents.chain(cells).chain(rules).chain(own) {
        *text = shown_name(text);
    }
    evaluation
}

fn explain(args: &ExplainArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let methods = METHODS.map(|method| method.name.to_owned());
    let names = methods.into_iter().chain(args.agents.iter().cloned());
    // Methods first, then names of the user, as a policy of traces may choose among other agents.
    let agents = Agents::new(names.map(|name| (name, None)));
    let playbook = policy(&args.policy, &agents, args.lenient, console)?;
    let context = match &args.context {
        Some(path) => Some(regular::text(path, regular::MOST_SMALL).map_err(RunError::file(path))?),
        None => None,
    };
    if let Some(difficulty) = args.difficulty
        && !(0.0..=10.0).contains(&difficulty)
    {
        let text = format!("--difficulty must be 0 to 10, not `{difficulty}`");
        return Err(RunError::usage(text));
    }
    let sample = Sample {
        task_name: args.task.as_deref().map(routed_name),
        capability: args.capability.clone(),
        difficulty_bucket: Bucket::of(args.difficulty),
        features: Features::of(&args.question, context.as_deref()),
    };
    let router = Router::new(&playbook.routing_policy, &agents)?;
    let explanation = router.explain(&sample);
    console.print(&if args.json {
        line(&json!({"sample": sample, "explanation": explanation}))?
    } else {
        shown_explanation(explanation).to_string()
    })
}

/// The names and conditions come from the policy's file: none of them may look like a line of the program.
fn shown_explanation(mut explanation: Explanation) -> Explanation {
    let losers = explanation.losers.iter_mut();
    let losers = losers.flat_map(|loser| [&mut loser.agent, &mut loser.why]);
    let missed = explanation.missed.iter_mut().map(|(_, part)| part);
    let texts = losers.chain(missed).chain(&mut explanation.matched);
    for text in texts.chain([&mut explanation.agent]) {
        *text = shown_name(text);
    }
    explanation
}

fn policy(
    path: &Path,
    agents: &Agents,
    lenient: bool,
    console: &mut Console<'_>,
) -> Result<RoutingPlaybook, RunError> {
    let strictness = if lenient {
        Strictness::Lenient
    } else {
        Strictness::Strict
    };
    let (playbook, left_out) = read_policy(path, agents, strictness)?;
    if !left_out.is_empty() {
        console.remark(&format!(
            "note: left out of the policy: {}\n",
            left_out.join(", ")
        ))?;
    }
    Ok(playbook)
}
