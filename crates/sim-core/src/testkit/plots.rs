//! The pictures of an environment.

use super::{expect, play};
use crate::dyn_spec::DynEnvironmentSpec;
use crate::plot::Plot;
use crate::seed::Seed;
use std::collections::BTreeSet;

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

fn of_preset(
    spec: &dyn DynEnvironmentSpec,
    preset: &str,
    policy: &str,
) -> Result<Vec<Plot>, String> {
    let config = spec
        .configure(Some(preset), &[])
        .map_err(|e| e.to_string())?;
    let instance = spec
        .draw(&config, Seed(2_024), 0)
        .map_err(|e| e.to_string())?;
    let record = play(spec, &*instance, policy)?;
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
