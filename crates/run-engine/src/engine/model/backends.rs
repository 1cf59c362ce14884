//! The models of a run behind all stages, on one account and one recording.

use super::access::Access;
use super::paid;
use crate::engine::summary::{ModelUsage, Summary, estimated_note, refused_notes};
use crate::error::RunError;
use crate::error::json;
use crate::files::store::{CALLS, FileStore, TIMES};
use crate::files::{regular, run_file};
use crate::plan::model::{RunBudget, calls_in, recording};
use crate::run_dir::learnt::LearntInManifest;
use crate::run_dir::{CAP, Folder, stamp};
use crate::secrets;
use crate::terminal::shown_path;
use agent_client::AgentError;
use agent_client::backend::AgentBackend;
use agent_client::cassette::{Cassette, CassetteMode};
use agent_client::client::{Client, ClientSettings, Shared};
use agent_client::ledger::{CostLedger, Spending, UsageTotals};
use agent_client::money::{Money, PriceBook};
use agent_client::pace::LongPause;
use agent_client::store::{MemoryStore, Store};
use agent_client::wire::Dialect;
use agent_client::wire::ways::LearntStore;
use std::path::Path;
use std::sync::Arc;

/// Backends of one run.
#[derive(Debug)]
pub struct Models {
    clients: Vec<Arc<Client>>,
    /// Their common account.
    pub ledger: Arc<CostLedger>,
    /// What their servers refused, if the run is finished and sends no more requests.
    refusals: Vec<String>,
}

impl Models {
    /// Opens a backend for each of `dialects`, in that order: from the recording that `agent` names
    /// (`replay:DIR`), or live and recorded in the run folder `dir`. Without a folder the recording
    /// is in memory, so that within the run nothing is paid for twice.
    ///
    /// # Errors
    /// When a key, a price or the recording is missing.
    pub fn open(
        agent: &str,
        dialects: &[&Dialect],
        means: &RunBudget,
        dir: Option<&Path>,
    ) -> Result<Self, RunError> {
        Self::open_after(agent, dialects, means, dir, None, &|| Ok(()))
    }

