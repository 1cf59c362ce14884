//! From scores to the one object and the one table that a run prints.

mod kept;
mod observed;
mod reference;

pub use kept::{Kept, MetricNames};
pub use observed::{LEVEL, Observation, counts_instances, ends, estimate, observations};
pub use reference::{BestReached, ReferenceSummary, RowReference, raise, ratio_metrics};

use crate::plan::Plan;
use crate::plan::cast::is_oracle;
use crate::plan::setting::Setting;
use crate::run_dir::FailedUnit;
use crate::terminal::shown_name;
use crate::words::{counted, direction, fine, interval_words, line, mark, number, range};
use agent_client::ledger::UsageTotals;
use agent_client::money::Money;
use serde::Serialize;
use serde_json::Value;
use sim_core::stats::{Estimate, NormalisedSum, RunningMean, mean, sd};
use sim_core::{
    Causes, DynEnvironmentSpec, FEWER_JUDGES, ScoreRange, Sense, ToolEnvironment, UNSCORED,
};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Names of the counts of turns and calls among the flags of a summary.
const FORFEITED: &str = "forfeited";
const REFUSED: &str = "refused";

/// Scores of the episodes of a run.
#[derive(Default)]
pub struct Collected {
    /// By the numbers of the episodes, ascending. A list takes half the memory of a map.
    rows: Vec<(u64, Row)>,
    names: Arc<MetricNames>,
    incidents: BTreeMap<String, u64>,
    forfeited: u64,
    /// Calls and decisions that the environment refused; absent if they were not counted.
    refused: Option<u64>,
    queries: u64,
    causes: Causes,
    causes_of_others: BTreeMap<String, Causes>,
    /// Whether an action was taken in any episode.
    has_actions: bool,
    /// Episodes without a score, by reason.
    unscored: BTreeMap<String, u64>,
    /// The finished environments by episode, where the environment has figures of its own.
    played: BTreeMap<u64, Box<dyn ToolEnvironment>>,
    /// Whether `ratio` and `solved` are added to the metrics.
    shows_ratio: bool,
    has_figures: bool,
}

impl fmt::Debug for Collected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collected")
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Row {
    value: f64,
    /// As in [`Kept`].
    names: u32,
    metrics: Box<[f64]>,
    reference: RowReference,
}

impl Collected {
    /// For episodes of this environment.
    #[must_use]
    pub fn new(kind: &dyn DynEnvironmentSpec) -> Self {
        Self {
            shows_ratio: kind.about().shows_ratio,
            has_figures: kind.figures_of(&[]).is_some(),
            ..Self::default()
        }
    }

    /// The names of metrics that all episodes share.
    #[must_use]
    pub fn names(&self) -> Arc<MetricNames> {
        Arc::clone(&self.names)
    }

    /// Adds an episode, which was kept with [`names`](Self::names).
    pub fn add(&mut self, index: u64, kept: Kept, reference: RowReference) {
        self.forfeited += u64::from(kept.forfeits);
        self.has_actions |= kept.has_actions;
        self.queries += u64::from(kept.queries);
        if let Some(count) = kept.refused {
            let refused = self.refused.get_or_insert(0);
            *refused = refused.saturating_add(count);
        }
        if let Some(rare) = kept.rare {
            let codes = rare.incidents.into_iter();
            // Episodes without a score are counted by reason below, and become one flag.
            for code in codes.filter(|code| code != UNSCORED) {
                *self.incidents.entry(code).or_default() += 1;
            }
            self.causes.add(&rare.causes);
            for (role, causes) in &rare.others {
                let sum = self.causes_of_others.entry((*role).to_owned());
                sum.or_default().add(causes);
            }
            if let Some(why) = rare.why_unscored {
                // No row: its value says nothing, and means, intervals and references are taken
                // over the rows.
                *self.unscored.entry(why).or_default() += 1;
                return;
            }
        }
        let row = Row {
            value: kept.value,
            names: kept.names,
            metrics: kept.metrics,
            reference,
        };
        // Episodes of policies arrive in their order; those of learning streams do not, but they are few.
        match self.rows.last() {
            Some((last, _)) if *last >= index => {
                let at = self.rows.partition_point(|(number, _)| *number < index);
                match self.rows.get_mut(at).filter(|(number, _)| *number == index) {
                    Some(held) => held.1 = row,
                    None => self.rows.insert(at, (index, row)),
                }
            }
            _ => self.rows.push((index, row)),
        }
    }

