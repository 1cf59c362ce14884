//! Figures of several models side by side: correlations of columns, means of metric families.
//!
//! A [`ModelTable`] has a row for each model and a column for each figure. It is read from tables
//! (CSV or JSON records with a column `model`) or filled from reports of runs. Columns named like a
//! task (`FRM`, `fin/single`) are recognised in any case; further columns are derived:
//!
//! | column | value |
//! |---|---|
//! | a ROUGE task such as `SECQUE` | mean of `SECQUE.R1`, `SECQUE.R2` and `SECQUE.RL`, unless the table has it |
//! | `FIN`, `ECON`, `OM`, `STAT` | the domain's value ([`DomainValue`]) from its four types of questions |
//! | `knowledge`, `application` | mean of the family's tasks weighted by items, judged scores times 20 \[per cent\] |
//!
//! A domain, `knowledge` and `application` are measured by the same tasks for all models: those that at
//! least half of the models with a figure of one of them have. A model without one of these tasks has no
//! value, so that it does not change those of the others ([`ModelTable::left_out`] names it). In the
//! paper every model has every task.
//!
//! # Units
//! Accuracy, ROUGE and judged labels in per cent, judged scores from 0 to 5, as the papers print them.

use crate::aggregate::{FamilyMean, ItemFigure, TaskFigure, family_means, per_question};
use crate::correlate::{Coefficient, Correlation, DomainValue, correlate};
use crate::error::TableError;
use crate::load::{self, Cells, Row, folded, text};
use crate::score::SetReport;
use crate::task::{Application, Domain, Metric, MetricFamily, QuestionType, Task};
use serde::Serialize;
use sim_core::stats::{mean, sd};
use std::collections::{BTreeMap, BTreeSet};
use strum::VariantArray;

/// Name of the row of a table that holds the number of items of each column.
pub const ITEMS: &str = "n";

/// Most columns and rows of a table: each pair of columns has a cell in a matrix, and a name is compared with all
/// others.
const MOST_COLUMNS: usize = 1_000;
const MOST_ROWS: usize = 10_000;

/// One figure of a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ModelFigure {
    /// Its value \[per cent, or 0 to 5 for a judged score\].
    pub value: f64,
    /// Items behind it; absent if the table does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<usize>,
    /// Standard error in the unit of the value; known for runs only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// Figures of several models.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ModelTable {
    /// The models in the order in which they were read, with their figures by column.
    models: Vec<(String, BTreeMap<String, ModelFigure>)>,
    /// The place of each model in them.
    #[serde(skip)]
    places: BTreeMap<String, usize>,
    /// Items of each column, from the row `n`.
    items: BTreeMap<String, usize>,
}

/// A cell of a correlation matrix.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorrelationCell {
    /// Column of the table along the rows of the matrix.
    pub row: String,
    /// Column of the table along the columns of the matrix.
    pub column: String,
    /// Number of models that have both figures.
    pub models: usize,
    /// The coefficient; absent where it is undefined.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub correlation: Option<Correlation>,
}

/// A column of a table.
struct Column {
    /// Its recognised name.
    name: String,
    derived: Derived,
}

/// Where the value of a model comes from that has no figure of the column; with the tasks that at least half of the
/// models have.
enum Derived {
    Domain(Vec<Task>, DomainValue),
    Overall(Vec<Task>),
    Rouge,
}

/// The name of a column: a task's short name, a domain in capitals, else as it is written.
#[must_use]
pub fn column_name(name: &str) -> String {
    let name = name.trim();
    if let Ok(task) = name.parse::<Task>() {
        return task.short_name();
    }
    name.parse().map_or_else(|_| name.to_owned(), domain_column)
}

/// The column of a domain: its name in capitals.
#[must_use]
pub fn domain_column(domain: Domain) -> String {
    domain.to_string().to_uppercase()
}

