//! The parts of BizCompass that are computed from figures and tables: correlations, O*NET, weights.

use crate::heat_map::correlations;
use crate::paper::draw::{PaperFigure, drawn};
use crate::paper::published::Published;
use crate::paper::table::{Measure, PaperCell, PaperRow, PaperTable};
use qa_runner::qa::measured::rows;
use qa_scoring::correlate::{Coefficient, DomainValue};
use qa_scoring::load::Row;
use qa_scoring::model_table::{CorrelationCell, ModelTable};
use qa_scoring::quality::{
    QUALITY_COLUMNS, Quality, THRESHOLD, fit, preferences_of, rated, rejection_recall, scores,
};
use qa_scoring::{TableError, onet, published};
use run_engine::error::RunError;
use run_engine::terminal::shown_path;
use std::path::PathBuf;

/// Minimum number of models for a correlation.
const MODELS: usize = 3;

/// A table of the user with its file.
#[derive(Debug)]
struct Own {
    path: PathBuf,
    rows: Vec<Row>,
}

impl Own {
    /// An error with the name of the file.
    fn bad(&self, e: &impl std::fmt::Display) -> RunError {
        RunError::usage(format!("{}: {e}", shown_path(&self.path)))
    }
}

/// The user's tables; their columns decide their use.
#[derive(Debug, Default)]
pub(super) struct OwnTables {
    /// Figures of other benchmarks: `model` and further columns.
    others: Vec<Own>,
    /// `title`, `category`, `employment`, `openings`.
    occupations: Option<Own>,
    /// `role`, `task`, and the representative tasks.
    tasks: Option<Own>,
    /// `depth`, `synthesis`, `centrality`.
    items: Option<Own>,
    /// `better` and `worse`, or `ranking`.
    preferences: Option<Own>,
}

impl OwnTables {
    /// Reads tables.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self, RunError> {
        let mut own = Self::default();
        for path in paths {
            let table = Own {
                path: path.clone(),
                rows: rows(path)?,
            };
            let has = |name: &str| {
                let first = table.rows.first();
                first.is_some_and(|row| row.keys().any(|key| key.trim().eq_ignore_ascii_case(name)))
            };
            if has("model") {
                own.others.push(table);
                continue;
            }
            let (place, what) = if has("category") {
                (&mut own.occupations, "occupations")
            } else if has("role") {
                (&mut own.tasks, "tasks of roles")
            } else if has("better") || has("ranking") {
                (&mut own.preferences, "preferences")
            } else if has("depth") || has("A") {
                (&mut own.items, "quality scores")
            } else {
                return Err(RunError::usage(format!(
                    "{} is not a table that fills a part of the paper; docs/papers.md lists them",
                    shown_path(path)
                )));
            };
            if let Some(first) = place {
                return Err(RunError::usage(format!(
                    "{} and {} are both tables of {what}; put their rows into one file",
                    shown_path(&first.path),
                    shown_path(path)
                )));
            }
            *place = Some(table);
        }
        Ok(own)
    }
}

fn bad(e: &TableError) -> RunError {
    RunError::usage(e.to_string())
}

/// A figure without an interval.
fn bare(value: f64, n: usize) -> Measure {
    Measure {
        value,
        ci95: None,
        n: n as u64,
    }
}

/// Table 17: shares of scenarios.
pub(super) fn shares(own: &OwnTables, printed: &Published) -> Result<PaperTable, RunError> {
    const COMMAND: &str = "boardroom paper bizcompass --tables occupations.csv";
    let columns = ["S(emp) %", "S(open) %"];
    let title = "shares of employed persons and of openings";
    let mut table = PaperTable::new("Table 17", title, &["scenario"], &columns);
    let read = |table: &Own| onet::occupations(&table.rows).map_err(|e| table.bad(&e));
    let occupations = own.occupations.as_ref().map(read).transpose()?;
    let found = occupations.as_deref().map(onet::shares);
    for (name, ..) in published::SHARES {
        let of = |part: fn(&onet::Shares) -> f64| -> Option<f64> {
            let shares = found.as_ref()?;
            let named = shares.iter().filter(|(category, _)| {
                name == "total" || run_engine::words::name_of(category).is_ok_and(|n| n == name)
            });
            // Not `sum`: that of no numbers is -0.
            Some(named.fold(0.0, |sum, (_, share)| sum + part(share)))
        };
        let values = [of(|s| s.employment_share), of(|s| s.opening_share)];
        let n = occupations.as_ref().map_or(0, Vec::len);
        let cells = values.into_iter().zip(columns).map(|(value, column)| {
            let measure = value.map(|value| bare(value, n));
            PaperCell::of(measure, 2, COMMAND).beside(printed.get("Table 17", name, column))
        });
        table.rows.push(PaperRow::ours([name], cells.collect()));
    }
    Ok(table)
}

