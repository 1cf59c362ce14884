//! `cargo xtask browser`: opens a report of 10,000 episodes of 100 periods, and the pages of `boardroom
//! view` and of `boardroom classroom`, in Chromium.
//!
//! Plays the episodes with built-in policies, writes the report, opens it offline over the DevTools
//! protocol, and fails unless it is small, loads fast, writes nothing to the console, sends no
//! network request, fits a phone, sorts, searches, shows the same intervals as `boardroom
//! compare --json`, and has no serious accessibility fault that axe finds. Screenshots and a printed page are stored for visual inspection.

mod classroom;
mod seen;
mod serving;
pub mod tutorials;
mod view;

use crate::built::Boardroom;
use crate::cache;
use crate::command::{output, program, run};
use crate::npm;
use anyhow::{Context, Result, bail};
use seen::Seen;
use serde_json::Value;
use serving::Serving;
use std::path::{Path, PathBuf};

/// Environment, agent and episodes of each run: 10,000 together, 100 periods each.
const RUNS: [(&str, &str, u32); 8] = [
    ("pricing", "random", 1500),
    ("pricing", "cost-plus", 1500),
    ("pricing", "hold-first-price", 1500),
    ("pricing", "learning", 1000),
    ("pricing", "optimal", 1500),
    ("procurement", "random", 1000),
    ("procurement", "greedy", 1000),
    ("scheduling", "random", 1000),
];

/// The same for a game that a stand-in for a model plays, so that its score is drawn against its cost.
const MODEL_RUNS: [(&str, &str, u32); 2] = [
    ("beer-game", "sterman", 8),
    ("beer-game", "openai:stand-in", 8),
];

/// Plots that the report must have because a model played.
const MODEL_PLOTS: [&str; 2] = ["Mean score against cost", "Mean score against tokens"];

/// What the stand-in costs \[USD per million tokens\].
const PRICES: &str = "[models.stand-in]\ninput = 1.0\noutput = 4.0\n";

/// Names of the browser in distributions.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Maximum size of the report \[bytes\].
const MOST_BYTES: u64 = 20_000_000;

/// Maximum loading time \[ms\].
const MOST_MS: f64 = 2_000.0;

const FILES: [(&str, &str); 8] = [
    ("package.json", include_str!("browser/package.json")),
    (
        "package-lock.json",
        include_str!("browser/package-lock.json"),
    ),
    ("axe.mjs", include_str!("browser/axe.mjs")),
    ("look.mjs", include_str!("browser/look.mjs")),
    ("view.mjs", include_str!("browser/view.mjs")),
    ("tutorials.mjs", include_str!("browser/tutorials.mjs")),
    ("model.mjs", include_str!("browser/model.mjs")),
    ("classroom.mjs", include_str!("browser/classroom.mjs")),
];

/// Writes the report, checks it, and stores screenshots in `out`.
///
/// # Errors
/// If Chromium or Node is missing, a run fails, or the report fails a check.
pub fn look(root: &Path, out: &Path) -> Result<()> {
    let browser = chromium()?;
    std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let scripts = fetch()?;
    let work = tempfile::tempdir().context("cannot make a temporary folder")?;
    let boardroom = Boardroom::build(root, work.path())?;
    let folders = play(&boardroom, &scripts, work.path())?;
    let report = work.path().join("report.html");
    let mut call = boardroom.call(&["report", "-o"]);
    run(call
        .arg(&report)
        .args(folders.iter().map(|(_, _, dir)| dir)))?;
    let bytes = std::fs::metadata(&report)
        .context("there is no report")?
        .len();
    let mut node = program(&scripts, "node");
    node.arg("look.mjs").arg(&browser).arg(&report);
    let path = std::path::absolute(out).context("the folder for pictures")?;
    let printed = output(node.arg(work.path().join("profile")).arg(path))?;
    let seen: Seen = serde_json::from_str(&printed)
        .with_context(|| format!("look.mjs printed something else: {printed}"))?;
    let mut faults = seen.faults(MOST_MS, &MODEL_PLOTS);
    if bytes > MOST_BYTES {
        faults.push(format!("it has {bytes} bytes, more than {MOST_BYTES}"));
    }
    for ranking in &seen.rankings {
        let environment = ranking.environment();
        let of = |agent: &str| {
            let mut all = folders.iter();
            all.find(|(env, name, _)| *env == environment && *name == agent)
                .map(|(_, _, dir)| dir.clone())
        };
        let agents = ranking.rows.iter().map(|row| &*row.agent);
        let dirs: Option<Vec<PathBuf>> = agents.map(of).collect();
        let dirs = dirs.with_context(|| format!("{} ranks a run that is none", ranking.title))?;
        for (row, dir) in ranking.rows.iter().zip(&dirs) {
            let mut call = boardroom.call(&["compare", "--json"]);
            // The expected interval of a mean is the one that the run printed when it was played.
            let text = std::fs::read_to_string(dir.with_extension("json"))?;
            faults.extend(row.mean_differs(&serde_json::from_str(&text)?));
            if Some(dir) != dirs.first() {
                call.args(dirs.first()).arg(dir);
                let compared: Value = serde_json::from_str(&output(&mut call)?)?;
                faults.extend(row.difference_differs(&compared));
            }
        }
    }
    println!(
        "report: {} kB; loaded in {:.0} ms; pictures in {}",
        bytes / 1000,
        seen.slowest_ms(),
        out.display()
    );
    if !faults.is_empty() {
        bail!(
            "the report is not what it should be:\n  {}",
            faults.join("\n  ")
        );
    }
    println!(
        "no console error, no request, intervals as `compare --json` has them, no serious fault for axe in {} views",
        seen.views.len()
    );
    view::look(&boardroom, &browser, &scripts, work.path(), out)?;
    classroom::look(&boardroom, &browser, &scripts, work.path(), out)
}

