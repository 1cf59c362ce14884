//! "EnterpriseBench: .. Strategic Reasoning and Decision-Making": tables and figures from question runs,
//! interviews, and runs of `beer-game` and `edt`.

mod figures;
mod model;
mod normal;

use super::draw::{PaperFigure, named};
use super::episodes::{PaperSetting, PlayedGroup, Reading, Wanted, by_agent, mean_by, read};
use super::published::Published;
use super::table::{Measure, PaperCell, PaperRow, PaperTable, slug};
use super::{PaperInputs, PaperName, PaperPage, PaperReport, RunNote};
use crate::items::ItemRun;
use figures::{capability_figure, marks_figure, routed_figure};
use model::{Column, Model, ROUTED, episodes_mean, items, models, task_of};
use qa_runner::labels::read_labels;
use qa_scoring::taxonomy::{Capability, DifficultyBucket, TaxonomyLabel};
use run_engine::error::RunError;
use run_engine::registry::Registry;
use sim_core::stats::sd;
use sim_core::{Digest, ScoreRange};
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

fn question_command(model: &Model<'_>, method: &str) -> String {
    format!(
        "boardroom qa label --data DIR {} > labels.jsonl && boardroom run qa --data DIR {} --out RUN",
        model.agent_options(),
        model.options(method)
    )
}

fn interview_command(options: &str) -> String {
    format!("boardroom run consulting {options} --judge MODEL --judge MODEL --out RUN")
}

fn game_command(game: &str, options: &str) -> String {
    let episodes = if game == "edt" { 6 } else { 10 };
    format!("boardroom run {game} --preset paper {options} --episodes {episodes} --out RUN")
}

/// The settings of the paper's games.
const PAPER: PaperSetting = PaperSetting {
    presets: &["paper"],
    has_other_presets: true,
    suite: None,
    free: &[],
};

