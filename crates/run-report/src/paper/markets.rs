//! "EconAgentBench": tables and figures from runs of `procurement`, `scheduling` and `pricing`.

use super::draw::{Dot, DotGroup, PaperFigure, PointPanel, dots, points};
use super::episodes::{Played, PlayedGroup, Wanted, by_agent, mean_by, read};
use super::published::{Published, is_model};
use super::table::{Measure, PaperCell, PaperRow, PaperTable};
use super::{PaperInputs, PaperName, PaperReport};
use run_engine::engine::summary::ratio_metrics;
use run_engine::error::RunError;
use run_engine::registry::Registry;
use serde_json::Value;
use sim_core::stats::welch_test;

/// The levels: preset and heading.
const LEVELS: [(&str, &str); 3] = [("basic", "BASIC"), ("medium", "MEDIUM"), ("hard", "HARD")];

/// The three environments.
const ENVIRONMENTS: [&str; 3] = ["procurement", "scheduling", "pricing"];

/// What the prompts say of horizon and goal: setting and heading.
const PROMPTS: [(&str, &str); 3] = [
    ("hidden", "Baseline"),
    ("known", "Known Horizon"),
    ("known-with-goal", "Known Horizon + Goal"),
];

/// The command that fills a cell of an environment at a level.
fn command(environment: &str, level: &str, agent: &str) -> String {
    command_with(environment, level, &format!("--agent {agent}"))
}

/// The same with the options that name an agent and its method.
fn command_with(environment: &str, level: &str, options: &str) -> String {
    format!("boardroom run {environment} --preset {level} --suite paper {options} --out RUN")
}

/// A metric of procurement that is measured by the reference: `ratio` or `solved`.
fn referred(played: &Played, name: &str) -> Option<f64> {
    let found = ratio_metrics(played.score, played.reference.as_ref()?)?;
    found
        .into_iter()
        .find_map(|(held, value)| (held == name).then_some(value))
}

/// The paper's measure of an episode: the part of the optimum that the agent reached, or in scheduling the part of a random matching's blocking pairs that it avoided.
fn ratio(environment: &str, played: &Played) -> Option<f64> {
    match environment {
        "procurement" => referred(played, "ratio"),
        _ => Some(played.score),
    }
}

/// Whether an episode reached the optimum.
fn is_solved(environment: &str, played: &Played) -> Option<bool> {
    let solved = match environment {
        "procurement" => referred(played, "solved"),
        _ => played.metrics.get("solved").copied(),
    };
    solved.map(|solved| solved > 0.5)
}

/// What the prompts of procurement say of horizon and goal.
fn prompt(group: &PlayedGroup) -> &str {
    let horizon = group.setting("rules.horizon").and_then(Value::as_str);
    horizon.unwrap_or("hidden")
}

/// An agent with its runs.
struct Agent<'a> {
    name: String,
    groups: Vec<&'a PlayedGroup>,
}

impl Agent<'_> {
    /// The episodes in an environment at a level.
    fn played(&self, environment: &str, level: &str) -> impl Iterator<Item = &Played> {
        let groups = self.groups.iter();
        groups
            .filter(move |group| group.environment == environment && group.preset == level)
            .flat_map(|group| &group.episodes)
    }

    /// The mean of `of` over instances.
    fn mean(
        &self,
        (environment, level): (&str, &str),
        of: impl Fn(&Played) -> Option<f64>,
    ) -> Option<Measure> {
        let values = self
            .played(environment, level)
            .map(|played| (played.instance, of(played)));
        mean_by(values.filter_map(|(instance, value)| Some((instance, value?))))
    }

    /// The score times 100.
    fn score(&self, environment: &str, level: &str) -> Option<Measure> {
        let mean = self.mean((environment, level), |played| ratio(environment, played));
        mean.map(|mean| mean.times(100.0))
    }

    fn metric(&self, environment: &str, level: &str, name: &str) -> Option<Measure> {
        let mean = self.mean((environment, level), |played| {
            played.metrics.get(name).copied()
        });
        mean.map(|mean| mean.times(100.0))
    }

    /// A cell that has no run. Policies belong to one environment; a model can play all.
    fn absent(&self, environment: &str, level: &str) -> PaperCell {
        let is_model = self.groups.iter().any(|group| group.method.is_some());
        let met = self
            .groups
            .iter()
            .any(|group| group.environment == environment);
        if is_model || met {
            let options = self
                .groups
                .first()
                .map_or_else(String::new, |group| group.options());
            PaperCell::missing(command_with(environment, level, &options))
        } else {
            PaperCell::words("not played")
        }
    }

    /// A figure, or what stands in its place.
    fn cell(&self, (environment, level): (&str, &str), measure: Option<Measure>) -> PaperCell {
        match measure {
            Some(measure) => PaperCell::measured(measure, 1),
            None => self.absent(environment, level),
        }
    }

    fn solved(&self, environment: &str, level: &str) -> PaperCell {
        let all: Vec<bool> = self
            .played(environment, level)
            .filter_map(|played| is_solved(environment, played))
            .collect();
        if all.is_empty() {
            return self.absent(environment, level);
        }
        let solved = all.iter().filter(|solved| **solved).count();
        PaperCell::share(solved as u64, all.len() as u64)
    }
}

