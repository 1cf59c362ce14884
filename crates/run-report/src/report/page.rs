//! The page: figures as words, and the template around them.

use super::collect::AgentData;
use super::content::{ReportAgent, ReportContent, ReportTask};
use super::matrix::{Column, Matrix, Share};
use crate::compare::Compared;
use crate::runs::labels::{labelled, options_apart};
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use pictures::{COLOURS, Picture};
use run_engine::engine::summary::{ReferenceSummary, Summary};
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::run_dir::FailedUnit;
use run_engine::terminal::shown;
use run_engine::words::{counted, direction, fine, mark, number};
use serde::Serialize;
use sim_core::UNSCORED;
use sim_core::{DynEnvironmentSpec, Sense, Status};
use std::collections::BTreeMap;

/// A shortfall below this many percent of the reference is none.
const REACHED: f64 = 1e-7;

/// Fewest observations on which two agents can be told apart at 95 %
/// ([`sim_core::stats::PairedDifference::is_distinguishable`]).
const FEWEST: usize = 6;

/// Most failures of an agent that are listed; the others are counted by their code.
const LISTED: usize = 50;

/// Everything that the template shows.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    what: String,
    /// What is not there yet, one sentence each.
    open: Vec<String>,
    groups: Vec<GroupPage>,
    matrix: Matrix,
    style: &'static str,
}