    /// Whether the environment has figures of its own, which need its finished episodes.
    #[must_use]
    pub fn has_figures(&self) -> bool {
        self.has_figures
    }

    /// Adds the finished environment of episode `index`, for figures of its own.
    pub fn add_played(&mut self, index: u64, played: Box<dyn ToolEnvironment>) {
        self.played.insert(index, played);
    }

    /// The figures of each stream of `plan`.
    fn figures(&mut self, kind: &dyn DynEnvironmentSpec, plan: &Plan) -> Vec<Value> {
        let mut streams: BTreeMap<u64, Vec<Box<dyn ToolEnvironment>>> = BTreeMap::new();
        for (index, env) in std::mem::take(&mut self.played) {
            let stream = plan.stream(index).unwrap_or(0);
            streams.entry(stream).or_default().push(env);
        }
        let mut all = Vec::new();
        for (stream, played) in streams {
            for mut figures in kind.figures_of(&played).unwrap_or_default() {
                if let Some(fields) = figures.as_object_mut() {
                    fields.insert("stream".to_owned(), stream.into());
                }
                all.push(figures);
            }
        }
        all
    }

    /// Why episodes have no score, a note for each reason.
    fn unscored_notes(&self) -> Vec<String> {
        let note = |(why, count): (&String, &u64)| {
            format!("{} without a score: {why}", counted(*count, Plan::UNIT))
        };
        self.unscored.iter().map(note).collect()
    }

    /// The note on a run in which no action was taken, because every turn was forfeited.
    pub(crate) fn idle_note(&self) -> Option<String> {
        (self.forfeited > 0 && !self.has_actions).then(|| {
            format!(
                "no reply led to an action: {} forfeited, so the score is that of doing nothing",
                match self.forfeited {
                    1 => "the only turn was".to_owned(),
                    turns => format!("all {turns} turns were"),
                }
            )
        })
    }

    /// Score and reference of each episode.
    fn scored(&self) -> impl Iterator<Item = (f64, &RowReference)> {
        self.rows.iter().map(|(_, row)| (row.value, &row.reference))
    }

    /// Number of episodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The best known values that these episodes beat, by instance.
    #[must_use]
    pub fn best_reached(&self, sense: Sense) -> BestReached {
        reference::best_reached(self.scored(), sense)
    }

    /// The scores on the scale from the baseline to the reference, each with its observation in `observed`; absent
    /// where neither end of the scale is better.
    #[must_use]
    pub fn normalised(
        &self,
        kind: &dyn DynEnvironmentSpec,
        observed: &[Observation],
    ) -> Option<NormalisedSum<Observation>> {
        if !kind.is_ranked() {
            return None;
        }
        let mut sum = NormalisedSum::new(kind.about().range, kind.sense());
        for ((value, reference), observation) in self.scored().zip(observed) {
            sum.add(*observation, value, &reference.reference());
        }
        Some(sum)
    }

    /// Measures these scores, which are those of `summary`, by their references: the reference, `ratio`
    /// and `solved` of `summary`. `best` holds the best known values that these and other runs reached.
    pub fn measure(&self, summary: &mut Summary, sense: Sense, best: &BestReached) {
        let rows: Vec<_> = self.scored().collect();
        summary.reference = ReferenceSummary::of(&rows, sense, best);
        if summary.oracle {
            // Its decisions used more than the information to which this part of the regret belongs.
            summary.reference.regret_of_decisions = None;
        }
        if self.shows_ratio {
            for (name, values) in reference::ratios(&rows, best) {
                let metric = MetricSummary::of(&values);
                summary
                    .metrics
                    .extend(metric.map(|metric| (name.to_owned(), metric)));
            }
        }
    }

