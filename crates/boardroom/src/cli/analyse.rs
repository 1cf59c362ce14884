//! `qa correlate`, `qa families`, `qa weights`, `qa filter` and `qa onet`: analyses of tables.

use super::args::named;
use super::output::{Output, OutputKind};
use super::{Console, line};
use clap::Args;
use qa_scoring::aggregate::FamilyMean;
use qa_scoring::correlate::{Coefficient, DomainValue};
use qa_scoring::load::Row;
use qa_scoring::model_table::CorrelationCell;
use qa_scoring::onet::{self, Coverage, Shares};
use qa_scoring::quality::{
    CONVERSION_COLUMNS, Fit, FitError, QUALITY_COLUMNS, Quality, THRESHOLD, agreement, fit,
    preferences_of, rated, rejection_recall, scores,
};
use qa_scoring::{MetricFamily, published};
use run_engine::error::RunError;
use run_engine::registry::Registry;
use run_engine::words::{counted, number};
use run_report::questions::measured::{Joined, rows};
use run_report::text_table::TextTable;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How a result is printed.
#[derive(Debug, Clone, Copy, Args)]
struct FormatArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

impl FormatArgs {
    /// Prints a result in the chosen form.
    fn show(
        self,
        value: &impl Serialize,
        sheets: &[TextTable],
        console: &mut Console<'_>,
    ) -> Result<(), RunError> {
        if self.json {
            return console.print(&line(value)?);
        }
        for sheet in sheets {
            console.print(&sheet.text())?;
        }
        Ok(())
    }
}

/// Where the figures of models come from.
#[derive(Debug, Args)]
struct TableArgs {
    /// Tables with a column `model` and a column for each task (CSV, JSON lines or a JSON array; a row
    /// `n` holds the numbers of items), folders of question runs, or folders of published result
    /// files. Tables are joined by `model`
    #[arg(value_name = "FILE-or-DIR")]
    files: Vec<PathBuf>,
    /// Add the 23 models of the paper's Tables 15 and 16
    #[arg(long)]
    published: bool,
}

impl TableArgs {
    fn read(&self, registry: &Registry) -> Result<Joined, RunError> {
        if self.files.is_empty() && !self.published {
            return Err(RunError::usage(
                "name a table, the folder of a question run, or --published",
            ));
        }
        let mut joined = Joined::default();
        if self.published {
            let models = published::models().map_err(RunError::failed)?;
            joined.add("the paper", &models);
        }
        joined.add_paths(registry, &self.files)?;
        Ok(joined)
    }
}

/// Arguments of `qa correlate`.
#[derive(Debug, Args)]
pub struct CorrelateArgs {
    #[command(flatten)]
    table: TableArgs,
    /// Columns of the tables that become the rows of the result, separated by commas: tasks, FIN, ECON,
    /// OM, STAT, knowledge, application, or any other column [default: the application tasks]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    rows: Vec<String>,
    /// Columns of the tables that become the columns of the result, separated by commas [default:
    /// FIN,ECON,OM,STAT]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    columns: Vec<String>,
    /// The coefficient
    #[arg(long, default_value = "pearson", value_parser = named::<Coefficient>([
        ("pearson", "Pearson's r, of the values"), ("spearman", "Spearman's rho, of the ranks"),
        ("kendall", "Kendall's tau-b, of the order of pairs"),
    ]))]
    coefficient: Coefficient,
    /// The figure of a model that is used for a domain
    #[arg(long, default_value = "gpt", value_parser = named::<DomainValue>([
        ("gpt", "Mean of the judged scores of table and general questions"),
        ("acc", "Accuracy over single and multiple choice together"),
        ("mean4", "Mean of all four on a scale of 0 to 1"),
    ]))]
    domain_value: DomainValue,
    /// Also draw the coefficients as a heat map, into this file (SVG)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Arguments of `qa families`.