impl ModelTable {
    /// Adds the models of a table; figures of a model that is there already are added to its row.
    /// Columns without any number are not figures and are left out.
    ///
    /// ```
    /// use qa_scoring::{load, model_table::ModelTable};
    /// let mut table = ModelTable::default();
    /// table.read(&load::rows(b"model,size,FRM\na,8B,40.5%\nb,70B,61\n")?)?;
    /// assert_eq!(table.value("b", "frm", Default::default()), Some(61.0));
    /// # Ok::<(), qa_scoring::error::TableError>(())
    /// ```
    ///
    /// # Errors
    /// [`TableError`] when a row has no `model`, a column has numbers and other text, or there are more than
    /// 1,000 columns or 10,000 rows.
    pub fn read(&mut self, rows: &[Row]) -> Result<(), TableError> {
        let within = |what, found: usize, most: usize| match found > most {
            true => Err(TableError::TooLarge { what, found, most }),
            false => Ok(()),
        };
        let widest = rows.iter().map(Row::len).max().unwrap_or_default();
        within("columns", widest, MOST_COLUMNS)?;
        within("rows", rows.len(), MOST_ROWS)?;
        // Of all rows, because an object of JSON may lack a field that a later one has; by their folded form, as the
        // first row has them.
        let mut names: BTreeMap<String, &String> = BTreeMap::new();
        let mut last: Option<&Row> = None;
        for row in rows {
            // Nearly all rows have the names of the row before them.
            if last.is_none_or(|last| !last.keys().eq(row.keys())) {
                for name in row.keys() {
                    names.entry(folded(name)).or_insert(name);
                }
                within("columns", names.len(), MOST_COLUMNS)?;
            }
            last = Some(row);
        }
        names.remove("model");
        // Recognising a name compares it with those of all tasks, so it is done once a column.
        let mut texts: Vec<(String, &String)> = names.into_iter().collect();
        let mut figures: Vec<(String, &String, String)> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let cells = Cells::of(row);
            // One number is enough: where other cells hold text, reading the column names the
            // fault.
            let has_number = |(folded, name): &mut (String, &String)| {
                matches!(cells.number(at, folded, name), Ok(Some(_)))
            };
            let with_numbers = texts.extract_if(.., has_number);
            let named = with_numbers.map(|(folded, name)| (folded, name, column_name(name)));
            figures.extend(named);
            if texts.is_empty() {
                break;
            }
        }
        // Of two columns that mean one task the last one counts. They were found in the order of
        // their first numbers, and which one is last must not depend on the rows.
        figures.sort_by_key(|(_, written, _)| *written);
        for (at, row) in rows.iter().enumerate() {
            let model = text(row, at, &["model"])?.trim().to_owned();
            let cells = Cells::of(row);
            for (folded, name, column) in &figures {
                let Some(value) = cells.number(at, folded, name)? else {
                    continue;
                };
                let column = column.clone();
                if model == ITEMS {
                    self.items.insert(column, whole(value, at, name)?);
                } else {
                    let figure = ModelFigure {
                        value,
                        items: None,
                        error: None,
                    };
                    self.set(&model, column, figure);
                }
            }
        }
        Ok(())
    }

    /// Adds the figure of a task to a model; nothing if the reports counted no item. Several reports hold
    /// answers to the same questions: the answers to one are averaged, and the items are questions.
    ///
    /// A ROUGE task also gets its three parts (`.R1`, `.R2`, `.RL`), a set of letters its F1 (`.F1`).
    pub fn add_reports(&mut self, model: &str, reports: &[&SetReport]) {
        let (Some(first), Some(found)) = (reports.first(), question_mean(reports)) else {
            return;
        };
        let task = first.task;
        let scale = match task.family() {
            MetricFamily::JudgedScore => 1.0,
            _ => 100.0,
        };
        let column = task.short_name();
        let parts: &[(&str, ItemFigure)] = match task.metric() {
            Metric::Rouge => &[
                ("R1", ItemFigure::Rouge1),
                ("R2", ItemFigure::Rouge2),
                ("RL", ItemFigure::RougeL),
            ],
            Metric::LetterSet => &[("F1", ItemFigure::F1)],
            _ => &[],
        };
        for (part, figure) in parts {
            if let Some(value) = mean(&per_question(reports, *figure)) {
                let figure = ModelFigure {
                    value: scale * value,
                    items: found.items,
                    error: None,
                };
                self.set(model, format!("{column}.{part}"), figure);
            }
        }
        let figure = ModelFigure {
            value: scale * found.value,
            items: found.items,
            error: found.error.map(|error| scale * error),
        };
        self.set(model, column, figure);
    }

    /// Sets a figure; the model is added if it is new.
    pub fn set(&mut self, model: &str, column: String, figure: ModelFigure) {
        let place = self.places.get(model).copied().unwrap_or_else(|| {
            self.models.push((model.to_owned(), BTreeMap::new()));
            let place = self.models.len() - 1;
            self.places.insert(model.to_owned(), place);
            place
        });
        if let Some((_, figures)) = self.models.get_mut(place) {
            figures.insert(column, figure);
        }
    }

    /// Adds the models and figures of another table; a figure that both have is that of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (model, figures) in &other.models {
            for (column, figure) in figures {
                self.set(model, column.clone(), *figure);
            }
        }
        self.items.extend(other.items.clone());
    }

    /// Names of all columns with a stored figure, in alphabetical order.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        let names = self.models.iter().flat_map(|(_, figures)| figures.keys());
        names
            .collect::<BTreeSet<_>>()
            .into_iter()
            .cloned()
            .collect()
    }

    /// Names of the models, in order.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.models.iter().map(|(name, _)| name.as_str())
    }

    /// A stored figure.
    #[must_use]
    pub fn figure(&self, model: &str, column: &str) -> Option<ModelFigure> {
        self.stored(model, &column_name(column))
    }

    /// The figure of a column by its recognised name. Recognising a name compares it with those of all
    /// tasks, which takes longer than everything else here.
    fn stored(&self, model: &str, column: &str) -> Option<ModelFigure> {
        let (_, figures) = self.models.get(*self.places.get(model)?)?;
        figures.get(column).copied()
    }

    /// The value of a stored or derived column of a model.
    #[must_use]
    pub fn value(&self, model: &str, column: &str, domains: DomainValue) -> Option<f64> {
        self.value_of(model, &self.column(column, domains))
    }

    /// What a column holds. For derived ones it compares the tasks of all models, which is done once a column.
    fn column(&self, name: &str, domains: DomainValue) -> Column {
        let name = column_name(name);
        let domain = Domain::ALL.into_iter().find(|d| domain_column(*d) == name);
        let derived = match (domain, name.as_str()) {
            (Some(domain), _) => Derived::Domain(self.usual(&of_domain(domain, domains)), domains),
            (None, "knowledge") => Derived::Overall(self.usual(&knowledge())),
            (None, "application") => Derived::Overall(self.usual(&applications())),
            // Any other column may be a ROUGE task of which the table has only the three parts.
            _ => Derived::Rouge,
        };
        Column { name, derived }
    }

    fn value_of(&self, model: &str, column: &Column) -> Option<f64> {
        if let Some(figure) = self.stored(model, &column.name) {
            return Some(figure.value);
        }
        match &column.derived {
            Derived::Domain(usual, value) => self.domain(model, usual, *value),
            Derived::Overall(usual) => self.overall(model, usual),
            Derived::Rouge => self.rouge(model, &column.name),
        }
    }

    /// Items of a task: of the model's run, else from the row `n`, else of the published file.
    #[must_use]
    pub fn items(&self, model: &str, task: Task) -> Option<usize> {
        let column = task.short_name();
        let own = self.stored(model, &column).and_then(|figure| figure.items);
        own.or_else(|| self.items.get(&column).copied())
            // A table of the parts of ROUGE has its numbers of items under them.
            .or_else(|| self.items.get(&format!("{column}.R1")).copied())
            .or_else(|| task.weight())
    }

    /// The mean of the three parts of a ROUGE task.
    fn rouge(&self, model: &str, column: &str) -> Option<f64> {
        let part = |name: &str| Some(self.stored(model, &format!("{column}.{name}"))?.value);
        mean(&[part("R1")?, part("R2")?, part("RL")?])
    }

    /// The figure of a task, with that of ROUGE put together from its parts.
    fn task_value(&self, model: &str, task: Task) -> Option<f64> {
        let column = task.short_name();
        let own = self.stored(model, &column).map(|figure| figure.value);
        own.or_else(|| self.rouge(model, &column))
    }

    /// Those of `tasks` that at least half of the models with a figure of one of them have.
    fn usual(&self, tasks: &[Task]) -> Vec<Task> {
        let has = |model: &str, task: Task| self.task_value(model, task).is_some();
        let concerned: Vec<&str> = self
            .models()
            .filter(|model| tasks.iter().any(|task| has(model, *task)))
            .collect();
        let share = |task: &Task| concerned.iter().filter(|model| has(model, *task)).count();
        let tasks = tasks.iter().copied();
        tasks
            .filter(|task| !concerned.is_empty() && 2 * share(task) >= concerned.len())
            .collect()
    }

    /// The models without a value of a derived column (a domain, `knowledge`, `application`) that have a
    /// figure of one of its tasks: they lack a task that at least half of the models have.
    #[must_use]
    pub fn left_out(&self, column: &str, domains: DomainValue) -> Vec<&str> {
        let column = self.column(column, domains);
        let domain = Domain::ALL
            .into_iter()
            .find(|d| domain_column(*d) == column.name);
        let tasks = match (domain, column.name.as_str()) {
            (Some(domain), _) => of_domain(domain, domains),
            (None, "knowledge") => knowledge(),
            (None, "application") => applications(),
            _ => return Vec::new(),
        };
        let is_out = |model: &&str| {
            let mut tasks = tasks.iter();
            tasks.any(|task| self.task_value(model, *task).is_some())
                && self.value_of(model, &column).is_none()
        };
        self.models().filter(is_out).collect()
    }

    /// The value of a domain by its `usual` tasks.
    fn domain(&self, model: &str, usual: &[Task], value: DomainValue) -> Option<f64> {
        let values: Vec<(Task, f64)> = usual
            .iter()
            .map(|task| Some((*task, self.task_value(model, *task)?)))
            .collect::<Option<_>>()?;
        let plain = |scale: fn(Task) -> f64| {
            let values = values.iter().map(|(task, v)| v / scale(*task));
            mean(&values.collect::<Vec<_>>())
        };
        match value {
            DomainValue::Acc => {
                let (mut right, mut items) = (0.0, 0.0);
                for (task, percent) in values {
                    let n = self.items(model, task)? as f64;
                    // Right answers and not per cents are added: the sets of a domain differ in size.
                    // A printed per cent is rounded, but the number of right answers behind it is
                    // whole.
                    right += (percent / 100.0 * n).round();
                    items += n;
                }
                (items > 0.0).then(|| 100.0 * right / items)
            }
            DomainValue::Gpt => plain(|_| 1.0),
            DomainValue::Mean4 => plain(|task| task.family().full()),
        }
    }

    /// Mean over the `usual` tasks, weighted by items \[per cent of the full score\]; tasks whose number of items is
    /// not known are left out.
    fn overall(&self, model: &str, usual: &[Task]) -> Option<f64> {
        let (mut sum, mut weights) = (0.0, 0.0);
        for task in usual.iter().copied() {
            if let Some(n) = self.items(model, task) {
                let value = self.task_value(model, task)?;
                sum += n as f64 * 100.0 * value / task.family().full();
                weights += n as f64;
            }
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// The means of a model's application tasks by family of metrics, weighted by items, with
    /// standard errors where every task has one.
    #[must_use]
    pub fn families(&self, model: &str) -> BTreeMap<MetricFamily, FamilyMean> {
        let figures: Vec<TaskFigure> = applications()
            .into_iter()
            .filter_map(|task| {
                let own = self.stored(model, &task.short_name());
                Some(TaskFigure {
                    task,
                    value: self.task_value(model, task)?,
                    weight: self.items(model, task)? as f64,
                    error: own.and_then(|figure| figure.error),
                })
            })
            .collect();
        family_means(&figures)
    }

    /// Correlates every column of `rows` with every column of `columns`, over the models that have both.
    ///
    /// # Errors
    /// [`TableError::NoColumn`] for a column of which no model has a value.
    pub fn correlations(
        &self,
        rows: &[String],
        columns: &[String],
        coefficient: Coefficient,
        domains: DomainValue,
    ) -> Result<Vec<CorrelationCell>, TableError> {
        let values = |name: &String| -> Result<Vec<Option<f64>>, TableError> {
            let column = self.column(name, domains);
            let values: Vec<Option<f64>> = self
                .models()
                .map(|model| self.value_of(model, &column))
                .collect();
            if values.iter().all(Option::is_none) {
                return Err(TableError::NoColumn { name: name.clone() });
            }
            Ok(values)
        };
        let named = |name: &String| Ok((column_name(name), values(name)?));
        // Once for all rows: a derived column compares the tasks of all models.
        let rights: Vec<(String, Vec<Option<f64>>)> = columns
            .iter()
            .map(named)
            .collect::<Result<_, TableError>>()?;
        let mut cells = Vec::with_capacity(rows.len() * columns.len());
        for row in rows {
            let (left, row) = (values(row)?, column_name(row));
            for (column, right) in &rights {
                let pairs = left.iter().zip(right);
                let (x, y): (Vec<f64>, Vec<f64>) = pairs.filter_map(|(a, b)| a.zip(*b)).unzip();
                cells.push(CorrelationCell {
                    row: row.clone(),
                    column: column.clone(),
                    models: x.len(),
                    correlation: correlate(coefficient, &x, &y),
                });
            }
        }
        Ok(cells)
    }

    /// The application tasks of which a model has a figure, in the order of the paper's Table 16.
    #[must_use]
    pub fn application_columns(&self) -> Vec<String> {
        let present = |task: &Task| self.models().any(|m| self.task_value(m, *task).is_some());
        let tasks = applications().into_iter().filter(present);
        tasks.map(Task::short_name).collect()
    }

    /// The domains of which a model has a value.
    #[must_use]
    pub fn domain_columns(&self, value: DomainValue) -> Vec<String> {
        let present = |d: &Domain| {
            let usual = self.usual(&of_domain(*d, value));
            let mut models = self.models();
            models.any(|model| self.domain(model, &usual, value).is_some())
        };
        Domain::ALL
            .into_iter()
            .filter(present)
            .map(domain_column)
            .collect()
    }
}

/// The figure of the reports of one task over their questions, between 0 and 1 or 0 and 5; `None` where nothing is counted.
fn question_mean(reports: &[&SetReport]) -> Option<ModelFigure> {
    let values = per_question(reports, ItemFigure::Value);
    let headlines = || {
        let counted = reports.iter().filter_map(|report| {
            let headline = report.headline.as_ref()?;
            Some((headline.value, report.counted as f64))
        });
        let (sum, n) = counted.fold((0.0, 0.0), |(sum, n), (value, items)| {
            (sum + value * items, n + items)
        });
        (n > 0.0).then(|| sum / n)
    };
    let value = match reports {
        // Its own figure, which is not for every task the mean of the values.
        [one] => one.headline.as_ref()?.value,
        // The accuracy of tags is one over elements, not a mean over questions.
        [first, ..] if first.task.metric() == Metric::Tags => headlines()?,
        _ => mean(&values)?,
    };
    Some(ModelFigure {
        value,
        items: Some(values.len()),
        error: sd(&values).map(|sd| sd / (values.len() as f64).sqrt()),
    })
}

/// The tasks behind the value of a domain.
fn of_domain(domain: Domain, value: DomainValue) -> Vec<Task> {
    use QuestionType as Q;
    let kinds: &[QuestionType] = match value {
        DomainValue::Acc => &[Q::Single, Q::Multiple],
        DomainValue::Gpt => &[Q::Table, Q::General],
        DomainValue::Mean4 => &[Q::Single, Q::Multiple, Q::Table, Q::General],
    };
    let kinds = kinds.iter();
    kinds.map(|kind| Task::Knowledge(domain, *kind)).collect()
}

fn applications() -> Vec<Task> {
    Application::VARIANTS
        .iter()
        .copied()
        .map(Task::Application)
        .collect()
}

fn knowledge() -> Vec<Task> {
    let domains = Domain::ALL.into_iter();
    domains
        .flat_map(|domain| QuestionType::ALL.map(|kind| Task::Knowledge(domain, kind)))
        .collect()
}

/// A number of items.
fn whole(value: f64, row: usize, name: &str) -> Result<usize, TableError> {
    if (0.0..=1e9).contains(&value) && value.fract() == 0.0 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number from 0 to 1e9"
        )]
        return Ok(value as usize);
    }
    Err(load::bad_cell(
        row,
        name,
        &value.to_string(),
        "a number of items",
    ))
}
