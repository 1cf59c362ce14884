//! Checks that the references that a search stored in a folder are those that this program finds.

use crate::error::RunError;
use crate::plan::Plan;
use crate::plan::source::InstanceSource;
use crate::run_dir::Folder;
use crate::run_dir::outcome::{Check, Verified};
use crate::run_dir::references::{Line, lines};
use crate::terminal::shown_path;
use crate::words::counted;
use sim_core::{Digest, DynEnvironmentSpec, DynInstance, Effort, Reference, Seed, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Number of references that are searched again.
const SAMPLE: usize = 10;

/// Largest relative difference between two ways of finding a value.
const ROUNDING: f64 = 1e-9;

/// Checks the references of `folder`, whose records are of `episodes`.
///
/// # Errors
/// When the file cannot be read or an instance cannot be drawn.
pub(super) fn check(
    found: &mut Verified,
    kind: &dyn DynEnvironmentSpec,
    source: &InstanceSource<'_>,
    folder: &Folder,
    episodes: &[u64],
) -> Result<(), RunError> {
    let (path, effort) = (folder.references(), folder.manifest.plan.effort);
    let stored = lines(&path)?;
    let place = |number: usize| format!("references.jsonl line {}", number + 1);
    if effort == Effort::Quick {
        if !stored.is_empty() {
            let what = "the plan asks for quick references, which are not stored: remove the file";
            found.find(Check::References, "references.jsonl", what);
        }
        return Ok(());
    }
    if stored.is_empty() && episodes.is_empty() {
        return Ok(());
    }
    let cases = cases_of(&stored, source, &folder.manifest.plan, episodes);
    let mut held = BTreeSet::new();
    let mut sound: Vec<(usize, &Line, &dyn DynInstance)> = Vec::new();
    for (number, line) in stored.iter().enumerate() {
        let wrong = match line {
            Err(what) => what.clone(),
            Ok(line) if !held.insert(line.instance) => {
                "an earlier line has the same instance".to_owned()
            }
            Ok(line) if line.effort != effort => "it does not come from a search".to_owned(),
            Ok(line) => match cases.get(&line.instance) {
                None => "its instance is not part of the run".to_owned(),
                Some(case) => {
                    sound.push((number, line, &**case));
                    continue;
                }
            },
        };
        found.find(Check::References, place(number), wrong);
    }
    for episode in episodes {
        let instance = source.case(*episode)?.digest();
        if held.insert(instance) {
            let what = format!(
                "its instance has no reference, but the plan asks for a search: run `boardroom resume \
                 {}`",
                shown_path(folder.path())
            );
            found.find(Check::References, format!("episode {episode}"), what);
        }
    }
    let (sample, others) = drawn(sound)?;
    let count = sample.len() as u64;
    for (number, what) in at_once(&sample, searched) {
        found.find(Check::References, place(number), what);
    }
    let rest = others.len() as u64;
    for (number, what) in at_once(&others, |line, case| quick(kind, line, case)) {
        found.find(Check::References, place(number), what);
    }
    if found.failed(Check::References) {
        return Ok(());
    }
    if count > 0 {
        found.prove(
            Check::References,
            format!(
                "{} (effort search), searched again",
                counted(count, "reference")
            ),
        );
    }
    if rest > 0 {
        found.leave(
            Check::References,
            format!("{} more", counted(rest, "reference")),
            format!("only a sample of {SAMPLE} was searched again; these agree with quick bounds"),
        );
    }
    Ok(())
}

/// The instances that the lines are of, as far as they are those of the plan. Only these are kept: a
/// plan may have ten million.
fn cases_of(
    stored: &[Result<Line, String>],
    source: &InstanceSource<'_>,
    plan: &Plan,
    episodes: &[u64],
) -> BTreeMap<Digest, Arc<dyn DynInstance>> {
    let lines = stored.iter().filter_map(|line| line.as_ref().ok());
    let mut wanted: BTreeSet<Digest> = lines.map(|line| line.instance).collect();
    let mut cases = BTreeMap::new();
    let all = source.distinct();
    // The same instances come again in a list of them.
    let once = plan.indices().take(all.unwrap_or(usize::MAX));
    for index in episodes.iter().copied().chain(once) {
        if wanted.is_empty() {
            break;
        }
        // One that cannot be drawn has no reference.
        let Ok(case) = source.case(index) else {
            continue;
        };
        if wanted.remove(&case.digest()) {
            cases.insert(case.digest(), case);
        }
    }
    cases
}

type Entry<'a> = (usize, &'a Line, &'a dyn DynInstance);

/// The sample, which depends on every line, and the other references.
fn drawn(mut all: Vec<Entry<'_>>) -> Result<(Vec<Entry<'_>>, Vec<Entry<'_>>), RunError> {
    let lines: Vec<&Line> = all.iter().map(|(_, line, _)| *line).collect();
    let digest = Digest::of(&lines).map_err(RunError::failed)?;
    let Digest([a, b, c, d, e, f, g, h, ..]) = digest;
    let seed = Seed(u64::from_be_bytes([a, b, c, d, e, f, g, h]));
    let mut sample = Vec::new();
    // The seed is the digest of all lines: to choose which references escape the sample, a forger would have to
    // change lines until the draw suits, and each change draws anew.
    while !all.is_empty() && sample.len() < SAMPLE {
        let place = seed
            .stream("references", sample.len() as u64)
            .below(all.len() as u64);
        let place = usize::try_from(place).map_err(RunError::failed)?;
        sample.push(all.swap_remove(place));
    }
    Ok((sample, all))
}

/// The results of `check` for all entries, on all cores, in the order of lines.
fn at_once(
    entries: &[Entry<'_>],
    check: impl Fn(&Line, &dyn DynInstance) -> Option<String> + Sync,
) -> Vec<(usize, String)> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        // A shared counter, because one search may take as long as all others together.
        while let Some((number, line, case)) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(what) = check(line, *case) {
                let mut wrong = wrong.lock().unwrap_or_else(PoisonError::into_inner);
                wrong.push((*number, what));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(entries.len()) {
            scope.spawn(work);
        }
    });
    let mut wrong = wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Threads end in any order; findings must not.
    wrong.sort();
    wrong
}