/// The tables and figures for the runs at hand.
pub(super) fn report(registry: &Registry, inputs: &PaperInputs) -> Result<PaperPage, RunError> {
    let published = Published::read(include_str!("../../published/strategic.csv"));
    let questions = items(&inputs.questions)?;
    let interviews = items(&inputs.interviews)?;
    let labels = inputs
        .labels
        .as_deref()
        .map(read_labels)
        .transpose()?
        .unwrap_or_default();
    let wanted = [
        Wanted::scores("beer-game", PAPER),
        Wanted::scores("edt", PAPER),
    ];
    let Reading {
        groups: games,
        mut unused,
        others,
    } = read(registry, inputs, &wanted)?;
    for run in interviews.iter().filter(|run| run.method().is_none()) {
        let folder = run.paths().first().map(|path| path.to_path_buf());
        unused.push(RunNote {
            folder: folder.unwrap_or_default(),
            remark: format!(
                "`{}` is a scripted candidate, not a model with a method",
                run.who()
            ),
        });
    }
    let is_simple = |group: &PlayedGroup| group.environment == "edt" && group.agent == "simple";
    for group in games.iter().filter(|g| g.method.is_none() && !is_simple(g)) {
        unused.extend(group.seeds.values().map(|folder| RunNote {
            folder: folder.clone(),
            remark: format!("no table of the paper has the policy `{}`", group.agent),
        }));
    }
    let models = models(questions.iter().chain(&interviews), &games, &labels)?;
    let simple: Vec<&PlayedGroup> = games.iter().filter(|group| is_simple(group)).collect();
    let mut tables = Vec::new();
    let mut figures = Vec::new();
    let nobody = [Model::nobody()];
    let shown: &[Model<'_>] = if models.is_empty() { &nobody } else { &models };
    for model in shown {
        let mut of = vec![
            main_result(model, &published),
            consulting(model, &published),
            firm(model, &simple, &published),
            routed(model, &published),
        ];
        let mut drawn: Vec<PaperFigure> = Vec::new();
        drawn.extend(capability_figure(model, &published)?);
        drawn.extend(marks_figure(model, &published)?);
        drawn.extend(routed_figure(model, &published)?);
        if !models.is_empty() {
            for table in &mut of {
                table.title = format!("{}, {}", table.title, model.name);
            }
        }
        if shown.len() > 1 {
            for table in &mut of {
                table.id = format!("{}-{}", table.id, slug(&model.name));
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
    Ok(PaperPage {
        report: PaperReport {
            paper: PaperName::Strategic,
            tables,
            figures,
        },
        unused,
        other_settings: others,
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

fn headings(columns: &[Column]) -> Vec<&str> {
    columns
        .iter()
        .map(|column| column.heading.as_str())
        .collect()
}

/// What the normalised rows are, and where their intervals come from.
const SCALE: &str = "Normalised scores use only the methods of the paper that were run here as ends of the \
                     scale (not `direct` and other methods, which may lie outside of it). These ends are \
                     estimates, so the intervals come from a bootstrap that draws the episodes of all methods \
                     again.";

/// What `FILE` is in the commands of GEPA.
const INSTRUCTION: &str =
    "`FILE` in a command is the instruction of GEPA, as `boardroom evolve` finds it.";

fn main_result(model: &Model<'_>, published: &Published) -> PaperTable {
    let place = "Table 1";
    let columns = model.columns();
    let title = "scores from 0 to 1 by capability, difficulty and method";
    let mut table = PaperTable::new(place, title, &["domain", "task"], &headings(&columns))
        .note(
            "Beer Game: cost between the worst (0) and the best (1) of the methods. EDT: mean earnings over \
             those of the best method.",
        )
        .note(SCALE)
        .note(INSTRUCTION);
    let row = |domain: &str, task: &str, cell: &dyn Fn(&Column) -> PaperCell| {
        let key = format!("{domain}, {task}");
        let cells = columns
            .iter()
            .map(|column| cell(column).beside(published.get(place, &key, &column.heading)));
        PaperRow::ours([domain, task], cells.collect())
    };
    for (capability, bucket, domain, task) in QUESTIONS {
        table.rows.push(row(domain, task, &|column| {
            let keep = |label: &TaxonomyLabel| {
                let fits = label.capability == Some(capability);
                fits && (bucket.is_none() || label.bucket() == bucket)
            };
            let measure = model.questions(&column.key, keep);
            let command = question_command(model, &column.method);
            PaperCell::of_run(measure, 3, model.no_questions(&column.key), &command)
        }));
    }
    let last = "Complex Reasoning";
    table.rows.push(row(last, "Consulting", &|column| {
        let measure = model.mark(&column.key, "overall");
        let command = interview_command(&model.options(&column.method));
        PaperCell::of_run(measure, 3, model.no_marks(&column.key), &command)
    }));
    let game = |game: &str, column: &Column| game_command(game, &model.options(&column.method));
    table.rows.push(row(last, "BeerGame", &|column| {
        let (key, command) = (&column.key, game("beer-game", column));
        PaperCell::of_run(model.beer(key), 3, model.no_cost(key), &command)
    }));
    table.rows.push(row(last, "EDT", &|column| {
        let (key, command) = (&column.key, game("edt", column));
        PaperCell::of_run(model.firm(key), 3, model.no_earnings(key), &command)
    }));
    table.rows.push(row(last, "BeerGame, mean cost", &|column| {
        let (key, command) = (&column.key, game("beer-game", column));
        PaperCell::of_run(model.cost(key), 1, model.no_cost(key), &command)
    }));
    table
}

fn consulting(model: &Model<'_>, published: &Published) -> PaperTable {
    let place = "Table 2";
    let columns = model.columns();
    let title = "marks of the interviews, 0 to 1, by method";
    let mut table = PaperTable::new(place, title, &["dimension"], &headings(&columns))
        .note(
            "Medians of the judges, means over cases. The spread is the range of the judges' overall marks; \
             with a single judge it is undefined. The paper's overall is the judge's own number, not the \
             mean of the four.",
        )
        .note(INSTRUCTION);
    let command = |column: &Column| interview_command(&model.options(&column.method));
    let marks = MARKS.iter().copied().chain([("overall", "Overall")]);
    for (mark, name) in marks {
        let cells = columns.iter().map(|column| {
            let (measure, none) = (model.mark(&column.key, mark), model.no_marks(&column.key));
            PaperCell::of_run(measure, 3, none, &command(column)).beside(published.get(
                place,
                name,
                &column.heading,
            ))
        });
        table.rows.push(PaperRow::ours([name], cells.collect()));
    }
    let spread = columns.iter().map(|column| {
        let (measure, none) = (model.spread(&column.key), model.no_spread(&column.key));
        PaperCell::of_run(measure, 3, none, &command(column))
    });
    table
        .rows
        .push(PaperRow::ours(["Spread of the judges"], spread.collect()));
    table
}

/// A column of the table on the firm.
struct FirmColumn<'a> {
    heading: String,
    group: Option<&'a PlayedGroup>,
    command: String,
    /// Its earnings on the scale of the paper.
    place: Option<Measure>,
}

fn firm(model: &Model<'_>, simple: &[&PlayedGroup], published: &Published) -> PaperTable {
    let place = "Table 3";
    let mut columns: Vec<FirmColumn<'_>> = Vec::new();
    for (heading, groups) in by_agent(simple, |_| "Simple".to_owned(), &[]) {
        let group = groups.first().copied();
        let mean = group.and_then(episodes_mean);
        let most = model.most().filter(|most| *most > 0.0);
        // The policy is not one of the methods that are drawn again, so its place has no interval.
        let place = mean.zip(most).map(|(mean, most)| Measure {
            ci95: None,
            ..mean.times(1.0 / most)
        });
        columns.push(FirmColumn {
            heading,
            group,
            command: String::new(),
            place,
        });
    }
    if columns.is_empty() {
        columns.push(FirmColumn {
            heading: "Simple".to_owned(),
            group: None,
            command: game_command("edt", "--agent simple"),
            place: None,
        });
    }
    columns.extend(model.columns().into_iter().map(|column| FirmColumn {
        group: model.runs(&column.key).and_then(|runs| runs.firm),
        command: game_command("edt", &model.options(&column.method)),
        place: model.firm(&column.key),
        heading: column.heading,
    }));
    let names: Vec<&str> = columns
        .iter()
        .map(|column| column.heading.as_str())
        .collect();
    let mut table = PaperTable::new(place, "the digital twin by method", &["figure"], &names)
        .note(
            "E_norm: mean earnings over those of the best method of the model. Earnings in millions. Simple \
             is the policy `simple`.",
        )
        .note(SCALE)
        .note(INSTRUCTION);
    let mut row = |name: &str, cell: &dyn Fn(&FirmColumn<'_>, &PlayedGroup) -> PaperCell| {
        let cells = columns.iter().map(|column| {
            let cell = match column.group {
                None => PaperCell::missing(column.command.as_str()),
                Some(group) if group.episodes.is_empty() => PaperCell::words("no episode"),
                Some(group) => cell(column, group),
            };
            cell.beside(published.get(place, name, &column.heading))
        });
        table.rows.push(PaperRow::ours([name], cells.collect()));
    };
    let no_scale = "no scale: no method of the paper earned";
    row("E_norm", &|column, _| {
        PaperCell::of_run(column.place, 3, Some(no_scale), &column.command)
    });
    row("E_mean (M)", &|column, group| {
        let mean = episodes_mean(group).map(|mean| mean.times(1e-6));
        PaperCell::of_run(mean, 2, Some("no episode"), &column.command)
    });
    row("E_std (M)", &|column, group| {
        let scores = group.episodes.iter().map(|played| played.score * 1e-6);
        let scores: Vec<f64> = scores.collect();
        let spread = sd(&scores).map(|value| Measure {
            value,
            ci95: None,
            n: scores.len() as u64,
        });
        PaperCell::of_run(spread, 3, Some("one episode"), &column.command)
    });
    row("Util", &|column, group| {
        let used = group.episodes.iter().filter_map(|played| {
            let used = played.metrics.get("mean_utilization")?;
            Some((played.attempt, *used))
        });
        let mean = mean_by(used, ScoreRange::SHARE);
        PaperCell::of_run(mean, 3, Some("nobody employed"), &column.command)
    });
    row("Online", &|_, group| {
        PaperCell::words(if group.online { "yes" } else { "no" })
    });
    table
}

/// The router beside the methods, on all questions.
fn routed(model: &Model<'_>, published: &Published) -> PaperTable {
    let place = "Figure 3";
    let columns = model.columns_with_routed();
    let title = "mean score over all questions, 0 to 1: the router (AOA) beside the methods";
    let mut table = PaperTable::new(place, title, &["questions"], &headings(&columns))
        .note(
            "The paper's text has the figures of AOA and of the best method only. `boardroom route eval` \
             compares a policy with every method on stored answers, in pairs.",
        )
        .note(INSTRUCTION);
    let cells = columns.iter().map(|column| {
        let command = if column.method == ROUTED {
            routed_command(&model.agent_options())
        } else {
            let options = model.options(&column.method);
            format!("boardroom run qa --data DIR {options} --out RUN")
        };
        let measure = model.all_questions(&column.key);
        PaperCell::of_run(measure, 3, model.no_questions(&column.key), &command)
            .beside(published.get(place, "all", &column.heading))
    });
    table.rows.push(PaperRow::ours(["all"], cells.collect()));
    table
}

/// The command that learns a routing policy and asks the questions with it.
fn routed_command(options: &str) -> String {
    format!(
        "{LEARN} && boardroom run qa --data DIR {options} --method aoa:policy.json --labels labels.jsonl \
         --out RUN"
    )
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
            let missing = PaperCell::missing(routed_command("--agent MODEL"));
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
    // Two files of one task are two sets: equal names do not make equal questions.
    let mut met: BTreeMap<&str, BTreeSet<(Option<Digest>, &str)>> = BTreeMap::new();
    for run in questions {
        let tasks = run.questions().into_iter().flat_map(|plan| &plan.tasks);
        let sets: BTreeMap<String, Digest> = tasks
            .map(|task| (task.task.to_string(), task.digest))
            .collect();
        for row in run.rows() {
            let item = row.header.item.as_str();
            let task = task_of(item).unwrap_or(item);
            let set = sets.get(task).copied();
            met.entry(short_task(task)).or_default().insert((set, item));
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
    let cases = rows.map(|row| (row.header.item.as_str(), row.header.digest));
    let cases: BTreeSet<(&str, Digest)> = cases.collect();
    let count = (!cases.is_empty()).then_some(cases.len());
    row(
        "Interactive Consulting",
        count,
        interview_command("--agent MODEL"),
    );
    table
}