/// The tables and figures for the runs at hand.
pub(super) fn report(registry: &Registry, inputs: &PaperInputs) -> Result<PaperReport, RunError> {
    let published = Published::read(include_str!("../../published/markets.csv"));
    let procurement = Wanted {
        reference: true,
        ..Wanted::scores("procurement")
    };
    let wanted = [
        procurement,
        Wanted::scores("scheduling"),
        Wanted::scores("pricing"),
    ];
    let groups = read(registry, &inputs.episodes, &wanted)?;
    // The prompt variants have a table of their own.
    let usual: Vec<&PlayedGroup> = groups
        .iter()
        .filter(|group| prompt(group) == "hidden")
        .collect();
    let agents: Vec<Agent<'_>> = by_agent(&usual)
        .into_iter()
        .map(|(name, groups)| Agent { name, groups })
        .collect();
    let mut figures = Vec::new();
    figures.extend(scores_figure(&agents, &published)?);
    figures.extend(prompts_figure(&groups)?);
    Ok(PaperReport {
        paper: PaperName::Markets,
        tables: vec![
            scores(&agents, &published),
            levels(&agents),
            quality(&agents, &published),
            exploration(&agents, &published),
            prompts(&groups, &published),
            naive(&agents, &published),
        ],
        figures,
    })
}

/// The model of the paper that an agent is, if it is one.
fn model<'a>(agent: &str, published: &'a Published, table: &'a str) -> Option<&'a str> {
    let names = published
        .rows(table)
        .map(|row| row.split(", ").next().unwrap_or(row));
    names.into_iter().find(|name| is_model(agent, name))
}

