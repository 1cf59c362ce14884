//! The pictures of an environment.

use super::{expect, play};
use crate::dyn_spec::{DynEnvironmentSpec, DynInstance};
use crate::plot::Plot;
use crate::record::EpisodeRecord;
use crate::seed::Seed;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checks the pictures of one episode of each preset that `policy` plays, and returns those of the
/// first preset: at least two, with different names, none of them empty, all numbers finite, the same
/// in each call.
///
/// # Errors
/// Names the preset and the broken promise.
pub fn check_plots(spec: &dyn DynEnvironmentSpec, policy: &str) -> Result<Vec<Plot>, String> {
    let mut first = None;
    for preset in spec.preset_list() {
        let at = |e: String| format!("{} preset `{}`: {e}", spec.name(), preset.name);
        let plots = of_preset(spec, preset.name, policy).map_err(at)?;
        first.get_or_insert(plots);
    }
    first.ok_or_else(|| format!("{} has no preset", spec.name()))
}

/// The record of one episode of a preset that `policy` plays, and its pictures, for the tests of a
/// simulator that compare the two. `run` is the seed of the run of which it is the first episode.
///
/// # Errors
/// When the preset cannot be played by the policy, or the pictures cannot be made.
pub fn play_plots(
    spec: &dyn DynEnvironmentSpec,
    preset: &str,
    policy: &str,
    run: Seed,
) -> Result<(EpisodeRecord, Vec<Plot>), String> {
    let (instance, record) = played(spec, preset, policy, run)?;
    let plots = instance.plots(&record).map_err(|e| e.to_string())?;
    Ok((record, plots))
}

fn played(
    spec: &dyn DynEnvironmentSpec,
    preset: &str,
    policy: &str,
    run: Seed,
) -> Result<(Arc<dyn DynInstance>, EpisodeRecord), String> {
    let config = spec
        .configure(Some(preset), &[])
        .map_err(|e| e.to_string())?;
    let instance = spec.draw(&config, run, 0).map_err(|e| e.to_string())?;
    let record = play(spec, &*instance, policy)?;
    Ok((instance, record))
}

fn of_preset(
    spec: &dyn DynEnvironmentSpec,
    preset: &str,
    policy: &str,
) -> Result<Vec<Plot>, String> {
    let (instance, record) = played(spec, preset, policy, Seed(2_024))?;
    let plots = instance.plots(&record).map_err(|e| e.to_string())?;
    let again = instance.plots(&record).map_err(|e| e.to_string())?;
    expect(plots == again, "the same record gives other plots")?;
    expect(plots.len() >= 2, "there are fewer than two plots")?;
    let names: BTreeSet<&str> = plots.iter().map(|plot| plot.name.as_str()).collect();
    expect(names.len() == plots.len(), "two plots have the same name")?;
    for plot in &plots {
        plot.check()?;
        expect(!plot.is_empty(), &format!("plot `{}` is empty", plot.name))?;
    }
    // An episode that has not begun has pictures too, which may be empty.
    let mut unplayed = record;
    unplayed.entries.clear();
    for plot in instance.plots(&unplayed).map_err(|e| e.to_string())? {
        plot.check()?;
    }
    Ok(plots)
}
