//! Questions and answers: the published tables from their published parts.

use crate::row::{Row, Section, Source};
use anyhow::{Context, Result};
use qa_scoring::aggregate::{TaskFigure, family_means, pooled_percent, rouge_figure};
use qa_scoring::correlate::{DomainFigures, pooled_accuracy};
use qa_scoring::load::{ResultRecord, StoredAnswer};
use qa_scoring::score::ResultSource;
use qa_scoring::{
    Application, Domain, Gold, Grader, Item, Metric, MetricFamily, Outcome, QuestionType, Settings,
    Task, score_results,
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

const COMMAND: &str = "cargo xtask replicate qa";

/// Rows of Table 3 as printed: model of Table 16, accuracy, ROUGE, judged labels, judged score.
const TABLE_3: [(&str, f64, f64, f64, f64); 8] = [
    ("GPT-5-2025-08-07", 79.94, 24.30, 52.35, 4.82),
    ("Claude 4 Opus-20250514", 75.50, 30.73, 56.86, 4.43),
    ("Gemini-2.5-Flash-thinking", 77.43, 23.68, 50.92, 4.47),
    ("Grok4-0709", 78.40, 21.09, 50.13, 4.25),
    ("DeepSeek-V3-250324", 71.26, 19.58, 44.97, 4.31),
    ("Llama-3-70B-Instruct", 60.24, 25.15, 41.93, 4.01),
    ("Qwen3-235B-A22B", 64.78, 14.12, 49.56, 4.37),
    ("DeepSeek-R1-Distill-Qwen-32B", 62.30, 24.32, 45.06, 4.11),
];

/// Items that the printed accuracy column is divided by; there are 3,929.
const PRINTED_DIVISOR: f64 = 3_629.0;

#[derive(Deserialize)]
struct Tables {
    knowledge_n: BTreeMap<String, [usize; 2]>,
    table15: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    table16: BTreeMap<String, BTreeMap<String, Value>>,
    table2: Vec<Table2>,
}

#[derive(Deserialize)]
struct Table2 {
    model: String,
    printed: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Grid {
    cells: Vec<GridCell>,
}

#[derive(Deserialize)]
struct GridCell {
    temperature: f64,
    top_p: f64,
    printed: f64,
    domains: BTreeMap<String, Letters>,
}

#[derive(Deserialize)]
struct Letters {
    gold: String,
    answers: String,
}

pub(crate) fn section() -> Result<Section> {
    let text = include_str!("../../qa-scoring/tests/golden/published_tables.json");
    let tables: Tables = serde_json::from_str(text).context("the published tables")?;
    let mut rows = table_13()?;
    let (table_3, notes) = table_3(&tables)?;
    rows.extend(table_3);
    rows.extend(table_2(&tables)?);
    Ok(Section {
        key: "qa",
        title: "Questions and answers",
        about: "BizCompass, from its own published parts and without a model: Table 13 from stored \
                answers (Llama3-8B, single choice, 1,873 questions), Table 3 from Table 16, three \
                rows of Table 2 from Table 15.",
        rows,
        notes,
    })
}

fn table_13() -> Result<Vec<Row>> {
    let text = include_str!("../fixtures/table13_letters.json");
    let grid: Grid = serde_json::from_str(text).context("the letters of Table 13")?;
    let source = Source::new("Table 13", COMMAND);
    let mut rows = Vec::new();
    for cell in &grid.cells {
        let mut sets = Vec::new();
        for (name, letters) in &cell.domains {
            let domain = Domain::ALL
                .into_iter()
                .find(|domain| domain.folder() == name)
                .with_context(|| format!("no domain {name}"))?;
            let records: Vec<ResultRecord> = letters
                .gold
                .chars()
                .zip(letters.answers.chars())
                .enumerate()
                .map(|(id, (gold, answer))| ResultRecord {
                    item: item(id, gold),
                    reply: String::new(),
                    answer: StoredAnswer::of_value(&Value::String(answer.to_string())),
                    verdict: None,
                })
                .collect();
            let task = Task::Knowledge(domain, QuestionType::Single);
            let mut grader = Grader::new(Settings::default());
            let report = score_results(task, &records, ResultSource::Stored, &mut grader);
            sets.push((report.count(Outcome::Right), report.n));
        }
        let percent = pooled_percent(&sets).context("a cell without questions")?;
        let (temperature, top_p) = (cell.temperature, cell.top_p);
        let what = format!("temperature {temperature}, top-p {top_p}: accuracy");
        rows.push(source.printed(what, cell.printed, 2, percent));
    }
    Ok(rows)
}

fn item(id: usize, gold: char) -> Item {
    Item {
        id: id.to_string(),
        question: "?".to_owned(),
        context: None,
        instruction: None,
        table: None,
        options: vec![String::new(); 4],
        // One published question has no gold letter; nothing is right there.
        gold: Gold::Letters(
            Some(gold)
                .filter(char::is_ascii_uppercase)
                .into_iter()
                .collect(),
        ),
        program: None,
    }
}

fn table_3(tables: &Tables) -> Result<(Vec<Row>, Vec<String>)> {
    let source = Source::new("Table 3", COMMAND);
    let (mut rows, mut right) = (Vec::new(), Vec::new());
    for (model, accuracy, rouge, label, score) in TABLE_3 {
        let figures = tables
            .table16
            .get(model)
            .with_context(|| format!("no row {model} in Table 16"))?;
        let mut tasks = Vec::new();
        for application in Application::ALL {
            let task = Task::Application(application);
            #[expect(clippy::cast_precision_loss, reason = "a few hundred items")]
            tasks.push(TaskFigure {
                task,
                value: figure(figures, application)?,
                weight: task.weight().context("a task without a weight")? as f64,
            });
        }
        let means = family_means(&tasks);
        let mean = |family| means.get(&family).context("a family without tasks");
        for (family, name, printed) in [
            (MetricFamily::Rouge, "ROUGE", rouge),
            (MetricFamily::JudgedLabel, "GPT-Eval (Label)", label),
            (MetricFamily::JudgedScore, "GPT-Eval (Score)", score),
        ] {
            let what = format!("{model}: {name}");
            rows.push(source.printed(what, printed, 2, mean(family)?.value));
        }
        let ours = mean(MetricFamily::Accuracy)?;
        let as_printed = ours.value * ours.weight / PRINTED_DIVISOR;
        let what = format!("{model}: accuracy, with the printed divisor of 3,629");
        rows.push(source.printed(what, accuracy, 2, as_printed));
        right.push(format!("{model} {:.2} (printed {accuracy:.2})", ours.value));
    }
    let note = format!(
        "**A slip in Table 3.** Its accuracy column is the weighted sum divided by 3,629 items, \
         while the weights sum to 3,929. With the right divisor: {}.",
        right.join(", ")
    );
    let swap = "**A slip in Table 2.** The columns FIN and ECON are exchanged in print; the rows \
                above compare with the exchanged ones. One of the twelve figures is cut off \
                instead of rounded (80.1858 printed as 80.18), hence the tolerance.";
    Ok((rows, vec![note, swap.to_owned()]))
}

/// A task's figure in a model's row of Table 16.
fn figure(row: &BTreeMap<String, Value>, task: Application) -> Result<f64> {
    let column = match task.column() {
        "AT_T_Algorithm" => "AT_T_Alg",
        other => other,
    };
    let part = |name: &str| {
        row.get(name)
            .and_then(Value::as_f64)
            .with_context(|| format!("no column {name} in Table 16"))
    };
    match task.metric() {
        Metric::Rouge => {
            let of = |kind: &str| part(&format!("{column}.{kind}"));
            Ok(rouge_figure(of("R1")?, of("R2")?, of("RL")?))
        }
        _ => part(column),
    }
}

fn table_2(tables: &Tables) -> Result<Vec<Row>> {
    let source = Source::new("Table 2", COMMAND);
    let mut rows = Vec::new();
    for row in &tables.table2 {
        let model = &row.model;
        for (domain, printed_as) in [
            ("FIN", "ECON"),
            ("ECON", "FIN"),
            ("OM", "OM"),
            ("STAT", "STAT"),
        ] {
            let cell = tables
                .table15
                .get(model)
                .and_then(|domains| domains.get(domain))
                .with_context(|| format!("no cell {model}, {domain} in Table 15"))?;
            let at = |column: usize| -> Result<f64> {
                let text = cell.get(column).context("a column is missing")?;
                Ok(text.parse()?)
            };
            let figures = DomainFigures {
                single: at(0)?,
                multiple: at(1)?,
                table: at(3)?,
                general: at(4)?,
            };
            let counts = tables.knowledge_n.get(domain).context("no counts")?;
            let ours = pooled_accuracy(&figures, (counts[0], counts[1]));
            let printed = row.printed.get(printed_as).context("no printed figure")?;
            let what = format!("{model}: {domain}, printed as {printed_as}");
            rows.push(source.within(what, *printed, 0.01, 2, ours));
        }
    }
    Ok(rows)
}
