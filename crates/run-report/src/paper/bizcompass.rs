//! Rows of "BizCompass": answers of every model, and what is computed from them and from tables of the user.

use super::episodes::Reading;
use super::published::is_model;
use super::rows::{Row, RunOf};
use super::{PaperInputs, RunNote};
use crate::questions::measured::{MeasuredSet, add_sets, measured_sets, rows as table_rows};
use qa_scoring::aggregate::ItemFigure;
use qa_scoring::correlate::DomainValue;
use qa_scoring::load::{ModelSampling, Row as OwnRow};
use qa_scoring::model_table::{ModelTable, domain_column};
use qa_scoring::quality::{
    QUALITY_COLUMNS, Quality, THRESHOLD, fit, preferences_of, rated, rejection_recall, scores,
};
use qa_scoring::{
    Application, Domain, Metric, MetricFamily, QuestionType, SetReport, Task, onet, published,
};
use run_engine::engine::summary::LEVEL;
use run_engine::error::RunError;
use run_engine::registry::Registry;
use run_engine::terminal::shown_path;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use strum::VariantArray;

/// The figures of answers.
const FIGURES: [(&str, ItemFigure); 6] = [
    ("value", ItemFigure::Value),
    ("right", ItemFigure::Right),
    ("f1", ItemFigure::F1),
    ("rouge1", ItemFigure::Rouge1),
    ("rouge2", ItemFigure::Rouge2),
    ("rouge_l", ItemFigure::RougeL),
];
/// The temperatures and top-p of Table 13; without sampling (temperature 0) top-p does not matter.
const TEMPERATURES: [f64; 4] = [0.2, 0.4, 0.6, 0.8];
const TOP_P: [f64; 4] = [0.6, 0.8, 0.9, 0.95];
/// The model of Table 13.
const SEARCHED: &str = "Llama3-8B";

/// A row of one kind with labels and figures.
fn row(
    run: &Rc<RunOf>,
    source: &str,
    labels: &[(&str, &str)],
    figures: &[(&str, Option<f64>)],
) -> Row {
    let mut row = Row::of(run, source);
    for (name, value) in labels {
        row.label(name, *value);
    }
    for (name, value) in figures {
        row.figure(name, *value);
    }
    row
}

/// Adds all rows of the paper to `reading`.
///
/// # Errors
/// When a folder or a table cannot be read.
pub(super) fn read(
    registry: &Registry,
    reading: &mut Reading,
    inputs: &PaperInputs,
) -> Result<(), RunError> {
    // One run for all rows: an answer names its model in its labels, so nobody asks for the names
    // of runs.
    let run = Rc::new(RunOf::bare(0, "answers", ""));
    reading
        .unused
        .extend(inputs.interviews.iter().map(|folder| RunNote {
            folder: folder.clone(),
            remark: "no table of the paper has interviews".to_owned(),
        }));
    let folders = [inputs.questions.as_slice(), inputs.results.as_slice()].concat();
    let read = measured_sets(registry, &folders)?;
    let sets = read.sets;
    reading
        .notes
        .extend(read.notes.into_iter().map(|note| (None, note)));
    let paper = published::models().map_err(RunError::failed)?;
    let mut own = ModelTable::default();
    add_sets(&mut own, &sets);
    answers(&run, &sets, &mut reading.rows);
    grids(&run, &sets, reading);
    families(&run, &sets, &own, &mut reading.rows);
    let tables = OwnTables::read(&inputs.tables)?;
    tables.shares(&run, &mut reading.rows)?;
    tables.coverage(&run, &mut reading.rows)?;
    tables.weights(&run, &mut reading.rows)?;
    models(&run, "own", &own, &mut reading.rows);
    models(&run, "paper", &paper, &mut reading.rows);
    printed_means(&run, &paper, &mut reading.rows);
    let columns = paper.domain_columns(DomainValue::default());
    reading
        .notes
        .extend(without(&own, &columns).map(|note| (Some("Figure 4"), note)));
    // The paper's models stand beside those at hand: other benchmarks are known for them.
    let mut all = paper.clone();
    all.merge(&own);
    tables.benchmarks(&run, &mut all, &mut reading.rows)?;
    let columns = ["knowledge", "application"].map(str::to_owned);
    reading
        .notes
        .extend(without(&all, &columns).map(|note| (Some("Figure 5"), note)));
    reading.printed.extend(printed(&paper));
    Ok(())
}

