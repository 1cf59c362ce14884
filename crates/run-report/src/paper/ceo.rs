//! "Can LLMs Be CEOs?": tables and figures from runs of `ceo`.
//!
//! An evaluation is one decision. A record keeps the scores of its decisions as means, so the episodes
//! are played again and the evaluations are read from the state at their end.

use super::draw::{Dot, DotGroup, PaperFigure, dots, shares};
use super::episodes::{
    PaperSetting, Played, PlayedGroup, Reading, Wanted, by_agent, mean_by, read, share_by,
};
use super::published::{Published, is_model};
use super::table::{Measure, PaperCell, PaperRow, PaperTable};
use super::{PaperInputs, PaperName, PaperPage, PaperReport};
use run_engine::error::RunError;
use run_engine::registry::Registry;
use serde_json::{Value, json};
use sim_core::ScoreRange;
use std::collections::BTreeMap;

/// The command that fills every table but one column.
const COMMAND: &str = "boardroom run ceo --preset all --agent AGENT --out RUN";
/// The command that also asks for the older rubric.
const OLDER: &str =
    "boardroom run ceo --preset all --set older_rubric=true --agent AGENT --out RUN";

/// The dimensions of the score: field and heading.
const DIMENSIONS: [(&str, &str); 4] = [
    ("role", "role integration"),
    ("boldness", "boldness"),
    ("history", "history"),
    ("validity", "validity and fit"),
];

/// A part of a dimension.
struct MarkPart {
    /// Its field among the marks.
    field: &'static str,
    heading: &'static str,
    decimals: usize,
    /// Its largest value; the least one is 0.
    most: f64,
}

const fn part(field: &'static str, heading: &'static str, decimals: usize, most: f64) -> MarkPart {
    MarkPart {
        field,
        heading,
        decimals,
        most,
    }
}

/// The parts of the dimensions.
const PARTS: [MarkPart; 13] = [
    part("respect", "respect", 2, 1.0),
    part("perspectives", "perspectives", 2, 1.0),
    part("rationale", "rationale", 2, 1.0),
    part("hull", "hull", 2, 1.0),
    part("label", "decision type", 2, 1.0),
    part("lexical", "words", 2, 1.0),
    part("moved_pp", "moved (pp)", 1, f64::INFINITY),
    part("overload", "overload", 1, f64::INFINITY),
    part("starvation", "starvation", 1, f64::INFINITY),
    part("reversal", "reversal", 1, REVERSAL),
    part("consistency", "consistency", 1, CONSISTENCY),
    part("oscillating", "oscillating", 2, f64::INFINITY),
    part("fit", "fit", 2, 1.0),
];

/// What a score can be.
const POINTS: ScoreRange = ScoreRange::new(0.0, 100.0);
/// Most points of a due reversal (section 3.4).
const REVERSAL: f64 = 10.0;
/// Most points of words that refer to earlier rounds (section 3.4).
const CONSISTENCY: f64 = 5.0;

/// The settings of the paper: its 13 cases. The older rubric only adds a figure.
const PAPER: PaperSetting = PaperSetting {
    presets: &[],
    has_other_presets: false,
    suite: None,
    free: &["older_rubric"],
};

const TIERS: [&str; 4] = ["easy", "tension", "fragile", "adversarial"];
const LABELS: [&str; 5] = [
    "invalid_plan",
    "not_bold_enough",
    "too_aggressive",
    "misallocated",
    "history_inconsistent",
];
const OUTCOMES: [&str; 4] = [
    "invalid_plan",
    "misallocated",
    "acceptable_with_tradeoffs",
    "high_quality",
];
const DIAGNOSTICS: [&str; 4] = [
    "single_advisor_capture",
    "conservative_default",
    "historical_amnesia",
    "path_dependent_anchoring",
];
const GRADES: [&str; 5] = ["A", "B", "C", "D", "F"];

/// One evaluated decision.
#[derive(Debug, Clone)]
struct Evaluation {
    scenario: String,
    tier: String,
    round: u64,
    /// The score card as the environment stores it.
    card: Value,
    /// Score of the older rubric, where the settings ask for it.
    older: Option<f64>,
}

