//! "EconAgentBench": tables and figures from runs of `procurement`, `scheduling` and `pricing`.

use super::draw::{Dot, DotGroup, PaperFigure, PointPanel, dots, points};
use super::episodes::{
    PaperSetting, Played, PlayedGroup, Reading, Wanted, by_agent, mean_by, rate_by, read, share_by,
};
use super::published::{Published, is_model};
use super::table::{Measure, PaperCell, PaperRow, PaperTable};
use super::{PaperInputs, PaperName, PaperPage, PaperReport};
use run_engine::engine::summary::ratio_metrics;
use run_engine::error::RunError;
use run_engine::registry::Registry;
use serde_json::Value;
use sim_core::stats::{mean, welch_test};
use sim_core::{Digest, ScoreRange};
use std::collections::BTreeMap;

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

/// The settings of the paper; `free` are those that its tables distinguish.
const fn paper(free: &'static [&'static str]) -> PaperSetting {
    PaperSetting {
        presets: &["basic", "medium", "hard"],
        has_other_presets: false,
        suite: Some("paper"),
        free,
    }
}

/// The setting of what the prompts of procurement say of horizon and goal.
const HORIZON: &str = "rules.horizon";

/// What the paper's measure of an episode can be.
fn range(environment: &str) -> ScoreRange {
    match environment {
        "procurement" => ScoreRange::SHARE,
        // A matching may have more blocking pairs than a random one, a firm may lose money.
        _ => ScoreRange::new(f64::NEG_INFINITY, 1.0),
    }
}

/// The paper's measure of an episode: the part of the optimum that the agent reached, or in scheduling
/// the part of a random matching's blocking pairs that it avoided.
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
    let horizon = group.setting(HORIZON).and_then(Value::as_str);
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

    /// The mean of `of` over instances; its values lie in `range`.
    fn mean(
        &self,
        (environment, level): (&str, &str),
        range: ScoreRange,
        of: impl Fn(&Played) -> Option<f64>,
    ) -> Option<Measure> {
        let values = self
            .played(environment, level)
            .map(|played| (played.instance, of(played)));
        let values = values.filter_map(|(instance, value)| Some((instance, value?)));
        mean_by(values, range)
    }

    /// The score times 100.
    fn score(&self, environment: &str, level: &str) -> Option<Measure> {
        let mean = self.mean((environment, level), range(environment), |played| {
            ratio(environment, played)
        });
        mean.map(|mean| mean.times(100.0))
    }

    /// A metric times 100. All but `adaptability`, which is a difference, are shares.
    fn metric(&self, environment: &str, level: &str, name: &str) -> Option<Measure> {
        let low = if name == "adaptability" { -1.0 } else { 0.0 };
        let range = ScoreRange::new(low, 1.0);
        let mean = self.mean((environment, level), range, |played| {
            played.metrics.get(name).copied()
        });
        mean.map(|mean| mean.times(100.0))
    }

    /// The measure of each instance in an environment at a level: the mean of its repetitions, which are not
    /// further observations.
    fn by_instance(&self, environment: &str, level: &str) -> Vec<f64> {
        let mut instances: BTreeMap<Digest, Vec<f64>> = BTreeMap::new();
        for played in self.played(environment, level) {
            if let Some(value) = ratio(environment, played) {
                instances.entry(played.instance).or_default().push(value);
            }
        }
        instances
            .values()
            .filter_map(|values| mean(values))
            .collect()
    }

    /// A cell without a figure: why a run has none, or how to make a run. Policies belong to one
    /// environment; a model can play all.
    fn absent(&self, environment: &str, level: &str) -> PaperCell {
        if self.played(environment, level).next().is_some() {
            return PaperCell::words("undefined in all episodes");
        }
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

    /// Solved instances; an instance that was solved in a part of its repetitions counts with that part.
    fn solved(&self, environment: &str, level: &str) -> PaperCell {
        let played = self.played(environment, level);
        let solved = played.filter_map(|one| Some((one.instance, is_solved(environment, one)?)));
        share_by(solved).unwrap_or_else(|| self.absent(environment, level))
    }

    /// Difference and p of Welch's test between two levels, or what stands in their place.
    fn test(&self, environment: &str, [first, second]: [&str; 2]) -> [PaperCell; 2] {
        let [ours, theirs] = [first, second].map(|level| self.by_instance(environment, level));
        if let Some(test) = welch_test(&ours, &theirs) {
            let n = (ours.len() + theirs.len()) as u64;
            let difference = Measure {
                value: test.difference * 100.0,
                ci95: None,
                n,
            };
            return [
                PaperCell::measured(difference, 1),
                PaperCell::p_value(test.p_greater, n),
            ];
        }
        let cell = match (ours.len(), theirs.len()) {
            (0, _) => self.absent(environment, first),
            (_, 0) => self.absent(environment, second),
            (1, _) | (_, 1) => PaperCell::words("one instance"),
            _ => PaperCell::words("scores do not vary"),
        };
        [cell.clone(), cell]
    }
}

