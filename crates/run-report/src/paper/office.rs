//! "Can LLMs Help You at Work?": tables and figures from runs of `office`.

use super::draw::{Dot, DotGroup, PaperFigure, dots, shares};
use super::episodes::{
    PaperSetting, Played, PlayedGroup, Reading, Wanted, by_agent, mean_by, rate_by, read, share_by,
};
use super::published::Published;
use super::table::{Measure, PaperCell, PaperRow, PaperTable};
use super::{PaperInputs, PaperName, PaperPage, PaperReport};
use run_engine::error::RunError;
use run_engine::registry::Registry;
use serde_json::{Value, json};
use sim_core::{Digest, ScoreRange};
use std::collections::{BTreeMap, BTreeSet};

/// How an agent plans: setting and heading.
const PLANNING: [(&str, &str); 4] = [
    ("none", "w/o planning"),
    ("cot", "CoT"),
    ("react", "ReAct"),
    ("gold", "gold plan"),
];

/// Domains of tasks: name in the task and in the paper.
const DOMAINS: [(&str, &str); 5] = [
    ("swe", "SWE"),
    ("sales", "Sales"),
    ("hr", "HR"),
    ("it", "IT"),
    ("business", "Business Ops"),
];

const CATEGORIES: [&str; 3] = ["search", "crud", "unanswerable"];

/// What went wrong: the six classes of the paper, and two that it does not count.
const FAILURES: [&str; 8] = [
    "wrong_tool",
    "hallucination",
    "retrieval",
    "decomposition",
    "partial_facts",
    "last_step",
    "side_effect",
    "leak",
];

/// The command that fills a cell of a model that plans in this way.
fn command(agent: &str, planning: &str) -> String {
    let planning = match planning {
        "none" => String::new(),
        other => format!(" --planning {other}"),
    };
    format!("boardroom run office --preset paper {agent}{planning} --episodes 500 --out RUN")
}

/// The kind of a task, and what tells it from others. An instance also holds how it is to be played, such as
/// the access control and the search, so one task has several instances.
fn look(instance: &Value, _: Option<&Value>) -> Value {
    let task = instance.get("task");
    let field = |name: &str| task.and_then(|task| task.get(name)).cloned();
    let calls = task.and_then(|task| task.get("gold")?.get("calls")?.as_array());
    let tool = |call: &Value| call.get("tool").and_then(Value::as_str).map(str::to_owned);
    let tools = calls.map(|calls| calls.iter().filter_map(tool).collect::<BTreeSet<_>>());
    let asked = ["company", "imported", "task"].map(|part| instance.get(part));
    json!({
        "task": Digest::of(&asked).ok(),
        "domain": field("domain"),
        "category": field("category"),
        "difficulty": field("difficulty"),
        "calls": calls.map(Vec::len),
        "tools": tools.map(|tools| tools.len()),
    })
}

fn kind<'a>(played: &'a Played, name: &str) -> &'a str {
    played
        .seen
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn is_success(played: &Played) -> Option<f64> {
    Some(if played.score > 0.5 { 1.0 } else { 0.0 })
}

/// The setting by which the ablation of access control differs.
const ENFORCEMENT: &str = "access.enforcement";

/// The settings of the paper.
const PAPER: PaperSetting = PaperSetting {
    presets: &["paper"],
    has_other_presets: true,
    suite: None,
    free: &[ENFORCEMENT],
};

/// Whether the rules of access are enforced, off, or something between.
fn enforcement(group: &PlayedGroup) -> &str {
    let mode = group.setting(ENFORCEMENT).and_then(Value::as_str);
    mode.unwrap_or("on")
}

/// An agent with its runs by way of planning.
struct Agent<'a> {
    name: String,
    /// Whether it is a model; a policy does not plan.
    is_model: bool,
    groups: Vec<&'a PlayedGroup>,
}

