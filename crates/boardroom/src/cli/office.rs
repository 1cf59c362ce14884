//! `office`: companies and tasks of the enterprise office as files.

use super::args::ConfigArgs;
use super::output::{Output, OutputKind};
use super::{Console, args, line, pretty};
use crate::office::{CompanyFile, Embeddings, export_folder, import_folder, make_empty};
use crate::registry::Registry;
use clap::{Args, Subcommand};
use enterprise_sandbox::data::company::Company;
use enterprise_sandbox::data::import::{ImportOptions, ImportReport};
use enterprise_sandbox::data::org::Rank;
use enterprise_sandbox::data::synth::{CompanyConfig, VolumeProfile, synthesise};
use enterprise_sandbox::data::tables::TableId;
use enterprise_sandbox::data::value::Day;
use enterprise_sandbox::tasks::TaskSpec;
use enterprise_sandbox::{Config, Instance, Spec};
use run_engine::error::RunError;
use run_engine::files::regular;
use run_engine::plan::setting::leaves;
use run_engine::terminal::{shell_path, shell_word, shown_name, shown_path};
use serde::Serialize;
use serde_json::Value;
use sim_core::error::in_json_words;
use sim_core::{ConfigError, Digest, EnvironmentSpec, Episode, Seed, Stored as _, strict};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod score;
mod stats;
mod tasks;
mod train;

/// The subcommands of `office`.
#[derive(Debug, Subcommand)]
pub enum OfficeCommand {
    /// Read a folder in the published form; report what was repaired and what was set aside
    Import(ImportArgs),
    /// Make a company from a seed; report what it contains
    Generate(GenerateArgs),
    /// Draw tasks with their outcomes, as JSON lines
    Tasks(tasks::TasksArgs),
    /// Figures of a set of tasks: steps, templates, wording, balance of the answers
    Stats(stats::StatsArgs),
    /// Write tasks as training data: supervised examples and preference pairs
    Train(train::TrainArgs),
    /// Write a company as a folder in the published form
    Export(ExportArgs),
    /// Success of runs by domain, category, difficulty and level, with pass^k; also by a model as judge
    Score(score::ScoreArgs),
}

/// The company that a command uses.
#[derive(Debug, Args)]
struct CompanyArgs {
    /// A company file that `office generate` wrote, or a folder in the published form; without it a
    /// company is made from the preset and the settings
    #[arg(conflicts_with = "preset")]
    company: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
}

/// Arguments of `office import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The folder
    dir: PathBuf,
    /// Generate the sources that the folder does not have, in these proportions
    #[arg(long, value_name = "PROFILE", value_parser = args::named::<VolumeProfile>([
        ("upstream", "The published proportions"), ("lite", "0.4 reviews per sale"),
        ("ops", "One ticket per two people"),
    ]))]
    fill: Option<VolumeProfile>,
    /// End with code 1 if a row had to be set aside, or a file has other columns than the published form
    #[arg(long)]
    strict: bool,
    /// Folder to write the imported company to
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print the whole report as one JSON object, with every repair
    #[arg(long)]
    json: bool,
}

