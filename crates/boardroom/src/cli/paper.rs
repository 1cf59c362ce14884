//! The command `paper`: the tables and figures of a paper for the runs at hand.

use super::output::{Output, OutputKind};
use super::records::remark_all;
use super::{Console, pretty};
use clap::{Args, ValueEnum};
use qa_runner::qa::measured::has_results;
use run_engine::error::RunError;
use run_engine::registry::Registry;
use run_engine::terminal::shown_path;
use run_report::items::{is_items, is_questions, read_items, unfinished_items};
use run_report::paper::{PaperInputs, PaperName, PaperPage, RunNote, paper as fill};
use run_report::runs::read_runs;
use run_report::runs::unfinished::unfinished;
use run_report::runs::walk::{FoundRuns, find_runs};
use std::path::{Path, PathBuf};

/// Arguments of `paper`.
#[derive(Debug, Args)]
pub struct PaperArgs {
    /// The paper
    #[arg(value_enum)]
    paper: PaperArg,
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
    /// Capability and difficulty of the questions, as written by `qa label`
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Write the tables to this folder as paper.md, tables.csv, tables.tex and paper.json (with
    /// --format only one of them), and each figure as SVG. Without it, the tables are printed
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Format of the tables [default: markdown; with --out all of them]
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
}

/// The papers, by the short names of docs/sources.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PaperArg {
    /// Agent methods on questions, interviews and games
    Strategic,
    /// Unknown markets: procurement, scheduling, pricing
    Markets,
    /// The enterprise office
    Office,
    /// Capital reallocation by a chief executive
    Ceo,
    /// Knowledge and application questions: "BizCompass"
    Bizcompass,
}

impl From<PaperArg> for PaperName {
    fn from(paper: PaperArg) -> Self {
        match paper {
            PaperArg::Strategic => Self::Strategic,
            PaperArg::Markets => Self::Markets,
            PaperArg::Office => Self::Office,
            PaperArg::Ceo => Self::Ceo,
            PaperArg::Bizcompass => Self::Bizcompass,
        }
    }
}

/// A format of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// One page with all tables
    Markdown,
    /// One line per cell, with all digits
    Csv,
    /// One environment `table` per table; needs no package
    Latex,
    /// One object with all tables
    Json,
}

impl FormatArg {
    const ALL: [Self; 4] = [Self::Markdown, Self::Csv, Self::Latex, Self::Json];

    fn file(self) -> &'static str {
        match self {
            Self::Markdown => "paper.md",
            Self::Csv => "tables.csv",
            Self::Latex => "tables.tex",
            Self::Json => "paper.json",
        }
    }

    fn kind(self) -> OutputKind {
        match self {
            Self::Markdown => OutputKind::PAPER_PAGE,
            Self::Csv => OutputKind::PAPER_CELLS,
            Self::Latex => OutputKind::PAPER_LATEX,
            Self::Json => OutputKind::PAPER_OBJECT,
        }
    }

    fn text(self, report: &PaperPage) -> Result<String, RunError> {
        match self {
            Self::Markdown => Ok(report.markdown()),
            Self::Csv => report.report.csv(),
            Self::Latex => Ok(report.latex()),
            Self::Json => pretty(report),
        }
    }
}

pub(super) fn paper(
    args: &PaperArgs,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let (inputs, skipped) = inputs(args, registry, console)?;
    let mut report = fill(registry, args.paper.into(), &inputs)?;
    report.unused.extend(skipped);
    let unused = report.unused.iter();
    let unused =
        unused.map(|note| format!("not used: {}: {}", shown_path(&note.folder), note.remark));
    remark_all(&unused.collect::<Vec<_>>(), console)?;
    match &args.out {
        None => {
            let format = args.format.unwrap_or(FormatArg::Markdown);
            console.print(&format.text(&report)?)
        }
        Some(dir) => write(dir, args.format, &report, console),
    }
}

/// Sorts the folders by what they hold; remarks name what they lack. Folders without a run are returned with
/// the reason.
fn inputs(
    args: &PaperArgs,
    registry: &Registry,
    console: &mut Console<'_>,
) -> Result<(PaperInputs, Vec<RunNote>), RunError> {
    if args.paper != PaperArg::Bizcompass && !args.tables.is_empty() {
        return Err(RunError::usage("--tables is for the paper bizcompass"));
    }
    let is_result = |dir: &&PathBuf| args.paper == PaperArg::Bizcompass && has_results(dir);
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
    let (items, episodes): (Vec<PathBuf>, Vec<PathBuf>) =
        runs.into_iter().partition(|dir| is_items(dir));
    let (questions, interviews): (Vec<PathBuf>, Vec<PathBuf>) =
        items.into_iter().partition(|dir| is_questions(dir));
    for dirs in [&questions, &interviews] {
        if let Some(runs) = read_items(dirs)? {
            remark_all(&unfinished_items(&runs)?, console)?;
        }
    }
    if !episodes.is_empty() {
        let runs = read_runs(&episodes)?;
        remark_all(&unfinished(registry, &sweeps, &runs)?, console)?;
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
    std::fs::create_dir_all(dir).map_err(RunError::file(dir))?;
    let mut files = Vec::new();
    for form in FormatArg::ALL {
        if format.is_none_or(|format| format == form) {
            files.push((form.file().to_owned(), form.kind(), form.text(report)?));
        }
    }
    for figure in &report.report.figures {
        let name = format!("{}.svg", figure.id);
        files.push((name, OutputKind::PAPER_FIGURE, figure.svg.clone()));
    }
    // All paths are checked before the first file is written.
    let paths: Vec<PathBuf> = files.iter().map(|(name, ..)| dir.join(name)).collect();
    let mut outputs = Vec::new();
    for (path, (_, kind, _)) in paths.iter().zip(&files) {
        outputs.push(Output::at(path, *kind)?);
    }
    for (output, (.., text)) in outputs.into_iter().zip(&files) {
        output.write(text)?;
    }
    let names: Vec<&str> = files.iter().map(|(name, ..)| name.as_str()).collect();
    let open = match report.report.unfilled() {
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