/// Searches the instance of a reference again and returns what is wrong with the reference.
fn searched(line: &Line, case: &dyn DynInstance) -> Option<String> {
    // Equal to the bit: the same search takes the same steps. Only `quick` compares two different
    // methods, which may round differently.
    let own = case.own_information(line.effort);
    if own != line.own_information {
        let [again, stored] = [own, line.own_information].map(number);
        return Some(format!(
            "the play by own information scores {again}, the line says {stored}"
        ));
    }
    let again = case.reference(line.effort);
    (again != line.reference).then(|| {
        format!(
            "the search finds {}, the line says {}",
            words(&again),
            words(&line.reference)
        )
    })
}

/// Returns what is wrong with a reference without a search: a proven value must equal the result of a
/// quick proof, and no value may beat a bound.
fn quick(kind: &dyn DynEnvironmentSpec, line: &Line, case: &dyn DynInstance) -> Option<String> {
    let (stored, quick) = (&line.reference, case.reference(Effort::Quick));
    let differ = |a: f64, b: f64| (a - b).abs() > ROUNDING * a.abs().max(b.abs()).max(1.0);
    // A value beyond its own bound cannot be true.
    if let (Some(optimum), Some(bound)) = (stored.optimum, stored.bound)
        && kind.sense().better(optimum, bound)
        && differ(optimum, bound)
    {
        return Some(format!("{} contradicts itself", words(stored)));
    }
    if let Some(known) = quick.baseline
        && stored.baseline.is_none_or(|b| differ(b, known))
    {
        return Some(format!(
            "the baseline is {known}, the line says {}",
            number(stored.baseline)
        ));
    }
    let own = line
        .own_information
        .zip(case.own_information(Effort::Quick));
    if let Some((held, known)) = own.filter(|(held, known)| differ(*held, *known)) {
        return Some(format!(
            "the play by own information scores {known}, the line says {held}"
        ));
    }
    let proven = quick.status == Status::Proven;
    let (Some(value), Some(known)) = (stored.value(), quick.value()) else {
        return (proven || stored.value().is_some_and(|v| !v.is_finite()))
            .then(|| format!("the proven value {} is missing", words(&quick)));
    };
    if proven && (stored.status != Status::Proven || differ(value, known)) {
        return Some(format!(
            "{} is proven, but the line says {}",
            words(&quick),
            words(stored)
        ));
    }
    let beaten = quick.bound.is_some_and(|bound| {
        stored
            .optimum
            .is_some_and(|optimum| kind.sense().better(optimum, bound) && differ(optimum, bound))
    });
    beaten.then(|| format!("{} beats the bound of {}", words(stored), words(&quick)))
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

fn words(reference: &Reference) -> String {
    format!(
        "optimum {}, bound {} and baseline {} ({:?}, {})",
        number(reference.optimum),
        number(reference.bound),
        number(reference.baseline),
        reference.status,
        sim_core::error::clip(&reference.method)
    )
}