    /// The numbers of the episodes, ascending.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u64> {
        self.rows.iter().map(|(index, _)| *index)
    }

    /// Sums up, in the order of episode numbers, so that threads cannot move a digit. `observed` says for each
    /// episode of which observation it is a trial, as [`observations`] does; absent where neither the instances
    /// nor the agent draw lots.
    #[must_use]
    pub fn summarise(
        &mut self,
        kind: &dyn DynEnvironmentSpec,
        plan: &Plan,
        observed: Option<&[Observation]>,
    ) -> Summary {
        let figures = self.figures(kind, plan);
        let values: Vec<f64> = self.scored().map(|(value, _)| value).collect();
        // In one pass over the rows: a million of them are not in the processor's cache.
        let (names, places) = self.names.places();
        let mut means = vec![RunningMean::default(); names.len()];
        for (_, row) in &self.rows {
            for (at, value) in kept::values(row.names, &row.metrics, &places) {
                if let Some(mean) = means.get_mut(at) {
                    mean.add(value);
                }
            }
        }
        let metrics = names.iter().zip(&means).filter_map(|(name, mean)| {
            MetricSummary::of_mean(mean).map(|metric| (name.to_string(), metric))
        });
        let mut flags = self.incidents.clone();
        flags.insert(FORFEITED.to_owned(), self.forfeited);
        let unscored: u64 = self.unscored.values().sum();
        if unscored > 0 {
            flags.insert(UNSCORED.to_owned(), unscored);
        }
        flags.extend(self.refused.map(|count| (REFUSED.to_owned(), count)));
        let dialect = plan.model.as_ref().map(|model| &model.dialect);
        let further = dialect.into_iter().flat_map(|dialect| &dialect.extra);
        let mut summary = Summary {
            environment: kind.name().to_owned(),
            version: kind.version().to_string(),
            setting: Setting::of(kind, plan),
            seed: plan.seed.0,
            agent: plan.cast(),
            oracle: is_oracle(kind, plan),
            method: plan.method(),
            temperature: dialect.and_then(|dialect| dialect.temperature),
            top_p: dialect.and_then(|dialect| dialect.top_p),
            model_args: further
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            episodes: values.len() as u64,
            failed: 0,
            deterministic: observed.is_none(),
            sense: kind.is_ranked().then(|| kind.sense()),
            unit: kind.unit().to_owned(),
            score_range: kind.about().range,
            // Equal plays of one instance are not a sample, so an interval would have the width 0 and say nothing.
            score: ScoreSummary::of(
                &values,
                observed.and_then(|observed| {
                    let rows = observed.iter().copied().zip(values.iter().copied());
                    estimate(rows, kind.about().range, plan.seed)
                }),
                observed.and_then(|observed| observed.first().map(Into::into)),
            ),
            // `measure` measures them.
            reference: ReferenceSummary::of(&[], kind.sense(), &BestReached::new()),
            metrics: metrics.collect(),
            flags,
            causes: self.causes.clone(),
            causes_of_others: self.causes_of_others.clone(),
            figures,
            roles: BTreeMap::new(),
            usage: ModelUsage {
                // As the records count them; `charge` replaces it by the account of the run, which
                // also knows the attempts that failed.
                requests: self.queries,
                ..ModelUsage::default()
            },
            notes: self.unscored_notes(),
            seconds: 0.0,
            out: None,
        };
        self.measure(&mut summary, kind.sense(), &self.best_reached(kind.sense()));
        summary
    }
}

/// What `boardroom run --json` prints. Numbers that are undefined are `null`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Environment.
    pub environment: String,
    /// Version of its numbers.
    pub version: String,
    /// Preset, suite and settings.
    #[serde(flatten)]
    pub setting: Setting,
    /// Seed of the run; of several runs together the least one.
    pub seed: u64,
    /// Who played.
    pub agent: String,
    /// Whether the agent knows hidden state, so that its scores are not comparable with others.
    pub oracle: bool,
    /// Agent method, where one was used.
    pub method: Option<String>,
    /// Sampling temperature of the model, where one was asked for; else the server's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Share of the probability from which the model's tokens are drawn, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Further fields of the requests to the model, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub model_args: BTreeMap<String, Value>,
    /// Episodes that were played and scored.
    pub episodes: u64,
    /// Episodes that failed.
    pub failed: u64,
    /// Whether neither seed nor agent drew any lots: then there is no interval.
    pub deterministic: bool,
    /// Whether larger or smaller scores are better; absent where neither end is.
    pub sense: Option<Sense>,
    /// Unit of the scores.
    pub unit: String,
    /// What a score can be.
    #[serde(skip_serializing_if = "ScoreRange::is_unlimited")]
    pub score_range: ScoreRange,
    /// The scores.
    pub score: ScoreSummary,
    /// What they are measured against.
    pub reference: ReferenceSummary,
    /// Further metrics, by name.
    pub metrics: BTreeMap<String, MetricSummary>,
    /// How often something happened, by name.
    pub flags: BTreeMap<String, u64>,
    /// Causes of the agent's replies in the records, and of the last request of each failed unit; empty if no model
    /// was asked.
    #[serde(skip_serializing_if = "Causes::is_empty")]
    pub causes: Causes,
    /// The same for the other roles (`judge`, `interviewer`, `reflector`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub causes_of_others: BTreeMap<String, Causes>,
    /// Figures over all episodes that are not means of scores, one object for each group and stream.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Value>,
    /// What models cost.
    pub usage: ModelUsage,
    /// What models cost by role, where several were asked.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, ModelUsage>,
    /// What was to be said of the run when it was begun.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Time that it took \[s\].
    pub seconds: f64,
    /// Run folder.
    pub out: Option<String>,
}