#[derive(Debug, Args)]
pub struct FamiliesArgs {
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// Arguments of `qa weights`.
#[derive(Debug, Args)]
pub struct WeightsArgs {
    /// Scores of the questions: a table with `depth`, `synthesis` and `centrality`, or with `clarity`
    /// and `misconception`, and with `id` (if absent, the number of the row, from 0)
    #[arg(value_name = "ITEMS")]
    items: PathBuf,
    /// Preferences of experts: a table with `better` and `worse`, or with `ranking` (`q4>q1>q2`)
    #[arg(long, value_name = "FILE")]
    preferences: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// Arguments of `qa filter`.
#[derive(Debug, Args)]
pub struct FilterArgs {
    /// Scores of the questions: a table with `depth`, `synthesis` and `centrality`, and for the recall
    /// with `rejected` (yes if the experts rejected the question)
    #[arg(value_name = "ITEMS")]
    items: PathBuf,
    /// Thresholds of the total for the rejection recall, separated by commas [default: 6]
    #[arg(long, value_name = "TOTALS", value_delimiter = ',')]
    threshold: Vec<f64>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Arguments of `qa onet`.
#[derive(Debug, Args)]
pub struct OnetArgs {
    /// Occupations: a table with `title`, `category` (consulting, analysis, trading, none),
    /// `employment` and `openings`
    #[arg(value_name = "OCCUPATIONS", required_unless_present = "tasks")]
    occupations: Option<PathBuf>,
    /// Tasks of the occupations: a table with `role`, `task`, and a column of yes and no for each
    /// representative task (blank if the task does not belong to the role)
    #[arg(long, value_name = "FILE")]
    tasks: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

fn of_table(e: &qa_scoring::error::TableError) -> RunError {
    RunError::usage(e.to_string())
}

/// A share or a coefficient as it is printed.
fn cell(value: Option<f64>, digits: usize) -> String {
    let shown = |value: f64| {
        let text = format!("{value:.digits$}");
        match text.strip_prefix('-') {
            // No negative zero.
            Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
            _ => text,
        }
    };
    value.map_or_else(|| "-".to_owned(), shown)
}

/// Most names of models that a remark lists; --json has all of them.
const MOST_NAMES: usize = 8;

/// Names in a remark.
fn listed(names: &[&str]) -> String {
    let first = names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

pub(super) fn correlate(args: &CorrelateArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    // Before the tables are read, which may be folders of many runs.
    let picture = Output::named(args.svg.as_deref(), OutputKind::PICTURE)?;
    let joined = args.table.read(console.registry)?;
    let table = &joined.table;
    let (coefficient, domains) = (args.coefficient, args.domain_value);
    let given = |named: &[String], usual: Vec<String>, option: &str| {
        // Only a usual list can be empty here; a named column that nobody has is an error of its
        // own.
        let list = if named.is_empty() {
            usual
        } else {
            named.to_vec()
        };
        if list.is_empty() {
            return Err(RunError::usage(format!(
                "no model has a figure of such a column; name columns with {option}"
            )));
        }
        Ok(list)
    };
    let rows = given(&args.rows, table.application_columns(), "--rows")?;
    let columns = given(&args.columns, table.domain_columns(domains), "--columns")?;
    let cells = table
        .correlations(&rows, &columns, coefficient, domains)
        .map_err(|e| of_table(&e))?;
    if let Some(picture) = picture {
        picture.write(run_report::heat_map::correlations(&cells)?)?;
    }
    let named = rows.iter().chain(&columns).map(String::as_str);
    let left_out = named.map(|column| (column, table.left_out(column, domains)));
    let found = Correlated {
        coefficient,
        domain_value: domains,
        models: table.models().collect(),
        absent: joined.absent(),
        left_out: left_out.filter(|(_, models)| !models.is_empty()).collect(),
        notes: &joined.notes,
        cells,
        width: columns.len(),
    };
    args.format.show(&found, &[matrix(&found)], console)
}

/// What `qa correlate --json` prints.
#[derive(Debug, Serialize)]
struct Correlated<'a> {
    coefficient: Coefficient,
    domain_value: DomainValue,
    /// All models with a figure; each cell says how many it uses.
    models: Vec<&'a str>,
    /// Models without a figure in one of several tables, by table.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    absent: BTreeMap<&'a str, Vec<&'a str>>,
    /// Models without a value of a derived column, by column: they lack one of its tasks.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    left_out: BTreeMap<&'a str, Vec<&'a str>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    cells: Vec<CorrelationCell>,
    /// Number of columns of the matrix.
    #[serde(skip)]
    width: usize,
}

/// A row for each column of one side.
fn matrix(found: &Correlated<'_>) -> TextTable {
    let mut names = vec![String::new()];
    let mut rows: Vec<Vec<String>> = Vec::new();
    for cells in found.cells.chunks(found.width.max(1)) {
        let shown = cells
            .iter()
            .map(|part| cell(part.correlation.map(|c| c.coefficient), 3));
        let name = cells.first().map(|first| first.row.clone());
        rows.push(name.into_iter().chain(shown).collect());
    }
    let first = found.cells.iter().take(found.width);
    names.extend(first.map(|cell| cell.column.clone()));
    let name = match found.coefficient {
        Coefficient::Spearman => "Spearman's rho",
        Coefficient::Kendall => "Kendall's tau-b",
        _ => "Pearson's r",
    };
    let used = || found.cells.iter().map(|cell| cell.models);
    let (fewest, most) = (used().min().unwrap_or(0), used().max().unwrap_or(0));
    let over = if fewest == most {
        counted(most as u64, "model")
    } else {
        format!(
            "{fewest} to {}, those with both figures",
            counted(most as u64, "model")
        )
    };
    let mut sheet = TextTable::new(format!("{name} over {over}"), names, rows);
    for (source, models) in &found.absent {
        sheet.note(format!("{source} has no figure of {}", listed(models)));
    }
    for (column, models) in &found.left_out {
        sheet.note(format!(
            "without a value of {column}, because they lack a task that at least half of the models have: {}",
            listed(models)
        ));
    }
    for note in found.notes {
        sheet.note(note.clone());
    }
    sheet
}

/// The families in the order of the paper's Table 3.
const FAMILIES: [(MetricFamily, &str); 4] = [
    (MetricFamily::Accuracy, "accuracy %"),
    (MetricFamily::Rouge, "ROUGE %"),
    (MetricFamily::JudgedLabel, "judged label %"),
    (MetricFamily::JudgedScore, "judged score"),
];

pub(super) fn families(args: &FamiliesArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let joined = args.table.read(console.registry)?;
    let table = &joined.table;
    let models: Vec<(String, BTreeMap<MetricFamily, FamilyMean>)> = table
        .models()
        .map(|model| (model.to_owned(), table.families(model)))
        .filter(|(_, families)| !families.is_empty())
        .collect();
    if models.is_empty() {
        return Err(RunError::usage(
            "no model has a figure of an application task",
        ));
    }
    let mut names = vec!["model".to_owned()];
    for (_, name) in FAMILIES {
        let further = ["95 % low", "95 % high", "tasks"];
        names.push(name.to_owned());
        names.extend(further.map(str::to_owned));
    }
    let rows = models.iter().map(|(model, families)| {
        let mut row = vec![model.clone()];
        for (family, _) in FAMILIES {
            let all = family.application_tasks();
            let mean = families.get(&family);
            let tasks = mean.map_or(0, |mean| mean.tasks);
            let whole = mean.filter(|mean| mean.is_whole(family));
            let interval = whole.and_then(|mean| mean.interval(0.95, family));
            row.push(match (mean, whole) {
                // A mean over fewer tasks is not to be compared or averaged with the others.
                (Some(mean), None) => {
                    format!("{} ({tasks} of {all} tasks)", cell(Some(mean.value), 2))
                }
                _ => cell(whole.map(|mean| mean.value), 2),
            });
            row.push(cell(interval.map(|(low, _)| low), 2));
            row.push(cell(interval.map(|(_, high)| high), 2));
            row.push(format!("{tasks}/{all}"));
        }
        row
    });
    let mut sheet = TextTable::new(
        "Means of the application tasks by family of metrics, weighted by items",
        names,
        rows,
    );
    sheet.note("intervals need the items of runs; tables of means have none".to_owned());
    for note in &joined.notes {
        sheet.note(note.clone());
    }
    let shown: Vec<_> = models
        .iter()
        .map(|(model, families)| json!({"model": model, "families": families}))
        .collect();
    args.format
        .show(&json!({"models": shown}), &[sheet], console)
}

pub(super) fn weights(args: &WeightsArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let items = rows(&args.items)?;
    let preferences = preferences_of(&items, &rows(&args.preferences)?);
    let preferences = preferences.map_err(RunError::in_file(&args.preferences))?;
    // The columns say which scores these are; an option could contradict them.
    let conversion = items.first().is_some_and(|row| {
        row.keys()
            .any(|key| key.trim().eq_ignore_ascii_case("clarity"))
    });
    let (value, sheet) = if conversion {
        fitted(
            args,
            &items,
            &preferences,
            CONVERSION_COLUMNS,
            published::CONVERSION_WEIGHTS,
        )?
    } else {
        fitted(
            args,
            &items,
            &preferences,
            QUALITY_COLUMNS,
            published::QUALITY_WEIGHTS,
        )?
    };
    args.format.show(&value, &[sheet], console)
}

/// The fitted weights beside those of the paper.
fn fitted<const N: usize>(
    args: &WeightsArgs,
    items: &[Row],
    preferences: &[(usize, usize)],
    columns: [[&str; 2]; N],
    printed: [f64; N],
) -> Result<(serde_json::Value, TextTable), RunError>
where
    [f64; N]: Serialize + for<'a> serde::Deserialize<'a>,
{
    let scores = scores(items, columns).map_err(RunError::in_file(&args.items))?;
    let fit: Fit<N> = fit(&scores, preferences).map_err(|e| match e {
        // A fault of the scores, so their file is named.
        FitError::NotFinite(_) => RunError::in_file(&args.items)(e),
        // A cycle, or preferences that some weights satisfy in full: the preferences are to be changed.
        _ => RunError::in_file(&args.preferences)(e),
    })?;
    let agrees = |weights: &[f64; N]| agreement(&scores, preferences, weights);
    let (ours, theirs) = (agrees(&fit.weights), agrees(&printed));
    let names = columns.map(|[name, _]| name);
    let rows = names.iter().enumerate().map(|(k, name)| {
        let at = |weights: &[f64; N]| weights.get(k).copied();
        vec![
            (*name).to_owned(),
            cell(fit.normalised.as_ref().and_then(at), 4),
            cell(at(&fit.weights), 4),
            cell(at(&fit.simplex), 4),
            cell(at(&printed), 1),
        ]
    });
    let columns = ["dimension", "sum 1", "free", "on the simplex", "paper"];
    let title = format!(
        "Weights from {} between {}",
        counted(preferences.len() as u64, "preference"),
        counted(scores.len() as u64, "question")
    );
    let mut sheet = TextTable::new(title, columns, rows);
    sheet.note(format!(
        "loss {} free, {} on the simplex; the fitted weights agree with {} of the preferences, the \
         paper's with {}",
        number(fit.loss),
        number(fit.simplex_loss),
        percent(ours),
        percent(theirs)
    ));
    let value = json!({
        "dimensions": names.to_vec(), "questions": scores.len(), "preferences": preferences.len(),
        "fit": fit, "agreement": ours, "published": printed.to_vec(), "published_agreement": theirs,
    });
    Ok((value, sheet))
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

pub(super) fn filter(args: &FilterArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let questions = rated(&rows(&args.items)?).map_err(RunError::in_file(&args.items))?;
    let judged: Option<Vec<(Quality, bool)>> = questions
        .iter()
        // All or none: a recall over some of the questions would be that of a selection.
        .map(|(quality, rejected)| Some((*quality, (*rejected)?)))
        .collect();
    if judged.is_none() && !args.threshold.is_empty() {
        return Err(RunError::in_file(&args.items)(
            "--threshold needs the column `rejected` in every row",
        ));
    }
    let thresholds = if args.threshold.is_empty() {
        vec![THRESHOLD]
    } else {
        args.threshold.clone()
    };
    let recalls: Vec<(f64, Option<f64>)> = thresholds
        .into_iter()
        .map(|at| (at, judged.as_ref().and_then(|q| rejection_recall(q, at))))
        .collect();
    let count = |keep: fn(Quality) -> bool| questions.iter().filter(|(q, _)| keep(*q)).count();
    let (kept, reach) = (count(Quality::is_kept), count(Quality::reaches_total));
    let rejected = judged
        .as_ref()
        .map(|judged| judged.iter().filter(|(_, rejected)| *rejected).count());
    let rows = recalls.iter().map(|(at, recall)| {
        // The paper prints a recall for its own threshold only.
        let printed = (*at == THRESHOLD).then_some(published::REJECTION_RECALL);
        vec![number(*at), cell(*recall, 4), cell(printed, 2)]
    });
    let columns = ["threshold", "rejection recall", "paper"];
    let mut sheet = TextTable::new(
        format!(
            "{}: {kept} kept (total and every score at least 6), {reach} by the total alone",
            counted(questions.len() as u64, "question")
        ),
        columns,
        rows,
    );
    sheet.note(match rejected {
        Some(rejected) => format!("{rejected} rejected by the experts"),
        None => "without the column `rejected` in every row there is no recall".to_owned(),
    });
    let recalls: Vec<_> = recalls
        .iter()
        .map(|(at, recall)| json!({"threshold": at, "rejection_recall": recall}))
        .collect();
    let value = json!({
        "questions": questions.len(), "kept": kept, "reach_total": reach,
        "rejected_by_experts": rejected, "recall": recalls, "published_recall": published::REJECTION_RECALL,
    });
    args.format.show(&value, &[sheet], console)
}

pub(super) fn onet(args: &OnetArgs, console: &mut Console<'_>) -> Result<(), RunError> {
    let mut sheets = Vec::new();
    let mut shares: Option<BTreeMap<&str, Shares>> = None;
    if let Some(path) = &args.occupations {
        let occupations = onet::occupations(&rows(path)?).map_err(RunError::in_file(path))?;
        let found = onet::with_total(&onet::shares(&occupations));
        sheets.push(share_sheet(&found));
        shares = Some(found);
    }
    let mut coverage = BTreeMap::new();
    if let Some(path) = &args.tasks {
        for (role, relevance) in onet::relevance(&rows(path)?).map_err(RunError::in_file(path))? {
            let found = onet::coverage(&relevance.matches);
            let found =
                found.ok_or_else(|| RunError::in_file(path)(format!("`{role}` has no task")))?;
            sheets.push(coverage_sheet(&role, &relevance, &found));
            let n = relevance.matches.len();
            let matched: BTreeMap<&String, f64> = relevance
                .representative
                .iter()
                .zip(found.matched.iter().copied())
                .collect();
            let value = json!({"tasks": n, "matched": matched, "coverage": found.coverage});
            coverage.insert(role, value);
        }
    }
    let value = json!({"shares": shares, "coverage": coverage});
    args.format.show(&value, &sheets, console)
}

fn share_sheet(shares: &BTreeMap<&str, Shares>) -> TextTable {
    let rows = published::SHARES
        .iter()
        .map(|(name, employment, openings)| {
            let own = shares.get(*name);
            vec![
                (*name).to_owned(),
                cell(own.map(|own| own.employment_share), 2),
                cell(Some(*employment), 2),
                cell(own.map(|own| own.opening_share), 2),
                cell(Some(*openings), 2),
            ]
        });
    let columns = ["scenario", "employment %", "paper", "openings %", "paper"];
    TextTable::new(
        "Shares of all employed persons and openings (Table 17)",
        columns,
        rows,
    )
}

fn coverage_sheet(role: &str, relevance: &onet::RoleTasks, found: &Coverage) -> TextTable {
    let printed = published::COVERAGE
        .iter()
        .find(|printed| printed.name.eq_ignore_ascii_case(role));
    let mut rows: Vec<Vec<String>> = relevance
        .representative
        .iter()
        .zip(&found.matched)
        .map(|(name, matched)| {
            let paper = printed.and_then(|printed| {
                let task = printed
                    .matched
                    .iter()
                    .find(|(task, _)| task.eq_ignore_ascii_case(name));
                task.map(|(_, percent)| *percent)
            });
            vec![name.clone(), cell(Some(*matched), 2), cell(paper, 2)]
        })
        .collect();
    rows.push(vec![
        "overall".to_owned(),
        cell(Some(found.coverage), 2),
        cell(printed.map(|printed| printed.overall), 2),
    ]);
    let tasks = counted(relevance.matches.len() as u64, "unique task");
    TextTable::new(
        format!("{role}: share of {tasks} that each representative task matches (Table 18)"),
        ["representative task", "matched %", "paper"],
        rows,
    )
}
