//! "BizCompass": tables and figures from question runs, from the authors' result files, and from tables.

mod analyses;

use super::draw::PaperFigure;
use super::published::{Published, is_model};
use super::table::{Measure, PaperCell, PaperRow, PaperTable, slug};
use super::{PaperInputs, PaperName, PaperReport};
use analyses::{OwnTables, appendix_d, coverage, figure_4, figure_5, shares};
use qa_runner::qa::measured::{MeasuredSet, ModelSampling, add_sets, measured_sets};
use qa_scoring::aggregate::{ItemFigure, per_question};
use qa_scoring::correlate::DomainValue;
use qa_scoring::model_table::ModelTable;
use qa_scoring::{
    Application, Domain, Metric, MetricFamily, QuestionType, SetReport, Task, published,
};
use run_engine::engine::summary::ends;
use run_engine::error::RunError;
use sim_core::stats::cluster_mean;
use sim_core::{ScoreRange, Seed};
use std::collections::{BTreeMap, BTreeSet};

/// The command that fills the cells of tasks.
const RUN: &str = "boardroom run qa --data Dataset --agent AGENT --judge MODEL --out RUN";

/// The seed of the intervals.
const INTERVAL_SEED: Seed = Seed(0xb12);

/// The temperatures and top-p of Table 13; without sampling (temperature 0) top-p does not matter.
const TEMPERATURES: [f64; 4] = [0.2, 0.4, 0.6, 0.8];
const TOP_P: [f64; 4] = [0.6, 0.8, 0.9, 0.95];

/// The families of Table 3 with their headings, and the decimals of their figures.
const FAMILIES: [(MetricFamily, &str); 4] = [
    (MetricFamily::Accuracy, "Accuracy %"),
    (MetricFamily::Rouge, "ROUGE %"),
    (MetricFamily::JudgedLabel, "GPT-Eval (Label) %"),
    (MetricFamily::JudgedScore, "GPT-Eval (Score)"),
];

/// A model in one way of asking, with its sets.
struct Model<'a> {
    /// Its name in the tables.
    name: &'a str,
    /// Provider and model, by which it is found among the paper's models.
    agent: String,
    sets: Vec<&'a MeasuredSet>,
}

impl Model<'_> {
    /// The reports of a task; several hold answers to the same questions.
    fn reports(&self, task: Task) -> Vec<&SetReport> {
        let sets = self.sets.iter().filter(|set| set.task == task);
        sets.flat_map(|set| &set.reports).collect()
    }

    /// A remark on a figure of `tasks` for which the provider failed often.
    fn many_errors(&self, tasks: &[Task]) -> Option<String> {
        let sets = self.sets.iter().copied();
        many_errors(sets.filter(|set| tasks.contains(&set.task)))
    }

    /// Words in place of a figure of `tasks`, if the provider failed at every question of one of them.
    fn only_errors(&self, tasks: &[Task]) -> Option<PaperCell> {
        let of = |task: Task| {
            self.sets
                .iter()
                .copied()
                .filter(move |set| set.task == task)
        };
        tasks.iter().find_map(|task| only_errors(of(*task)))
    }

    /// The cell of a figure of a task.
    fn cell(&self, task: Task, figure: ItemFigure) -> PaperCell {
        if let Some(words) = self.only_errors(&[task]) {
            return words;
        }
        let (scale, decimals) = Scale::of(task);
        let values = per_question(&self.reports(task), figure);
        PaperCell::of(scale.measure(&values), decimals, RUN).remarked(self.many_errors(&[task]))
    }
}

/// Share of answers from which on their failures are remarked \[per cent\].
const MANY_ERRORS: f64 = 5.0;

/// A remark on a figure of sets in which the provider failed at many questions: they count as wrong.
fn many_errors<'a>(sets: impl Iterator<Item = &'a MeasuredSet>) -> Option<String> {
    let (errors, answers) = sets
        .map(MeasuredSet::errors)
        .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    let share = 100.0 * errors as f64 / answers.max(1) as f64;
    (share >= MANY_ERRORS).then(|| format!("{share:.0} % provider errors"))
}