impl Summary {
    /// How many of the episodes that have the metric `solved` are solved, in words; `None` for every other
    /// metric.
    #[must_use]
    pub fn solved(name: &str, metric: &MetricSummary) -> Option<String> {
        // `solved` is 0 or 1 in each episode, so the rounded product is the count itself.
        let solved = (metric.mean * metric.episodes as f64).round();
        (name == "solved").then(|| format!("{solved} of {}", metric.episodes))
    }

    /// Method and sampling of a model in words, the sampling only where it is not the server's default; empty
    /// for other agents.
    #[must_use]
    pub fn how(&self) -> String {
        let method = self.method.iter().map(|method| format!("method {method}"));
        let heat = self.temperature.map(|value| format!("temperature {value}"));
        let share = self.top_p.map(|value| format!("top-p {value}"));
        let further = self.model_args.iter().map(|(name, value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            format!("{name} {value}")
        });
        let parts: Vec<String> = method.chain(heat).chain(share).chain(further).collect();
        parts.join(", ")
    }

    /// Counts the causes of failed units for the role whose request failed.
    pub fn count_failures<'a>(&mut self, failures: impl IntoIterator<Item = &'a FailedUnit>) {
        for failure in failures {
            failure.count(&mut self.causes, &mut self.causes_of_others);
        }
    }

    /// One sentence, with what to do, for each role of whose replies more than 2 % have another cause than `said`.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let others = self.causes_of_others.iter();
        let others =
            others.filter_map(|(role, causes)| causes.remark_of(&format!(" of the {role}")));
        self.causes.remark().into_iter().chain(others).collect()
    }
}

/// Scores over episodes \[the environment's unit\].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreSummary {
    /// Mean.
    pub mean: Option<f64>,
    /// Sample standard deviation.
    pub sd: Option<f64>,
    /// 95 % interval of the mean.
    pub ci95: Option<[f64; 2]>,
    /// Number of observations behind the interval; absent where nothing was left to chance.
    pub observations: Option<u64>,
    /// What an observation is: `draw`, `instance`, or `pass` over a list of fewer than six
    /// instances ([`observations`]); absent where nothing was left to chance.
    pub observation: Option<&'static str>,
    /// Smallest.
    pub min: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
}

impl ScoreSummary {
    /// The summary of `values`. `estimate` is that of their mean, and `None` if nothing was left to chance;
    /// `observation` says what one observation is.
    fn of(values: &[f64], estimate: Option<Estimate>, observation: Option<&'static str>) -> Self {
        Self {
            observation: observation.filter(|_| estimate.is_some()),
            mean: mean(values),
            sd: sd(values),
            ci95: estimate.as_ref().and_then(ends),
            observations: estimate.map(|found| found.clusters as u64),
            min: values.iter().copied().reduce(f64::min),
            max: values.iter().copied().reduce(f64::max),
        }
    }
}

/// A metric over the episodes in which it is defined.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricSummary {
    /// Mean.
    pub mean: f64,
    /// Number of episodes that have the metric.
    #[serde(skip)]
    pub episodes: u64,
}

impl MetricSummary {
    /// The summary of the values of a metric; `None` without any.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut mean = RunningMean::default();
        values.iter().for_each(|value| mean.add(*value));
        Self::of_mean(&mean)
    }

    fn of_mean(mean: &RunningMean) -> Option<Self> {
        let episodes = mean.count();
        mean.value().map(|mean| Self { mean, episodes })
    }
}

/// Notes on counts that could not be used, each with its number of replies.
pub fn refused_notes(refused: &BTreeMap<String, u64>) -> Vec<String> {
    let note =
        |(what, count): (&String, &u64)| format!("{}: {what}, so it was not used", replies(*count));
    refused.iter().map(note).collect()
}