impl Agent<'_> {
    /// The episodes that were played with this planning.
    fn played(&self, planning: &str) -> impl Iterator<Item = &Played> {
        let groups = self
            .groups
            .iter()
            .filter(move |group| group.planning.as_deref().unwrap_or("none") == planning);
        groups.flat_map(|group| &group.episodes)
    }

    /// A mean over tasks.
    fn mean(
        &self,
        planning: &str,
        of: impl Fn(&Played) -> Option<f64>,
        average: fn(Vec<(Digest, f64)>) -> Option<Measure>,
    ) -> Option<Measure> {
        let values = self
            .played(planning)
            .map(|played| (played.instance, of(played)));
        average(
            values
                .filter_map(|(task, value)| Some((task, value?)))
                .collect(),
        )
    }

    /// The share of successful tasks among those that `keep` names.
    fn success(&self, planning: &str, keep: impl Fn(&Played) -> bool) -> Option<Measure> {
        self.mean(
            planning,
            |played| is_success(played).filter(|_| keep(played)),
            rate_by,
        )
    }

    /// A cell for a way of planning; `absent` says why a run may have no figure.
    fn cell(
        &self,
        planning: &str,
        measure: Option<Measure>,
        decimals: usize,
        absent: &str,
    ) -> PaperCell {
        if measure.is_none() && !self.is_model && planning != "none" {
            return PaperCell::words("does not plan");
        }
        let agent = self
            .groups
            .first()
            .map_or_else(String::new, |group| group.options());
        let undefined = self.played(planning).next().map(|_| absent);
        PaperCell::of_run(measure, decimals, undefined, &command(&agent, planning))
    }
}

/// What a cell says if no task of a run is of its kind.
const NO_TASK: &str = "no such task";

/// The agents of `groups`; neither planning nor access control is a part of their names.
fn agents<'a>(groups: &[&'a PlayedGroup]) -> Vec<Agent<'a>> {
    let named = by_agent(groups, PlayedGroup::agent, &[ENFORCEMENT]);
    named
        .into_iter()
        .map(|(name, groups)| Agent {
            name,
            is_model: groups.iter().any(|group| group.method.is_some()),
            groups,
        })
        .collect()
}

/// The tables and figures for the runs at hand.
pub(super) fn report(registry: &Registry, inputs: &PaperInputs) -> Result<PaperPage, RunError> {
    let published = Published::read(include_str!("../../published/office.csv"));
    let wanted = Wanted {
        look: Some(look),
        ..Wanted::scores("office", PAPER)
    };
    let Reading {
        groups,
        unused,
        others,
    } = read(registry, inputs, &[wanted])?;
    // Only the ablation has runs without access control.
    let enforced = groups.iter().filter(|group| enforcement(group) == "on");
    let usual = agents(&enforced.collect::<Vec<_>>());
    let mut figures = Vec::new();
    figures.extend(domains_figure(&groups)?);
    figures.extend(planning_figure(&usual)?);
    Ok(PaperPage {
        report: PaperReport {
            paper: PaperName::Office,
            tables: vec![
                tasks(&groups, &published),
                task_domains(&groups),
                planning(&usual, &published),
                categories(&usual, &published),
                failures(&usual, &published),
                domains(&usual, &published, "Table 6"),
                domains(&usual, &published, "Table 7"),
                difficulty(&usual, &published),
                access(&groups),
            ],
            figures,
        },
        unused,
        other_settings: others,
    })
}

/// Adds a row for each row of the paper's table.
fn with_paper(mut table: PaperTable, published: &Published, split: usize) -> PaperTable {
    let place = table.place.clone();
    for row in published.rows(&place) {
        let mut labels: Vec<String> = row.rsplitn(split, ", ").map(str::to_owned).collect();
        labels.reverse();
        let printed = |column: &String| PaperCell::printed(published.get(&place, row, column));
        let cells = table.columns.iter().map(printed).collect();
        table.rows.push(PaperRow::of_paper(labels, cells));
    }
    table
}

/// A row that says how to fill a table without agents.
fn nobody(table: &PaperTable, labels: &[&str]) -> PaperRow {
    let cell = |column: &String| {
        let planning = PLANNING.iter().find(|(_, name)| column.ends_with(name));
        PaperCell::missing(command(
            "--agent AGENT",
            planning.map_or("none", |(mode, _)| mode),
        ))
    };
    PaperRow::ours(
        labels.iter().copied(),
        table.columns.iter().map(cell).collect(),
    )
}

/// The different tasks of the runs.
fn different(groups: &[PlayedGroup]) -> Vec<&Played> {
    let all = groups.iter().flat_map(|group| &group.episodes);
    let tasks: BTreeMap<&str, &Played> = all.map(|played| (kind(played, "task"), played)).collect();
    tasks.into_values().collect()
}