/// Tables 15 and 16 as they are printed.
fn printed(paper: &ModelTable) -> Vec<[String; 4]> {
    // Made of the table of models, which holds every figure of both tables already.
    let mut columns: Vec<(&str, String, String, Task)> = Vec::new();
    for domain in Domain::ALL {
        for (kind, heading, suffix) in [
            (QuestionType::Single, "SC. %", ""),
            (QuestionType::Multiple, "MC. %", ""),
            (QuestionType::Multiple, "MC. F1 %", ".F1"),
            (QuestionType::Table, "TableQA", ""),
            (QuestionType::General, "GeneralQA", ""),
        ] {
            let (task, name) = (
                Task::Knowledge(domain, kind),
                domain.to_string().to_uppercase(),
            );
            columns.push((
                "Table 15",
                format!("{name} {heading}"),
                format!("{}{suffix}", task.short_name()),
                task,
            ));
        }
    }
    for task in Application::VARIANTS.iter().copied().map(Task::Application) {
        let parts = if task.metric() == Metric::Rouge {
            &[".R1", ".R2", ".RL"][..]
        } else {
            &[""]
        };
        for suffix in parts {
            let name = format!("{}{suffix}", task.short_name());
            columns.push(("Table 16", name.clone(), name, task));
        }
    }
    let mut all = Vec::new();
    for model in paper.models() {
        for (place, heading, name, task) in &columns {
            let decimals = if task.metric() == Metric::Judged {
                3
            } else {
                2
            };
            let value = paper.value(model, name, DomainValue::default());
            let cell = |value| {
                [
                    (*place).to_owned(),
                    model.to_owned(),
                    heading.clone(),
                    format!("{value:.decimals$}"),
                ]
            };
            all.extend(value.map(cell));
        }
    }
    all
}

/// Provider and model of a set; the folders of the authors' files name no provider.
fn player(set: &MeasuredSet) -> String {
    let first = set.model.split(' ').next().unwrap_or_default();
    if first.contains(':') {
        first.to_owned()
    } else {
        // With something before a colon, as agents have it: `is_model` compares what stands behind it.
        format!("files:{first}")
    }
}

/// Rows of the answers of `reports`, the first one with the numbers of answers and of errors of the provider.
fn answer_rows(
    run: &Rc<RunOf>,
    set: &MeasuredSet,
    reports: &[SetReport],
    (source, labels): (&str, &[(&str, &str)]),
) -> Vec<Row> {
    let mut rows = Vec::new();
    for report in reports {
        let task = report.task.short_name();
        // A report that uses an identifier twice has two questions of that name.
        let mut met: BTreeMap<&str, usize> = BTreeMap::new();
        for graded in &report.grades {
            let nth = met.entry(&graded.id).or_default();
            *nth += 1;
            let figures = FIGURES.map(|(name, figure)| (name, figure.of(&graded.grade)));
            let mut row = row(run, source, labels, &figures);
            row.label("question", format!("{task} {} {nth}", graded.id));
            rows.push(row);
        }
    }
    let (errors, answers) = set.errors();
    if let Some(first) = rows.first_mut() {
        first.figure("errors", Some(errors as f64));
        first.figure("answers", Some(answers as f64));
    }
    rows
}

/// The answers of every model in every way of asking.
fn answers(run: &Rc<RunOf>, sets: &[MeasuredSet], rows: &mut Vec<Row>) {
    for set in sets {
        let (task, player) = (set.task.short_name(), player(set));
        let (domain, kind) = match set.task {
            Task::Knowledge(domain, kind) => (domain.into(), kind.into()),
            _ => ("", ""),
        };
        let labels = [
            ("agent", set.name.as_str()),
            ("player", player.as_str()),
            ("task", task.as_str()),
            ("domain", domain),
            ("kind", kind),
        ];
        rows.extend(answer_rows(run, set, &set.reports, ("answers", &labels)));
    }
}

/// Temperature and top-p of the cells of Table 13; the first has no top-p.
fn ways() -> impl Iterator<Item = (f64, Option<f64>)> {
    let sampled = TEMPERATURES
        .into_iter()
        .flat_map(|temperature| TOP_P.map(|top_p| (temperature, Some(top_p))));
    std::iter::once((0.0, None)).chain(sampled)
}

fn fits(sampling: ModelSampling, (temperature, top_p): (f64, Option<f64>)) -> bool {
    // Read from the names of folders, so equal but for rounding.
    let same = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-9);
    same(sampling.temperature, temperature) && top_p.is_none_or(|p| same(sampling.top_p, p))
}

