//! One budget for all runs of a sweep: what they may cost together, their prices, and how their models are reached.
//! It is kept in the folder of the sweep, so that a `resume` without options has what the first call had, also for runs
//! that were not begun.

use super::access::Access;
use super::backends::{CAP, keep_cap, kept_cap, needs_price, priced};
use super::paid;
use crate::error::RunError;
use crate::files::store::{CALLS, FileStore};
use crate::files::{regular, run_file};
use crate::plan::Plan;
use crate::plan::model::RunBudget;
use crate::run_dir::manifest::write_whole;
use crate::run_dir::members::members;
use crate::run_dir::stamp::STAMP;
use crate::run_dir::{ACCESS, PRICES};
use crate::secrets;
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::client::ClientSettings;
use agent_client::money::Money;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The budget of a sweep.
#[derive(Debug)]
pub struct SweepBudget<'a> {
    dir: &'a Path,
    means: &'a RunBudget,
    cap: Option<Money>,
    /// What each run has cost in all calls of the program. Empty without a cap, which alone asks for it.
    spent: BTreeMap<PathBuf, Money>,
}

impl<'a> SweepBudget<'a> {
    /// The budget of the sweep in `dir`: what `means` says, and what was said before where it says nothing. It is kept
    /// in `dir` for the next call.
    ///
    /// # Errors
    /// When a price is missing, or a file cannot be read or written.
    pub fn open(dir: &'a Path, means: &'a RunBudget, plans: &[&Plan]) -> Result<Self, RunError> {
        let live = plans.iter().filter(|plan| asks_servers(plan));
        let dialects: Vec<_> = live.flat_map(|plan| plan.dialects()).collect();
        if dialects.is_empty() {
            return Ok(Self {
                dir,
                means,
                cap: None,
                spent: BTreeMap::new(),
            });
        }
        let cap = means
            .max_cost
            .map_or_else(|| kept_cap(dir), |cap| Ok(Some(cap)))?;
        let prices = match priced(means, &dialects)? {
            Some(book) => Some(book),
            None => paid::book(dir, run_file::exists(&dir.join(CAP)))?,
        };
        if cap.is_some() {
            needs_price(&dialects, prices.as_ref())?;
        }
        if let Some(cap) = means.max_cost {
            keep_cap(dir, cap)?;
        }
        if prices.is_some() {
            paid::keep(dir, &dialects, prices.as_ref())?;
        }
        let access = Access::of(Some(dir))?;
        // Where a key is missing, the run itself says so when its turn comes: it may be finished already.
        let settings: Vec<ClientSettings> = dialects
            .iter()
            .filter_map(|dialect| access.settings(dialect, means).ok())
            .collect();
        access.keep(dir, &settings, means)?;
        let mut spent = BTreeMap::new();
        if cap.is_some() {
            for run in members(dir)? {
                spent.insert(run.clone(), cost_of(&run)?);
            }
        }
        Ok(Self {
            dir,
            means,
            cap,
            spent,
        })
    }

    /// The budget of the run in the folder `run`: of the cap it has what the other runs have left of it. Its own cost
    /// so far is not taken off, because a run counts what it has paid before.
    #[must_use]
    pub fn of_run(&self, run: &Path) -> RunBudget {
        let others = self.spent.iter().filter(|(path, _)| path.as_path() != run);
        let others = others.fold(Money::ZERO, |sum, (_, cost)| sum.plus(*cost));
        RunBudget {
            max_cost: self.cap.map(|cap| cap.minus(others)),
            ..self.means.clone()
        }
    }

    /// Hands cap, prices and access on to the run of `plan` in the folder `run`, unless it has begun to ask its models.
    /// The folder may be there already: a process that died may have made it and nothing more.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn hand_on(&self, plan: &Plan, run: &Path) -> Result<(), RunError> {
        let is_there = |name: &str| run_file::exists(&run.join(name));
        if !asks_servers(plan) || is_there(CALLS) || is_there(STAMP) {
            return Ok(());
        }
        // The cap is handed on too: with it, a price of 0 is one that the price file stated.
        for name in [CAP, PRICES, ACCESS] {
            let kept = self.dir.join(name);
            let text = regular::if_there(run_file::text(&kept, regular::MOST_TOML));
            if let Some(text) = text.map_err(RunError::file(&kept))? {
                write_whole(&run.join(name), &text)?;
            }
        }
        Ok(())
    }

    /// Books what the run in the folder `run` has cost by now.
    ///
    /// # Errors
    /// When its calls cannot be read.
    pub fn settle(&mut self, run: &Path) -> Result<(), RunError> {
        if self.cap.is_some() {
            self.spent.insert(run.to_owned(), cost_of(run)?);
        }
        Ok(())
    }

    /// What the runs have cost together of the cap; `None` without one, where a run can have used up a cap of its own.
    #[must_use]
    pub fn used_up(&self) -> Option<String> {
        let cap = self.cap?;
        let spent = self.spent.values();
        let spent = spent.fold(Money::ZERO, |sum, cost| sum.plus(*cost));
        Some(format!(
            "the runs of the plan have cost {spent} of --max-cost {cap}, and the rest does not cover what the \
                     next request may cost"
        ))
    }
}

/// Whether a run of `plan` asks servers. A recording costs nothing and needs no server.
fn asks_servers(plan: &Plan) -> bool {
    plan.asks_models() && !plan.asked_agent().starts_with("replay:")
}

/// What the recorded calls of a run have cost.
fn cost_of(run: &Path) -> Result<Money, RunError> {
    let calls = run.join(CALLS);
    let store = Arc::new(FileStore::to_read(&calls));
    let cassette = Cassette::open(store, CassetteMode::Replay, secrets::scrub().clone());
    let cassette = cassette.map_err(RunError::in_file(&calls))?;
    Ok(cassette.spent().spent)
}
