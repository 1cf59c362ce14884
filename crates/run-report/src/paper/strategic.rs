//! "EnterpriseBench: .. Strategic Reasoning and Decision-Making": tables and figures from question runs,
//! interviews, and runs of `beer-game` and `edt`.

mod figures;
mod model;

use super::draw::{PaperFigure, named};
use super::episodes::{PlayedGroup, Wanted, mean_of, read};
use super::published::Published;
use super::table::{Measure, PaperCell, PaperRow, PaperTable, slug};
use super::{PaperInputs, PaperName, PaperReport};
use crate::items::ItemRun;
use figures::{capability_figure, marks_figure, routed_figure};
use model::{Model, ROUTED, episodes_mean, items, labels, models, task_of};
use qa_scoring::taxonomy::{Capability, DifficultyBucket, TaxonomyLabel};
use run_engine::error::RunError;
use run_engine::registry::Registry;
use sim_core::stats::sd;
use std::collections::{BTreeMap, BTreeSet};

/// The command that makes a routing policy out of the runs of all methods.
const LEARN: &str = "boardroom route learn --predictions RUN --labels labels.jsonl -o policy.json";

/// The rows of Table 1 that questions fill: capability, bucket, headings.
const QUESTIONS: [(Capability, Option<DifficultyBucket>, &str, &str); 8] = [
    (
        Capability::InformationExtraction,
        None,
        "Information Extraction",
        "All",
    ),
    (
        Capability::NumericalCalculation,
        Some(DifficultyBucket::Easy),
        "Numerical Calculation",
        "Easy",
    ),
    (
        Capability::NumericalCalculation,
        Some(DifficultyBucket::Middle),
        "Numerical Calculation",
        "Middle",
    ),
    (
        Capability::NumericalCalculation,
        Some(DifficultyBucket::Hard),
        "Numerical Calculation",
        "Hard",
    ),
    (
        Capability::DomainKnowledge,
        Some(DifficultyBucket::Easy),
        "Domain Knowledge",
        "Easy",
    ),
    (
        Capability::DomainKnowledge,
        Some(DifficultyBucket::Middle),
        "Domain Knowledge",
        "Middle",
    ),
    (
        Capability::DomainKnowledge,
        Some(DifficultyBucket::Hard),
        "Domain Knowledge",
        "Hard",
    ),
    (
        Capability::ComplexReasoning,
        None,
        "Complex Reasoning",
        "QA",
    ),
];

/// The marks of an interview: metric and heading.
const MARKS: [(&str, &str); 4] = [
    ("structure", "Structure"),
    ("quant", "Quantitative Reasoning"),
    ("business_sense", "Business Sense"),
    ("communication", "Communication"),
];

/// The data sets of Table 5.
const DATA_SETS: [&str; 10] = [
    "CodeFinQA",
    "CodeTAT-QA",
    "ConvFinQA",
    "FinCode",
    "finer",
    "FinKnow",
    "formula",
    "FormulaEval",
    "SEC-NUM",
    "TAT-QA",
];

fn question_command(agent: &str, method: &str) -> String {
    format!(
        "boardroom qa label --data DIR --agent {agent} > labels.jsonl && boardroom run qa \
         --data DIR --agent {agent} --method {method} --out RUN"
    )
}

fn interview_command(agent: &str, method: &str) -> String {
    format!(
        "boardroom run consulting --agent {agent} --method {method} --judge MODEL --judge MODEL --out RUN"
    )
}

fn game_command(game: &str, agent: &str, method: &str) -> String {
    let episodes = if game == "edt" { 6 } else { 10 };
    format!(
        "boardroom run {game} --preset paper --agent {agent} --method {method} --episodes {episodes} --out RUN"
    )
}