/// The sets of a model in all its samplings.
fn answers_of<'s>(sets: &'s [MeasuredSet], name: &'s str) -> impl Iterator<Item = &'s MeasuredSet> {
    sets.iter().filter(move |set| set.variant == name)
}

/// The answers that Table 13 counts, of every model that was sampled in several ways of the grid, that of the paper
/// first; without any, of the only model in it, or of none. A grid without a figure is left out.
fn grids(run: &Rc<RunOf>, sets: &[MeasuredSet], reading: &mut Reading) {
    let kind = |set: &MeasuredSet| match set.task {
        Task::Knowledge(_, kind @ (QuestionType::Single | QuestionType::General)) => Some(kind),
        _ => None,
    };
    let way = |set: &MeasuredSet| {
        ways()
            .find(|way| fits(set.sampling, *way))
            .filter(|_| kind(set).is_some())
    };
    let mut found: BTreeMap<&str, Vec<(f64, Option<f64>)>> = BTreeMap::new();
    for set in sets {
        let ways = found.entry(&set.variant).or_default();
        ways.extend(way(set).filter(|way| !ways.contains(way)));
    }
    found.retain(|_, ways| !ways.is_empty());
    if found.len() > 1 {
        found.retain(|_, ways| ways.len() > 1);
    }
    let mut names: Vec<&str> = found.into_keys().collect();
    // `false` comes before `true`: the model of the paper first.
    names.sort_by_key(|name| !answers_of(sets, name).any(|set| is_model(&player(set), SEARCHED)));
    let mut empty = Vec::new();
    for name in names {
        let mut rows = Vec::new();
        for set in answers_of(sets, name) {
            let (Some(kind), Some((temperature, top_p))) = (kind(set), way(set)) else {
                continue;
            };
            let top_p = top_p.map_or_else(|| "any".to_owned(), |p| p.to_string());
            let (temperature, kind) = (temperature.to_string(), kind.into());
            let labels = [
                ("variant", name),
                ("temperature", temperature.as_str()),
                ("top_p", top_p.as_str()),
                ("kind", kind),
                ("task", kind),
            ];
            rows.extend(answer_rows(run, set, set.as_stored(), ("grid", &labels)));
        }
        if answers_of(sets, name)
            .filter(|set| way(set).is_some())
            .all(MeasuredSet::has_only_errors)
        {
            empty.push(name);
        } else {
            reading.rows.extend(rows);
        }
    }
    if !empty.is_empty() {
        let grids = empty.join(", ");
        let note = format!(
            "Left out, because the provider failed at every question: the grids of {grids}."
        );
        reading.notes.push((Some("Table 13"), note));
    }
}

/// The means of Table 3.
fn families(run: &Rc<RunOf>, sets: &[MeasuredSet], table: &ModelTable, rows: &mut Vec<Row>) {
    let mut seen = BTreeSet::new();
    for set in sets.iter().filter(|set| seen.insert(&set.name)) {
        let player = player(set);
        let found = table.families(&set.name);
        for family in [
            MetricFamily::Accuracy,
            MetricFamily::Rouge,
            MetricFamily::JudgedLabel,
            MetricFamily::JudgedScore,
        ] {
            let name: &str = family.into();
            let labels = [
                ("agent", set.name.as_str()),
                ("player", player.as_str()),
                ("family", name),
            ];
            let Some(mean) = found.get(&family) else {
                // The model has a row even without a figure.
                rows.push(row(run, "families", &labels[..2], &[]));
                continue;
            };
            let ends = mean.interval(LEVEL, family);
            let figures = [
                ("value", Some(mean.value)),
                ("n", Some(mean.weight)),
                ("low", ends.map(|ends| ends.0)),
                ("high", ends.map(|ends| ends.1)),
            ];
            let mut row = row(run, "families", &labels, &figures);
            let is_of = |other: &&MeasuredSet| {
                other.name == set.name
                    && matches!(other.task, Task::Application(_))
                    && other.task.family() == family
            };
            let errors = sets.iter().filter(is_of).map(MeasuredSet::errors);
            let (errors, answers) = errors.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
            if let Some(remark) = super::cells::many_errors(errors as f64, answers as f64) {
                row.label("remark", remark);
            }
            // A mean over some of the tasks is another figure than the paper's, so words say over
            // how many.
            if !mean.is_whole(family) {
                let all = family.application_tasks();
                row.label(
                    "words",
                    format!("{:.2} ({} of {all} tasks)", mean.value, mean.tasks),
                );
            }
            rows.push(row);
        }
    }
}

