//! One budget for all runs of a sweep: what they may cost together, their prices, and how their models are reached.
//! It is kept in the folder of the sweep, so that a `resume` without options has what the first call had, also for runs
//! that were not begun.

use super::access::Access;
use super::backends::{keep_cap, kept_cap, needs_price, prices_of};
use super::paid;
use crate::error::RunError;
use crate::files::store::{CALLS, FileStore};
use crate::files::{regular, run_file};
use crate::plan::Plan;
use crate::plan::model::RunBudget;
use crate::run_dir::members::members;
use crate::run_dir::{ACCESS, CAP, PRICES, stamp};
use crate::secrets;
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::client::ClientSettings;
use agent_client::money::{Money, PriceBook};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The budget of a sweep.
#[derive(Debug)]
pub struct SweepBudget<'a> {
    dir: &'a Path,
    means: &'a RunBudget,
    cap: Option<Money>,
    /// Whether the cap is higher than the one that `dir` holds: no run that paid under it has stopped yet.
    is_raised: bool,
    prices: Option<PriceBook>,
    /// What each run has cost in all calls of the program. Empty without a cap, which alone asks for it.
    spent: BTreeMap<PathBuf, Money>,
}

impl<'a> SweepBudget<'a> {
    /// The budget of the sweep in `dir`: what `means` says, and what was said before where it says nothing. It is kept
    /// in `dir` for the next call; a cap that was raised, when the first run that has paid under it stops.
    ///
    /// # Errors
    /// When a price is missing, or a file cannot be read or written.
    pub fn open(dir: &'a Path, means: &'a RunBudget, plans: &[&Plan]) -> Result<Self, RunError> {
        let mut budget = Self {
            dir,
            means,
            cap: None,
            is_raised: false,
            prices: None,
            spent: BTreeMap::new(),
        };
        let live = plans.iter().filter(|plan| plan.asks_servers());
        let dialects: Vec<_> = live.flat_map(|plan| plan.dialects()).collect();
        if dialects.is_empty() {
            return Ok(budget);
        }
        let kept = kept_cap(dir);
        // A start that is refused must not raise the cap of the next one. A lower cap holds at once, and so does the
        // first: a process that dies now must not leave a sweep without one.
        budget.is_raised =
            matches!((&kept, means.max_cost), (Ok(Some(kept)), Some(cap)) if cap > *kept);
        budget.cap = means.max_cost.map_or(kept, |cap| Ok(Some(cap)))?;
        budget.prices = prices_of(means, &dialects, Some(dir))?;
        if budget.cap.is_some() {
            needs_price(&dialects, budget.prices.as_ref())?;
        }
        if let Some(cap) = means.max_cost.filter(|_| !budget.is_raised) {
            keep_cap(dir, cap)?;
        }
        if budget.prices.is_some() {
            paid::keep(dir, &dialects, budget.prices.as_ref())?;
        }
        let access = Access::of(Some(dir))?;
        // Where a key is missing, the run itself says so when its turn comes: it may be finished already.
        let settings: Vec<ClientSettings> = dialects
            .iter()
            .filter_map(|dialect| access.settings(dialect, means).ok())
            .collect();
        access.keep(dir, &settings, means)?;
        if budget.cap.is_some() {
            for run in members(dir)? {
                let cost = budget.cost_of(&run)?;
                budget.spent.insert(run, cost);
            }
        }
        Ok(budget)
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

    /// Hands cap, prices and access on to the run of `plan` in the folder `run`; if it has begun to ask its models,
    /// only prices: those that are named now, or where it has none. The folder may be there already: a process that died
    /// may have made it and nothing more.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn hand_on(&self, plan: &Plan, run: &Path) -> Result<(), RunError> {
        let is_there = |name: &str| run_file::exists(&run.join(name));
        if !plan.asks_servers() {
            return Ok(());
        }
        if is_there(CALLS) {
            // Otherwise a run that was begun without prices could not go on under a cap, and its calls would cost
            // nothing in reports while they count against the cap.
            let is_named = self.means.prices.is_some();
            if self.prices.is_some() && (is_named || paid::prices_in(run)?.is_none()) {
                paid::keep(run, &plan.dialects(), self.prices.as_ref())?;
            }
            return Ok(());
        }
        // The cap is handed on too: with it, a price of 0 is one that the price file stated.
        stamp::keeping(run, || {
            for name in [CAP, PRICES, ACCESS] {
                let kept = self.dir.join(name);
                let text = regular::if_there(run_file::text(&kept, regular::MOST_TOML));
                if let Some(text) = text.map_err(RunError::file(&kept))? {
                    run_file::replace(&run.join(name), &text, true)?;
                }
            }
            Ok(())
        })
    }

    /// Books what the run in the folder `run` has cost by now.
    ///
    /// # Errors
    /// When its calls cannot be read, or the cap cannot be kept.
    pub fn settle(&mut self, run: &Path) -> Result<(), RunError> {
        let Some(cap) = self.cap else {
            return Ok(());
        };
        let cost = self.cost_of(run)?;
        let before = self.spent.insert(run.to_owned(), cost);
        // By the money and not by the result: a run that was finished before ends well without a start, and
        // one that was interrupted has begun.
        if self.is_raised && cost > before.unwrap_or_default() {
            keep_cap(self.dir, cap)?;
            self.is_raised = false;
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
            "the runs of the plan have cost {spent} of --max-cost {cap}"
        ))
    }

    /// What the recorded calls of a run have cost at the prices of the sweep.
    fn cost_of(&self, run: &Path) -> Result<Money, RunError> {
        let calls = run.join(CALLS);
        let store = Arc::new(FileStore::to_read(&calls));
        let scrub = secrets::scrub().clone();
        let cassette = Cassette::open_at(store, CassetteMode::Replay, scrub, self.prices.as_ref());
        let cassette = cassette.map_err(RunError::in_file(&calls))?;
        Ok(cassette.spent().spent)
    }
}