/// Table 18: coverage of the tasks of each role.
pub(super) fn coverage(own: &OwnTables, printed: &Published) -> Result<PaperTable, RunError> {
    const COMMAND: &str = "boardroom paper bizcompass --tables tasks.csv";
    let column = "Coverage %";
    let mut table = PaperTable::new(
        "Table 18",
        "share of a role's tasks that each representative task matches",
        &["role", "task"],
        &[column],
    );
    let read = |table: &Own| onet::relevance(&table.rows).map_err(|e| table.bad(&e));
    let roles = own.tasks.as_ref().map(read).transpose()?;
    let roles = roles.unwrap_or_default();
    let role_of = |name: &str| {
        let found = roles
            .iter()
            .find(|(role, _)| role.eq_ignore_ascii_case(name));
        found.map(|(_, tasks)| tasks)
    };
    for published::PublishedRole {
        name: role,
        matched: tasks,
        ..
    } in published::COVERAGE
    {
        let own = role_of(role);
        let found = own.and_then(|tasks| onet::coverage(&tasks.matches));
        let matched = |task: &str| {
            let names = &own?.representative;
            let place = names
                .iter()
                .position(|name| name.eq_ignore_ascii_case(task))?;
            found.as_ref()?.matched.get(place).copied()
        };
        let overall = [("overall", found.as_ref().map(|found| found.coverage))];
        let each = tasks.iter().map(|(task, _)| (*task, matched(task)));
        for (task, value) in each.chain(overall) {
            let n = own.map_or(0, |tasks| tasks.matches.len());
            let label = format!("{role}, {task}");
            let cell = PaperCell::of(value.map(|value| bare(value, n)), 2, COMMAND)
                .beside(printed.get("Table 18", &label, column));
            table.rows.push(PaperRow::ours([role, task], vec![cell]));
        }
    }
    Ok(table)
}

/// Appendix D.2: weights of the quality scores, and the rejection recall.
pub(super) fn appendix_d(own: &OwnTables) -> Result<PaperTable, RunError> {
    const COMMAND: &str = "boardroom paper bizcompass --tables items.csv preferences.csv";
    let mut table = PaperTable::new(
        "Appendix D.2",
        "weights of the quality scores, and the share of the experts' rejections that a total below 6 finds",
        &["figure"],
        &["value"],
    );
    let (mut weights, mut recall, mut n) = (None, None, (0, 0));
    if let Some(items) = &own.items {
        if let Some(preferences) = &own.preferences {
            let pairs = preferences_of(&items.rows, &preferences.rows);
            let pairs = pairs.map_err(|e| preferences.bad(&e))?;
            let scores = scores(&items.rows, QUALITY_COLUMNS).map_err(|e| items.bad(&e))?;
            let found = fit(&scores, &pairs).map_err(|e| preferences.bad(&e))?;
            weights = found.normalised;
            n.0 = pairs.len();
        }
        let judged: Option<Vec<(Quality, bool)>> = rated(&items.rows)
            .map_err(|e| items.bad(&e))?
            .into_iter()
            .map(|(quality, rejected)| Some((quality, rejected?)))
            .collect();
        recall = judged
            .as_deref()
            .and_then(|q| rejection_recall(q, THRESHOLD));
        n.1 = judged
            .iter()
            .flatten()
            .filter(|(_, rejected)| *rejected)
            .count();
    }
    let named = QUALITY_COLUMNS.iter().zip(published::QUALITY_WEIGHTS);
    for (place, ([name, _], printed)) in named.enumerate() {
        let value = weights.and_then(|weights: [f64; 3]| weights.get(place).copied());
        let cell = PaperCell::of(value.map(|value| bare(value, n.0)), 2, COMMAND);
        let cell = cell.beside(Some(&printed.to_string()));
        table
            .rows
            .push(PaperRow::ours([format!("weight of {name}")], vec![cell]));
    }
    let cell = PaperCell::of(recall.map(|value| bare(value, n.1)), 2, COMMAND);
    let cell = cell.beside(Some(&format!("{:.2}", published::REJECTION_RECALL)));
    table
        .rows
        .push(PaperRow::ours(["rejection recall"], vec![cell]));
    Ok(table)
}

/// A table of coefficients with those of the paper's own models beside them.
fn coefficients(
    (place, title): (&str, &str),
    (rows, columns): (&[String], &[String]),
    (ours, theirs): (&[CorrelationCell], &[CorrelationCell]),
    command: &str,
) -> PaperTable {
    let heads: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = PaperTable::new(place, title, &["figure"], &heads);
    let find = |cells: &[CorrelationCell], row: &str, column: &str| {
        let cell = cells
            .iter()
            .find(|cell| cell.row == row && cell.column == column);
        cell.and_then(|cell| Some((cell.correlation?.coefficient, cell.models)))
    };
    for row in rows {
        let cell = |column: &String| {
            let own = find(ours, row, column).map(|(r, n)| Measure {
                value: r,
                ci95: fisher(r, n),
                n: n as u64,
            });
            let theirs = find(theirs, row, column).map(|(r, _)| format!("{r:.2}"));
            PaperCell::of(own, 2, command).beside(theirs.as_deref())
        };
        let cells = columns.iter().map(cell).collect();
        table.rows.push(PaperRow::ours([row.as_str()], cells));
    }
    table
}