fn tasks(groups: &[PlayedGroup], published: &Published) -> PaperTable {
    let place = "Section 3.1";
    let columns = ["search", "crud", "unanswerable", "mean tools", "mean steps"];
    let mut table = PaperTable::new(
        place,
        "the different tasks of the runs",
        &["tasks"],
        &columns,
    )
    .note("Tools are the different ones of the gold plan of a task, and steps are its calls.");
    let all = different(groups);
    let command = command("--agent AGENT", "none");
    let mut cells: Vec<PaperCell> = CATEGORIES
        .iter()
        .map(|category| {
            if all.is_empty() {
                return PaperCell::missing(command.clone());
            }
            let of = all
                .iter()
                .filter(|played| kind(played, "category") == *category);
            PaperCell::share(of.count() as u64, all.len() as u64)
        })
        .collect();
    for name in ["tools", "calls"] {
        let counts = all.iter().filter_map(|played| {
            let count = played.seen.get(name)?.as_f64()?;
            Some((kind(played, "task"), count))
        });
        let range = ScoreRange::new(0.0, f64::INFINITY);
        cells.push(PaperCell::of(mean_by(counts, range), 2, &command));
    }
    let cells = cells.into_iter().zip(&columns);
    let cells = cells.map(|(cell, column)| cell.beside(published.get(place, "tasks", column)));
    table.rows.push(PaperRow::ours(["all"], cells.collect()));
    table
}

/// Numbers of tasks by domain.
fn by_domain(groups: &[PlayedGroup]) -> Vec<u64> {
    let all = different(groups);
    let count = |(domain, _): &(&str, &str)| {
        all.iter()
            .filter(|played| kind(played, "domain") == *domain)
            .count() as u64
    };
    DOMAINS.iter().map(count).collect()
}

fn task_domains(groups: &[PlayedGroup]) -> PaperTable {
    let columns = DOMAINS.map(|(_, name)| name);
    let mut table = PaperTable::new(
        "Figure 2",
        "the different tasks of the runs by domain",
        &["tasks"],
        &columns,
    )
    .note("The paper has this figure as a picture only; its text has no numbers for it.");
    let counts = by_domain(groups);
    let total: u64 = counts.iter().sum();
    let cells = counts.iter().map(|count| {
        if total == 0 {
            PaperCell::missing(command("--agent AGENT", "none"))
        } else {
            PaperCell::share(*count, total)
        }
    });
    table.rows.push(PaperRow::ours(["all"], cells.collect()));
    table
}