/// The browser, once Node was found too.
fn chromium() -> Result<PathBuf> {
    let browser = BROWSERS.into_iter().find_map(on_path);
    let browser = browser.context(
        "no Chromium: install it (Debian: `apt-get install chromium`) and run this again",
    )?;
    npm::needed()?;
    Ok(browser)
}

/// The executable that the system would start for `name`.
fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Installs the driver at its pinned version into the cache; returns the folder with the script.
fn fetch() -> Result<PathBuf> {
    let folder = cache::folder("browser")?;
    let [(_, package), (_, lock), scripts @ ..] = FILES;
    npm::install(&folder, package, lock)?;
    for (script, text) in scripts {
        let path = folder.join(script);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(folder)
}

/// Plays every run into a separate folder, and stores its output next to the folder.
fn play(
    boardroom: &Boardroom,
    scripts: &Path,
    work: &Path,
) -> Result<Vec<(&'static str, &'static str, PathBuf)>> {
    let prices = work.join("prices.toml");
    std::fs::write(&prices, PRICES).context("cannot write prices")?;
    let (_model, base) = Serving::model(&mut program(scripts, "node"))?;
    let mut folders = Vec::new();
    for (environment, agent, episodes) in RUNS.into_iter().chain(MODEL_RUNS) {
        println!("{environment}: {episodes} episodes by {agent}");
        let dir = work.join(format!("{environment}-{}", agent.replace(':', "-")));
        let count = episodes.to_string();
        let mut call = boardroom.call(&["run", environment, "--agent", agent, "--json"]);
        if MODEL_RUNS.contains(&(environment, agent, episodes)) {
            // The default preset has one instance, which tells no agents apart.
            call.args(["--preset", "random"]);
        }
        if agent.starts_with("openai:") {
            call.args(["--method", "direct", "--prices"]).arg(&prices);
            call.env("OPENAI_BASE_URL", &base)
                .env("OPENAI_API_KEY", "none");
        }
        let printed = output(call.args(["--episodes", &count, "--out"]).arg(&dir))?;
        let beside = dir.with_extension("json");
        std::fs::write(&beside, printed)
            .with_context(|| format!("cannot write {}", beside.display()))?;
        folders.push((environment, agent, dir));
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_are_ten_thousand_episodes() {
        assert_eq!(RUNS.iter().map(|(_, _, n)| n).sum::<u32>(), 10_000);
    }

    #[test]
    fn the_packages_are_pinned_by_version_and_hash() {
        let lock: Value = serde_json::from_str(FILES[1].1).unwrap();
        let package: Value = serde_json::from_str(FILES[0].1).unwrap();
        for name in ["playwright-core", "axe-core"] {
            let locked = &lock["packages"][format!("node_modules/{name}")];
            assert_eq!(package["dependencies"][name], locked["version"]);
            assert!(locked["integrity"].as_str().unwrap().starts_with("sha512-"));
        }
    }
}
