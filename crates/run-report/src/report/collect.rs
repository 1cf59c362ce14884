//! What the report shows of one agent: a run, or several that differ in their seed.

use super::content::ReportAgent;
use super::extremes::Extremes;
use super::matrix::Share;
use super::spending::spending;
use crate::compare::{Extent, Measured, Met, compared_by, observed};
use crate::picture::not_drawn;
use crate::questions::LabelledRow;
use crate::questions::labels::Labels;
use crate::runs::{Pool, all_failures, refused_by_servers};
use pictures::{Picture, as_pictures};
use run_engine::engine::summary::{
    BestReached, Collected, Kept, MetricSummary, RowReference, Summary,
};
use run_engine::engine::verify::transcript_of;
use run_engine::error::RunError;
use run_engine::plan::Plan;
use run_engine::plan::source::InstanceSource;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::references::References;
use run_engine::run_dir::stamp::VerifyStatus;
use run_engine::terminal::shown_path;
use sim_core::{Digest, DynInstance, EpisodeRecord, Seed, Sense, ToolReply};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Size of a plot of an episode in a report \[bytes\].
const MOST_PICTURE: usize = 150_000;

/// How far the report looks into a pool of runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Depth {
    /// Episodes that are played again for the refusals.
    pub(super) replayed: usize,
    /// Inputs of them together, roughly.
    pub(super) inputs: usize,
    /// Longest transcript \[bytes\].
    pub(super) transcript: usize,
}

/// Scores, labels and two episodes of a pool of runs.
#[derive(Debug)]
pub(super) struct AgentData {
    /// What the page and the data say of it; not yet compared with others.
    pub(super) content: ReportAgent,
    /// The plan, with the least seed.
    pub(super) plan: Plan,
    /// The scores with their references, to be measured again by what other runs reached.
    pub(super) collected: Collected,
    /// The records of instances with labels, such as questions.
    pub(super) rows: Vec<LabelledRow>,
    /// What a policy that chose the methods knew of the questions.
    pub(super) labels: Labels,
    /// Whether a policy chose the methods.
    pub(super) is_routed: bool,
    /// Score of every episode, by seed and number.
    pub(super) values: Vec<f64>,
    /// Plots of the best episode.
    pub(super) pictures: Vec<Picture>,
    /// Whether the records of each folder were verified, in the order of the folders.
    pub(super) folders: Vec<(String, VerifyStatus)>,
}

/// What is kept of one record until it is counted; small, because there may be a million.
struct Seen {
    compared_by: Digest,
    place: (Seed, u64),
    kept: Kept,
    row: Option<Box<LabelledRow>>,
    against: RowReference,
    /// Codes of the refused inputs of an episode that was played again.
    refusals: Option<Box<[String]>>,
}