/// The tables and figures for the runs at hand.
pub(super) fn report(registry: &Registry, inputs: &PaperInputs) -> Result<PaperPage, RunError> {
    let published = Published::read(include_str!("../../published/markets.csv"));
    let procurement = Wanted {
        reference: true,
        ..Wanted::scores("procurement", paper(&[HORIZON]))
    };
    let wanted = [
        procurement,
        Wanted::scores("scheduling", paper(&[])),
        Wanted::scores("pricing", paper(&[])),
    ];
    let Reading {
        groups,
        unused,
        others,
    } = read(registry, inputs, &wanted)?;
    // The prompt variants have a table of their own.
    let usual: Vec<&PlayedGroup> = groups
        .iter()
        .filter(|group| prompt(group) == "hidden")
        .collect();
    let agents = agents_of(&usual);
    let prompted = prompt_agents(&groups);
    let mut figures = Vec::new();
    figures.extend(scores_figure(&agents, &published)?);
    figures.extend(prompts_figure(&prompted)?);
    Ok(PaperPage {
        report: PaperReport {
            paper: PaperName::Markets,
            tables: vec![
                scores(&agents, &published),
                levels(&agents),
                quality(&agents, &published),
                exploration(&agents, &published),
                prompts(&prompted, &published),
                naive(&agents, &published),
            ],
            figures,
        },
        unused,
        other_settings: others,
    })
}

/// The agents of `groups`. What the prompts say is not a part of their names.
fn agents_of<'a>(groups: &[&'a PlayedGroup]) -> Vec<Agent<'a>> {
    let agents = by_agent(groups, PlayedGroup::name, &[HORIZON]);
    agents
        .into_iter()
        .map(|(name, groups)| Agent { name, groups })
        .collect()
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
         those of a random matching. Pricing: profit of the last periods over the optimum. The columns \
         of solved instances have Wilson's interval; repetitions of an instance are averaged first.",
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
    .note("The paper finds p < 0.05 for all of its agents and all three environments.")
    .note("The observations are instances: repetitions of an instance are averaged first.");
    for agent in agents {
        let cells = ENVIRONMENTS
            .iter()
            .flat_map(|environment| agent.test(environment, ["basic", "hard"]));
        table
            .rows
            .push(PaperRow::ours([agent.name.as_str()], cells.collect()));
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

impl Agent<'_> {
    /// The episodes of procurement at a level under one of the three prompts.
    fn prompted(&self, wanted: &str, level: &str) -> impl Iterator<Item = &Played> {
        let groups = self.groups.iter();
        groups
            .filter(move |group| group.preset == level && prompt(group) == wanted)
            .flat_map(|group| &group.episodes)
    }
}