fn scores(agents: &[Agent<'_>], published: &Published) -> PaperTable {
    let place = "Table 2";
    let columns = [
        "procurement",
        "procurement solved",
        "scheduling",
        "scheduling solved",
        "pricing",
    ];
    let mut table = PaperTable::new(
        place,
        "scores times 100, and instances that were fully solved",
        &["agent", "level"],
        &columns,
    )
    .note(
        "Procurement: workers of the best plan over the optimum. Scheduling: 1 minus blocking pairs over \
         those of a random matching. Pricing: profit of the last periods over the optimum. Intervals of \
         solved instances are Wilson's.",
    );
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    for agent in agents {
        let model = model(&agent.name, published, place);
        for (preset, level) in LEVELS {
            let key = model.map(|model| format!("{model}, {level}"));
            let beside = |column: &str| published.get(place, key.as_deref()?, column);
            let score = |environment: &str| {
                agent
                    .cell((environment, preset), agent.score(environment, preset))
                    .beside(beside(environment))
            };
            let solved = |environment: &str| {
                let column = format!("{environment} solved");
                agent.solved(environment, preset).beside(beside(&column))
            };
            let cells = vec![
                score("procurement"),
                solved("procurement"),
                score("scheduling"),
                solved("scheduling"),
                score("pricing"),
            ];
            table
                .rows
                .push(PaperRow::ours([agent.name.as_str(), level], cells));
        }
    }
    if agents.is_empty() {
        for (preset, level) in LEVELS {
            let cell = |column: &&str| {
                let environment = column.split(' ').next().unwrap_or(column);
                PaperCell::missing(command(environment, preset, "AGENT"))
            };
            table.rows.push(PaperRow::ours(
                ["AGENT", level],
                columns.iter().map(cell).collect(),
            ));
        }
    }
    for row in published.rows(place) {
        let (model, level) = row.split_once(", ").unwrap_or((row, ""));
        if names.iter().any(|name| is_model(name, model)) {
            continue;
        }
        let printed = |column: &&str| PaperCell::printed(published.get(place, row, column));
        let cells = columns.iter().map(printed).collect();
        table.rows.push(PaperRow::of_paper([model, level], cells));
    }
    table
}

/// The test of section 4.1: whether scores at the level HARD are lower than at BASIC.
fn levels(agents: &[Agent<'_>]) -> PaperTable {
    let mut table = PaperTable::new(
        "Section 4.1",
        "BASIC less HARD: difference of the scores (times 100) and p of Welch's one-sided test",
        &["agent"],
        &[
            "procurement",
            "procurement p",
            "scheduling",
            "scheduling p",
            "pricing",
            "pricing p",
        ],
    )
    .note("The paper finds p < 0.05 for all of its agents and all three environments.");
    let values = |agent: &Agent<'_>, environment: &str, level: &str| -> Vec<f64> {
        let played = agent.played(environment, level);
        played
            .filter_map(|played| ratio(environment, played))
            .collect()
    };
    for agent in agents {
        let mut cells = Vec::new();
        for environment in ENVIRONMENTS {
            let [basic, hard] = ["basic", "hard"].map(|level| values(agent, environment, level));
            match welch_test(&basic, &hard) {
                Some(test) => {
                    let n = (hard.len() + basic.len()) as u64;
                    let of = |value| Measure {
                        value,
                        ci95: None,
                        n,
                    };
                    cells.push(PaperCell::measured(of(test.difference).times(100.0), 1));
                    cells.push(PaperCell::measured(of(test.p_greater), 4));
                }
                None => {
                    let level = if basic.len() < 2 { "basic" } else { "hard" };
                    let missing = agent.absent(environment, level);
                    cells.extend([missing.clone(), missing]);
                }
            }
        }
        table
            .rows
            .push(PaperRow::ours([agent.name.as_str()], cells));
    }
    if agents.is_empty() {
        let cells = ENVIRONMENTS.iter().flat_map(|environment| {
            let missing = PaperCell::missing(command(environment, "basic", "AGENT"));
            [missing.clone(), missing]
        });
        table.rows.push(PaperRow::ours(["AGENT"], cells.collect()));
    }
    table
}

/// A table of percentages at the level HARD: a column for each metric of an environment.
fn hard(
    mut table: PaperTable,
    metrics: &[(&str, &str)],
    agents: &[Agent<'_>],
    published: &Published,
) -> PaperTable {
    let place = table.place.clone();
    let columns = table.columns.clone();
    for agent in agents {
        let model = model(&agent.name, published, &place);
        let cell = |((environment, metric), column): (&(&str, &str), &String)| {
            let printed = model.and_then(|model| published.get(&place, model, column));
            agent
                .cell(
                    (environment, "hard"),
                    agent.metric(environment, "hard", metric),
                )
                .beside(printed)
        };
        let cells = metrics.iter().zip(&columns).map(cell).collect();
        table
            .rows
            .push(PaperRow::ours([agent.name.as_str()], cells));
    }
    if agents.is_empty() {
        let cell = |(environment, _): &(&str, &str)| {
            PaperCell::missing(command(environment, "hard", "AGENT"))
        };
        table.rows.push(PaperRow::ours(
            ["AGENT"],
            metrics.iter().map(cell).collect(),
        ));
    }
    for model in published.rows(&place) {
        if agents.iter().any(|agent| is_model(&agent.name, model)) {
            continue;
        }
        let printed = |column: &String| PaperCell::printed(published.get(&place, model, column));
        table.rows.push(PaperRow::of_paper(
            [model],
            columns.iter().map(printed).collect(),
        ));
    }
    table
}

fn quality(agents: &[Agent<'_>], published: &Published) -> PaperTable {
    let metrics = [
        ("procurement", "budget_utilization"),
        ("scheduling", "best_so_far_rate"),
        ("pricing", "adaptability"),
    ];
    let columns = ["budget utilization", "best-so-far rate", "adaptability"];
    let table = PaperTable::new(
        "Table 3",
        "action quality at HARD (%)",
        &["agent"],
        &columns,
    );
    hard(table, &metrics, agents, published)
}

fn exploration(agents: &[Agent<'_>], published: &Published) -> PaperTable {
    let metrics = [
        ("procurement", "exploration_rate"),
        ("scheduling", "exploration_rate"),
    ];
    let columns = ["procurement", "scheduling"];
    let table = PaperTable::new(
        "Table 4",
        "exploration rate at HARD (%)",
        &["agent"],
        &columns,
    );
    hard(table, &metrics, agents, published)
}

/// The runs of procurement with the prompt `wanted` at a level.
fn prompted<'a>(
    groups: &'a [PlayedGroup],
    agent: &'a str,
    wanted: &'a str,
    level: &'a str,
) -> impl Iterator<Item = &'a Played> {
    let groups = groups.iter().filter(move |group| {
        let fits = group.environment == "procurement" && group.preset == level;
        fits && group.name() == agent && prompt(group) == wanted
    });
    groups.flat_map(|group| &group.episodes)
}

/// The agents of procurement that played with more than the usual prompt; all agents that are models if
/// none did.
fn prompt_agents(groups: &[PlayedGroup]) -> Vec<String> {
    let of = |keep: &dyn Fn(&PlayedGroup) -> bool| {
        let mut names: Vec<String> = Vec::new();
        let groups = groups
            .iter()
            .filter(|group| group.environment == "procurement");
        for group in groups.filter(|group| keep(group)) {
            if !names.contains(&group.name()) {
                names.push(group.name());
            }
        }
        names
    };
    let several = of(&|group| prompt(group) != "hidden");
    if several.is_empty() {
        of(&|group| group.method.is_some())
    } else {
        several
    }
}

fn prompts(groups: &[PlayedGroup], published: &Published) -> PaperTable {
    let place = "Table 5";
    let mut table = PaperTable::new(
        place,
        "procurement under three prompts: score times 100, and exploration rate",
        &["agent", "prompt", "level"],
        &["score", "exploration rate"],
    )
    .note("The published figures are those of Gemini 1.5 Pro.");
    let mut agents = prompt_agents(groups);
    if agents.is_empty() {
        agents.push("AGENT".to_owned());
    }
    for agent in &agents {
        for (setting, name) in PROMPTS {
            for (preset, level) in LEVELS {
                let mean = |of: &dyn Fn(&Played) -> Option<f64>| {
                    let played = prompted(groups, agent, setting, preset);
                    let values = played.map(|played| (played.instance, of(played)));
                    mean_by(values.filter_map(|(instance, value)| Some((instance, value?))))
                };
                let command = format!(
                    "boardroom run procurement --preset {preset} --suite paper --set \
                     rules.horizon={setting} --agent {agent} --out RUN"
                );
                let row = format!("{name}, {level}");
                let score = mean(&|played| ratio("procurement", played)).map(|m| m.times(100.0));
                let explored = mean(&|played| played.metrics.get("exploration_rate").copied());
                let cells = vec![
                    PaperCell::of(score, 1, &command).beside(published.get(place, &row, "score")),
                    PaperCell::of(explored, 2, &command).beside(published.get(
                        place,
                        &row,
                        "exploration rate",
                    )),
                ];
                table
                    .rows
                    .push(PaperRow::ours([agent.as_str(), name, level], cells));
            }
        }
    }
    table
}

/// The heuristic of appendix D.3.
fn naive(agents: &[Agent<'_>], published: &Published) -> PaperTable {
    let (place, policy) = ("Appendix D.3", "fix-one-pair");
    let columns = LEVELS.map(|(_, level)| level);
    let mut table = PaperTable::new(
        place,
        "scheduling by Knuth's heuristic, score times 100",
        &["agent"],
        &columns,
    );
    let agent = agents.iter().find(|agent| agent.name == policy);
    let cell = |(preset, level): &(&str, &str)| {
        let score = agent.and_then(|agent| agent.score("scheduling", preset));
        let command = command("scheduling", preset, policy);
        PaperCell::of(score, 1, &command).beside(published.get(place, policy, level))
    };
    table
        .rows
        .push(PaperRow::ours([policy], LEVELS.iter().map(cell).collect()));
    table
}

fn scores_figure(
    agents: &[Agent<'_>],
    published: &Published,
) -> Result<Option<PaperFigure>, RunError> {
    let mut groups = Vec::new();
    for environment in ENVIRONMENTS {
        for (preset, level) in LEVELS {
            let dot = |(colour, agent): (usize, &Agent<'_>)| {
                let score = agent.score(environment, preset);
                let model = model(&agent.name, published, "Table 2");
                let row = model.map(|model| format!("{model}, {level}"));
                Dot {
                    name: agent.name.clone(),
                    value: score.map(|score| score.value),
                    ci95: score.and_then(|score| score.ci95),
                    published: row.and_then(|row| published.number("Table 2", &row, environment)),
                    colour,
                }
            };
            let all = agents.iter().enumerate().map(dot);
            groups.push(DotGroup {
                name: format!("{environment}, {level}"),
                dots: all.filter(|dot| dot.value.is_some()).collect(),
            });
        }
    }
    groups.retain(|group| !group.dots.is_empty());
    dots("Table 2", "scores times 100, with 95 % intervals", &groups)
}

/// Score and exploration of every run of procurement, by level and prompt.
fn prompts_figure(groups: &[PlayedGroup]) -> Result<Option<PaperFigure>, RunError> {
    let agents = prompt_agents(groups);
    let columns = |of: &dyn Fn(&Played) -> Option<f64>| {
        let mut columns = Vec::new();
        for (preset, level) in LEVELS {
            for (setting, _) in PROMPTS {
                let mut values = Vec::new();
                for agent in &agents {
                    values.extend(prompted(groups, agent, setting, preset).filter_map(of));
                }
                let short = match setting {
                    "hidden" => "base",
                    "known" => "hor.",
                    _ => "goal",
                };
                columns.push((
                    format!("{} {short}", level.get(..1).unwrap_or(level)),
                    values,
                ));
            }
        }
        columns
    };
    let panels = [
        PointPanel {
            name: "score".to_owned(),
            columns: columns(&|played| ratio("procurement", played)),
        },
        PointPanel {
            name: "exploration rate".to_owned(),
            columns: columns(&|played| played.metrics.get("exploration_rate").copied()),
        },
    ];
    points(
        "Figure 2",
        "each run of procurement, by level (B, M, H) and prompt",
        &panels,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::{Digest, Reference};
    use std::collections::BTreeMap;

    fn played(score: f64, optimum: Option<f64>) -> Played {
        Played {
            instance: Digest::of(&"i").unwrap(),
            score,
            metrics: BTreeMap::from([("solved".to_owned(), 1.0)]),
            incidents: Vec::new(),
            reference: optimum.map(|optimum| Reference {
                optimum: Some(optimum),
                ..Reference::none()
            }),
            seen: Value::Null,
        }
    }

    #[test]
    fn procurement_is_measured_by_the_reference() {
        let below = played(30.0, Some(40.0));
        assert_eq!(ratio("procurement", &below), Some(0.75));
        assert_eq!(is_solved("procurement", &below), Some(false));
        assert_eq!(
            is_solved("procurement", &played(40.0, Some(40.0))),
            Some(true)
        );
        assert_eq!(ratio("procurement", &played(1.0, None)), None);
        let other = played(-0.2, None);
        assert_eq!(ratio("scheduling", &other), Some(-0.2));
        assert_eq!(is_solved("scheduling", &other), Some(true));
    }
}
