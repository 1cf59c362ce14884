//! `report`: one HTML file that says which agent is better, by how much, how surely, and how far from
//! the optimum, and that shows single episodes. It needs no network and no other file.

mod collect;
mod content;
mod extremes;
mod labelled;
mod matrix;
mod page;
mod plots;
pub(crate) mod spending;
mod spread;

pub use content::{ReportAgent, ReportContent, ReportTask};
pub use matrix::Share;
pub use plots::level_figure;

use crate::compare::{Measured, Scale, asked_differently, measured_with_first};
use crate::others::others_in_words;
use crate::questions::labels::Labels;
use crate::runs::Pool;
use crate::runs::labels::settings_apart;
use collect::{AgentData, Depth, raise_best_known};
use page::{GroupPage, Page};
use run_engine::error::RunError;
use run_engine::plan::setting::Setting;
use run_engine::registry::Registry;
use run_engine::run_dir::Folder;
use run_engine::run_dir::references::References;
use run_engine::words::counted;
use std::collections::{BTreeMap, BTreeSet};

/// Episodes of an agent that are played again for its refusals.
const REPLAYED: usize = 200;

/// Inputs of an agent that are played again, roughly.
const INPUTS: usize = 50_000;

/// Size of all transcripts of a report together \[bytes\]: a report of many runs still opens fast.
const TRANSCRIPTS: usize = 8_000_000;

/// Sizes between which one transcript may be cut \[bytes\].
const TRANSCRIPT: (usize, usize) = (2_000, 200_000);

/// A report as a page and as data.
#[derive(Debug)]
pub struct Report {
    /// The page.
    pub html: String,
    /// The content of the page as data.
    pub content: ReportContent,
}

/// The report over `pools`. `open` lists what is missing, one sentence each, and comes first on the page. If `labels`
/// or a routed run states the capability and difficulty of questions, their scores are also shown by these.
///
/// # Errors
/// When a folder cannot be read, a record does not replay, or a plot cannot be drawn.
pub fn report(
    registry: &Registry,
    pools: Vec<Pool>,
    open: Vec<String>,
    labels: &Labels,
) -> Result<Report, RunError> {
    let depth = Depth {
        replayed: REPLAYED,
        inputs: INPUTS,
        // Two transcripts of each agent, the best and the worst.
        transcript: (TRANSCRIPTS / (2 * pools.len()).max(1)).clamp(TRANSCRIPT.0, TRANSCRIPT.1),
    };
    let mut tasks = BTreeMap::<(String, String), BTreeMap<_, Vec<Pool>>>::new();
    for pool in pools {
        let plan = pool.plan();
        // Runs of lists that overlap are compared instance by instance.
        let preset = plan.list.is_none().then(|| plan.preset.clone());
        let key = (plan.environment.clone(), preset.unwrap_or_default());
        let settings = tasks.entry(key).or_default();
        // Marks of other judges are another scale.
        let measured = others_in_words(plan, registry.kind(&plan.environment)?);
        settings
            .entry((pool.task()?, measured))
            .or_default()
            .push(pool);
    }
    let mut pages = Vec::new();
    for ((environment, preset), settings) in tasks {
        let plans: Vec<_> = settings
            .values()
            .filter_map(|pools| pools.first().map(Pool::plan))
            .collect();
        let apart = settings_apart(&plans);
        for (apart, ((_, measured), pools)) in apart.into_iter().zip(settings) {
            // Settings that differ from the preset are named, also if all runs share them.
            let kind = registry.kind(&environment)?;
            let setting = pools.first().map(|pool| Setting::of(kind, pool.plan()));
            let preset = if preset.is_empty() {
                in_short(pools.iter().flat_map(|pool| pool.plan().preset.split(',')))
            } else {
                preset.clone()
            };
            let own = setting.unwrap_or_default().words();
            // Settings that tell tasks apart and differ from the preset are in both lists.
            let words = std::iter::once(&*own)
                .chain(apart.split(", ").filter(|words| !own.contains(words)));
            let words = words.chain([measured.as_str()]);
            let words: Vec<&str> = words.filter(|words| !words.is_empty()).collect();
            let mut title = format!("{environment} · {preset}");
            if !words.is_empty() {
                title = format!("{title} · {}", words.join(", "));
            }
            pages.push(group(registry, title, pools, depth, labels)?);
        }
    }
    let page = Page::new(pages, open);
    Ok(Report {
        html: page::render(&page)?,
        content: page.into_content(),
    })
}

/// Most lists that a title names; more are counted.
const LISTED: usize = 3;

/// The lists by name, each once, or their number if there are many.
fn in_short<'l>(lists: impl Iterator<Item = &'l str>) -> String {
    let mut met = BTreeSet::new();
    let known: Vec<&str> = lists.filter(|list| met.insert(*list)).collect();
    if known.len() > LISTED {
        counted(known.len() as u64, "list")
    } else {
        known.join(",")
    }
}

fn group(
    registry: &Registry,
    title: String,
    mut pools: Vec<Pool>,
    depth: Depth,
    labels: &Labels,
) -> Result<GroupPage, RunError> {
    // The title says what the task is; names say what differs within it.
    Pool::tell_apart(&mut pools);
    // All agents of a task are measured by the same references, no matter whose run found them.
    let runs = pools.iter().flat_map(Pool::runs);
    let folders = runs.flat_map(|run| &run.folders);
    let references = References::recorded(&folders.map(Folder::references).collect::<Vec<_>>())?;
    let mut all = Vec::new();
    let Some(first) = pools.first() else {
        return Err(RunError::usage("there is no run to report"));
    };
    let spec = registry.kind(&first.plan().environment)?;
    for pool in &pools {
        all.push(AgentData::collect(
            registry,
            pool,
            &references,
            depth,
            pools.len() > 1,
        )?);
    }
    let sense = spec.sense();
    // Best first; those without a finished episode last.
    all.sort_by(|(a, _), (b, _)| {
        match (a.content.summary.score.mean, b.content.summary.score.mean) {
            (Some(a), Some(b)) => sense.regret(a, 0.0).total_cmp(&sense.regret(b, 0.0)),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    });
    let (mut data, measured): (Vec<AgentData>, Vec<Option<Measured>>) = all.into_iter().unzip();
    raise_best_known(&mut data, sense);
    // One that shares no instance with the first is still ranked, without a verdict.
    let measured: Vec<Measured> = measured.into_iter().flatten().collect();
    // The verdict of an agent is against the first, so the order must be final before it is asked
    // for.
    let against = measured_with_first(&Scale::of(spec), &measured);
    let unit = spec.unit();
    let plots = [
        plots::intervals(&data, unit)?,
        plots::distributions(&data, unit)?,
        spread::by_part(&data, unit)?,
        labelled::judges(&data)?,
        labelled::routed(&data)?,
    ];
    let mut plots: Vec<_> = plots.into_iter().flatten().collect();
    plots.extend(labelled::by_label(&data, labels)?);
    plots.extend(spread::learning(&data, unit)?);
    plots.extend(spread::against_cost(&data, unit)?);
    // How models were asked belongs to the description of the task.
    let ways = asked_differently(&measured.iter().collect::<Vec<_>>());
    let about = std::iter::once(spec.about().about.to_owned()).chain(ways);
    let about = about.collect::<Vec<_>>().join("; ");
    Ok(GroupPage::new(
        spec,
        (title, &about),
        &data,
        &against,
        plots,
    ))
}