/// Words in place of the figure of sets in which the provider failed at every question.
fn only_errors<'a>(sets: impl Iterator<Item = &'a MeasuredSet>) -> Option<PaperCell> {
    let mut sets = sets.peekable();
    let found = sets.peek().is_some() && sets.all(MeasuredSet::has_only_errors);
    found.then(|| PaperCell::words("provider errors only"))
}

/// The step from figures of items to those of a table.
#[derive(Debug, Clone, Copy)]
enum Scale {
    /// From 0 to 1, shown as per cent.
    Share,
    /// A judged score from 0 to 5.
    Judged,
}

impl Scale {
    /// The scale of a task, and the decimals of its figures.
    fn of(task: Task) -> (Self, usize) {
        match task.metric() {
            Metric::Judged => (Self::Judged, 3),
            _ => (Self::Share, 2),
        }
    }

    /// Mean and interval over questions, within the range of the figure.
    fn measure(self, values: &[f64]) -> Option<Measure> {
        let (full, factor) = match self {
            Self::Share => (1.0, 100.0),
            Self::Judged => (5.0, 1.0),
        };
        // Each value is of another question.
        let rows = values.iter().copied().enumerate();
        let found = cluster_mean(rows, ScoreRange::new(0.0, full), 0.95, INTERVAL_SEED)?;
        let measure = Measure {
            value: found.value,
            ci95: ends(&found),
            n: found.clusters as u64,
        };
        Some(measure.times(factor))
    }
}

/// The tables and figures for the runs at hand.
pub(super) fn report(inputs: &PaperInputs) -> Result<PaperReport, RunError> {
    let printed = Published::read(include_str!("../../published/bizcompass.csv"));
    let paper = published::models().map_err(|e| RunError::Failed(e.to_string()))?;
    let own = OwnTables::read(&inputs.tables)?;
    let folders = [inputs.questions.as_slice(), inputs.results.as_slice()].concat();
    let read = measured_sets(&folders)?;
    let sets = read.sets;
    let models = models(&sets);
    let mut table = ModelTable::default();
    add_sets(&mut table, &sets);
    let mut tables = vec![
        domains(&models, &printed),
        families(&models, &table, &printed),
        finance(&models, &printed),
    ];
    tables.extend(grids(&sets, &printed));
    tables.extend([
        knowledge(&models, &paper),
        applications(&models, &paper),
        shares(&own, &printed)?,
        coverage(&own, &printed)?,
        appendix_d(&own)?,
    ]);
    let mut figures: Vec<PaperFigure> = Vec::new();
    for (found, drawn) in [figure_4(&table, &paper)?, figure_5(&table, &paper, &own)?] {
        tables.push(found);
        figures.extend(drawn);
    }
    if let Some(first) = tables.first_mut() {
        first.notes.extend(read.notes);
    }
    Ok(PaperReport {
        paper: PaperName::Bizcompass,
        tables,
        figures,
    })
}

/// The models, each in every way in which it was asked.
fn models(sets: &[MeasuredSet]) -> Vec<Model<'_>> {
    let mut all: Vec<Model<'_>> = Vec::new();
    for set in sets {
        if let Some(model) = all.iter_mut().find(|model| model.name == set.name) {
            model.sets.push(set);
            continue;
        }
        all.push(Model {
            name: &set.name,
            agent: agent_of(set),
            sets: vec![set],
        });
    }
    all
}

/// Provider and model of a set.
fn agent_of(set: &MeasuredSet) -> String {
    let first = set.model.split(' ').next().unwrap_or_default();
    // The folders of the authors' files name no provider.
    if first.contains(':') {
        first.to_owned()
    } else {
        format!("files:{first}")
    }
}

