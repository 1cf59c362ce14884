//! The command `paper`: the tables and figures of a paper for the runs at hand.

use super::output::{Output, OutputKind};
use super::records::remark_all;
use super::{Console, pretty};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use run_engine::error::RunError;
use run_engine::run_dir::manifest::environment_of;
use run_engine::terminal::{shown_path, width};
use run_report::paper::{Paper, PaperInputs, PaperPage, RunNote};
use run_report::questions::measured::has_results;
use run_report::questions::{INTERVIEWS, QUESTIONS};
use run_report::runs::read_runs;
use run_report::runs::unfinished::unfinished;
use run_report::runs::walk::{FoundRuns, find_runs};
use std::path::{Path, PathBuf};

/// Arguments of `paper`.
#[derive(Debug, Args)]
pub struct PaperArgs {
    /// The paper: strategic (agent methods on questions, interviews and games), markets (procurement,
    /// scheduling, pricing), office (the enterprise office), ceo (capital reallocation), bizcompass
    /// (knowledge and application questions)
    #[arg(value_parser = PossibleValuesParser::new(Paper::names()), required_unless_present = "spec")]
    paper: Option<String>,
    /// Your own tables: a file in the form that docs/papers.md describes
    #[arg(long, value_name = "FILE", conflicts_with = "paper")]
    spec: Option<PathBuf>,
    /// Print the spec of the paper, as a pattern for your own
    #[arg(long, requires = "paper", conflicts_with_all = ["runs", "out", "format"])]
    show_spec: bool,
    /// Run folders, shards, folders of sweeps, or folders that hold such folders at any depth;
    /// episodes, questions and interviews may be mixed. With bizcompass, also folders of published
    /// result files. Runs that no table uses are listed with the reason. Without this option, the
    /// tables hold the published figures and the commands that fill the other cells
    #[arg(long, value_name = "DIR", num_args = 1..)]
    runs: Vec<PathBuf>,
    /// Your own tables for bizcompass, in the formats of `qa onet`, `qa weights` and `qa
    /// correlate`. Their columns determine their use: occupations and tasks of O*NET (Tables 17, 18),
    /// quality scores and preferences (appendix D.2), figures of other benchmarks by model (Figure
    /// 5)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    tables: Vec<PathBuf>,
    /// Also use runs of episodes whose settings (preset, suite, --set) differ from the paper's, in rows that
    /// are marked `other settings`; without this option they are listed and not used
    #[arg(long)]
    other_settings: bool,
    /// Fail if a figure of a table that compares is outside its tolerance or no run fills it, or if a published figure
    /// stands in no table
    #[arg(long)]
    check: bool,
    /// Capability and difficulty of the questions, as written by `qa label`
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Write the tables to this folder as paper.md, paper.html, tables.csv, tables.tex and paper.json (with
    /// --format only one of them), and each figure as SVG. Without it, the tables are printed
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Format of the tables [default: text on a terminal, else markdown; with --out all but text]
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
}

/// A format of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// Aligned columns that fit the terminal
    Text,
    /// One page with all tables
    Markdown,
    /// One line per cell, with all digits
    Csv,
    /// One environment `table` per table; needs no package
    Latex,
    /// One object with all tables
    Json,
    /// One page with all tables for a browser
    Html,
}

impl FormatArg {
    /// Those that are written to files.
    const FILES: [Self; 5] = [
        Self::Markdown,
        Self::Csv,
        Self::Latex,
        Self::Json,
        Self::Html,
    ];

    /// The name of its file, and how an earlier one is recognised.
    fn file(self) -> (&'static str, OutputKind) {
        match self {
            Self::Text => ("paper.txt", OutputKind::PAPER_PAGE),
            Self::Markdown => ("paper.md", OutputKind::PAPER_PAGE),
            Self::Csv => ("tables.csv", OutputKind::PAPER_CELLS),
            Self::Latex => ("tables.tex", OutputKind::PAPER_LATEX),
            Self::Json => ("paper.json", OutputKind::PAPER_OBJECT),
            Self::Html => ("paper.html", OutputKind::PAPER_PAGE),
        }
    }

    fn text(self, report: &PaperPage) -> Result<String, RunError> {
        match self {
            Self::Text => Ok(report.text(width().unwrap_or(usize::MAX))),
            Self::Markdown => Ok(report.markdown()),
            Self::Csv => report.csv(),
            Self::Latex => Ok(report.latex()),
            Self::Json => pretty(report),
            Self::Html => Ok(report.html()),
        }
    }
}