/// The tables and figures for the runs at hand.
pub(super) fn report(registry: &Registry, inputs: &PaperInputs) -> Result<PaperReport, RunError> {
    let published = Published::read(include_str!("../../published/strategic.csv"));
    let questions = items(&inputs.questions)?;
    let interviews = items(&inputs.interviews)?;
    let labels = inputs
        .labels
        .as_deref()
        .map(labels)
        .transpose()?
        .unwrap_or_default();
    let wanted = [Wanted::scores("beer-game"), Wanted::scores("edt")];
    let games = read(registry, &inputs.episodes, &wanted)?;
    let models = models(&questions, &interviews, &games, &labels);
    let simple = games.iter().find(|group| {
        group.environment == "edt" && group.agent == "simple" && group.preset == "paper"
    });
    let mut tables = Vec::new();
    let mut figures = Vec::new();
    let nobody = [Model {
        name: "MODEL".to_owned(),
        methods: BTreeMap::new(),
    }];
    let shown: &[Model<'_>] = if models.is_empty() { &nobody } else { &models };
    for model in shown {
        let mut of = vec![
            main_result(model, &published),
            consulting(model, &published),
            firm(model, simple, &published),
            routed(model, &published),
        ];
        let mut drawn: Vec<PaperFigure> = Vec::new();
        drawn.extend(capability_figure(model, &published)?);
        drawn.extend(marks_figure(model, &published)?);
        drawn.extend(routed_figure(model, &published)?);
        if shown.len() > 1 {
            for table in &mut of {
                table.id = format!("{}-{}", table.id, slug(&model.name));
                table.title = format!("{}, {}", table.title, model.name);
            }
            drawn = drawn
                .into_iter()
                .map(|figure| named(figure, &model.name))
                .collect();
        }
        tables.extend(of);
        figures.extend(drawn);
    }
    tables.push(policy(&questions, &published));
    tables.push(data_sets(&questions, &interviews, &published));
    tables.sort_by_key(|table| order(&table.place));
    Ok(PaperReport {
        paper: PaperName::Strategic,
        tables,
        figures,
    })
}

/// The order of the tables in the paper.
fn order(place: &str) -> usize {
    let order = [
        "Table 1", "Table 2", "Table 3", "Table 4", "Figure 3", "Table 5",
    ];
    order
        .iter()
        .position(|known| *known == place)
        .unwrap_or(order.len())
}

/// The short name of a task: `FinCode` of `finance/FinCode`.
fn short_task(task: &str) -> &str {
    task.rsplit('/').next().unwrap_or(task)
}

fn headings(columns: &[(String, String)]) -> Vec<&str> {
    columns.iter().map(|(_, name)| name.as_str()).collect()
}

fn main_result(model: &Model<'_>, published: &Published) -> PaperTable {
    let place = "Table 1";
    let columns = model.columns();
    let title = "scores from 0 to 1 by capability, difficulty and method";
    let mut table = PaperTable::new(place, title, &["domain", "task"], &headings(&columns)).note(
        "Beer Game: cost between the worst (0) and the best (1) of the methods. EDT: mean earnings over \
         those of the best method. These two are computed from the rows with costs and earnings.",
    );
    let row = |domain: &str, task: &str, cell: &dyn Fn(&str) -> PaperCell| {
        let key = format!("{domain}, {task}");
        let cells = columns
            .iter()
            .map(|(method, name)| cell(method).beside(published.get(place, &key, name)));
        PaperRow::ours([domain, task], cells.collect())
    };
    for (capability, bucket, domain, task) in QUESTIONS {
        table.rows.push(row(domain, task, &|method| {
            let keep = |label: &TaxonomyLabel| {
                let fits = label.capability == Some(capability);
                fits && (bucket.is_none() || label.bucket() == bucket)
            };
            let measure = model.questions(method, keep);
            PaperCell::of(measure, 3, &question_command(&model.name, method))
        }));
    }
    let last = "Complex Reasoning";
    table.rows.push(row(last, "Consulting", &|method| {
        let command = interview_command(&model.name, method);
        PaperCell::of(model.mark(method, "overall"), 3, &command)
    }));
    table.rows.push(row(last, "BeerGame", &|method| {
        let missing = || PaperCell::missing(game_command("beer-game", &model.name, method));
        model.beer(method).unwrap_or_else(missing)
    }));
    table.rows.push(row(last, "EDT", &|method| {
        PaperCell::of(
            model.firm(method),
            3,
            &game_command("edt", &model.name, method),
        )
    }));
    table.rows.push(row(last, "BeerGame, mean cost", &|method| {
        PaperCell::of(
            model.cost(method),
            1,
            &game_command("beer-game", &model.name, method),
        )
    }));
    table
}

fn consulting(model: &Model<'_>, published: &Published) -> PaperTable {
    let place = "Table 2";
    let columns = model.columns();
    let title = "marks of the interviews, 0 to 1, by method";
    let mut table = PaperTable::new(place, title, &["dimension"], &headings(&columns)).note(
        "Medians of the judges, means over cases. The spread is the range of the judges' overall marks; \
         it needs at least two judges. The paper's overall is the judge's own number, not the mean of the \
         four.",
    );
    let marks = MARKS.iter().copied().chain([("overall", "Overall")]);
    for (mark, name) in marks {
        let cells = columns.iter().map(|(method, heading)| {
            let measure = model.mark(method, mark);
            PaperCell::of(measure, 3, &interview_command(&model.name, method))
                .beside(published.get(place, name, heading))
        });
        table.rows.push(PaperRow::ours([name], cells.collect()));
    }
    let spread = columns.iter().map(|(method, _)| {
        let measure = model.spread(method);
        PaperCell::of(measure, 3, &interview_command(&model.name, method))
    });
    table
        .rows
        .push(PaperRow::ours(["Spread of the judges"], spread.collect()));
    table
}

fn firm(model: &Model<'_>, simple: Option<&PlayedGroup>, published: &Published) -> PaperTable {
    let place = "Table 3";
    let columns = model.columns();
    let mut names = vec!["Simple"];
    names.extend(headings(&columns));
    let mut table = PaperTable::new(place, "the digital twin by method", &["figure"], &names).note(
        "E_norm: mean earnings over those of the best method of the model. Earnings in millions. Simple is \
         the policy `simple`.",
    );
    let baseline = "boardroom run edt --preset paper --agent simple --episodes 6 --out RUN";
    let groups: Vec<(Option<&PlayedGroup>, String)> =
        std::iter::once((simple, baseline.to_owned()))
            .chain(columns.iter().map(|(method, _)| {
                let group = model.runs(method).and_then(|runs| runs.firm);
                (group, game_command("edt", &model.name, method))
            }))
            .collect();
    let most = model.most();
    let mut row = |name: &str, cell: &dyn Fn(&PlayedGroup) -> Option<PaperCell>| {
        let cells = groups
            .iter()
            .zip(&names)
            .map(|((group, command), heading)| {
                let cell = group
                    .and_then(cell)
                    .unwrap_or_else(|| PaperCell::missing(command.as_str()));
                cell.beside(published.get(place, name, heading))
            });
        table.rows.push(PaperRow::ours([name], cells.collect()));
    };
    let millions = |group: &PlayedGroup| episodes_mean(group).map(|mean| mean.times(1e-6));
    row("E_norm", &|group| {
        let most = most.filter(|most| *most > 0.0)?;
        Some(PaperCell::measured(
            episodes_mean(group)?.times(1.0 / most),
            3,
        ))
    });
    row("E_mean (M)", &|group| {
        Some(PaperCell::measured(millions(group)?, 2))
    });
    row("E_std (M)", &|group| {
        let scores: Vec<f64> = group
            .episodes
            .iter()
            .map(|played| played.score * 1e-6)
            .collect();
        let Some(value) = sd(&scores) else {
            return Some(PaperCell::words("one episode"));
        };
        let n = scores.len() as u64;
        Some(PaperCell::measured(
            Measure {
                value,
                ci95: None,
                n,
            },
            3,
        ))
    });
    row("Util", &|group| {
        let used = group
            .episodes
            .iter()
            .filter_map(|played| played.metrics.get("mean_utilization"));
        let used: Vec<f64> = used.copied().collect();
        Some(match mean_of(&used) {
            Some(mean) => PaperCell::measured(mean.within(0.0, 1.0), 3),
            None => PaperCell::words("nobody employed"),
        })
    });
    row("Online", &|group| {
        Some(PaperCell::words(if group.online { "yes" } else { "no" }))
    });
    table
}

/// The router beside the methods, on all questions.
fn routed(model: &Model<'_>, published: &Published) -> PaperTable {
    let place = "Figure 3";
    let mut columns = model.columns();
    columns.push((ROUTED.to_owned(), ROUTED.to_owned()));
    let title = "mean score over all questions, 0 to 1: the router (AOA) beside the methods";
    let mut table = PaperTable::new(place, title, &["questions"], &headings(&columns)).note(
        "The paper's text has the figures of AOA and of the best method only. `boardroom route eval` \
         compares a policy with every method on stored answers, in pairs.",
    );
    let cells = columns.iter().map(|(method, heading)| {
        let command = if method == ROUTED {
            format!(
                "{LEARN} && boardroom run qa --data DIR --agent {} --method aoa:policy.json --labels \
                 labels.jsonl --out RUN",
                model.name
            )
        } else {
            format!(
                "boardroom run qa --data DIR --agent {} --method {method} --out RUN",
                model.name
            )
        };
        PaperCell::of(model.all_questions(method), 3, &command)
            .beside(published.get(place, "all", heading))
    });
    table.rows.push(PaperRow::ours(["all"], cells.collect()));
    table
}

/// The routing policy of the first routed run, beside the printed rules.
fn policy(questions: &[ItemRun], published: &Published) -> PaperTable {
    let place = "Table 4";
    let columns = ["condition", "agent"];
    let mut table = PaperTable::new(place, "rules of the routing policy", &["rule"], &columns);
    let routing = questions.iter().find_map(ItemRun::routing);
    match routing {
        Some(routing) => {
            let policy = &routing.playbook.routing_policy;
            for (at, rule) in policy.rules.iter().enumerate() {
                let cells = [rule.when.to_string(), rule.choose.clone()].map(PaperCell::words);
                table
                    .rows
                    .push(PaperRow::ours([(at + 1).to_string()], cells.to_vec()));
            }
            let last = ["otherwise".to_owned(), policy.default_agent.clone()].map(PaperCell::words);
            table.rows.push(PaperRow::ours(["default"], last.to_vec()));
        }
        None => {
            let missing = PaperCell::missing(format!(
                "{LEARN} && boardroom run qa --data DIR --agent MODEL --method aoa:policy.json --labels \
                 labels.jsonl --out RUN"
            ));
            table
                .rows
                .push(PaperRow::ours(["1"], vec![missing.clone(), missing]));
        }
    }
    for row in published.rows(place) {
        let cells = columns
            .iter()
            .map(|column| PaperCell::printed(published.get(place, row, column)));
        table.rows.push(PaperRow::of_paper([row], cells.collect()));
    }
    table
}

fn data_sets(questions: &[ItemRun], interviews: &[ItemRun], published: &Published) -> PaperTable {
    let place = "Table 5";
    let mut table = PaperTable::new(
        place,
        "different questions that the runs answered, beside the paper's test sets",
        &["data set"],
        &["test"],
    )
    .note("The paper's total of the test sets is 4,706; its rows sum to 4,703.");
    let mut met: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for run in questions {
        for row in run.rows() {
            let item = row.header.item.as_str();
            let task = task_of(item).map_or(item, short_task);
            met.entry(task).or_default().insert(item);
        }
    }
    let mut row = |name: &str, count: Option<usize>, command: String| {
        let cell = match count {
            Some(count) => PaperCell::count(count as u64),
            None => PaperCell::missing(command),
        };
        let cell = cell.beside(published.get(place, name, "test"));
        table.rows.push(PaperRow::ours([name], vec![cell]));
    };
    for name in DATA_SETS {
        let command = format!("boardroom run qa --data DIR --task {name} --agent MODEL --out RUN");
        row(name, met.get(name).map(BTreeSet::len), command);
    }
    let rows = interviews.iter().flat_map(|run| run.rows());
    let cases: BTreeSet<&str> = rows.map(|row| row.header.item.as_str()).collect();
    let count = (!cases.is_empty()).then_some(cases.len());
    row(
        "Interactive Consulting",
        count,
        interview_command("MODEL", "cot"),
    );
    table
}