/// A row for each model with cells beside those of the paper's model, the models of the paper first and in its order, or
/// one that says how to fill the table; then the rows of the paper whose model is not among ours.
fn fill(
    mut table: PaperTable,
    models: &[Model<'_>],
    names: &[&str],
    printed: impl Fn(&str, &str) -> Option<String>,
    cells: impl Fn(&Model<'_>) -> Vec<PaperCell>,
) -> PaperTable {
    let columns = table.columns.clone();
    let mut shown = Vec::new();
    let place = |model: &&Model<'_>| {
        let mut names = names.iter();
        names
            .position(|name| is_model(&model.agent, name))
            .unwrap_or(usize::MAX)
    };
    let mut models: Vec<&Model<'_>> = models.iter().collect();
    models.sort_by_key(place);
    for model in models {
        let row = cells(model);
        // A model without any figure of the table has no row in it.
        if row.iter().all(|cell| cell.shown.is_none()) {
            continue;
        }
        let theirs = names.iter().find(|name| is_model(&model.agent, name));
        let beside = row.into_iter().zip(&columns).map(|(cell, column)| {
            let figure = theirs.and_then(|name| printed(name, column));
            // Words are a mean over fewer tasks than the paper's.
            let is_partial = cell.shown.is_some() && cell.ours.is_none();
            cell.beside(figure.as_deref().filter(|_| !is_partial))
        });
        shown.extend(theirs);
        let row = PaperRow::ours([model.name], beside.collect());
        table.rows.push(row);
    }
    if table.rows.is_empty() {
        let missing = columns.iter().map(|_| PaperCell::missing(RUN)).collect();
        table.rows.push(PaperRow::ours(["AGENT"], missing));
    }
    for name in names {
        if !shown.contains(&name) {
            let cell = |column: &String| PaperCell::printed(printed(name, column).as_deref());
            let cells = columns.iter().map(cell).collect();
            table.rows.push(PaperRow::of_paper([*name], cells));
        }
    }
    table
}

/// The same with the rows and figures of `place` in the file of printed figures.
fn fill_from(
    table: PaperTable,
    models: &[Model<'_>],
    printed: &Published,
    cells: impl Fn(&Model<'_>) -> Vec<PaperCell>,
) -> PaperTable {
    let place = table.place.clone();
    let names: Vec<&str> = printed.rows(&place).collect();
    let figure = |name: &str, column: &str| printed.get(&place, name, column).map(str::to_owned);
    fill(table, models, &names, figure, cells)
}

/// A heading of a domain.
fn of_domain(domain: Domain, what: &str) -> String {
    format!("{} {what}", domain.name().to_uppercase())
}

fn owned(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// Table 2: accuracy over both kinds of choice, and the mean judged score, of each domain.
fn domains(models: &[Model<'_>], printed: &Published) -> PaperTable {
    let heads = Domain::ALL.map(|d| [of_domain(d, "Acc. %"), of_domain(d, "GPT-Eval")]);
    let table = PaperTable::new(
        "Table 2",
        "knowledge by domain: accuracy over single and multiple choice, mean judged score (0 to 5)",
        &["model"],
        &owned(&heads.concat()),
    )
    .note(
        "In all tables, errors of the provider count as wrong answers; a figure of which they are 5 % or more of the \
         answers says so, and one of which they are all has words in its place.",
    )
    .note(
        "An error in the paper: compared with its Table 15, the columns FIN and ECON are exchanged. Here its \
         figures stand under the domain to which they belong. The accuracy of Llama-3.3-70B-Instruct in \
         ECON, printed as 52.59, is 52.70 by Table 15.",
    );
    fill_from(table, models, printed, |model| {
        let pooled = |domain: Domain, kinds: [QuestionType; 2], scale: Scale| {
            let tasks = kinds.map(|kind| Task::Knowledge(domain, kind));
            if let Some(words) = model.only_errors(&tasks) {
                return words;
            }
            let reports = tasks.map(|task| model.reports(task));
            let values = per_question(&reports.concat(), ItemFigure::Value);
            PaperCell::of(scale.measure(&values), 2, RUN).remarked(model.many_errors(&tasks))
        };
        let cells = Domain::ALL.map(|domain| {
            [
                pooled(
                    domain,
                    [QuestionType::Single, QuestionType::Multiple],
                    Scale::Share,
                ),
                pooled(
                    domain,
                    [QuestionType::Table, QuestionType::General],
                    Scale::Judged,
                ),
            ]
        });
        cells.concat()
    })
}

/// Table 3: means of the application tasks by family of metrics.
fn families(models: &[Model<'_>], table: &ModelTable, printed: &Published) -> PaperTable {
    let heads = FAMILIES.map(|(_, name)| name);
    let out = PaperTable::new(
        "Table 3",
        "application: means by family of metrics, weighted by items",
        &["model"],
        &heads,
    )
    .note(
        "An error in the paper: its accuracy column divides the sums over 3,929 items by 3,629; GPT-5's \
         79.94 is 73.84 over all items. `boardroom qa families --published` prints the means of its \
         Table 16. Judged labels without --judge are those of the companion rule.",
    )
    .note(
        "A model that was not asked all tasks of a family has its mean over those that it was asked, marked \
         with their number; that mean has neither an interval nor the paper's figure beside it.",
    );
    fill_from(out, models, printed, |model| {
        let families = table.families(model.name);
        let cell = |(family, _): (MetricFamily, &str)| {
            let Some(found) = families.get(&family) else {
                return PaperCell::missing(RUN);
            };
            if !found.is_whole(family) {
                let all = family.application_tasks();
                return PaperCell::words(format!(
                    "{:.2} ({} of {all} tasks)",
                    found.value, found.tasks
                ));
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the weights are numbers of questions"
            )]
            let n = found.weight as u64;
            let measure = Measure {
                value: found.value,
                ci95: found.interval(0.95, family).map(|(low, high)| [low, high]),
                n,
            };
            let tasks = Application::ALL.map(Task::Application);
            let own: Vec<Task> = tasks
                .into_iter()
                .filter(|task| task.family() == family)
                .collect();
            PaperCell::measured(measure, 2).remarked(model.many_errors(&own))
        };
        FAMILIES.map(cell).to_vec()
    })
}

/// Table 4: finance by type of question.
fn finance(models: &[Model<'_>], printed: &Published) -> PaperTable {
    let table = PaperTable::new(
        "Table 4",
        "finance by type of question; the paper's rows are a base model and two models trained from it",
        &["model"],
        &["SC. %", "MC. %", "TableQA", "GeneralQA"],
    );
    fill_from(table, models, printed, |model| {
        let kinds = [
            QuestionType::Single,
            QuestionType::Multiple,
            QuestionType::Table,
            QuestionType::General,
        ];
        let task = |kind| Task::Knowledge(Domain::Fin, kind);
        kinds
            .map(|kind| model.cell(task(kind), ItemFigure::Value))
            .to_vec()
    })
}

/// Table 15: every type of question in every domain.
fn knowledge(models: &[Model<'_>], paper: &ModelTable) -> PaperTable {
    let kinds = [
        (QuestionType::Single, ItemFigure::Value, "SC. %", ""),
        (QuestionType::Multiple, ItemFigure::Value, "MC. %", ""),
        (QuestionType::Multiple, ItemFigure::F1, "MC. F1 %", ".F1"),
        (QuestionType::Table, ItemFigure::Value, "TableQA", ""),
        (QuestionType::General, ItemFigure::Value, "GeneralQA", ""),
    ];
    let columns: Vec<(String, Task, ItemFigure, &str)> = Domain::ALL
        .into_iter()
        .flat_map(|domain| {
            kinds.map(|(kind, part, name, suffix)| {
                let task = Task::Knowledge(domain, kind);
                (of_domain(domain, name), task, part, suffix)
            })
        })
        .collect();
    let table = PaperTable::new(
        "Table 15",
        "knowledge by domain and type of question",
        &["model"],
        &columns.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(),
    )
    .note(
        "The paper's figures are of another revision of the data (324 single and 330 multiple choice \
         questions in finance, where the public files have 442 and 468), so they are not those of the \
         authors' own result files. The public repository holds no general questions of OM and STAT.",
    );
    wide(table, models, paper, &columns)
}

/// Table 16: every application task.
fn applications(models: &[Model<'_>], paper: &ModelTable) -> PaperTable {
    let mut columns: Vec<(String, Task, ItemFigure, &str)> = Vec::new();
    for application in Application::ALL {
        let task = Task::Application(application);
        let name = application.column();
        if task.metric() == Metric::Rouge {
            for (part, suffix) in [
                (ItemFigure::Rouge1, ".R1"),
                (ItemFigure::Rouge2, ".R2"),
                (ItemFigure::RougeL, ".RL"),
            ] {
                columns.push((format!("{name}{suffix}"), task, part, suffix));
            }
        } else {
            columns.push((name.to_owned(), task, ItemFigure::Value, ""));
        }
    }
    let table = PaperTable::new(
        "Table 16",
        "application tasks: per cent, judged scores from 0 to 5",
        &["model"],
        &columns
            .iter()
            .map(|(name, ..)| name.as_str())
            .collect::<Vec<_>>(),
    );
    wide(table, models, paper, &columns)
}

/// A table with a column for each figure of a task, beside those of the paper's models.
fn wide(
    table: PaperTable,
    models: &[Model<'_>],
    paper: &ModelTable,
    columns: &[(String, Task, ItemFigure, &str)],
) -> PaperTable {
    let names: Vec<&str> = paper.models().collect();
    let printed = |name: &str, column: &str| {
        let (_, task, _, suffix) = columns.iter().find(|(head, ..)| head == column)?;
        let place = format!("{}{suffix}", task.short_name());
        let value = paper.value(name, &place, DomainValue::default())?;
        let (_, decimals) = Scale::of(*task);
        Some(format!("{value:.decimals$}"))
    };
    fill(table, models, &names, printed, |model| {
        let cells = columns
            .iter()
            .map(|(_, task, part, _)| model.cell(*task, *part));
        cells.collect()
    })
}

/// The model of Table 13.
const SEARCHED: &str = "Llama3-8B";

/// Table 13 for every model that was sampled in several ways of the grid, that of the paper first; without any, for the
/// only model in it, or for none. A grid without a figure is left out beside others.
fn grids(sets: &[MeasuredSet], printed: &Published) -> Vec<PaperTable> {
    let mut found: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for set in sets {
        let is_asked = matches!(
            set.task,
            Task::Knowledge(_, QuestionType::Single | QuestionType::General)
        );
        if let (true, Some(way)) = (is_asked, ways().position(|way| fits(set.sampling, way))) {
            found.entry(&set.variant).or_default().insert(way);
        }
    }
    let searched: Vec<&str> = found
        .iter()
        .filter(|(_, ways)| ways.len() > 1)
        .map(|(name, _)| *name)
        .collect();
    let names: Vec<&str> = if searched.is_empty() && found.len() == 1 {
        found.into_keys().collect()
    } else {
        searched
    };
    let mut filled: Vec<(bool, &str, PaperTable)> = Vec::new();
    let mut empty = Vec::new();
    for name in names {
        let own: Vec<&MeasuredSet> = sets.iter().filter(|set| set.variant == name).collect();
        let table = grid(Some(name), &own, printed);
        let mut cells = table.rows.iter().flat_map(|row| &row.cells);
        if cells.any(|cell| cell.ours.is_some()) {
            let is_theirs = own.iter().any(|set| is_model(&agent_of(set), SEARCHED));
            filled.push((!is_theirs, name, table));
        } else {
            empty.push(name);
        }
    }
    filled.sort_by_key(|(is_other, ..)| *is_other);
    let several = filled.len() > 1;
    let mut tables: Vec<PaperTable> = Vec::new();
    for (_, name, mut table) in filled {
        if several {
            table.id = format!("{}-{}", table.id, slug(name));
        }
        tables.push(table);
    }
    if tables.is_empty() {
        tables.push(grid(None, &[], printed));
    }
    if let (Some(first), false) = (tables.first_mut(), empty.is_empty()) {
        first.notes.push(format!(
            "Left out, because the provider failed at every question: the grids of {}.",
            empty.join(", ")
        ));
    }
    tables
}

/// Temperature and top-p of the cells of Table 13; the first has no top-p.
fn ways() -> impl Iterator<Item = (f64, Option<f64>)> {
    let sampled = TEMPERATURES
        .into_iter()
        .flat_map(|temperature| TOP_P.map(|top_p| (temperature, Some(top_p))));
    std::iter::once((0.0, None)).chain(sampled)
}

fn fits(sampling: ModelSampling, (temperature, top_p): (f64, Option<f64>)) -> bool {
    let same = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-9);
    same(sampling.temperature, temperature) && top_p.is_none_or(|p| same(sampling.top_p, p))
}

fn grid(name: Option<&str>, sets: &[&MeasuredSet], printed: &Published) -> PaperTable {
    let of = name.map_or_else(String::new, |name| format!(", {name}"));
    let mut table = PaperTable::new(
        "Table 13",
        format!("temperature and top-p{of} (the paper: Llama3-8B)"),
        &["temperature", "top-p"],
        &["single choice %", "general questions (0 to 5)"],
    )
    .note(
        "Single choice is the share of right answers over the four domains together, questions without \
         a right answer included, as the paper counts: 1,873 questions. Of the authors' result \
         files the letters count that are stored in them, as in the paper; the other tables count what the \
         replies say. The interval is Wilson's if every question was answered once.",
    )
    .note(
        "Without sampling (temperature 0) top-p does not matter in principle. Answers at temperature 0 with \
         several top-p are therefore repeats: the answers to a question are averaged, and n and the interval \
         count questions. The same holds for the streams of a method with a memory.",
    )
    .note(
        "Two errors in the paper. Its 33.16 at temperature 0.6 and top-p 0.6 repeats the cell at 0.2 and \
         0.8; the authors' files give 627 of 1,873, 33.48. Its 32.67 at 0.2 and 0.95 is 612 of 1,873, but \
         one of the 612 is not among the 1,873 questions: the file for economics has two further records, \
         one of them right (612 of 1,875 is 32.64, 611 of 1,873 is 32.62).",
    );
    for (temperature, top_p) in ways() {
        let of_kind = |kind: QuestionType| {
            let is_of = move |task| matches!(task, Task::Knowledge(_, k) if k == kind);
            let sets = sets.iter().copied();
            sets.filter(move |set| is_of(set.task) && fits(set.sampling, (temperature, top_p)))
        };
        let figure = |kind, figure, scale: Scale, command: &str| {
            if let Some(words) = only_errors(of_kind(kind)) {
                return words;
            }
            let reports: Vec<&SetReport> = of_kind(kind).flat_map(|set| set.as_stored()).collect();
            let measure = scale.measure(&per_question(&reports, figure));
            PaperCell::of(measure, 2, command).remarked(many_errors(of_kind(kind)))
        };
        let p = top_p.map_or_else(|| "any".to_owned(), |p| p.to_string());
        let label = format!("{temperature}, {p}");
        let top = top_p.map_or_else(String::new, |p| format!(" --top-p {p}"));
        let command = |kind: &str, more: &str| {
            format!(
                "boardroom run qa --data Dataset --task fin/{kind},econ/{kind},om/{kind},stat/{kind} \
                 --agent AGENT --temperature {temperature}{top}{more} --out RUN"
            )
        };
        let cells = vec![
            figure(
                QuestionType::Single,
                ItemFigure::Right,
                Scale::Share,
                &command("single", ""),
            )
            .beside(printed.get("Table 13", &label, "single choice %")),
            figure(
                QuestionType::General,
                ItemFigure::Value,
                Scale::Judged,
                &command("general", " --judge MODEL"),
            )
            .beside(printed.get("Table 13", &label, "general questions (0 to 5)")),
        ];
        table
            .rows
            .push(PaperRow::ours([temperature.to_string(), p], cells));
    }
    table
}
