//! `compare`: runs, and the members of sweeps.

use super::Console;
use super::output::{Output, OutputKind};
use super::records::{pools, remark_all};
use run_engine::error::RunError;
use run_engine::files::run_file;
use run_engine::registry::Registry;
use run_engine::run_dir::manifest::{self, MANIFEST};
use run_engine::run_dir::members::{SWEEP, is_run};
use run_engine::sweep::Sweep;
use run_engine::terminal::shown_path;
use run_report::compare::{
    Comparison, across_presets, comparable, compare as compare_pools, compare_what_can_be,
};
use run_report::report::level_figure;
use run_report::runs::Pool;
use run_report::runs::unfinished::planned_members;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub(super) fn compare(
    dirs: &[PathBuf],
    json: bool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    // Runs that are named one by one are one comparison: what cannot be compared is an error, and
    // not left out.
    let by_hand = dirs.iter().all(|dir| is_run(dir));
    let (mut pools, _) = pools(dirs, console)?;
    in_order_of_plans(&mut pools, dirs, console.registry);
    if by_hand {
        return console.show(json, &compare_pools(console.registry, &pools)?);
    }
    // A folder of runs has many tasks. Each task is compared separately, and a member without records
    // does not stop the others.
    let mut compared = 0;
    let mut take = |comparison: Option<Comparison>, left: &[String], console: &mut Console<'_>| {
        remark_all(left, console)?;
        let Some(comparison) = comparison else {
            return Ok(());
        };
        compared += 1;
        console.show(json, &comparison)
    };
    for mut group in comparable(console.registry, pools)? {
        Pool::tell_apart(&mut group);
        let (comparison, left) = compare_what_can_be(console.registry, &group)?;
        take(comparison, &left, console)?;
    }
    if compared == 0 {
        return Err(RunError::usage(
            "nothing in these folders can be compared: of each task there is at most one agent with \
             records, or each has its own judge",
        ));
    }
    Ok(())
}

/// Compares the presets that each agent of `dirs` played, and draws the file `figure` if it is
/// named.
pub(super) fn across(
    dirs: &[PathBuf],
    figure: Option<&Path>,
    json: bool,
    console: &mut Console<'_>,
) -> Result<(), RunError> {
    let file = Output::named(figure, OutputKind::FIGURE)?;
    let (pools, _) = pools(dirs, console)?;
    let compared = across_presets(console.registry, &pools)?;
    if let Some(file) = file {
        file.write(level_figure(&compared)?)?;
    }
    console.show(json, &compared)?;
    match figure {
        Some(path) if !json => console.print(&format!("figure in {}\n", shown_path(path))),
        _ => Ok(()),
    }
}

/// Puts the agents of sweeps in the order of their plans: the other agents of a task are compared
/// with the first. The names of folders of questions would have to be made from their data, which may have been moved:
/// they are in the order in which they were begun. Others whose plan can no longer be built keep the order of their names.
fn in_order_of_plans(pools: &mut [Pool], dirs: &[PathBuf], registry: &Registry) {
    let mut order = BTreeMap::new();
    for dir in dirs.iter().filter(|dir| dir.join(SWEEP).exists()) {
        let sweep = Sweep::read(&dir.join(SWEEP));
        let names = sweep.and_then(|(sweep, _)| planned_members(&sweep, registry, dir));
        for name in names.unwrap_or_default() {
            let place = order.len();
            order.entry(dir.join(name)).or_insert(place);
        }
    }
    let place = |pool: &Pool| {
        let folders = pool.runs().flat_map(|run| &run.folders);
        let places = folders.filter_map(|folder| order.get(folder.path()).copied());
        // `Ok` comes before `Err`: first the runs of a plan in its order, then the others by their
        // beginning.
        places.min().ok_or_else(|| begun(pool, dirs))
    };
    pools.sort_by_cached_key(place);
}

/// When the first run of a sweep in `dirs` was begun.
fn begun(pool: &Pool, dirs: &[PathBuf]) -> Option<(u64, Option<SystemTime>)> {
    let folder = pool.runs().find_map(|run| run.folders.first())?.path();
    let mut sweeps = dirs.iter().filter(|dir| dir.join(SWEEP).exists());
    sweeps.find(|dir| folder.starts_with(dir))?;
    let manifest = manifest::value(folder).ok()?;
    let started = manifest.get("started_unix")?.as_u64()?;
    // Runs that began in the same second are told apart by the time of the file, which a copy may lose.
    let written = run_file::about(&folder.join(MANIFEST)).and_then(|file| file.modified().ok());
    Some((started, written))
}