/// The 95 % interval of Pearson's r over `n` pairs, by Fisher's transformation.
fn fisher(r: f64, n: usize) -> Option<[f64; 2]> {
    if n < 4 || r.abs() >= 1.0 {
        return None;
    }
    let half = 1.959_963_984_540_054 / ((n - 3) as f64).sqrt();
    Some([(r.atanh() - half).tanh(), (r.atanh() + half).tanh()])
}

/// The table with a remark on the models that have no value of a derived column because they lack one of
/// its tasks.
fn without(
    table: PaperTable,
    models: &ModelTable,
    columns: &[String],
    value: DomainValue,
) -> PaperTable {
    columns.iter().fold(table, |table, column| {
        match models.left_out(column, value).as_slice() {
            [] => table,
            names => table.note(format!(
                "Without a value of {column}, because they lack a task that at least half of the models have: {}.",
                names.join(", ")
            )),
        }
    })
}

/// Figure 4: the application tasks with the domains.
pub(super) fn figure_4(
    own: &ModelTable,
    paper: &ModelTable,
) -> Result<(PaperTable, Option<PaperFigure>), RunError> {
    const COMMAND: &str = "boardroom run qa --data Dataset --agent AGENT --judge MODEL --out RUN";
    let value = DomainValue::default();
    let (rows, columns) = (paper.application_columns(), paper.domain_columns(value));
    let of = |table: &ModelTable| -> Result<Vec<CorrelationCell>, RunError> {
        let has = |name: &&String| {
            table
                .models()
                .any(|m| table.value(m, name, value).is_some())
        };
        let rows: Vec<String> = rows.iter().filter(has).cloned().collect();
        let columns: Vec<String> = columns.iter().filter(has).cloned().collect();
        let cells = table.correlations(&rows, &columns, Coefficient::Pearson, value);
        let cells = cells.map_err(|e| bad(&e))?.into_iter();
        Ok(cells.filter(|cell| cell.models >= MODELS).collect())
    };
    let (ours, theirs) = (of(own)?, of(paper)?);
    let title = "Pearson's r of application tasks with domains (mean judged score), over models";
    let table = coefficients(
        ("Figure 4", title),
        (&rows, &columns),
        (&ours, &theirs),
        COMMAND,
    );
    let table = without(table, own, &columns, value)
        .note(
            "The paper draws the figure without numbers and names neither the coefficient nor the domain's \
             value; its figures here are computed from its Tables 15 and 16. The interval is Fisher's. A \
             cell needs three models.",
        );
    let (cells, whose) = if ours.is_empty() {
        (&theirs, "the 23 models of the paper")
    } else {
        (&ours, "the models at hand")
    };
    let picture = drawn(
        "Figure 4",
        &format!("correlation of application tasks with domains over {whose}"),
        &correlations(cells)?,
    );
    Ok((table, Some(picture)))
}

/// Figure 5: other benchmarks with the weighted scores of both families.
pub(super) fn figure_5(
    own: &ModelTable,
    paper: &ModelTable,
    tables: &OwnTables,
) -> Result<(PaperTable, Option<PaperFigure>), RunError> {
    const COMMAND: &str = "boardroom paper bizcompass --tables benchmarks.csv";
    let value = DomainValue::default();
    let columns = ["knowledge", "application"].map(str::to_owned);
    let title = "Pearson's r of other benchmarks with the weighted scores, over models";
    // The paper's models stand beside those at hand: other benchmarks are known for them.
    let mut all = paper.clone();
    all.merge(own);
    let mut rows: Vec<String> = Vec::new();
    for table in &tables.others {
        let before: Vec<String> = all.columns();
        all.read(&table.rows).map_err(|e| table.bad(&e))?;
        rows.extend(
            all.columns()
                .into_iter()
                .filter(|name| !before.contains(name)),
        );
    }
    let cells = all
        .correlations(&rows, &columns, Coefficient::Pearson, value)
        .map_err(|e| bad(&e))?;
    let usual = ["SWE-bench", "LongBench v2", "AIME2024"].map(str::to_owned);
    let shown = if rows.is_empty() { &usual[..] } else { &rows };
    let table = coefficients(
        ("Figure 5", title),
        (shown, &columns),
        (&cells, &[]),
        COMMAND,
    );
    let table = without(table, &all, &columns, value).note(
        "Over the paper's models and those at hand that the table of benchmarks names, by its column `model`. \
         The weighted scores are over the tasks that at least half of these models have; the paper's models \
         have all. The paper draws the points without numbers.",
    );
    let picture = if cells.is_empty() {
        None
    } else {
        let title = "correlation of other benchmarks with the weighted scores";
        Some(drawn("Figure 5", title, &correlations(&cells)?))
    };
    Ok((table, picture))
}