pub(super) fn paper(args: &PaperArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let paper = match (&args.spec, &args.paper) {
        (Some(path), _) => Paper::read(path)?,
        (None, name) => Paper::named(name.as_deref().unwrap_or_default())?,
    };
    if args.show_spec {
        let spec = args.paper.as_deref().and_then(Paper::spec_of);
        return console.print(spec.unwrap_or_default());
    }
    let (inputs, skipped) = inputs(args, &paper, console)?;
    let mut report = paper.fill(console.registry, &inputs)?;
    report.unused.extend(skipped);
    // On standard error as well as in the page: the tables may be long, and a run that is missing
    // there is easily overlooked.
    let unused = report.unused.iter();
    let unused =
        unused.map(|note| format!("not used: {}: {}", shown_path(&note.folder), note.remark));
    let misplaced = report.misplaced.iter();
    let misplaced = misplaced.map(|line| format!("published figure not shown: {line}"));
    remark_all(&unused.chain(misplaced).collect::<Vec<_>>(), console)?;
    match &args.out {
        None => {
            // Without a terminal the output goes to a file or another program.
            let usual = width().map_or(FormatArg::Markdown, |_| FormatArg::Text);
            let format = args.format.unwrap_or(usual);
            console.print(&format.text(&report)?)?;
        }
        Some(dir) => write(dir, args.format, &report, console)?,
    }
    match report.missed() {
        // Last, so that the tables are there when the check fails.
        missed if args.check && !missed.is_empty() => Err(RunError::Failed(format!(
            "outside their tolerance, without a run, or in no table: {}",
            missed.join("; ")
        ))),
        _ => Ok(()),
    }
}

/// Sorts the folders by what they hold; remarks name what they lack. Folders without a run are returned with
/// the reason.
fn inputs(
    args: &PaperArgs,
    paper: &Paper,
    console: &mut Console<'_>,
) -> Result<(PaperInputs, Vec<RunNote>), RunError> {
    if !paper.reads_tables() && !args.tables.is_empty() {
        return Err(RunError::usage("--tables is for the paper bizcompass"));
    }
    let is_result = |dir: &&PathBuf| paper.reads_tables() && has_results(dir);
    let results: Vec<PathBuf> = args.runs.iter().filter(is_result).cloned().collect();
    let FoundRuns {
        runs,
        sweeps,
        mut skipped,
    } = find_runs(&args.runs)?;
    // Folders of result files hold no run, nor do the folders in them.
    skipped.retain(|(folder, _)| !results.iter().any(|result| folder.starts_with(result)));
    let skipped: Vec<RunNote> = skipped
        .into_iter()
        .map(|(folder, reason)| RunNote {
            folder,
            remark: reason.to_owned(),
        })
        .collect();
    if runs.is_empty() && sweeps.is_empty() && results.is_empty() && !args.runs.is_empty() {
        let skipped = skipped.iter();
        let reasons = skipped.map(|note| format!("{}: {}", shown_path(&note.folder), note.remark));
        return Err(RunError::usage(format!(
            "there is no run in these folders: {}",
            reasons.collect::<Vec<_>>().join("; ")
        )));
    }
    if !runs.is_empty() {
        // For the remarks alone: the tables read the folders by themselves, each kind of runs in its own way.
        let runs = read_runs(&runs)?;
        remark_all(&unfinished(console.registry, &sweeps, &runs)?, console)?;
    }
    let (mut episodes, mut questions, mut interviews) = (Vec::new(), Vec::new(), Vec::new());
    for dir in runs {
        match environment_of(&dir).as_deref() {
            Some(QUESTIONS) => questions.push(dir),
            Some(INTERVIEWS) => interviews.push(dir),
            _ => episodes.push(dir),
        }
    }
    let inputs = PaperInputs {
        episodes,
        questions,
        interviews,
        results,
        tables: args.tables.clone(),
        labels: args.labels.clone(),
        other_settings: args.other_settings,
    };
    Ok((inputs, skipped))
}

/// Writes the tables and figures into `dir`.
fn write(
    dir: &Path,
    format: Option<FormatArg>,
    report: &PaperPage,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    if format == Some(FormatArg::Text) {
        return Err(RunError::usage(
            "--format text is for the terminal, not for --out",
        ));
    }
    std::fs::create_dir_all(dir).map_err(RunError::file(dir))?;
    let mut files = Vec::new();
    for form in FormatArg::FILES {
        if format.is_none_or(|format| format == form) {
            let (name, kind) = form.file();
            files.push((name.to_owned(), kind, form.text(report)?));
        }
    }
    for figure in &report.figures {
        let name = format!("{}.svg", figure.id);
        files.push((name, OutputKind::PAPER_PAGE, figure.svg.clone()));
    }
    // All paths are checked before the first file is written.
    let paths: Vec<PathBuf> = files.iter().map(|(name, ..)| dir.join(name)).collect();
    let mut outputs = Vec::new();
    for (path, (_, kind, _)) in paths.iter().zip(&files) {
        outputs.push(Output::chosen(path, *kind)?);
    }
    for (output, (.., text)) in outputs.into_iter().zip(&files) {
        output.write(text)?;
    }
    let names: Vec<&str> = files.iter().map(|(name, ..)| name.as_str()).collect();
    let open = match report.unfilled() {
        0 => "every cell has a run".to_owned(),
        1 => "1 cell has no run; the tables name the command that fills it".to_owned(),
        count => format!("{count} cells have no run; the tables name the commands that fill them"),
    };
    console.print(&format!(
        "{} in {}\n{open}\n",
        names.join(", "),
        shown_path(dir)
    ))
}