fn planning(agents: &[Agent<'_>], published: &Published) -> PaperTable {
    let success = PLANNING.map(|(_, name)| name.to_owned());
    let grades = PLANNING.map(|(_, name)| format!("grade, {name}"));
    let columns: Vec<String> = success.into_iter().chain(grades).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = PaperTable::new(
        "Table 3",
        "share of successful tasks by planning, and mean grade from 1 to 5",
        &["agent"],
        &columns,
    )
    .note(
        "Here rules decide on success and grade. The paper's figures are marks of two models as judges; its \
         rows name framework and judge.",
    );
    for agent in agents {
        let success = PLANNING
            .iter()
            .map(|(mode, _)| agent.cell(mode, agent.success(mode, |_| true), 2, NO_TASK));
        let grades = PLANNING.iter().map(|(mode, _)| {
            let grade = |played: &Played| played.metrics.get("grade").copied();
            agent.cell(
                mode,
                agent.mean(mode, grade, |values| {
                    mean_by(values, ScoreRange::new(1.0, 5.0))
                }),
                2,
                "no grade",
            )
        });
        let cells = success.chain(grades).collect();
        table
            .rows
            .push(PaperRow::ours([agent.name.as_str()], cells));
    }
    if agents.is_empty() {
        let row = nobody(&table, &["AGENT"]);
        table.rows.push(row);
    }
    with_paper(table, published, 1)
}

fn categories(agents: &[Agent<'_>], published: &Published) -> PaperTable {
    let mut table = PaperTable::new(
        "Section 5.1",
        "share of successful tasks by category",
        &["agent", "planning"],
        &["all", "search", "crud", "unanswerable"],
    );
    for agent in agents {
        for (mode, name) in PLANNING {
            if agent.played(mode).next().is_none() {
                continue;
            }
            let all = std::iter::once(agent.success(mode, |_| true));
            let each = CATEGORIES.iter().map(|category| {
                agent.success(mode, |played| kind(played, "category") == *category)
            });
            let cells = all
                .chain(each)
                .map(|measure| agent.cell(mode, measure, 2, NO_TASK));
            let labels = [agent.name.as_str(), name];
            table.rows.push(PaperRow::ours(labels, cells.collect()));
        }
    }
    if agents.is_empty() {
        let row = nobody(&table, &["AGENT", "w/o planning"]);
        table.rows.push(row);
    }
    for row in published.rows("Section 5.1") {
        let printed =
            |column: &String| PaperCell::printed(published.get("Section 5.1", row, column));
        let cells = table.columns.iter().map(printed).collect();
        let planning = if row == "people" {
            "people act as agents"
        } else {
            "ReAct"
        };
        table.rows.push(PaperRow::of_paper([row, planning], cells));
    }
    table
}

fn failures(agents: &[Agent<'_>], published: &Published) -> PaperTable {
    let mut table = PaperTable::new(
        "Section 5.2",
        "tasks by what went wrong, with Wilson's interval of the share",
        &["agent", "planning"],
        &FAILURES,
    )
    .note("Here rules on the calls and the answer decide what went wrong; in the paper, people decide.");
    for agent in agents {
        for (mode, name) in PLANNING {
            if agent.played(mode).next().is_none() {
                continue;
            }
            let cell = |failure: &&str| {
                let failed = |one: &Played| one.incidents.iter().any(|code| code == failure);
                let tasks = agent.played(mode).map(|one| (one.instance, failed(one)));
                share_by(tasks).unwrap_or_else(|| PaperCell::words(NO_TASK))
            };
            let cells = FAILURES.iter().map(cell).collect();
            table
                .rows
                .push(PaperRow::ours([agent.name.as_str(), name], cells));
        }
    }
    if agents.is_empty() {
        let row = nobody(&table, &["AGENT", "w/o planning"]);
        table.rows.push(row);
    }
    for row in published.rows("Section 5.2") {
        let printed =
            |column: &String| PaperCell::printed(published.get("Section 5.2", row, column));
        let cells = table.columns.iter().map(printed).collect();
        table.rows.push(PaperRow::of_paper([row, "ReAct"], cells));
    }
    table
}

/// Table 6 (F1 of the facts) or Table 7 (success) by domain.
fn domains(agents: &[Agent<'_>], published: &Published, place: &str) -> PaperTable {
    let columns = PLANNING.map(|(_, name)| name);
    let facts = place == "Table 6";
    let title = if facts {
        "F1 of the facts by domain and planning"
    } else {
        "share of successful tasks by domain and planning"
    };
    let mut table = PaperTable::new(place, title, &["agent", "domain"], &columns);
    for agent in agents {
        for (domain, name) in DOMAINS {
            let cell = |(mode, _): &(&str, &str)| {
                let here = |played: &Played| kind(played, "domain") == domain;
                let measure = if facts {
                    let f1 = |played: &Played| {
                        played
                            .metrics
                            .get("fact_f1")
                            .copied()
                            .filter(|_| here(played))
                    };
                    agent.mean(mode, f1, rate_by)
                } else {
                    agent.success(mode, here)
                };
                agent.cell(mode, measure, 2, NO_TASK)
            };
            let cells = PLANNING.iter().map(cell).collect();
            table
                .rows
                .push(PaperRow::ours([agent.name.as_str(), name], cells));
        }
    }
    if agents.is_empty() {
        let row = nobody(&table, &["AGENT", "all"]);
        table.rows.push(row);
    }
    with_paper(table, published, 2)
}

fn difficulty(agents: &[Agent<'_>], published: &Published) -> PaperTable {
    let columns = ["ReAct", "with the plan"];
    let mut table = PaperTable::new(
        "Table 11",
        "share of successful tasks by difficulty",
        &["agent", "difficulty"],
        &columns,
    )
    .note("Easy tasks have one or two subtasks. `with the plan` is `--planning gold`, which tells the plan.");
    for agent in agents.iter().filter(|agent| agent.is_model) {
        for (difficulty, name) in [("easy", "Easy"), ("hard", "Hard")] {
            let cell = |mode: &&str| {
                let here = |played: &Played| kind(played, "difficulty") == difficulty;
                agent.cell(mode, agent.success(mode, here), 2, NO_TASK)
            };
            let cells = ["react", "gold"].iter().map(cell).collect();
            table
                .rows
                .push(PaperRow::ours([agent.name.as_str(), name], cells));
        }
    }
    if table.rows.is_empty() {
        let cells =
            ["react", "gold"].map(|mode| PaperCell::missing(command("--agent MODEL", mode)));
        table
            .rows
            .push(PaperRow::ours(["MODEL", "all"], cells.to_vec()));
    }
    with_paper(table, published, 2)
}

/// The ablation of access control: tasks that cannot be done, with the rules enforced and without.
fn access(groups: &[PlayedGroup]) -> PaperTable {
    let mut table = PaperTable::new(
        "Appendix A.2",
        "access control: the rules enforced, and off",
        &["agent", "enforcement"],
        &["all tasks", "unanswerable tasks", "spurious completions", "leaks"],
    )
    .note(
        "The columns are: the share of successes among all tasks; the same among tasks that cannot be done; \
         the share of tasks that cannot be done and were done nevertheless; the mean share of the told values \
         that the person may not know. The paper says, without figures, that all tasks that cannot be done \
         fail without the rules.",
    );
    let command = |agent: &str, mode: &str| {
        format!(
            "boardroom run office --preset paper --set {ENFORCEMENT}={mode} {agent} \
             --episodes 500 --out RUN"
        )
    };
    let planless = |group: &&PlayedGroup| group.planning.as_deref().unwrap_or("none") == "none";
    let all = agents(&groups.iter().filter(planless).collect::<Vec<_>>());
    // The agents that were played without access control; all of them if none was.
    let without = |agent: &&Agent<'_>| agent.groups.iter().any(|group| enforcement(group) != "on");
    let is_ablation = all.iter().any(|agent| without(&agent));
    for agent in all.iter().filter(|agent| !is_ablation || without(agent)) {
        let options = agent.groups.first().map(|group| group.options());
        let options = options.unwrap_or_default();
        for mode in ["on", "off"] {
            let groups = agent.groups.iter().copied();
            let here = Agent {
                name: agent.name.clone(),
                is_model: agent.is_model,
                groups: groups.filter(|group| enforcement(group) == mode).collect(),
            };
            let command = command(&options, mode);
            let cannot = |played: &Played| kind(played, "category") == "unanswerable";
            let metric = |key: &'static str| {
                let of = |played: &Played| played.metrics.get(key).copied();
                here.mean("none", of, rate_by)
            };
            // A run may have no task that cannot be done, or no answer with values.
            let measures = [
                (here.success("none", |_| true), NO_TASK),
                (here.success("none", cannot), NO_TASK),
                (metric("spurious_completion"), NO_TASK),
                (metric("leak_rate"), "no value told"),
            ];
            let met = here.played("none").next().is_some();
            let cells = measures.map(|(measure, absent)| {
                PaperCell::of_run(measure, 2, met.then_some(absent), &command)
            });
            let row = PaperRow::ours([agent.name.as_str(), mode], cells.to_vec());
            table.rows.push(row);
        }
    }
    if table.rows.is_empty() {
        for enforcement in ["on", "off"] {
            let missing = PaperCell::missing(command("--agent AGENT", enforcement));
            let cells = table.columns.iter().map(|_| missing.clone()).collect();
            table
                .rows
                .push(PaperRow::ours(["AGENT", enforcement], cells));
        }
    }
    table
}

fn domains_figure(groups: &[PlayedGroup]) -> Result<Option<PaperFigure>, RunError> {
    let counts = by_domain(groups);
    let rows = [("tasks".to_owned(), counts.clone())];
    let names = DOMAINS.map(|(_, name)| name);
    let rows: &[_] = if counts.iter().sum::<u64>() == 0 {
        &[]
    } else {
        &rows
    };
    shares("Figure 2", "tasks of the runs by domain", &names, rows)
}

/// Success by domain: of models with ReAct planning, of policies as they are.
fn planning_figure(agents: &[Agent<'_>]) -> Result<Option<PaperFigure>, RunError> {
    let group = |(domain, name): &(&str, &str)| {
        let dot = |(colour, agent): (usize, &Agent<'_>)| {
            let mode = if agent.is_model { "react" } else { "none" };
            let success = agent.success(mode, |played| kind(played, "domain") == *domain);
            Dot {
                name: agent.name.clone(),
                value: success.map(|success| success.value),
                ci95: success.and_then(|success| success.ci95),
                published: None,
                colour,
            }
        };
        let all = agents.iter().enumerate().map(dot);
        DotGroup {
            name: (*name).to_owned(),
            dots: all.filter(|dot| dot.value.is_some()).collect(),
        }
    };
    let groups: Vec<DotGroup> = DOMAINS.iter().map(group).collect();
    dots(
        "Figure 3",
        "success by domain (models with ReAct), with 95 % intervals",
        &groups,
    )
}