    /// As [`open`](Self::open), for the run in `folder`, which the caller has locked: a last line of its recorded calls
    /// that a crash truncated is moved to a file of its own, and the manifest keeps what the servers refuse.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_in(
        folder: Option<&Folder>,
        agent: &str,
        dialects: &[&Dialect],
        means: &RunBudget,
    ) -> Result<Self, RunError> {
        let dir = folder.map(Folder::path);
        let learnt = folder.map(|folder| Arc::new(LearntInManifest::of(folder)) as _);
        Self::open_after(agent, dialects, means, dir, learnt, &|| {
            folder.map_or(Ok(()), set_calls_aside)
        })
    }

    /// As [`open`](Self::open); `before_files` is called when nothing can be refused any more, before files are opened.
    pub(crate) fn open_after(
        agent: &str,
        dialects: &[&Dialect],
        means: &RunBudget,
        dir: Option<&Path>,
        learnt: Option<Arc<dyn LearntStore>>,
        before_files: &dyn Fn() -> Result<(), RunError>,
    ) -> Result<Self, RunError> {
        if let Some(path) = agent.strip_prefix("replay:") {
            let ledger = CostLedger::new(means.max_cost);
            let cassette = recording(&calls_in(Path::new(path)))?;
            return Self::replay(&cassette, dialects, ledger);
        }
        // Everything that can be refused is checked before the first change in the folder.
        // A cap holds until another one is named, so that a plain `resume` cannot overspend.
        let cap = match (means.max_cost, dir) {
            (None, Some(dir)) => kept_cap(dir)?,
            (cap, _) => cap,
        };
        let prices = prices_of(means, dialects, dir)?.map(Arc::new);
        if cap.is_some() {
            needs_price(dialects, prices.as_deref())?;
        }
        let ledger = CostLedger::new(cap);
        let access = Access::of(dir)?;
        let settings: Vec<ClientSettings> = dialects
            .iter()
            .map(|dialect| access.settings(dialect, means))
            .collect::<Result<_, _>>()?;
        let scrub = ClientSettings::scrub(&settings);
        if let Some(dir) = dir {
            stamp::remove(dir)?;
        }
        before_files()?;
        let calls: Arc<dyn Store> = match dir {
            Some(dir) => Arc::new(FileStore::open(&dir.join(CALLS))?),
            None => Arc::new(MemoryStore::default()),
        };
        let cassette =
            Cassette::open_at(calls, CassetteMode::Both, scrub.clone(), prices.as_deref());
        let mut cassette = cassette.map_err(|e| match dir {
            Some(dir) => RunError::in_file(&dir.join(CALLS))(e),
            None => usage(e),
        })?;
        if let Some(dir) = dir {
            let times = FileStore::open_unsynced(&dir.join(TIMES))?;
            cassette = cassette.with_times(Arc::new(times));
        }
        // What earlier sessions of the run have paid counts against the cap. Otherwise each `resume` could spend
        // the whole cap again.
        ledger.carry(cassette.spent());
        let shared = Shared {
            ledger: Some(Arc::clone(&ledger)),
            prices,
            cache: None,
            cassette: Some(cassette),
            scrub: Some(scrub),
            learnt,
            ..Shared::default()
        };
        // All clients share the account and the recording: two models of one run must not each spend the cap.
        let client = |settings: &ClientSettings| Client::new(settings.clone(), &shared);
        let clients = settings
            .iter()
            .map(|settings| client(settings).map(Arc::new).map_err(usage))
            .collect::<Result<_, _>>()?;
        // Only after the clients were made: a start that is refused must not change the cap of the next one.
        if let (Some(cap), Some(dir)) = (means.max_cost, dir) {
            keep_cap(dir, cap)?;
        }
        if let Some(dir) = dir {
            paid::keep(dir, dialects, shared.prices.as_deref())?;
            access.keep(dir, &settings, means)?;
        }
        Ok(Self {
            clients,
            ledger,
            refusals: Vec::new(),
        })
    }

    /// The models of a finished run. They answer from the stored calls in `folder`, so no key is needed and no file
    /// is changed; they know what the run has cost at `prices` and what the servers refused.
    ///
    /// # Errors
    /// When the calls cannot be read.
    pub(crate) fn of_finished(
        dialects: &[&Dialect],
        prices: Option<&PriceBook>,
        folder: Option<&Folder>,
    ) -> Result<Self, RunError> {
        let store: Arc<dyn Store> = match folder {
            Some(folder) => Arc::new(FileStore::to_read(&folder.path().join(CALLS))),
            None => Arc::new(MemoryStore::default()),
        };
        let scrub = secrets::scrub().clone();
        let cassette = Cassette::open_at(store, CassetteMode::Replay, scrub, prices);
        let cassette = cassette.map_err(usage)?;
        let models = Self::stored(&cassette, dialects)?;
        models.ledger.carry(cassette.spent());
        Ok(Self {
            refusals: folder.map_or_else(Vec::new, |folder| folder.manifest.refusals()),
            ..models
        })
    }

    /// Backends for `dialects`, in that order, whose requests are answered by `cassette` alone.
    ///
    /// # Errors
    /// When the cassette is not in replay mode.
    pub(crate) fn stored(cassette: &Cassette, dialects: &[&Dialect]) -> Result<Self, RunError> {
        let ledger = CostLedger::new(None);
        let client = |dialect: &&Dialect| {
            Client::recorded((*dialect).clone(), cassette, Some(Arc::clone(&ledger)))
                .map(Arc::new)
                .map_err(usage)
        };
        let clients = dialects.iter().map(client).collect::<Result<_, _>>()?;
        Ok(Self {
            clients,
            ledger,
            refusals: Vec::new(),
        })
    }

    /// Backends that play `cassette` and never send anything. A model that was asked in several ways, as agent and as
    /// judge, is asked as its seat was; one that no seat had to ask needs no calls.
    ///
    /// # Errors
    /// When it holds no calls of the first of `dialects`.
    pub fn replay(
        cassette: &Cassette,
        dialects: &[&Dialect],
        ledger: Arc<CostLedger>,
    ) -> Result<Self, RunError> {
        let held = cassette.dialects();
        let clients = (0..)
            .zip(dialects)
            .map(|(place, dialect)| {
                // As its seat was where the recording has it. Otherwise as the recording has this model: its
                // requests are those of the recorded run, and another sampling would find no reply.
                let name = dialect.name();
                let is_exact = held.contains(dialect);
                let is_asked = held.iter().any(|held| held.name() == name);
                let ledger = Some(Arc::clone(&ledger));
                let client = if is_exact || (place > 0 && !is_asked) {
                    Client::recorded((*dialect).clone(), cassette, ledger)
                } else {
                    Client::replay(cassette, Some(&name), ledger)
                };
                client.map(Arc::new).map_err(usage)
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            clients,
            ledger,
            refusals: Vec::new(),
        })
    }

    /// The backend for the dialect at `place`.
    ///
    /// # Errors
    /// When there is none: a fault of this program.
    pub fn backend(&self, place: usize) -> Result<Arc<dyn AgentBackend>, RunError> {
        match self.clients.get(place) {
            Some(client) => Ok(Arc::clone(client) as Arc<dyn AgentBackend>),
            None => Err(RunError::Failed(format!("no backend number {place}"))),
        }
    }

    /// Requests that may run at once now, over all models; absent for a replay.
    #[must_use]
    pub fn allowed(&self) -> Option<u32> {
        self.clients
            .iter()
            .filter_map(|c| c.allowed())
            .reduce(u32::saturating_add)
    }

    /// A long pause that a server asked for and of which nobody was told yet.
    #[must_use]
    pub fn take_pause(&self) -> Option<LongPause> {
        // All of them are taken: one that is left would be told later, when it is over.
        let pauses = self.clients.iter().filter_map(|c| c.take_pause());
        pauses.fold(None, |_, pause| Some(pause))
    }

    /// Requests, tokens and cost over all sessions of the run, for the summary.
    #[must_use]
    pub fn usage(&self) -> ModelUsage {
        let mut usage = ModelUsage::of_run(&self.ledger.spending());
        let mut refusals = self.refusals.clone();
        refusals.extend(self.clients.iter().flat_map(|c| c.refusals()));
        refusals.sort();
        refusals.dedup();
        usage.notes.extend(refusals);
        usage
    }
}