impl AgentData {
    /// Reads a pool as deep as `depth` says, and measures it by `references`. The scores that a comparison with
    /// other pools needs are returned beside it if `is_compared`.
    pub(super) fn collect(
        registry: &Registry,
        pool: &Pool,
        references: &References,
        depth: Depth,
        is_compared: bool,
    ) -> Result<(Self, Option<Measured>), RunError> {
        let plan = pool.plan();
        let spec = registry.kind(&plan.environment)?;
        // Refused here, because every number below is against instances and references of this
        // program.
        if spec.version() != plan.version {
            return Err(RunError::usage(format!(
                "{} was made with version {} of its environment, this program has version {}; \
                 see `boardroom rescore`",
                pool.name(),
                plan.version,
                spec.version()
            )));
        }
        let sources = pool.sources(spec)?;
        let chance = pool.chance(spec, &sources);
        let extremes = Extremes::new(spec.sense());
        let mut collected = Collected::new(spec);
        let names = collected.names();
        let (mut values, mut refusals) = (Vec::new(), BTreeMap::<String, u64>::new());
        let (mut measured, mut rows, mut records) = (Vec::new(), Vec::new(), 0);
        let mut replayed = 0;
        for (place, (run, source)) in pool.runs().zip(&sources).enumerate() {
            // Each seed gives its share of the episodes that are played again.
            let part = (place as u64, sources.len() as u64);
            let see = |record: EpisodeRecord| {
                let episode = record.header.episode;
                let case = source.case(episode)?;
                let against = RowReference::new(&*references.of(&*case)?);
                // Of long games fewer: the time that a report takes does not grow with their length.
                let most = (depth.inputs / record.entries.len().max(1)).clamp(1, depth.replayed);
                let is_replayed = episode < share(most as u64, part);
                let refusals = is_replayed.then(|| refusals_of(&*case, &record));
                extremes.see(&record);
                // Only listed instances, such as questions and cases, have labels.
                let labels = if source.distinct().is_some() {
                    case.labels()
                } else {
                    Vec::new()
                };
                let compared_by = compared_by(source, &record.header)?;
                let labelled = (!labels.is_empty())
                    .then(|| Box::new(LabelledRow::new(labels, compared_by, &record)));
                Ok(Seen {
                    compared_by,
                    row: labelled,
                    place: (record.header.seed, episode),
                    kept: names.keep(&record.score, record.tally(), None),
                    against,
                    refusals: refusals.transpose()?,
                })
            };
            for seen in drained(run.scan(see)?) {
                let value = seen.kept.value();
                rows.extend(seen.row.map(|row| *row));
                records += 1;
                if seen.kept.is_scored() {
                    let met = Met::in_episode(seen.compared_by, seen.place, plan);
                    measured.push((met, value));
                    // One list over all seeds, in their order, so that a learning curve goes on
                    // from run to run.
                    values.push(value);
                }
                collected.add(records, seen.kept, seen.against);
                if let Some(codes) = seen.refusals {
                    replayed += 1;
                    for code in codes {
                        *refusals.entry(code).or_default() += 1;
                    }
                }
            }
        }
        // The numbers of episodes begin anew in each run, so the seed says whose episode it is.
        let whose = |record: EpisodeRecord| {
            let mut runs = pool.runs().zip(&sources);
            let run = runs.find(|(run, _)| run.plan.seed == record.header.seed);
            run.map(|(_, source)| (source, record))
        };
        let text = |(source, record): &(&InstanceSource<'_>, EpisodeRecord)| {
            let text = cut(transcript_of(source, record)?, depth.transcript);
            Ok(format!("seed {}, {text}", record.header.seed.0))
        };
        let (best, worst) = extremes.into_best_and_worst();
        let (best, worst) = (best.and_then(whose), worst.and_then(whose));
        let pictures = best
            .as_ref()
            .map(|(source, record)| pictures(source, record));
        let texts = [&best, &worst].map(|found| found.as_ref().map(text));
        let [best, worst] = texts.map(|text: Option<Result<String, RunError>>| text.transpose());
        let observed = observed(measured.iter().map(|(met, _)| met), chance);
        let different: BTreeSet<_> = measured.iter().map(|(met, _)| &met.instance).collect();
        let different = different.len();
        // Only a comparison asks for the scores again, and the estimates that follow take as much room.
        let measured = is_compared.then_some(measured);
        let normalised = collected.normalised(spec, &observed);
        let normalised = normalised.and_then(|sum| Share::of(&sum));
        let is_chance = Some(observed.as_slice()).filter(|_| !chance.exact);
        let mut summary = collected.summarise(spec, plan, is_chance);
        by_task(&rows, &mut summary);
        // Distinct observations and not instances: a pass over a short list is one observation.
        let distinct = observed.iter().collect::<BTreeSet<_>>().len();
        summary.agent = pool.agent();
        let folders = || pool.runs().flat_map(|run| &run.folders);
        summary.usage = spending(folders().map(Folder::path))?;
        summary.usage.notes.extend(refused_by_servers(folders()));
        let failures = all_failures(folders())?;
        summary.failed = failures.len() as u64;
        summary.count_failures(&failures);
        let causes = summary.causes.clone();
        let measured = measured
            .map(|scores| Measured::of_scores(spec, pool, chance, (scores, records), causes));
        let folders = statuses(folders().map(Folder::path))?;
        let content = ReportAgent {
            summary,
            extent: Extent {
                episodes: values.len(),
                seeds: pool.seeds(),
                instances: different,
                distinct,
                settled: chance.settled,
            },
            normalised,
            against_first: None,
            verified: pool.standing()?,
            folders: folders.iter().cloned().collect(),
            replayed,
            refusals,
            failures,
            best: best?,
            worst: worst?,
        };
        let routing = plan.routing.as_ref();
        let data = Self {
            content,
            plan: plan.clone(),
            collected,
            rows,
            labels: routing.map_or_else(Labels::new, |routing| routing.labels.clone()),
            is_routed: routing.is_some(),
            values,
            pictures: pictures.transpose()?.unwrap_or_default(),
            folders,
        };
        Ok((data, measured.transpose()?))
    }
}