fn replies(count: u64) -> String {
    match count {
        1 => "1 reply".to_owned(),
        n => format!("{n} replies"),
    }
}

/// The note on replies whose tokens the program had to estimate; `None` if there are none.
#[must_use]
pub fn estimated_note(totals: &UsageTotals) -> Option<String> {
    // Without prices there is no cost that could be estimated.
    let what = match totals.cost > Money::ZERO {
        true => "tokens and cost are",
        false => "number of tokens is",
    };
    (totals.estimated > 0).then(|| {
        format!(
            "{} of {} came without usable counts of tokens (`usage`), so the {what} estimated",
            totals.estimated,
            replies(totals.requests)
        )
    })
}

/// What models cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ModelUsage {
    /// Requests to a model.
    pub requests: u64,
    /// Tokens sent.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Money \[USD\].
    pub cost_usd: f64,
    /// Notes on counts of the server that could not be used or that were missing; the replies were used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// At most ten lines, and the notes: task, score, reference, episodes, what models cost, time. `{:#}` adds
/// the extremes, all references, the metrics and the labels of the episodes.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shows_all = f.alternate();
        let episodes = counted(self.episodes, Plan::UNIT);
        let how = match self.how() {
            how if how.is_empty() => how,
            how => format!(" ({how})"),
        };
        let first = format!(
            "{} {} played by {}{}{how}, {episodes} of seed {}; score: {}{}",
            self.environment,
            self.setting,
            self.agent,
            mark(self.oracle),
            self.seed,
            self.unit,
            range(self.score_range)
        );
        // The name of a model may be that of somebody else's folder.
        writeln!(f, "{}", shown_name(&first))?;
        let observations = self.score.observations;
        let spread = match self.score.ci95 {
            Some([low, high]) => {
                let fewer = observations.filter(|count| *count < self.episodes);
                let unit = self.score.observation.unwrap_or("observation");
                let over = fewer.map(|count| format!(" over {}", counted(count, unit)));
                format!("{}{}", interval_words(low, high), over.unwrap_or_default())
            }
            None if self.deterministic => "deterministic: no interval".to_owned(),
            None if self.episodes == 1 => format!("one {}: no interval", Plan::UNIT),
            None if observations == Some(1) => "one observation: no interval".to_owned(),
            None => "no interval".to_owned(),
        };
        let spread = format!("{spread}; {}", direction(self.sense));
        line(f, "mean score", self.score.mean, &spread)?;
        if shows_all {
            line(f, "min", self.score.min, "")?;
            line(f, "max", self.score.max, "")?;
            write!(f, "{:#}", self.reference)?;
        } else {
            write!(f, "{}", self.reference)?;
        }
        let records = format!("{}s", Plan::UNIT);
        line(f, &records, Some(self.episodes as f64), &self.counts())?;
        self.usage.fmt(f)?;
        if shows_all {
            for (name, metric) in &self.metrics {
                let share =
                    Self::solved(name, metric).map_or_else(String::new, |n| format!("  {n}"));
                writeln!(f, "  {name:<24}{:>16}{share}", number(metric.mean))?;
            }
            // Those left out here are in the line of the episodes.
            let labels = self.flags.iter().filter(|(name, count)| {
                **count > 0
                    && ![FORFEITED, REFUSED, UNSCORED, FEWER_JUDGES].contains(&name.as_str())
            });
            for (name, count) in labels {
                writeln!(f, "  {name:<24}{count:>16}")?;
            }
        }
        let remarks = self.remarks();
        let notes = self.notes.iter().chain(&remarks);
        for note in notes.chain(&self.usage.notes) {
            writeln!(f, "  note: {}", shown_name(note))?;
        }
        write!(f, "  {:.2} s", self.seconds)?;
        match &self.out {
            Some(out) => writeln!(f, ", records in {}", shown_name(out)),
            None => writeln!(f),
        }
    }
}

impl Summary {
    /// What went wrong in the episodes, in words.
    fn counts(&self) -> String {
        let mut parts = vec![format!("{} failed", self.failed)];
        let flag = |name: &str| self.flags.get(name).copied();
        parts.extend(flag(FORFEITED).map(|count| counted(count, "forfeited turn")));
        parts.extend(flag(REFUSED).map(|count| counted(count, "refused call")));
        let unscored = flag(UNSCORED).filter(|count| *count > 0);
        parts.extend(unscored.map(|count| format!("{count} more without a score")));
        let fewer = flag(FEWER_JUDGES).filter(|count| *count > 0);
        parts.extend(fewer.map(|count| format!("{count} scored by fewer judges than asked")));
        parts.join(", ")
    }
}