/// A row for each model with its application tasks and its domains.
fn models(run: &Rc<RunOf>, whose: &str, table: &ModelTable, rows: &mut Vec<Row>) {
    let value = DomainValue::default();
    for model in table.models() {
        let mut found = row(run, "models", &[("whose", whose), ("agent", model)], &[]);
        for (label, names) in [
            ("task", table.application_columns()),
            ("domain", table.domain_columns(value)),
        ] {
            for name in &names {
                found.figure(name, table.value(model, name, value));
            }
            found.labels.insert(label.to_owned(), names);
        }
        rows.push(found);
    }
}

/// Means of the paper's own Tables 15 and 16, of which its Tables 2 and 3 are made.
fn printed_means(run: &Rc<RunOf>, paper: &ModelTable, rows: &mut Vec<Row>) {
    for model in paper.models() {
        for (family, mean) in paper.families(model) {
            let name: &str = family.into();
            let labels = [("agent", model), ("family", name)];
            rows.push(row(run, "printed", &labels, &[("value", Some(mean.value))]));
        }
        for domain in Domain::ALL {
            let right = paper.value(model, &domain_column(domain), DomainValue::Acc);
            let part = |kind| {
                let task = Task::Knowledge(domain, kind);
                let value = paper.value(model, &task.short_name(), DomainValue::Acc)?;
                Some((value, task.weight()? as f64))
            };
            let judged = part(QuestionType::Table).zip(part(QuestionType::General));
            // By the numbers of questions, as the mean over all questions would have it.
            let judged = judged.map(|((a, n), (b, m))| (a * n + b * m) / (n + m));
            let labels = [("agent", model), ("domain", domain.into())];
            let figures = [("value", right), ("judged", judged)];
            rows.push(row(run, "printed", &labels, &figures));
        }
    }
}

/// Remarks on the models that have no value of a derived column because they lack one of its tasks.
fn without(models: &ModelTable, columns: &[String]) -> impl Iterator<Item = String> {
    columns.iter().filter_map(|column| match models.left_out(column, DomainValue::default()).as_slice() {
        [] => None,
        names => Some(format!(
            "Without a value of {column}, because they lack a task that at least half of the models have: {}.",
            names.join(", ")
        )),
    })
}

/// A table of the user with its file.
#[derive(Debug)]
struct Own {
    path: PathBuf,
    rows: Vec<OwnRow>,
}

/// Kinds of tables of which there is one, each with the columns that tell it.
const KINDS: [(&str, [&str; 2]); 4] = [
    (OCCUPATIONS, ["category", "category"]),
    (TASKS, ["role", "role"]),
    (PREFERENCES, ["better", "ranking"]),
    (ITEMS, ["depth", "A"]),
];
const OCCUPATIONS: &str = "occupations";
const TASKS: &str = "tasks of roles";
const PREFERENCES: &str = "preferences";
const ITEMS: &str = "quality scores";

/// The user's tables; their columns decide their use.
#[derive(Debug, Default)]
struct OwnTables {
    /// Figures of other benchmarks: `model` and further columns.
    others: Vec<Own>,
    /// The others by kind.
    of: BTreeMap<&'static str, Own>,
}

impl OwnTables {
    /// Reads tables.
    fn read(paths: &[PathBuf]) -> Result<Self, RunError> {
        let mut own = Self::default();
        for path in paths {
            let table = Own {
                path: path.clone(),
                rows: table_rows(path)?,
            };
            let has = |name: &str| {
                let first = table.rows.first();
                first.is_some_and(|row| row.keys().any(|key| key.trim().eq_ignore_ascii_case(name)))
            };
            // A table with models is one of other benchmarks, whatever further columns it has.
            if has("model") {
                own.others.push(table);
                continue;
            }
            let kind = KINDS
                .iter()
                .find(|(_, columns)| columns.iter().any(|name| has(name)));
            let Some((kind, _)) = kind else {
                return Err(RunError::usage(format!(
                    "{} is not a table that fills a part of the paper; docs/papers.md lists them",
                    shown_path(path)
                )));
            };
            if let Some(first) = own.of.insert(*kind, table) {
                return Err(RunError::usage(format!(
                    "{} and {} are both tables of {kind}; put their rows into one file",
                    shown_path(&first.path),
                    shown_path(path)
                )));
            }
        }
        Ok(own)
    }