impl Evaluation {
    fn mark(&self, field: &str) -> Option<f64> {
        self.card.get("marks")?.get(field)?.as_f64()
    }

    fn word(&self, field: &str) -> &str {
        self.card
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    fn labels(&self) -> Vec<&str> {
        let labels = self.card.get("labels").and_then(Value::as_array);
        labels
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    fn diagnostics(&self) -> Vec<&str> {
        let found = self.card.get("diagnostics").and_then(Value::as_array);
        let kinds = found
            .into_iter()
            .flatten()
            .filter_map(|one| one.get("kind"));
        kinds.filter_map(Value::as_str).collect()
    }

    fn is_valid(&self) -> bool {
        let broken = self.card.get("violations").and_then(Value::as_array);
        broken.is_some_and(Vec::is_empty)
    }
}

/// Scenario, tier and the evaluations of an episode.
fn look(instance: &Value, state: Option<&Value>) -> Value {
    let scenario = instance.get("scenario");
    let field = |name| scenario.and_then(|s| s.get(name)).cloned();
    json!({
        "id": field("id"),
        "tier": field("tier"),
        "results": state.and_then(|state| state.get("results")).cloned(),
    })
}

fn evaluations(played: &Played) -> Vec<Evaluation> {
    let text = |name: &str| {
        let text = played.seen.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let results = played.seen.get("results").and_then(Value::as_array);
    let results = results.into_iter().flatten();
    results
        .map(|result| Evaluation {
            scenario: text("id"),
            tier: text("tier"),
            round: result
                .get("round")
                .and_then(Value::as_u64)
                .unwrap_or_default(),
            card: result.get("card").cloned().unwrap_or_default(),
            older: result.get("older_rubric").and_then(Value::as_f64),
        })
        .collect()
}

/// The evaluations of an agent.
struct Agent {
    name: String,
    /// Whether it is a model and not a policy.
    is_model: bool,
    all: Vec<Evaluation>,
}

impl Agent {
    /// The mean of `of`, which lies in `range`, over scenarios; each scenario has the same weight, however
    /// often it was played.
    fn mean(&self, range: ScoreRange, of: impl Fn(&Evaluation) -> Option<f64>) -> Option<Measure> {
        let values = self.all.iter().map(|one| (one.scenario.as_str(), of(one)));
        let values = values.filter_map(|(scenario, value)| Some((scenario, value?)));
        mean_by(values, range)
    }

    /// The mean of a score.
    fn score(&self, field: &str) -> Option<Measure> {
        self.mean(POINTS, |one| one.mark(field))
    }

    fn of_tier(&self, tier: &str) -> Option<Measure> {
        self.mean(POINTS, |one| one.mark("score").filter(|_| one.tier == tier))
    }

    fn count(&self, holds: impl Fn(&Evaluation) -> bool) -> u64 {
        self.all.iter().filter(|one| holds(one)).count() as u64
    }

    /// The share of decisions for which `holds`; attempts at one decision are averaged first.
    fn share(&self, holds: impl Fn(&Evaluation) -> bool) -> PaperCell {
        let decision = |one: &Evaluation| (one.scenario.clone(), one.round);
        let all = self.all.iter().map(|one| (decision(one), holds(one)));
        share_by(all).unwrap_or_else(|| PaperCell::words("no decision"))
    }

    /// The mean of a part of a dimension over scenarios, with an interval within its range.
    fn part(&self, part: &MarkPart) -> Option<Measure> {
        self.mean(ScoreRange::new(0.0, part.most), |one| one.mark(part.field))
    }
}

/// The tables and figures for the runs at hand.
pub(super) fn report(registry: &Registry, inputs: &PaperInputs) -> Result<PaperPage, RunError> {
    let published = Published::read(include_str!("../../published/ceo.csv"));
    let wanted = Wanted {
        state: true,
        look: Some(look),
        ..Wanted::scores("ceo", PAPER)
    };
    let Reading {
        groups,
        unused,
        others,
    } = read(registry, inputs, &[wanted])?;
    let all: Vec<&PlayedGroup> = groups.iter().collect();
    let agents: Vec<Agent> = by_agent(&all, PlayedGroup::name, PAPER.free)
        .into_iter()
        .map(|(name, groups)| {
            let episodes = groups.iter().flat_map(|group| &group.episodes);
            Agent {
                name,
                is_model: groups.iter().any(|group| group.method.is_some()),
                all: episodes.flat_map(evaluations).collect(),
            }
        })
        .collect();
    let mut figures = Vec::new();
    figures.extend(overall_figure(&agents, &published)?);
    figures.extend(dimensions_figure(&agents, &published)?);
    figures.extend(tiers_figure(&agents, &published)?);
    figures.extend(outcomes_figure(&agents)?);
    Ok(PaperPage {
        report: PaperReport {
            paper: PaperName::Ceo,
            tables: vec![
                overall(&agents, &published),
                tiers(&agents, &published),
                failures(&agents, &published),
                case("Table 7", "C3-R3", &agents, &published),
                case("Table 8", "C7-R3", &agents, &published),
                scenarios(&agents),
                together(&agents, &published),
                outcomes(&agents),
                grades(&agents),
                diagnostics(&agents),
                parts(&agents),
                rows(&agents),
            ],
            figures,
        },
        unused,
        other_settings: others,
    })
}

/// A row for each agent, or one that says how to fill the table; then the rows of the paper whose
/// model is not among the agents. `cells` gets the name of the paper's model, if the agent is one.
fn fill(
    mut table: PaperTable,
    agents: &[Agent],
    published: &Published,
    cells: impl Fn(&Agent, Option<&str>) -> Vec<PaperCell>,
) -> PaperTable {
    let place = table.place.clone();
    let models: Vec<&str> = published.rows(&place).collect();
    let model = |agent: &Agent| {
        models
            .iter()
            .copied()
            .find(|model| is_model(&agent.name, model))
    };
    for agent in agents {
        let row = PaperRow::ours([agent.name.as_str()], cells(agent, model(agent)));
        table.rows.push(row);
    }
    if agents.is_empty() {
        let missing = table.columns.iter().map(|_| PaperCell::missing(COMMAND));
        let row = PaperRow::ours(["AGENT"], missing.collect());
        table.rows.push(row);
    }
    for model in &models {
        if agents.iter().any(|agent| is_model(&agent.name, model)) {
            continue;
        }
        let printed = |column: &String| PaperCell::printed(published.get(&place, model, column));
        let cells = table.columns.iter().map(printed).collect();
        table.rows.push(PaperRow::of_paper([*model], cells));
    }
    table
}

fn overall(agents: &[Agent], published: &Published) -> PaperTable {
    let columns = [
        "overall",
        "role integration",
        "boldness",
        "history",
        "validity and fit",
        "valid plans",
        "older rubric",
    ];
    let table = PaperTable::new("Table 4", "scores by dimension, 0 to 100", &["agent"], &columns)
        .note(
            "The paper's overall scores come from an older rule than its appendix C; `older rubric` is \
             that rule on our scenarios. Means over scenarios; the interval of valid plans is Wilson's.",
        );
    fill(table, agents, published, |agent, model| {
        let dimensions = DIMENSIONS.iter().map(|(field, name)| (*field, *name));
        let scores = std::iter::once(("score", "overall")).chain(dimensions);
        let beside = |name: &str| published.get("Table 4", model?, name);
        let mut cells: Vec<PaperCell> = scores
            .map(|(field, name)| PaperCell::of(agent.score(field), 2, COMMAND).beside(beside(name)))
            .collect();
        cells.push(
            agent
                .share(Evaluation::is_valid)
                .beside(beside("valid plans")),
        );
        cells.push(PaperCell::of(agent.mean(POINTS, |one| one.older), 2, OLDER));
        cells
    })
}

fn tiers(agents: &[Agent], published: &Published) -> PaperTable {
    let table = PaperTable::new(
        "Table 5",
        "mean score by tier, 0 to 100",
        &["agent"],
        &TIERS,
    );
    fill(table, agents, published, |agent, model| {
        let cell = |tier: &&str| {
            let printed = model.and_then(|model| published.get("Table 5", model, tier));
            PaperCell::of(agent.of_tier(tier), 2, COMMAND).beside(printed)
        };
        TIERS.iter().map(cell).collect()
    })
}

fn failures(agents: &[Agent], published: &Published) -> PaperTable {
    let title = "evaluations with each failure mode, with Wilson's interval of the share";
    let table = PaperTable::new("Table 6", title, &["agent"], &LABELS);
    fill(table, agents, published, |agent, model| {
        let cell = |label: &&str| {
            let printed = model.and_then(|model| published.get("Table 6", model, label));
            let has = |one: &Evaluation| one.labels().contains(label);
            agent.share(has).beside(printed)
        };
        LABELS.iter().map(cell).collect()
    })
}

/// A case study: what each agent decided in one scenario.
fn case(place: &str, scenario: &str, agents: &[Agent], published: &Published) -> PaperTable {
    let command = format!("boardroom run ceo --preset {scenario} --agent AGENT --out RUN");
    let columns = ["moved (pp)", "score", "grade", "failure modes"];
    let title = format!("the case {scenario}");
    let table = PaperTable::new(place, title, &["agent"], &columns).note(
        "The paper describes the company of the case by a few figures only; the rest of the scenario is \
         ours.",
    );
    fill(table, agents, published, |agent, model| {
        let met: Vec<&Evaluation> = agent
            .all
            .iter()
            .filter(|one| one.scenario == scenario)
            .collect();
        let mean = |field: &str| {
            let marks = met
                .iter()
                .filter_map(|one| one.mark(field))
                .map(|x| ((), x));
            // Attempts at one scenario: a mean without an interval.
            mean_by(marks, POINTS).map(|mean| Measure {
                n: met.len() as u64,
                ..mean
            })
        };
        let words = |of: &dyn Fn(&Evaluation) -> String| match met.as_slice() {
            [] => PaperCell::missing(command.clone()),
            all => PaperCell::words(counted(all.iter().map(|one| of(one)))),
        };
        let cells = [
            PaperCell::of(mean("moved_pp"), 1, &command),
            PaperCell::of(mean("score"), 2, &command),
            words(&|one| one.word("grade").to_owned()),
            words(&listed),
        ];
        let beside = |(cell, column): (PaperCell, &&str)| {
            cell.beside(model.and_then(|model| published.get(place, model, column)))
        };
        cells.into_iter().zip(&columns).map(beside).collect()
    })
}

/// Words in the order in which they first appear, with the number of times where it is more than one:
/// `2 × A; B`.
fn counted(words: impl Iterator<Item = String>) -> String {
    let mut found: Vec<(String, u32)> = Vec::new();
    for word in words {
        match found.iter_mut().find(|(held, _)| *held == word) {
            Some((_, count)) => *count += 1,
            None => found.push((word, 1)),
        }
    }
    let shown = found.into_iter().map(|(word, count)| match count {
        1 => word,
        count => format!("{count} × {word}"),
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// The labels of an evaluation in words.
fn listed(one: &Evaluation) -> String {
    let labels = one.labels();
    if labels.is_empty() {
        "none".to_owned()
    } else {
        labels.join(", ")
    }
}

fn scenarios(agents: &[Agent]) -> PaperTable {
    let mut table = PaperTable::new(
        "Table 10",
        "score, grade and first failure mode by scenario",
        &["scenario", "tier", "agent"],
        &["score", "grade", "primary failure"],
    )
    .note(
        "If a scenario was attempted several times, the score is the mean of the attempts, and the grades and \
         failures are counted.",
    );
    let mut found: BTreeMap<(&str, &str, &str), Vec<&Evaluation>> = BTreeMap::new();
    for agent in agents {
        for one in &agent.all {
            let key = (
                one.scenario.as_str(),
                one.tier.as_str(),
                agent.name.as_str(),
            );
            found.entry(key).or_default().push(one);
        }
    }
    for ((scenario, tier, agent), all) in &found {
        let scores = all
            .iter()
            .filter_map(|one| one.mark("score"))
            .map(|x| ((), x));
        let words = |of: &dyn Fn(&Evaluation) -> String| {
            PaperCell::words(counted(all.iter().map(|one| of(one))))
        };
        let primary = |one: &Evaluation| match one.labels().first() {
            Some(label) => (*label).to_owned(),
            None => "none".to_owned(),
        };
        let cells = vec![
            PaperCell::of(mean_by(scores, POINTS), 2, COMMAND),
            words(&|one| one.word("grade").to_owned()),
            words(&primary),
        ];
        table
            .rows
            .push(PaperRow::ours([*scenario, *tier, *agent], cells));
    }
    or_missing(table)
}

/// The table, with a row that says how to fill it if it has none.
fn or_missing(mut table: PaperTable) -> PaperTable {
    if table.rows.is_empty() {
        let cells = table.columns.iter().map(|_| PaperCell::missing(COMMAND));
        let labels = table.stubs.iter().map(|name| name.to_uppercase());
        let row = PaperRow::ours(labels, cells.collect());
        table.rows.push(row);
    }
    table
}

fn together(agents: &[Agent], published: &Published) -> PaperTable {
    // The 65 of the paper are 13 of each of five models; a policy fails by its rule, not by its judgement.
    let models = agents.iter().filter(|agent| agent.is_model);
    let all: Vec<Vec<&str>> = models
        .flat_map(|agent| &agent.all)
        .map(Evaluation::labels)
        .collect();
    let title = format!(
        "evaluations of models with both failure modes, of {} (the paper: of 65)",
        all.len()
    );
    let mut table = PaperTable::new("Table 12", title, &["failure mode"], &LABELS)
        .note("The diagonal counts all evaluations with the failure mode. Evaluations of policies do not count.");
    for row in LABELS {
        let cell = |column: &&str| {
            let both = all
                .iter()
                .filter(|labels| labels.contains(&row) && labels.contains(column));
            let cell = if all.is_empty() {
                PaperCell::missing(COMMAND.replace("AGENT", "MODEL"))
            } else {
                PaperCell::count(both.count() as u64)
            };
            cell.beside(published.get("Table 12", row, column))
        };
        table
            .rows
            .push(PaperRow::ours([row], LABELS.iter().map(cell).collect()));
    }
    table
}

fn outcomes(agents: &[Agent]) -> PaperTable {
    let table = PaperTable::new(
        "Figure 1d",
        "outcomes, with Wilson's interval of the share",
        &["agent"],
        &OUTCOMES,
    );
    fill(table, agents, &Published::default(), |agent, _| {
        let cell = |outcome: &&str| agent.share(|one| one.word("outcome") == *outcome);
        OUTCOMES.iter().map(cell).collect()
    })
}

fn grades(agents: &[Agent]) -> PaperTable {
    let table = PaperTable::new(
        "Appendix C.5",
        "grades, with Wilson's interval of the share",
        &["agent"],
        &GRADES,
    );
    fill(table, agents, &Published::default(), |agent, _| {
        let cell = |grade: &&str| agent.share(|one| one.word("grade") == *grade);
        GRADES.iter().map(cell).collect()
    })
}

fn diagnostics(agents: &[Agent]) -> PaperTable {
    let table = PaperTable::new(
        "Sections 4.3 to 4.6",
        "patterns behind the failure modes, with Wilson's interval of the share",
        &["agent"],
        &DIAGNOSTICS,
    );
    fill(table, agents, &Published::default(), |agent, _| {
        let cell = |kind: &&str| agent.share(|one| one.diagnostics().contains(kind));
        DIAGNOSTICS.iter().map(cell).collect()
    })
}

fn parts(agents: &[Agent]) -> PaperTable {
    let columns: Vec<&str> = PARTS.iter().map(|part| part.heading).collect();
    let table = PaperTable::new(
        "Appendices C.1 to C.4",
        "the parts of the dimensions, means over scenarios",
        &["agent"],
        &columns,
    )
    .note(
        "The columns `respect` to `words`, and `fit`, run from 0 to 1; `overload` to `consistency` are \
         points of the history dimension.",
    )
    .note(
        "Intervals are Wilson's if all values are 0 or 1. Other intervals do not reach beyond the range of the \
         column.",
    );
    fill(table, agents, &Published::default(), |agent, _| {
        let cell = |part: &MarkPart| {
            let undefined = (!agent.all.is_empty()).then_some("undefined");
            PaperCell::of_run(agent.part(part), part.decimals, undefined, COMMAND)
        };
        PARTS.iter().map(cell).collect()
    })
}

/// Every evaluation with its scenario, tier, grade, outcome, patterns and scores.
fn rows(agents: &[Agent]) -> PaperTable {
    let scores = || std::iter::once(("score", "score")).chain(DIMENSIONS);
    let mut columns = vec!["grade", "outcome", "failure modes", "patterns", "plan"];
    columns.extend(scores().map(|(_, name)| name));
    columns.extend(PARTS.iter().map(|part| part.heading));
    let mut table = PaperTable::new(
        "Section 3.4",
        "every evaluation",
        &["agent", "scenario", "tier", "round"],
        &columns,
    );
    for agent in agents {
        for one in &agent.all {
            let patterns = one.diagnostics();
            let words = [
                one.word("grade").to_owned(),
                one.word("outcome").to_owned(),
                listed(one),
                if patterns.is_empty() {
                    "none".to_owned()
                } else {
                    patterns.join(", ")
                },
                if one.is_valid() { "valid" } else { "invalid" }.to_owned(),
            ];
            let figure = |field: &str, decimals| {
                let measure = one.mark(field).map(|value| Measure {
                    value,
                    ci95: None,
                    n: 1,
                });
                PaperCell::of(measure, decimals, COMMAND)
            };
            let words = words.into_iter().map(PaperCell::words);
            let marks = scores().map(|(field, _)| figure(field, 2));
            let parts = PARTS.iter().map(|part| figure(part.field, part.decimals));
            let round = one.round.to_string();
            table.rows.push(PaperRow::ours(
                [&agent.name, &one.scenario, &one.tier, &round],
                words.chain(marks).chain(parts).collect(),
            ));
        }
    }
    or_missing(table)
}

/// A row of a drawing for each agent.
fn agent_dots(
    agents: &[Agent],
    published: &Published,
    (table, column): (&str, &str),
    of: impl Fn(&Agent) -> Option<Measure>,
) -> Vec<Dot> {
    let dot = |(colour, agent): (usize, &Agent)| {
        let measure = of(agent);
        let model = published
            .rows(table)
            .find(|model| is_model(&agent.name, model));
        Dot {
            name: agent.name.clone(),
            value: measure.map(|measure| measure.value),
            ci95: measure.and_then(|measure| measure.ci95),
            published: model.and_then(|model| published.number(table, model, column)),
            colour,
        }
    };
    agents.iter().enumerate().map(dot).collect()
}

fn overall_figure(
    agents: &[Agent],
    published: &Published,
) -> Result<Option<PaperFigure>, RunError> {
    let all = agent_dots(agents, published, ("Table 4", "overall"), |agent| {
        agent.score("score")
    });
    let group = DotGroup {
        name: String::new(),
        dots: all,
    };
    dots("Figure 1a", "overall score, with 95 % intervals", &[group])
}

fn dimensions_figure(
    agents: &[Agent],
    published: &Published,
) -> Result<Option<PaperFigure>, RunError> {
    let group = |(field, name): &(&str, &str)| DotGroup {
        name: (*name).to_owned(),
        dots: agent_dots(agents, published, ("Table 4", name), |agent| {
            agent.score(field)
        }),
    };
    let groups: Vec<DotGroup> = DIMENSIONS.iter().map(group).collect();
    dots(
        "Figure 1b",
        "score by dimension, with 95 % intervals",
        &groups,
    )
}

fn tiers_figure(agents: &[Agent], published: &Published) -> Result<Option<PaperFigure>, RunError> {
    let group = |tier: &&str| DotGroup {
        name: (*tier).to_owned(),
        dots: agent_dots(agents, published, ("Table 5", tier), |agent| {
            agent.of_tier(tier)
        }),
    };
    let groups: Vec<DotGroup> = TIERS.iter().map(group).collect();
    dots(
        "Figure 1c",
        "mean score by tier, with 95 % intervals",
        &groups,
    )
}

fn outcomes_figure(agents: &[Agent]) -> Result<Option<PaperFigure>, RunError> {
    let row = |agent: &Agent| {
        let count = |outcome: &&str| agent.count(|one| one.word("outcome") == *outcome);
        (agent.name.clone(), OUTCOMES.iter().map(count).collect())
    };
    let rows: Vec<(String, Vec<u64>)> = agents.iter().map(row).collect();
    shares("Figure 1d", "outcomes of the evaluations", &OUTCOMES, &rows)
}
