//! Finds a text in records and calls.

use crate::lines;
use crate::name::PageName;
use crate::run::RunView;
use crate::site::Site;
use memchr::memmem;
use run_engine::clock::Stopwatch;
use run_engine::files::store::CALLS;
use run_engine::terminal::shown;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Most places that are listed.
const MOST: usize = 200;

/// Characters shown before and after a place.
const AROUND: usize = 80;

/// Longest time that a search takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// A place where the text occurs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Place {
    pub(crate) link: String,
    pub(crate) run: String,
    pub(crate) record: String,
    /// Where: an input of the record, or a request or answer of a model.
    pub(crate) kind: &'static str,
    pub(crate) before: String,
    pub(crate) found: String,
    pub(crate) after: String,
}

/// Places where `wanted` occurs, A to Z in upper and lower case alike, at most one for each record and kind; and
/// whether there may be more.
pub(crate) fn search(site: &Site, wanted: &str) -> (Vec<Place>, bool) {
    let needle = needle(wanted);
    if needle.is_empty() {
        return (Vec::new(), false);
    }
    let begun = Stopwatch::start();
    let is_late = || begun.elapsed() > PATIENCE;
    let mut places = Vec::new();
    for run in site.runs().into_values() {
        // The calls of a run are indexed when they are first needed.
        let Some(run) = site.run(&run.id) else {
            continue;
        };
        if !in_run(&run, &needle, &is_late, &mut places) {
            places.truncate(MOST);
            return (places, true);
        }
    }
    (places, false)
}

/// The text as it stands in a line of JSON, in lower case.
fn needle(wanted: &str) -> Vec<u8> {
    let json = serde_json::to_string(wanted.trim()).unwrap_or_default();
    let inner = json.trim_start_matches('"');
    // The closing quote alone: a quote that ends the text wanted is `\"` before it.
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    inner.to_ascii_lowercase().into_bytes()
}

/// Adds the places in `run`. Returns whether all of it was searched: the search ends where there are enough
/// places or `is_late` says so.
fn in_run(
    run: &RunView,
    needle: &[u8],
    is_late: &dyn Fn() -> bool,
    places: &mut Vec<Place>,
) -> bool {
    let by_unit: BTreeMap<&str, usize> = run
        .records
        .iter()
        .enumerate()
        .map(|(place, record)| (record.unit.as_str(), place))
        .collect();
    for (place, record) in run.records.iter().enumerate() {
        if let Ok(line) = lines::one(&run.record_file(), record.at) {
            places.extend(found(run, place, "record", &line, needle));
        }
        let mut seen = false;
        for at in run.calls.of(&record.unit) {
            // Where several records share the calls of a unit, these are listed once, at the last
            // record.
            if seen || by_unit.get(record.unit.as_str()) != Some(&place) || places.len() >= MOST {
                break;
            }
            if is_late() {
                return false;
            }
            if let Ok(line) = lines::one(&run.dir.join(CALLS), *at)
                && let Some(hit) = found(run, place, "model", &line, needle)
            {
                places.push(hit);
                seen = true;
            }
        }
        if places.len() >= MOST || is_late() {
            return false;
        }
    }
    true
}

fn found(
    run: &RunView,
    place: usize,
    kind: &'static str,
    line: &[u8],
    needle: &[u8],
) -> Option<Place> {
    // ASCII alone: other letters may change their length in lower case, and the places would shift.
    let lower = line.to_ascii_lowercase();
    let at = memmem::find(&lower, needle)?;
    let record = run.records.get(place)?;
    let text = |from: usize, to: usize| {
        let bytes = line.get(from..to.min(line.len())).unwrap_or_default();
        shown(&String::from_utf8_lossy(bytes).replace("\\n", " ")).into_owned()
    };
    let end = at + needle.len();
    Some(Place {
        link: PageName::Record(run.id.clone(), place).file(),
        run: run.place.clone(),
        record: record.name.clone(),
        kind,
        before: text(at.saturating_sub(AROUND), at),
        found: text(at, end),
        after: text(end, end + AROUND),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use run_engine::EpisodeRun;

    #[test]
    fn a_search_ends_within_a_run_when_its_time_is_over() {
        let dir = tempfile::tempdir().unwrap();
        let game = EpisodeRun::of(beer_game::Spec)
            .policy("sterman")
            .episodes(5);
        let game = game.preset("random");
        assert_eq!(game.play_in(dir.path()).unwrap().summary.failed, 0);
        let run = RunView::read(dir.path(), "run").unwrap();
        let found = |most: u32| {
            let asked = std::cell::Cell::new(0);
            let is_late = || asked.replace(asked.get() + 1) + 1 >= most;
            let mut places = Vec::new();
            let whole = in_run(&run, b"sterman", &is_late, &mut places);
            (places.len(), whole)
        };
        assert_eq!(found(2), (2, false));
        assert_eq!(found(100), (5, true));
    }

    #[test]
    fn a_text_is_found_as_it_stands_in_json() {
        let line = serde_json::to_string("He said \"Ümlaut\"\nand left")
            .unwrap()
            .to_ascii_lowercase();
        for wanted in ["\"Ümlaut\"", "SAID", "\nand", "left"] {
            let needle = needle(wanted);
            assert!(
                memmem::find(line.as_bytes(), &needle).is_some() || wanted.starts_with('\n'),
                "{wanted}"
            );
        }
    }
}