/// Moves a truncated last line of the recorded calls in `folder`, and one of their times, to files of their own.
///
/// [`Models::open`] does not do this, because some commands open models in a folder that they do not lock.
///
/// # Errors
/// When the files cannot be read or written.
fn set_calls_aside(folder: &Folder) -> Result<(), RunError> {
    for name in [CALLS, TIMES] {
        folder.set_torn_aside(name)?;
    }
    Ok(())
}

impl ModelUsage {
    /// What a whole run spent, also before a resume.
    #[must_use]
    pub fn of_run(spending: &Spending) -> Self {
        let total = Self::of(&spending.total());
        let refused = refused_notes(&spending.refused);
        Self {
            cost_usd: spending.spent.dollars(),
            notes: [refused, total.notes, spending.remarks()].concat(),
            ..total
        }
    }

    /// What some of the requests of a run spent.
    #[must_use]
    pub fn of(totals: &UsageTotals) -> Self {
        Self {
            requests: totals.requests,
            tokens_in: totals.usage.input,
            tokens_out: totals.usage.output,
            cost_usd: totals.cost.dollars(),
            notes: estimated_note(totals).into_iter().collect(),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn usage(error: AgentError) -> RunError {
    RunError::usage(error.to_string())
}

/// The prices that hold for the run in `dir`: those that `means` names, else the last ones of the run, so that no paid
/// call counts as free.
///
/// # Errors
/// As for [`priced`], and when the prices of the run cannot be read.
pub(crate) fn prices_of(
    means: &RunBudget,
    dialects: &[&Dialect],
    dir: Option<&Path>,
) -> Result<Option<PriceBook>, RunError> {
    match (priced(means, dialects)?, dir) {
        (None, Some(dir)) => paid::prices_in(dir),
        (named, _) => Ok(named),
    }
}

/// Reads the price file of `means`; `None` if it names none.
///
/// # Errors
/// When it cannot be read, or has no price of the model of one of `dialects`: its replies would silently
/// count as free.
pub fn priced(means: &RunBudget, dialects: &[&Dialect]) -> Result<Option<PriceBook>, RunError> {
    let Some(path) = &means.prices else {
        return Ok(None);
    };
    let text = regular::text(path, regular::MOST_TOML)
        .map_err(|e| RunError::file(path)(e).at("--prices "))?;
    let wrong = |what: String| RunError::usage(format!("--prices {}: {what}", shown_path(path)));
    let book = PriceBook::parse(&text).map_err(wrong)?;
    let unpriced = dialects
        .iter()
        .find(|dialect| book.price(&dialect.model).is_none());
    match unpriced {
        Some(Dialect { model, .. }) => Err(wrong(format!(
            "`{model}` has no price; add a table [models.\"{model}\"] with `input` and \
             `output`, which are 0 for a model that costs nothing"
        ))),
        None => Ok(Some(book)),
    }
}

/// Checks that each model has a price, which a cap needs.
///
/// # Errors
/// Names the first model without one.
pub(crate) fn needs_price(
    dialects: &[&Dialect],
    prices: Option<&PriceBook>,
) -> Result<(), RunError> {
    let price = |dialect: &Dialect| prices.and_then(|book| book.price(&dialect.model));
    match dialects.iter().find(|dialect| price(dialect).is_none()) {
        Some(Dialect { model, .. }) => Err(RunError::usage(format!(
            "--max-cost needs the price of `{model}`; name a file with its price with --prices \
             prices.toml: a table [models.\"{model}\"] with `input` and `output` \
             in US dollars per million tokens"
        ))),
        None => Ok(()),
    }
}

pub(crate) fn keep_cap(dir: &Path, cap: Money) -> Result<(), RunError> {
    run_file::replace(&dir.join(CAP), &json(&cap)?, true)
}

pub(crate) fn kept_cap(dir: &Path) -> Result<Option<Money>, RunError> {
    let kept = run_file::read(&dir.join(CAP), regular::MOST_TOML);
    kept.map_err(|e| RunError::usage(format!("{e}; name the cap with --max-cost")))
}

impl Summary {
    /// Enters what models cost.
    pub fn charge(&mut self, models: &Models) {
        self.usage = models.usage();
        let spending = models.ledger.spending();
        // A single role is the whole, which `usage` has already.
        if spending.roles.len() > 1 {
            let roles = spending.roles.iter();
            self.roles = roles
                .map(|(role, totals)| (role.to_string(), ModelUsage::of(totals)))
                .collect();
        }
    }
}