/// Arguments of `office generate`.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Company file to write: a recipe from which the same company can be generated again
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the access rules of these settings instead, as Cedar text for the setting access.policies
    #[arg(long, conflicts_with_all = ["output", "json"])]
    policies: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of `office export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    company: CompanyArgs,
    /// Folder to write
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// File for the true values behind the data defects of a generated company, as JSON lines
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Data of the office that a command may use.
#[derive(Debug, Args)]
pub(super) struct OfficeArgs {
    /// Folder of a company for the office (repeatable); `--set imported=DIGEST` plays in it
    #[arg(long = "office", value_name = "DIR", global = true, help_heading = super::EVERYWHERE)]
    offices: Vec<PathBuf>,
    /// For offices with search=embedding: folder in which the vectors of the embedding server are recorded
    /// (OPENAI_BASE_URL, OPENAI_API_KEY); replay:DIR reads them and sends nothing
    #[arg(long, value_name = "DIR", global = true, help_heading = super::EVERYWHERE)]
    embeddings: Option<String>,
}

/// What `--office` and `--embeddings` gave to the office.
pub(super) struct Offered {
    /// Folders of companies, with their digests.
    companies: Vec<(PathBuf, String)>,
    embeddings: Option<Arc<Embeddings>>,
}

/// Registers the companies in these folders, so that the setting `imported` may name them, and the
/// vectors of searches.
pub(super) fn offer(registry: &Registry, args: &OfficeArgs) -> Result<Offered, RunError> {
    let mut companies = Vec::new();
    for dir in &args.offices {
        // Any other file is left to the import, which says what a folder must hold.
        if let Some(file) = dir
            .is_file()
            .then(|| CompanyFile::read_at(dir))
            .and_then(Result::ok)
        {
            return Err(not_a_folder(dir, &file));
        }
        let (company, _) = import_folder(dir, &ImportOptions::default())?;
        // Imported before the command: its settings name the company by its digest.
        companies.push((dir.clone(), registry.office().add(company.into())));
    }
    let embeddings = args.embeddings.as_deref().map(Embeddings::open);
    let embeddings = embeddings.transpose()?.map(Arc::new);
    if let Some(embeddings) = &embeddings {
        registry.office().embed_with(Arc::clone(embeddings) as _);
    }
    Ok(Offered {
        companies,
        embeddings,
    })
}

/// The error of `--office FILE` where a company file was named: its settings are options of `run`.
fn not_a_folder(path: &Path, file: &CompanyFile) -> RunError {
    let leaves_of = |company: &CompanyConfig| {
        let company = serde_json::to_value(company).unwrap_or_default();
        leaves(&serde_json::json!({ "company": company }))
    };
    let usual = leaves_of(&CompanyConfig::default());
    let mut options = String::new();
    for (setting, value) in leaves_of(&file.company) {
        if usual.get(&setting) != Some(&value) {
            let _ = write!(
                options,
                " --set {}",
                shell_word(&format!("{setting}={value}"))
            );
        }
    }
    RunError::usage(format!(
        "--office takes a folder in the published form, and {} is a company file, which holds settings: \
         `boardroom run office{options}` plays in its company",
        shown_path(path)
    ))
}

impl Offered {
    /// The result of a command, or an error if searches had no vectors, because their replies were then not those of a
    /// search. Prints how much the vectors took, which no run counts, and names the companies that were not used.
    pub(super) fn checked(
        &self,
        done: Result<(), RunError>,
        console: &mut Console<'_>,
    ) -> Result<(), RunError> {
        // Also where the command failed: what it asked for is paid.
        let note = self.embeddings.as_deref().and_then(Embeddings::note);
        let told = note.map(|note| console.remark(&format!("note: {note}\n")));
        // An error of the command itself says more than one of its searches.
        done?;
        told.transpose()?;
        let trouble = self.embeddings.as_deref().and_then(Embeddings::trouble);
        if let Some(trouble) = trouble {
            return Err(RunError::Failed(format!(
                "some searches had no vectors, so their results do not count: {trouble}"
            )));
        }
        let unused = console.registry.office().unused();
        for (dir, digest) in &self.companies {
            if unused.contains(digest) {
                console.remark(&format!(
                    "the company in {} was not used: `run office --set imported={digest}` plays in it\n",
                    shown_path(dir)
                ))?;
            }
        }
        Ok(())
    }
}

pub(super) fn office(command: OfficeCommand, console: &mut Console<'_>) -> Result<(), RunError> {
    let spec = console.registry.office();
    match command {
        OfficeCommand::Import(args) => import(&args, console),
        OfficeCommand::Generate(args) => generate(&args, spec, console),
        OfficeCommand::Tasks(args) => tasks::tasks(&args, spec, console),
        OfficeCommand::Stats(args) => stats::stats(&args, spec, console),
        OfficeCommand::Train(args) => train::train(&args, spec, console),
        OfficeCommand::Export(args) => export(&args, spec, console),
        OfficeCommand::Score(args) => score::score(&args, console),
    }
}

fn import(args: &ImportArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let options = ImportOptions {
        fill: args.fill,
        ..ImportOptions::default()
    };
    let (company, report) = import_folder(&args.dir, &options)?;
    if let Some(output) = &args.output {
        export_folder(&company, output, console.stop)?;
    }
    let digest = company.digest().to_string();
    if args.json {
        #[derive(Serialize)]
        struct Imported<'a> {
            digest: &'a str,
            #[serde(flatten)]
            report: &'a ImportReport,
        }
        console.print(&line(&Imported {
            digest: &digest,
            report: &report,
        })?)?;
    } else {
        console.print(&told(&report))?;
        if let Some(output) = &args.output {
            console.print(&format!(
                "play it: boardroom run office --office {} --set imported={digest}\n",
                shell_path(output)
            ))?;
        } else {
            console.print(&format!("digest {digest}\n"))?;
        }
    }
    let mut faults: Vec<String> = other_columns(&report).collect();
    if let Some(first) = report.quarantined.first() {
        faults.push(format!(
            "{} rows were set aside; the first is row {} of {}: {}",
            report.quarantined.len(),
            first.position,
            first.source,
            first.rule
        ));
    }
    match args.strict && !faults.is_empty() {
        true => Err(RunError::Failed(faults.join("; "))),
        false => Ok(()),
    }
}

/// The columns of each source that are not those of the published form, in words.
fn other_columns(report: &ImportReport) -> impl Iterator<Item = String> {
    let unknown = report.unknown_columns.iter().map(|(source, names)| {
        let names = names.iter().map(|name| shown_name(name));
        (
            source,
            "has columns that are not read",
            names.collect::<Vec<_>>(),
        )
    });
    let absent = report.absent_columns.iter().map(|(source, names)| {
        let names = names.iter().map(|name| (*name).to_owned());
        (source, "lacks the columns", names.collect::<Vec<_>>())
    });
    absent.chain(unknown).map(|(source, what, mut names)| {
        let more = names.len().saturating_sub(SHOWN);
        names.truncate(SHOWN);
        let names = names.join("`, `");
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{source} {what} `{names}`{more}")
    })
}

/// Rows of the report that are printed; the JSON form has all of them.
const SHOWN: usize = 10;

/// The report of an import as text.
fn told(report: &ImportReport) -> String {
    let mut text = format!(
        "{:<18}{:>9}{:>10}{:>10}{:>11}  file\n",
        "source", "rows", "imported", "repaired", "set aside"
    );
    let mut put = |words: std::fmt::Arguments<'_>| {
        // Writing to a string does not fail.
        let _ = text.write_fmt(words);
    };
    for (source, s) in &report.sources {
        // Sources that the folder does not have, which are most of them in a small one.
        if s.path.is_none() && s.made == 0 {
            continue;
        }
        put(format_args!(
            "{:<18}{:>9}{:>10}{:>10}{:>11}  {}\n",
            source.to_string(),
            s.rows,
            s.imported,
            s.repaired,
            s.quarantined,
            s.path
                .as_deref()
                .map_or_else(|| format!("({} made)", s.made), shown_path),
        ));
    }
    for (what, counts) in [
        ("read as", &report.coercions),
        ("repaired", &report.repairs_by_rule),
        ("found", &report.findings),
    ] {
        for (name, count) in counts {
            put(format_args!("{what:<10}{name:<34}{count:>9}\n"));
        }
    }
    for columns in other_columns(report) {
        put(format_args!("columns: {columns}\n"));
    }
    for note in report.quarantined.iter().take(SHOWN) {
        put(format_args!(
            "set aside: {} row {} `{}`: {} in {} (`{}`)\n",
            note.source,
            note.position,
            shown_name(&note.id),
            note.rule,
            note.field,
            shown_name(&note.before)
        ));
    }
    if report.quarantined.len() > SHOWN {
        put(format_args!(
            "set aside: {} more; --json lists all\n",
            report.quarantined.len() - SHOWN
        ));
    }
    if !report.unknown_files.is_empty() {
        put(format_args!(
            "not read: {} files, such as {}\n",
            report.unknown_files.len(),
            report
                .unknown_files
                .first()
                .map_or_else(String::new, shown_path),
        ));
    }
    text
}

fn configured(spec: &Spec, given: &ConfigArgs) -> Result<Config, RunError> {
    // Boxed in its own crate, so that the code behind the trait object is not compiled here again.
    let spec = spec.clone().boxed();
    let value = spec.configure(given.preset.as_deref(), &given.settings)?;
    serde_json::from_value(value).map_err(RunError::failed)
}

impl CompanyArgs {
    /// The settings of a run in this company; a folder is imported and registered.
    fn config(&self, spec: &Spec) -> Result<Config, RunError> {
        let Some(path) = &self.company else {
            return configured(spec, &self.config);
        };
        let first = if path.is_dir() {
            let (company, _) = import_folder(path, &ImportOptions::default())?;
            ("imported".to_owned(), Value::from(spec.add(company.into())))
        } else {
            let file = CompanyFile::read_at(path)?;
            let company = serde_json::to_value(file.company).map_err(RunError::failed)?;
            ("company".to_owned(), company)
        };
        // First, so that settings of the user may change the company that was named.
        let own = self.config.settings.iter().cloned();
        let settings = std::iter::once(first).chain(own).collect();
        let preset = None;
        configured(spec, &ConfigArgs { preset, settings })
    }
}

/// Instance number `index` of a run with `seed`, or why it cannot be drawn.
fn drawn(spec: &Spec, config: &Config, (seed, index): (u64, u64)) -> Result<Instance, ConfigError> {
    EnvironmentSpec::generate(spec, config, Episode::of_run(Seed(seed), index))
}

fn make(company: &CompanyConfig) -> Result<Company, RunError> {
    Ok(synthesise(company).map_err(|e| e.within("company"))?)
}

/// The contents of a company.
#[derive(Debug, Serialize)]
struct Holdings {
    digest: Digest,
    clock: Day,
    employees: u32,
    roles: BTreeMap<&'static str, u32>,
    rows: BTreeMap<TableId, u32>,
    marks: usize,
}

impl Holdings {
    fn of(company: &Company) -> Self {
        let mut roles = BTreeMap::new();
        for employee in company.employees() {
            *roles
                .entry(Rank::of_level(employee.level).title())
                .or_default() += 1;
        }
        Self {
            digest: company.digest(),
            clock: company.clock(),
            employees: company.rows(TableId::Employees),
            roles,
            rows: company.row_counts(),
            marks: company.marks().len(),
        }
    }
}

fn generate(args: &GenerateArgs, spec: &Spec, console: &mut Console<'_>) -> Result<(), RunError> {
    let config = configured(spec, &args.config)?;
    if args.policies {
        return console.print(&config.access.policy_text());
    }
    // Before the company is made, which may take minutes.
    let output = Output::named(args.output.as_deref(), OutputKind::COMPANY)?;
    let holdings = Holdings::of(&make(&config.company)?);
    if let Some(output) = output {
        let file = CompanyFile {
            schema: CompanyFile::SCHEMA,
            version: Spec::ABOUT.version,
            company: config.company,
            digest: holdings.digest,
        };
        output.write(pretty(&file)?)?;
    }
    if args.json {
        return console.print(&line(&holdings)?);
    }
    let mut text = format!("{} people on {}:", holdings.employees, holdings.clock);
    for (role, count) in &holdings.roles {
        let _ = write!(text, " {count} {role}");
    }
    text.push('\n');
    for (source, count) in &holdings.rows {
        let _ = writeln!(text, "{:<18}{count:>10}", source.to_string());
    }
    if holdings.marks > 0 {
        let _ = writeln!(text, "{} values are wrong on purpose", holdings.marks);
    }
    let _ = writeln!(text, "digest {}", holdings.digest);
    console.print(&text)
}

fn export(args: &ExportArgs, spec: &Spec, console: &mut Console<'_>) -> Result<(), RunError> {
    // Before the company is made and the folder written, so that a wrong name leaves nothing behind.
    let truth = Output::named(args.truth.as_deref(), OutputKind::TRUTH)?;
    let company = match &args.company.company {
        Some(dir) if dir.is_dir() => import_folder(dir, &ImportOptions::default())?.0,
        _ => make(&args.company.config(spec)?.company)?,
    };
    let written = export_folder(&company, &args.output, console.stop)?;
    if let Some(truth) = truth {
        let mut lines = String::new();
        for mark in company.marks() {
            lines += &line(mark)?;
        }
        truth.write(lines)?;
    }
    if args.json {
        console.print(&line(&written)?)
    } else {
        console.print(&format!(
            "{} files, {} bytes in {}\n",
            written.files,
            written.bytes,
            shown_path(&args.output)
        ))
    }
}

/// Reads tasks that `office tasks` wrote, one a line.
fn read_tasks(path: &Path) -> Result<Vec<TaskSpec>, RunError> {
    let text = regular::json_text(path, regular::MOST_DATA).map_err(RunError::file(path))?;
    let lines = text.lines().enumerate().filter(|(_, l)| !l.is_empty());
    lines
        .map(|(n, l)| {
            let task = strict::json(l.as_bytes()).and_then(serde_json::from_value);
            task.map_err(|e| {
                RunError::usage(format!(
                    "{}, line {}: not a task: {}",
                    shown_path(path),
                    n + 1,
                    in_json_words(&e.to_string())
                ))
            })
        })
        .collect()
}