/// One environment in one setting, or one set of items.
#[derive(Debug, Serialize)]
pub(super) struct GroupPage {
    task: ReportTask,
    /// The plans of its agents.
    #[serde(skip)]
    plans: Vec<Plan>,
    better: &'static str,
    /// What the first and the last are called: best and worst, or highest and lowest.
    ends: [&'static str; 2],
    rows: Vec<RowPage>,
    /// Whether more than 2 % of the replies of some row have another cause than `said`.
    shows_unsaid: bool,
    plots: Vec<Picture>,
    legend: Vec<(&'static str, String)>,
}

/// What is said of an agent in words.
#[derive(Debug, Serialize)]
struct RowPage {
    /// Number of its colour in the plots.
    colour: usize,
    verified: String,
    /// Folder and status of each run.
    folders: Vec<(String, String)>,
    episodes: String,
    mean: String,
    interval: String,
    /// Normalised score with its interval and number of episodes.
    normalised: Option<String>,
    regret: String,
    verdict: String,
    /// Interval of the difference to the first with all its digits.
    difference_ci95: Option<[f64; 2]>,
    labels: Vec<String>,
    refusals: Vec<String>,
    /// Number of episodes that were played again; absent if none were.
    replayed: Option<String>,
    metrics: Vec<(String, String)>,
    /// Method and sampling of its model; empty for other agents.
    how: String,
    usage: Option<String>,
    /// Number of replies with another cause than `said`, and of all replies; absent below 2 %.
    unsaid: Option<String>,
    /// The replies by cause, and what to do if more than 2 % have another cause than `said`.
    causes: Option<String>,
    /// What the servers of its models refused, and token counts from them that could not be used.
    notes: Vec<String>,
    /// Number of failed units, in all and by code; absent if none failed.
    failed: Option<String>,
    /// Name, attempts and reason of the first of them.
    failures: Vec<[String; 3]>,
    /// Plots of the best episode.
    pictures: Vec<Picture>,
}

impl GroupPage {
    pub(super) fn new(
        spec: &dyn DynEnvironmentSpec,
        (title, about): (String, &str),
        data: &[AgentData],
        compared: &[Option<Compared>],
        plots: Vec<Picture>,
    ) -> Self {
        let sense = spec.is_ranked().then(|| spec.sense());
        let against = |place: usize| compared.get(place.checked_sub(1)?)?.as_ref();
        let summaries = || data.iter().map(|run| &run.content.summary);
        let rows = data.iter().enumerate();
        let agents = data.iter().enumerate().map(|(place, run)| ReportAgent {
            against_first: against(place).cloned(),
            ..run.content.clone()
        });
        let task = ReportTask {
            title,
            about: sentence(about),
            unit: spec.unit().to_owned(),
            sense,
            headline: headline(sense, data, compared),
            agents: agents.collect(),
        };
        Self {
            task,
            plans: data.iter().map(|run| run.plan.clone()).collect(),
            better: direction(sense),
            ends: match (sense, spec.sense()) {
                (Some(_), _) => ["best", "worst"],
                (None, Sense::Maximise) => ["highest", "lowest"],
                (None, Sense::Minimise) => ["lowest", "highest"],
            },
            shows_unsaid: summaries().any(|summary| summary.causes.remark().is_some()),
            legend: summaries().next().map_or_else(Vec::new, legend),
            rows: rows
                .map(|(place, run)| row(place, run, against(place)))
                .collect(),
            plots,
        }
    }
}

/// A line of description as a sentence begins.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Whether two agents that differ cannot be told apart because they share too little: there is no
/// interval, or one that would distinguish them if it rested on more.
fn is_too_few(other: &Compared) -> bool {
    let tells = other.ci95.is_none_or(|[low, high]| low > 0.0 || high < 0.0);
    !other.deterministic && tells && other.observations.0 < FEWEST
}

fn verdict(place: usize, other: Option<&Compared>) -> String {
    match (place, other) {
        (0, _) => "first".to_owned(),
        (_, None) => "not compared: no shared instances".to_owned(),
        // Before instances are counted: what is exact needs no number of them.
        (_, Some(other)) if other.verdict == "equal" => "equal".to_owned(),
        (_, Some(other)) if !other.distinguishable && is_too_few(other) => {
            let (count, unit) = other.observations;
            format!("too few {unit} to tell ({count} of at least {FEWEST})")
        }
        (_, Some(other)) => {
            let interval = match other.ci95 {
                Some([low, high]) if low < high => format!(" ({} to {})", fine(low), fine(high)),
                Some(_) => format!(" ({})", other.same_everywhere()),
                None => String::new(),
            };
            let difference = other.difference.map_or_else(String::new, fine);
            format!("{}: {difference}{interval}", other.verdict)
        }
    }
}

/// What came of a task, in one sentence.
fn headline(sense: Option<Sense>, data: &[AgentData], compared: &[Option<Compared>]) -> String {
    let (Some(best), Some(last)) = (data.first(), data.last()) else {
        return String::new();
    };
    let mean = |run: &AgentData| {
        run.content
            .summary
            .score
            .mean
            .map_or_else(|| "–".to_owned(), fine)
    };
    let leader = name(best);
    if data.len() == 1 {
        let neither = if sense.is_none() {
            "; neither end is better"
        } else {
            &distance(&best.content.summary)
        };
        return format!("{leader} has a mean of {}{neither}.", mean(best));
    }
    if sense.is_none() {
        return format!(
            "From {leader} at {} to {} at {}; neither end is better.",
            mean(best),
            name(last),
            mean(last)
        );
    }
    let others = data.iter().skip(1).zip(compared);
    let equal = others.filter(|(_, other)| other.as_ref().is_some_and(|o| o.verdict == "equal"));
    let equal: Vec<String> = equal.map(|(run, _)| name(run)).collect();
    let far = distance(&best.content.summary);
    // Of these, `equal` is certain, `distinguishable` is tested, and a tie is only what the digits
    // show: the surest statement comes first.
    let (lead, rest) = match (equal.first(), compared.first().and_then(Option::as_ref)) {
        (Some(_), _) => {
            let all = equal.len() + 1 == data.len();
            let how = if all { "equal" } else { "equally best" };
            let names: Vec<String> = std::iter::once(leader.clone()).chain(equal).collect();
            (
                format!("{} are {how}{far}", in_a_row(&names)),
                String::new(),
            )
        }
        (None, Some(other)) if other.distinguishable => {
            (format!("{leader} is best{far}"), String::new())
        }
        (None, _) if data.get(1).is_some_and(|next| ties(best, next)) => {
            let tied = data.iter().take_while(|run| ties(best, run)).map(name);
            let tied: Vec<String> = tied.collect();
            let all = tied.len() == data.len();
            let how = if all { "same" } else { "best" };
            let far = distance_clause(&best.content.summary);
            let lead = format!("{} have the {how} mean{far}", in_a_row(&tied));
            (lead, String::new())
        }
        (None, Some(other)) => (
            format!("{leader} leads{far}"),
            format!(
                "; {} is not distinguishable from {}",
                other.side.agent, best.content.summary.agent
            ),
        ),
        (None, None) => (
            format!(
                "{leader} has the best mean{}",
                distance_clause(&best.content.summary)
            ),
            String::new(),
        ),
    };
    // An oracle wins by what it knows, so the best of the others is what the reader asks for next.
    match data.iter().find(|run| !run.content.summary.oracle) {
        Some(fair) if best.content.summary.oracle => format!(
            "{lead}{rest}; of the agents that do not know hidden state, {} has the best mean{}.",
            name(fair),
            distance_clause(&fair.content.summary)
        ),
        _ => format!("{lead}{rest}."),
    }
}

/// Names as a list in a sentence: `a, b and c`.
fn in_a_row(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}

/// As [`distance`], behind the word "mean".
fn distance_clause(summary: &Summary) -> String {
    distance(summary).replacen(", ", ", which is ", 1)
}

/// Whether two agents have the same mean, to the digits that are shown.
fn ties(one: &AgentData, other: &AgentData) -> bool {
    let mean = |run: &AgentData| run.content.summary.score.mean.map(fine);
    mean(one).is_some() && mean(one) == mean(other)
}

/// The name of an agent, with a remark if it knows hidden state.
fn name(run: &AgentData) -> String {
    format!(
        "{}{}",
        run.content.summary.agent,
        mark(run.content.summary.oracle)
    )
}

/// How far from the optimum or the bound, as the end of a clause; nothing where there is neither.
fn distance(summary: &Summary) -> String {
    let reference = &summary.reference;
    match (reference.regret, reference.optimum.or(reference.bound)) {
        (Some(regret), Some(against)) if against != 0.0 => {
            let far = if reference.within_rounding {
                "at".to_owned()
            } else {
                shortfall(regret, against)
            };
            format!(", {far} the {}", status(reference.status))
        }
        _ => String::new(),
    }
}

/// How far a shortfall is from the reference, in words.
fn shortfall(regret: f64, against: f64) -> String {
    let percent = 100.0 * regret / against.abs();
    if percent.abs() < REACHED {
        "at".to_owned()
    // A shortfall of 0.04 % would be rounded to "0 % from", which reads like none.
    } else if percent.abs() < 0.05 {
        "less than 0.1 % from".to_owned()
    } else {
        let percent = number((10.0 * percent).round() / 10.0);
        format!("{} ({percent} %) from", fine(regret))
    }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Proven => "proven optimum",
        Status::Bound => "bound that no play can beat",
        Status::BestKnown => "best known play",
        Status::None => "reference",
    }
}

/// Lines of the plots: class of the colour, and words.
fn legend(summary: &Summary) -> Vec<(&'static str, String)> {
    let reference = &summary.reference;
    let mut parts = Vec::new();
    if let Some(value) = reference.optimum {
        parts.push((
            "optimum",
            format!("{} {}", status(reference.status), fine(value)),
        ));
    } else if let Some(value) = reference.bound {
        parts.push(("optimum", format!("bound {}", fine(value))));
    }
    if let Some(value) = reference.own_information {
        parts.push((
            "own",
            format!("best play known without hidden state {}", fine(value)),
        ));
    }
    if let Some(value) = reference.baseline {
        parts.push(("baseline", format!("baseline {}", fine(value))));
    }
    parts
}

/// The answers that have a record and no score, which the mean leaves out; nothing if there are none.
fn unscored(summary: &Summary) -> String {
    match summary.flags.get(UNSCORED) {
        Some(count) if *count > 0 => format!(", {count} more unscored"),
        _ => String::new(),
    }
}

/// The class of a failed request, with which its message begins; `other` for other errors.
fn code(error: &str) -> &str {
    let class = error.split_once(": ").map(|(class, _)| class);
    let is_class = |text: &&str| text.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    class.filter(is_class).unwrap_or("other")
}

/// The replies by cause, of the agent and then of the other roles, with the remarks on them; `None` if no model was
/// asked.
fn causes(summary: &Summary) -> Option<String> {
    let others = summary.causes_of_others.iter();
    let others = others.map(|(role, causes)| format!("{role}: {causes}"));
    let agent = (!summary.causes.is_empty()).then(|| summary.causes.to_string());
    let counts: Vec<String> = agent.into_iter().chain(others).collect();
    let remarks = summary.remarks();
    let all: Vec<String> = std::iter::once(counts.join("; ")).chain(remarks).collect();
    (!counts.is_empty()).then(|| all.join(". "))
}

/// Number of failures, in all and by code; `None` without failures.
fn failed(failures: &[FailedUnit]) -> Option<String> {
    let mut codes: BTreeMap<&str, u64> = BTreeMap::new();
    for failure in failures {
        *codes.entry(code(&failure.error)).or_default() += 1;
    }
    let codes: Vec<String> = codes
        .iter()
        .map(|(code, n)| format!("{code}: {n}"))
        .collect();
    let all = counted(failures.len() as u64, Plan::UNIT);
    (!failures.is_empty()).then(|| format!("{all} ({})", codes.join(", ")))
}

/// The shortfall, its parts, and remarks on the reference.
fn regret(reference: &ReferenceSummary) -> String {
    let mut text = if reference.within_rounding {
        "0 (within rounding)".to_owned()
    } else {
        reference.regret.map_or_else(|| "–".to_owned(), fine)
    };
    let remarks = [
        reference.parts(),
        reference.raised(),
        reference.contradiction(),
    ];
    for remark in remarks.into_iter().flatten() {
        text = format!("{text}; {remark}");
    }
    text
}

fn row(place: usize, run: &AgentData, against: Option<&Compared>) -> RowPage {
    let content = &run.content;
    let summary = &content.summary;
    let show = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), fine);
    let times = |(name, count): (&String, &u64)| format!("{}: {count}", name.replace('_', " "));
    let usage = &summary.usage;
    let words = || {
        format!(
            "{}, {} + {} tokens, {}",
            counted(usage.requests, "request"),
            number(usage.tokens_in as f64),
            number(usage.tokens_out as f64),
            usage.cost_words()
        )
    };
    let listed = |failure: &FailedUnit| {
        let tries = failure
            .tries
            .map_or_else(|| "–".to_owned(), |n| n.to_string());
        [failure.unit.clone(), tries, failure.error.clone()]
    };
    RowPage {
        // As the plots give them, which begin anew after the last colour.
        colour: place % COLOURS.len(),
        verified: content.verified.to_string(),
        folders: run
            .folders
            .iter()
            .map(|(folder, status)| (shown(folder).into_owned(), status.to_string()))
            .collect(),
        episodes: format!(
            "{}{}{}",
            number(summary.episodes as f64),
            content.extent.words(),
            unscored(summary)
        ),
        mean: show(summary.score.mean),
        interval: match summary.score.ci95 {
            Some([low, high]) => format!("{} to {}", fine(low), fine(high)),
            None if summary.deterministic => "deterministic".to_owned(),
            None => "–".to_owned(),
        },
        normalised: content.normalised.map(Share::words),
        regret: regret(&summary.reference),
        verdict: verdict(place, against),
        difference_ci95: against.and_then(|other| other.ci95),
        labels: summary
            .flags
            .iter()
            // The number of episodes says it already.
            .filter(|(name, count)| **count > 0 && *name != UNSCORED)
            .map(times)
            .chain((summary.failed > 0).then(|| format!("failed: {}", summary.failed)))
            .collect(),
        refusals: content.refusals.iter().map(times).collect(),
        replayed: (content.replayed > 0).then(|| counted(content.replayed as u64, Plan::UNIT)),
        metrics: summary
            .metrics
            .iter()
            .map(|(name, metric)| {
                let share = Summary::solved(name, metric);
                let share = share.map_or_else(String::new, |share| format!(" ({share})"));
                (
                    name.replace('_', " "),
                    format!("{}{share}", fine(metric.mean)),
                )
            })
            .collect(),
        how: summary.how(),
        usage: (usage.requests > 0).then(words),
        notes: usage.notes.clone(),
        unsaid: summary.causes.remark().map(|_| {
            let (not_said, all) = (summary.causes.not_said(), summary.causes.total());
            format!("{} of {}", number(not_said as f64), number(all as f64))
        }),
        causes: causes(summary),
        failed: failed(&content.failures),
        failures: content.failures.iter().take(LISTED).map(listed).collect(),
        pictures: run.pictures.clone(),
    }
}