/// The items of a list, whose memory is given back while they are taken: what is made of a million episodes takes the
/// room that they leave.
fn drained<T>(mut items: Vec<T>) -> impl Iterator<Item = T> {
    // From the end, where taking an item moves no other one.
    items.reverse();
    std::iter::from_fn(move || {
        // Now and then, because a list that shrinks may be copied as a whole.
        if items.len().is_multiple_of(1 << 16) {
            items.shrink_to_fit();
        }
        items.pop()
    })
}

/// Measures all agents of a task by the best known values that any of them reached.
pub(super) fn raise_best_known(data: &mut [AgentData], sense: Sense) {
    let mut best = BestReached::new();
    for collected in data.iter().map(|run| &run.collected) {
        for (instance, value) in collected.best_reached(sense) {
            let held = best.entry(instance).or_insert(value);
            if sense.better(value, *held) {
                *held = value;
            }
        }
    }
    if best.is_empty() {
        return;
    }
    for run in data {
        (run.collected).measure(&mut run.content.summary, sense, &best);
    }
}

/// Adds the mean score of each task to the metrics of a run of questions of several tasks.
fn by_task(rows: &[LabelledRow], summary: &mut Summary) {
    let mut tasks: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    // An interview has a case and no task.
    for row in rows.iter().filter(|row| row.task() != row.item()) {
        tasks.entry(row.task()).or_default().extend(row.score);
    }
    if tasks.len() < 2 {
        return;
    }
    for (task, scores) in tasks {
        let metric = MetricSummary::of(&scores);
        summary
            .metrics
            .extend(metric.map(|metric| (task.to_owned(), metric)));
    }
}

/// What is known of each of the run folders `paths`.
fn statuses<'a>(
    paths: impl Iterator<Item = &'a Path>,
) -> Result<Vec<(String, VerifyStatus)>, RunError> {
    let one = |path: &'a Path| {
        let status = VerifyStatus::of_all(std::iter::once(path))?;
        Ok((shown_path(path), status))
    };
    paths.map(one).collect()
}

/// The plots of an episode, without those that would make the page large.
fn pictures(source: &InstanceSource<'_>, record: &EpisodeRecord) -> Result<Vec<Picture>, RunError> {
    let plots = source.case(record.header.episode)?.plots(record)?;
    let mut drawn = as_pictures(&plots).map_err(not_drawn)?;
    // Left out whole: half an SVG is none.
    drawn.retain(|picture| picture.svg.len() <= MOST_PICTURE);
    Ok(drawn)
}

/// How many of `most` episodes fall to run number `part.0` of `part.1`, spread evenly.
fn share(most: u64, part: (u64, u64)) -> u64 {
    let (place, count) = part;
    let before = |place: u64| most.saturating_mul(place) / count.max(1);
    before(place + 1) - before(place)
}

/// The beginning of a transcript that is too long for the page, with what shows all of it.
fn cut(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let end = (0..=most).rfind(|&at| text.is_char_boundary(at));
    let (kept, _) = text.split_at(end.unwrap_or_default());
    format!("{kept}\n... cut here; `boardroom replay DIR --episode K` shows all of it")
}

/// Codes of the inputs of an episode that its environment refused: a record holds the inputs and not the replies.
fn refusals_of(case: &dyn DynInstance, record: &EpisodeRecord) -> Result<Box<[String]>, RunError> {
    let mut env = case.open()?;
    let replies = record.entries.iter().map(|entry| env.apply(&entry.input));
    let codes = replies.filter_map(|reply| match reply {
        ToolReply::Rejected { code, .. } => Some(code),
        _ => None,
    });
    Ok(codes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_played_again_is_spread_over_the_seeds() {
        let shares = |most, count| -> Vec<u64> {
            (0..count)
                .map(|place| share(most, (place, count)))
                .collect()
        };
        assert_eq!(shares(200, 1), [200]);
        assert_eq!(shares(7, 3), [2, 2, 3]);
        assert_eq!(shares(2, 4), [0, 1, 0, 1]);
    }

    #[test]
    fn long_transcripts_are_cut_between_letters() {
        assert_eq!(cut("short".to_owned(), 5), "short");
        assert!(cut("aé".repeat(10), 5).starts_with("aéa\n... cut here"));
    }
}