    /// Table 17: shares of employed persons and of openings.
    fn shares(&self, run: &Rc<RunOf>, rows: &mut Vec<Row>) -> Result<(), RunError> {
        let Some(table) = self.of.get(OCCUPATIONS) else {
            return Ok(());
        };
        let occupations = onet::occupations(&table.rows).map_err(RunError::in_file(&table.path))?;
        let found = onet::with_total(&onet::shares(&occupations));
        let n = Some(occupations.len() as f64);
        // The scenarios of the paper, so that one without an occupation has a share of 0 and not no
        // row.
        for (name, ..) in published::SHARES {
            let own = found.get(name).copied().unwrap_or_default();
            let figures = [
                ("employed", Some(own.employment_share)),
                ("openings", Some(own.opening_share)),
                ("n", n),
            ];
            rows.push(row(run, "shares", &[("scenario", name)], &figures));
        }
        Ok(())
    }

    /// Table 18: coverage of the tasks of each role.
    fn coverage(&self, run: &Rc<RunOf>, rows: &mut Vec<Row>) -> Result<(), RunError> {
        let Some(table) = self.of.get(TASKS) else {
            return Ok(());
        };
        for (role, tasks) in onet::relevance(&table.rows).map_err(RunError::in_file(&table.path))? {
            let Some(found) = onet::coverage(&tasks.matches) else {
                continue;
            };
            let names = tasks
                .representative
                .iter()
                .map(String::as_str)
                .chain(["overall"]);
            for (task, value) in names.zip(found.matched.iter().chain([&found.coverage])) {
                let labels = [("role", role.to_lowercase()), ("task", task.to_lowercase())];
                let labels = labels
                    .each_ref()
                    .map(|(name, value)| (*name, value.as_str()));
                let n = Some(tasks.matches.len() as f64);
                rows.push(row(
                    run,
                    "coverage",
                    &labels,
                    &[("value", Some(*value)), ("n", n)],
                ));
            }
        }
        Ok(())
    }

    /// Appendix D.2: weights of the quality scores, and the rejection recall.
    fn weights(&self, run: &Rc<RunOf>, rows: &mut Vec<Row>) -> Result<(), RunError> {
        let Some(items) = self.of.get(ITEMS) else {
            return Ok(());
        };
        let mut add = |name: &str, value: Option<f64>, n: usize| {
            let figures = [("value", value), ("n", Some(n as f64))];
            rows.push(row(run, "weights", &[("figure", name)], &figures));
        };
        if let Some(preferences) = self.of.get(PREFERENCES) {
            let pairs = preferences_of(&items.rows, &preferences.rows)
                .map_err(RunError::in_file(&preferences.path))?;
            let scores =
                scores(&items.rows, QUALITY_COLUMNS).map_err(RunError::in_file(&items.path))?;
            let found = fit(&scores, &pairs).map_err(RunError::in_file(&preferences.path))?;
            for ([name, _], weight) in QUALITY_COLUMNS
                .iter()
                .zip(found.normalised.into_iter().flatten())
            {
                add(name, Some(weight), pairs.len());
            }
        }
        let all = rated(&items.rows)
            .map_err(RunError::in_file(&items.path))?
            .into_iter();
        // Of all items or none: a recall over those that somebody judged would be another figure.
        let judged: Option<Vec<(Quality, bool)>> = all
            .map(|(quality, rejected)| Some((quality, rejected?)))
            .collect();
        let recall = judged
            .as_deref()
            .and_then(|quality| rejection_recall(quality, THRESHOLD));
        add(
            "recall",
            recall,
            judged
                .iter()
                .flatten()
                .filter(|(_, rejected)| *rejected)
                .count(),
        );
        Ok(())
    }

    /// Figure 5: a row for each other benchmark and model.
    fn benchmarks(
        &self,
        run: &Rc<RunOf>,
        all: &mut ModelTable,
        rows: &mut Vec<Row>,
    ) -> Result<(), RunError> {
        let mut names: Vec<String> = Vec::new();
        for table in &self.others {
            let before: Vec<String> = all.columns();
            all.read(&table.rows)
                .map_err(RunError::in_file(&table.path))?;
            names.extend(
                all.columns()
                    .into_iter()
                    .filter(|name| !before.contains(name)),
            );
        }
        for benchmark in &names {
            for model in all.models() {
                let of = |name: &str| all.value(model, name, DomainValue::default());
                let figures = [
                    ("value", of(benchmark)),
                    ("knowledge", of("knowledge")),
                    ("application", of("application")),
                ];
                rows.push(row(
                    run,
                    "benchmarks",
                    &[("benchmark", benchmark.as_str()), ("agent", model)],
                    &figures,
                ));
            }
        }
        Ok(())
    }
}