/// The tasks with the means of their agents. The name of an agent has every option in which its models differ over all
/// tasks. Names within one task have fewer options: with them, one agent could have two rows, and agents that were
/// asked in different ways could share one.
fn columns(groups: &[GroupPage]) -> Vec<Column> {
    let plans: Vec<&Plan> = groups.iter().flat_map(|group| &group.plans).collect();
    let apart = options_apart(&plans);
    let names = plans.iter().zip(apart);
    let mut names = names.map(|(plan, words)| labelled(&plan.cast(), &words));
    let column = |group: &GroupPage| {
        let agents = &group.task.agents;
        let names: Vec<String> = names.by_ref().take(agents.len()).collect();
        let mean = |(agent, name): (&ReportAgent, &String)| {
            // Two of one name in one task differ in what their names there say, such as the folder: with one name the table
            // would show the first of them for both.
            let is_alone = names.iter().filter(|held| *held == name).count() == 1;
            let name = if is_alone { name } else { &agent.summary.agent };
            Some((name.clone(), agent.summary.score.mean?, agent.normalised))
        };
        Column {
            task: group.task.title.clone(),
            means: agents.iter().zip(&names).filter_map(mean).collect(),
        }
    };
    groups.iter().map(column).collect()
}

impl Page {
    pub(super) fn new(groups: Vec<GroupPage>, open: Vec<String>) -> Self {
        let matrix = Matrix::new(&columns(&groups));
        let agents = groups.iter().flat_map(|group| &group.task.agents);
        let episodes: u64 = agents.map(|agent| agent.summary.episodes).sum();
        let s = if episodes == 1 { "" } else { "s" };
        Self {
            what: format!(
                "{}, {}, {} {}{s}",
                counted(groups.len() as u64, "task"),
                counted(matrix.agents() as u64, "agent"),
                number(episodes as f64),
                Plan::UNIT
            ),
            open,
            groups,
            matrix,
            style: pictures::STYLE,
        }
    }