impl ModelUsage {
    /// The cost in words; a cost of 0 is `no price`, because 0 USD would say that the run was free.
    #[must_use]
    pub fn cost_words(&self) -> String {
        if self.cost_usd > 0.0 {
            format!("{} USD", number(self.cost_usd))
        } else {
            "no price".to_owned()
        }
    }
}

/// Requests, tokens and cost; nothing if no model was asked.
impl fmt::Display for ModelUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.requests == 0 {
            return Ok(());
        }
        let (read, written) = (self.tokens_in as f64, self.tokens_out as f64);
        line(f, "requests", Some(self.requests as f64), "")?;
        let parts = format!("{} read, {} written", number(read), number(written));
        line(f, "tokens", Some(read + written), &parts)?;
        if self.cost_usd > 0.0 {
            writeln!(f, "  {:<12}{:>16}", "cost [USD]", fine(self.cost_usd))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::{Score, Tally};

    fn against() -> RowReference {
        RowReference::new(&crate::run_dir::references::MeasuredAgainst {
            open: None,
            reference: sim_core::Reference::none(),
            own_information: None,
        })
    }

    /// They are not observations; each reason is told once.
    #[test]
    fn episodes_without_a_score_are_told_by_reason() {
        let mut collected = Collected::default();
        let names = collected.names();
        let unscored = |why: &str| Score::unscored(why).unwrap();
        let scores = [
            Score::new(2.0).unwrap(),
            unscored("no judge"),
            unscored("the reference fails"),
            unscored("no judge"),
        ];
        for (index, score) in (0..).zip(&scores) {
            let kept = names.keep(score, Tally::default(), None);
            assert_eq!(kept.is_scored(), index == 0);
            collected.add(index, kept, against());
        }
        assert_eq!((collected.len(), collected.is_empty()), (1, false));
        assert_eq!(
            collected.unscored_notes(),
            [
                "2 episodes without a score: no judge",
                "1 episode without a score: the reference fails"
            ]
        );
        assert!(collected.incidents.is_empty(), "{:?}", collected.incidents);
    }

    /// Threads finish in any order; the sums must not notice.
    #[test]
    fn the_order_of_arrival_moves_no_digit() {
        let score = |k: u64| {
            let value = 0.1 * k as f64;
            let score = Score::new(value).unwrap().metric("a", value * 3.7);
            if k.is_multiple_of(2) {
                score.metric("b", value)
            } else {
                score
            }
        };
        let collect = |order: &[u64]| {
            let mut collected = Collected::default();
            let names = collected.names();
            for &k in order {
                let kept = names.keep(&score(k), Tally::default(), None);
                collected.add(k, kept, against());
            }
            let (names, places) = names.places();
            let rows = collected.rows.into_iter();
            rows.map(|(_, row)| {
                let metrics = kept::values(row.names, &row.metrics, &places);
                let named = metrics.map(|(at, value)| (names[at].clone(), value.to_bits()));
                (row.value.to_bits(), named.collect::<Vec<_>>())
            })
            .collect::<Vec<_>>()
        };
        let found = collect(&[0, 1, 2, 3, 4]);
        assert_eq!(found, collect(&[3, 1, 4, 0, 2]));
        assert_eq!(
            found.iter().map(|row| row.1.len()).collect::<Vec<_>>(),
            [2, 1, 2, 1, 2]
        );
    }

    /// Records of somebody else may have other metrics in each episode; what is kept of one must not grow with their
    /// number.
    #[test]
    fn an_episode_keeps_its_own_metrics_alone() {
        let names = MetricNames::default();
        let kept: Vec<Kept> = (0..2_000)
            .map(|k| {
                let score = Score::new(0.0).unwrap();
                let score = score.metric(format!("m{k:04}"), f64::from(k));
                names.keep(&score, Tally::default(), None)
            })
            .collect();
        let (all, places) = names.places();
        assert_eq!(all.len(), kept.len());
        for (at, kept) in kept.iter().enumerate() {
            assert_eq!(kept.metrics.len(), 1);
            let held: Vec<_> = kept.metrics(&places).collect();
            assert_eq!(held, [(at, at as f64)]);
        }
    }
}
