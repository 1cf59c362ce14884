//! The pages as files that open from disk.

use crate::name::{EPISODES, PageName};
use crate::page::{Mode, page};
use crate::site::Site;
use run_engine::error::RunError;
use run_engine::files::run_file;
use run_engine::terminal::shown_path;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

/// Most pages that compare two runs; with more runs of one task, the pairs with the first ones are
/// written.
const MOST_COMPARED: usize = 500;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// Files.
    pub pages: usize,
    /// Pages of records that could not be made, because the record cannot be read.
    pub left_out: usize,
    /// Comparisons of two runs that have no page, because there are too many.
    pub not_compared: usize,
}

/// Writes every page of `site` into the folder `out`, which is made if it is not there. Links are
/// relative: the folder can be opened from disk or put on any web host.
///
/// # Errors
/// When `out` holds files already, or a file cannot be written.
pub fn export(site: &Site, out: &Path) -> Result<Exported, RunError> {
    export_with(site, out, MOST_COMPARED)
}

fn export_with(site: &Site, out: &Path, most_compared: usize) -> Result<Exported, RunError> {
    run_engine::run_dir::make(out)?;
    let mut there = std::fs::read_dir(out).map_err(RunError::file(out))?;
    if there.next().is_some() {
        return Err(RunError::usage(format!(
            "{} is not empty; name a new folder for the pages",
            shown_path(out)
        )));
    }
    site.refresh();
    // Never stopped: a page that is written without its distance would stay without it.
    site.measure(&|| false);
    let mut done = Exported {
        pages: 0,
        left_out: 0,
        not_compared: 0,
    };
    let mut names = vec![PageName::Index, PageName::Help];
    // Chosen before the first page is made: a page of a run links to these and to no others.
    let mut compared = BTreeSet::new();
    for run in site.runs().into_values() {
        let id = || run.id.clone();
        let parts = run.records.len().div_ceil(EPISODES).max(1);
        names.extend((1..=parts).map(|part| PageName::Run(id(), part)));
        names.extend((0..run.records.len()).map(|place| PageName::Record(id(), place)));
        let partners = site.partners(&run, |other| PageName::Compare(id(), other.id.clone()));
        let room = most_compared - compared.len();
        done.not_compared += partners.len().saturating_sub(room);
        compared.extend(partners.into_iter().take(room));
    }
    for name in names.iter().chain(&compared) {
        let html = match page(site, name, "", Mode::File(&compared)) {
            Ok(Some(html)) => html,
            Ok(None) => continue,
            // A page says so, because the pages beside it link to it.
            Err(e) if matches!(name, PageName::Record(..)) => {
                done.left_out += 1;
                failed(&e)
            }
            Err(e) => return Err(e),
        };
        let path = out.join(name.file());
        // Never over a file: the folder was empty, so two pages would have one name.
        let file = run_file::create_new(&path);
        let written = file.and_then(|mut file| file.write_all(html.as_bytes()));
        written.map_err(RunError::file(&path))?;
        done.pages += 1;
    }
    Ok(done)
}

/// A page in place of one that cannot be made.
fn failed(error: &RunError) -> String {
    let text = error.to_string().replace('&', "&amp;").replace('<', "&lt;");
    format!("<!DOCTYPE html>\n<meta charset=\"utf-8\"><title>Boardroom</title><p>{text}</p>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use run_engine::EpisodeRun;
    use run_engine::registry::Registry;

    #[test]
    fn every_link_between_the_files_leads_to_a_file() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("runs")).unwrap();
        for name in ["a", "b", "c"] {
            let game = EpisodeRun::of(beer_game::Spec).policy("sterman");
            let game = game.preset("random").episodes(2);
            game.play_in(&dir.path().join("runs").join(name)).unwrap();
        }
        let registry = Registry::new().with_boxed(beer_game::Spec.boxed());
        let site = Site::open(&dir.path().join("runs"), registry).unwrap();
        let out = dir.path().join("pages");
        let done = export_with(&site, &out, 4).unwrap();
        assert_eq!(done.not_compared, 2);
        let mut compared = 0;
        for entry in std::fs::read_dir(&out).unwrap() {
            let html = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for link in html.split("href=\"").skip(1) {
                let link = link.split(['"', '#']).next().unwrap();
                compared += usize::from(link.starts_with("compare."));
                let is_page = link.ends_with(".html");
                assert!(!is_page || out.join(link).is_file(), "{link}");
            }
        }
        assert_eq!(compared, 4);
    }
}