    /// The content of the page as data.
    pub(super) fn into_content(self) -> ReportContent {
        let groups = self.groups.into_iter();
        ReportContent {
            what: self.what,
            open: self.open,
            tasks: groups.map(|group| group.task).collect(),
        }
    }
}

/// Fills the template.
pub(super) fn render(page: &Page) -> Result<String, RunError> {
    let failed = |e: minijinja::Error| RunError::Failed(format!("the page: {e}"));
    let mut env = Environment::new();
    // A misspelt field is an error and not an empty cell.
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    // The engine decides by the extension of a template's name, and this one has none.
    env.set_auto_escape_callback(|_| AutoEscape::Html);
    env.add_template("report", include_str!("page.html"))
        .map_err(failed)?;
    env.get_template("report")
        .and_then(|template| template.render(minijinja::value::Serde(page)))
        // Once over the whole page, so that no field of it can be forgotten: names and messages
        // come from outside and may hold keys and control characters.
        .map(|html| shown(&html).into_owned())
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_said_in_words() {
        for (regret, against, words) in [
            (0.0, 1.0, "at"),
            (1e-12, 1.0, "at"),
            (7.4e-6, 1.0, "less than 0.1 % from"),
            (6.982, 58.2514, "6.982 (12 %) from"),
            (-5.0, -100.0, "-5 (-5 %) from"),
        ] {
            assert_eq!(shortfall(regret, against), words);
        }
        assert_eq!(sentence("set prices"), "Set prices");
    }

    #[test]
    fn names_stand_in_a_row() {
        let of = |count: usize| {
            let names = ["a", "b", "c"].map(str::to_owned);
            in_a_row(names.get(..count).unwrap())
        };
        assert_eq!([of(1), of(2), of(3)], ["a", "a and b", "a, b and c"]);
    }

    #[test]
    fn failures_are_counted_by_code() {
        let failure = |error: &str| FailedUnit {
            unit: "3".to_owned(),
            error: error.to_owned(),
            role: None,
            tries: Some(3),
        };
        let all = [
            "rate_limited: later",
            "server: 500",
            "rate_limited: no",
            "The file: gone",
        ];
        assert_eq!(
            failed(&all.map(failure)).unwrap(),
            "4 episodes (other: 1, rate_limited: 2, server: 1)"
        );
        assert_eq!(failed(&[]), None);
    }

    #[test]
    fn a_model_without_a_price_was_not_for_nothing() {
        use run_engine::engine::summary::ModelUsage;
        let words = |cost_usd| ModelUsage {
            cost_usd,
            ..ModelUsage::default()
        };
        assert_eq!(words(0.0).cost_words(), "no price");
        assert_eq!(words(0.5).cost_words(), "0.5 USD");
    }

    #[test]
    fn six_observations_that_differ_are_the_fewest_that_tell() {
        use sim_core::stats::paired_difference;
        let tells = |count: usize| {
            let side = |shift: f64| -> Vec<(usize, f64)> {
                (0..count)
                    .map(|k| (k, shift + 0.001 * k as f64 * shift))
                    .collect()
            };
            paired_difference(&side(1.0), &side(0.0), 0.95, sim_core::Seed(1))
                .is_some_and(|difference| difference.is_distinguishable())
        };
        assert!(tells(FEWEST) && !tells(FEWEST - 1));
    }
}