/// The agents of procurement that played with more than the usual prompt; all agents that are models if
/// none did.
fn prompt_agents(groups: &[PlayedGroup]) -> Vec<Agent<'_>> {
    let here = groups
        .iter()
        .filter(|group| group.environment == "procurement");
    let mut agents = agents_of(&here.collect::<Vec<_>>());
    let several = |agent: &Agent<'_>| agent.groups.iter().any(|group| prompt(group) != "hidden");
    let is_model = |agent: &Agent<'_>| agent.groups.iter().any(|group| group.method.is_some());
    if agents.iter().any(several) {
        agents.retain(several);
    } else {
        agents.retain(is_model);
    }
    agents
}

fn prompts(agents: &[Agent<'_>], published: &Published) -> PaperTable {
    let place = "Table 5";
    let mut table = PaperTable::new(
        place,
        "procurement under three prompts: score times 100, and exploration rate",
        &["agent", "prompt", "level"],
        &["score", "exploration rate"],
    )
    .note("The published figures are those of Gemini 1.5 Pro.");
    let nobody = Agent {
        name: "AGENT".to_owned(),
        groups: Vec::new(),
    };
    let shown: Vec<&Agent<'_>> = if agents.is_empty() {
        vec![&nobody]
    } else {
        agents.iter().collect()
    };
    for agent in shown {
        let options = agent.groups.first().map(|group| group.options());
        let options = options.unwrap_or_else(|| "--agent AGENT".to_owned());
        for (setting, name) in PROMPTS {
            for (preset, level) in LEVELS {
                let mean = |of: &dyn Fn(&Played) -> Option<f64>| {
                    let played = agent.prompted(setting, preset);
                    let values = played.map(|played| (played.instance, of(played)));
                    rate_by(values.filter_map(|(instance, value)| Some((instance, value?))))
                };
                let command = format!(
                    "boardroom run procurement --preset {preset} --suite paper --set \
                     {HORIZON}={setting} {options} --out RUN"
                );
                let met = agent.prompted(setting, preset).next().is_some();
                let undefined = met.then_some("undefined in all episodes");
                let row = format!("{name}, {level}");
                let score = mean(&|played| ratio("procurement", played));
                let score = score.map(|mean| mean.times(100.0));
                let explored = mean(&|played| played.metrics.get("exploration_rate").copied());
                let cells = [(score, 1, "score"), (explored, 2, "exploration rate")];
                let cells = cells.map(|(measure, decimals, column)| {
                    PaperCell::of_run(measure, decimals, undefined, &command)
                        .beside(published.get(place, &row, column))
                });
                table.rows.push(PaperRow::ours(
                    [agent.name.as_str(), name, level],
                    cells.to_vec(),
                ));
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
    let here = agents.iter().filter(|agent| {
        let mut groups = agent.groups.iter();
        groups.any(|group| group.agent == policy)
    });
    for agent in here {
        let cell = |(preset, level): &(&str, &str)| {
            let score = agent.score("scheduling", preset);
            let cell = agent.cell(("scheduling", preset), score);
            cell.beside(published.get(place, policy, level))
        };
        let cells = LEVELS.iter().map(cell).collect();
        table
            .rows
            .push(PaperRow::ours([agent.name.as_str()], cells));
    }
    if table.rows.is_empty() {
        let cell = |(preset, level): &(&str, &str)| {
            PaperCell::missing(command("scheduling", preset, policy))
                .beside(published.get(place, policy, level))
        };
        let cells = LEVELS.iter().map(cell).collect();
        table.rows.push(PaperRow::ours([policy], cells));
    }
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
fn prompts_figure(agents: &[Agent<'_>]) -> Result<Option<PaperFigure>, RunError> {
    let columns = |of: &dyn Fn(&Played) -> Option<f64>| {
        let mut columns = Vec::new();
        for (preset, level) in LEVELS {
            for (setting, _) in PROMPTS {
                let mut values = Vec::new();
                for agent in agents {
                    values.extend(agent.prompted(setting, preset).filter_map(of));
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
    use crate::paper::settings::RunSettings;
    use sim_core::Reference;
    use sim_core::score::Metrics;

    fn played(score: f64, optimum: Option<f64>) -> Played {
        Played {
            instance: Digest::of(&"i").unwrap(),
            attempt: (0, 0),
            score,
            metrics: Metrics::from_iter([("solved", 1.0)]),
            incidents: Vec::new(),
            reference: optimum.map(|optimum| Reference {
                optimum: Some(optimum),
                ..Reference::none()
            }),
            seen: Value::Null,
        }
    }

    /// A group of scheduling in which each of the `scores`, one an instance, is met `times`.
    fn group(preset: &str, temperature: Option<f64>, scores: &[f64], times: usize) -> PlayedGroup {
        let all = scores
            .iter()
            .enumerate()
            .flat_map(|(at, score)| std::iter::repeat_n((at, *score), times));
        let one = |(at, score): (usize, f64)| Played {
            instance: Digest::of(&(preset, at)).unwrap(),
            metrics: Metrics::from_iter([("solved", if score > 0.7 { 1.0 } else { 0.0 })]),
            ..played(score, None)
        };
        let mut settings = RunSettings::default();
        if let Some(value) = temperature {
            let words = format!("temperature = {value}");
            settings.model.insert("temperature".to_owned(), words);
        }
        PlayedGroup {
            environment: "scheduling".to_owned(),
            preset: preset.to_owned(),
            config: Value::Null,
            agent: "openai:m".to_owned(),
            method: Some("cot".to_owned()),
            planning: None,
            online: false,
            settings,
            is_other: false,
            seeds: BTreeMap::new(),
            range: ScoreRange::UNLIMITED,
            episodes: all.map(one).collect(),
        }
    }

    /// Playing an instance again adds nothing to a test or a count.
    #[test]
    fn repetitions_are_not_observations() {
        let (basic, hard) = ([0.9, 0.8, 0.7, 0.6], [0.7, 0.5, 0.6, 0.4]);
        let [once, often] = [1, 5].map(|times| {
            let groups = [
                group("basic", None, &basic, times),
                group("hard", None, &hard, times),
            ];
            let groups: Vec<&PlayedGroup> = groups.iter().collect();
            let agents = agents_of(&groups);
            let test = agents[0].test("scheduling", ["basic", "hard"]);
            (test, agents[0].solved("scheduling", "basic"))
        });
        let shown = |([difference, p], solved): &([PaperCell; 2], PaperCell)| {
            [difference, p, solved].map(|cell| (cell.shown.clone(), cell.n))
        };
        assert_eq!(shown(&once), shown(&often));
        let ([difference, p], solved) = often;
        assert!((difference.ours.unwrap() - 20.0).abs() < 1e-9);
        assert!(p.ours.unwrap() > 0.01, "{p:?}");
        assert_eq!((difference.n, solved.n), (Some(8), Some(4)));
        assert_eq!(solved.shown.as_deref(), Some("2/4"));
    }

    /// A row holds one way of asking a model, even where each level was played under another one.
    #[test]
    fn other_settings_of_a_model_are_other_rows() {
        let groups = [
            group("basic", None, &[0.9], 1),
            group("hard", Some(1.0), &[0.5], 1),
        ];
        let groups: Vec<&PlayedGroup> = groups.iter().collect();
        let names = |groups: &[&PlayedGroup]| -> Vec<String> {
            agents_of(groups)
                .into_iter()
                .map(|agent| agent.name)
                .collect()
        };
        assert_eq!(
            names(&groups),
            ["openai:m cot", "openai:m cot (temperature = 1)"]
        );
        assert_eq!(names(&groups[1..]), ["openai:m cot"]);
    }

    #[test]
    fn a_level_that_was_played_names_no_command() {
        let one = group("basic", None, &[0.9], 1);
        let agents = agents_of(&[&one]);
        let [cell, _] = agents[0].test("scheduling", ["basic", "hard"]);
        let command = cell.command.unwrap();
        assert!(command.contains("--preset hard"), "{command}");
        let two = group("hard", None, &[0.9], 1);
        let agents = agents_of(&[&one, &two]);
        let [cell, _] = agents[0].test("scheduling", ["basic", "hard"]);
        assert!(cell.command.is_none() && cell.shown.is_some(), "{cell:?}");
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
