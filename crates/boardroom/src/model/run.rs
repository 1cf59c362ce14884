//! Playing episodes with a model: many at once, each kept period by period, within a budget.

use super::store::{CALLS, FileStore};
use super::{Means, ModelPlan, open_cassette};
use crate::clock::Stopwatch;
use crate::episode::Table;
use crate::error::RunError;
use crate::execute::{Finished, Options, finished};
use crate::folder::{Appender, Folder};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::references::References;
use crate::registry::Registry;
use crate::source::Source;
use crate::summary::{Collected, Usage};
use agent_client::backend::AgentBackend;
use agent_client::cassette::{Cassette, Mode};
use agent_client::client::{Client, ClientSettings, Shared};
use agent_client::ledger::Ledger;
use agent_client::money::PriceBook;
use agent_client::parallel::in_order;
use agent_client::play::{Mind, Minds, PlaySettings, play};
use agent_client::request::Slot;
use agent_client::secret::Scrub;
use agent_client::{AgentError, ErrorClass};
use serde_json::json;
use sim_core::{EpisodeRecord, Session};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Episodes at a time unless said otherwise; the pace of the requests is the client's business.
const CONCURRENCY: usize = 8;

/// How often a stop is looked for while a model thinks.
const LOOK: Duration = Duration::from_millis(100);

/// Why an episode did not end in a record.
enum Unfinished {
    Stopped,
    Failed(String),
    Model(AgentError),
}

/// Plays all episodes of `plan` that `folder` does not hold yet with the model of the plan.
///
/// # Errors
/// When the model cannot be set up or the folder cannot be read or written. Failed episodes are
/// listed in what is returned; an exhausted budget is [`RunError::Budget`].
pub fn execute_model(
    registry: &Registry,
    plan: &Plan,
    model: &ModelPlan,
    means: &Means,
    folder: Option<&Folder>,
    options: Options<'_>,
) -> Result<Finished, RunError> {
    let watch = Stopwatch::start();
    let kind = registry.kind(&plan.environment)?;
    let source = Source::open(
        kind,
        &plan.config,
        plan.seed,
        plan.instance.as_ref(),
        plan.suite.as_deref(),
    )?;
    let table = Table::new(plan, &source)?;
    let references = References::open(
        plan.effort,
        source.distinct().is_some(),
        folder.map(Folder::references).as_deref(),
    )?;
    let done = match folder {
        Some(folder) => finished(&table, plan, folder)?,
        None => BTreeMap::new(),
    };
    let mut collected = Collected::default();
    for (index, (score, tally)) in &done {
        let reference = references.of(&*table.case(*index)?)?;
        collected.add(*index, score, *tally, &reference);
    }
    let (client, ledger) = backend(plan, model, means, folder)?;
    let minds = Minds::one(Mind {
        deliberator: model.method.deliberator(),
        ..Mind::new(client)
    });
    let stop = Arc::new(AtomicBool::new(false));
    let mut keeper = Keeper {
        appender: folder.map(Folder::appender).transpose()?,
        collected,
        failures: BTreeMap::new(),
        trouble: None,
        budget: None,
        stop: Arc::clone(&stop),
    };
    let todo: Vec<u64> = plan
        .indices()
        .filter(|index| !done.contains_key(index))
        .collect();
    let asked = todo.len() as u64;
    let pieces = todo.into_iter().map_while(|index| {
        let stopped = stop.load(Ordering::Relaxed) || options.stop.load(Ordering::Relaxed);
        (!stopped).then(|| {
            let seat = sit_down(&table, plan, folder, index);
            let (minds, settings) = (minds.clone(), model.play);
            let stop = Arc::clone(&stop);
            async move { (index, one(seat, minds, settings, stop, index).await) }
        })
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| RunError::Failed(format!("the runtime: {e}")))?;
    let at_once = means.concurrency.unwrap_or(CONCURRENCY).max(1);
    runtime.block_on(async {
        let work = in_order(pieces, at_once, |_, (index, result)| {
            keeper.take(&table, &references, index, result);
        });
        tokio::pin!(work);
        loop {
            tokio::select! {
                () = &mut work => break,
                () = tokio::time::sleep(LOOK) => {
                    if options.stop.load(Ordering::Relaxed) {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    });
    if let Some(trouble) = keeper.trouble {
        return Err(trouble);
    }
    if let Some(folder) = folder {
        let lines: Vec<_> = keeper
            .failures
            .iter()
            .map(|(episode, error)| json!({"episode": episode, "error": error}))
            .collect();
        folder.write_errors(&lines)?;
    }
    let played = keeper.collected.len() as u64 - done.len() as u64;
    let mut summary = keeper.collected.summarise(kind, plan, false);
    let total = ledger.spending().total();
    summary.method = Some(model.method.name().to_owned());
    summary.failed = keeper.failures.len() as u64;
    summary.usage = Usage {
        requests: total.requests,
        tokens_in: total.usage.input,
        tokens_out: total.usage.output,
        cost_usd: ledger.spending().spent.dollars(),
    };
    summary.seconds = watch.elapsed().as_secs_f64();
    summary.out = folder.map(|folder| folder.path().display().to_string());
    let unplayed = asked - played - keeper.failures.len() as u64;
    if let Some(message) = keeper.budget {
        let resume = summary.out.as_ref().map_or_else(String::new, |dir| {
            format!("; `boardroom resume {dir} --max-cost <more>` goes on")
        });
        return Err(RunError::Budget(format!(
            "{message}; {unplayed} episodes are left{resume}"
        )));
    }
    Ok(Finished {
        summary,
        steps: Vec::new(),
        failures: keeper.failures.into_iter().collect(),
        unplayed,
    })
}

/// The model behind all stages, or the cassette that stands in for it.
fn backend(
    plan: &Plan,
    model: &ModelPlan,
    means: &Means,
    folder: Option<&Folder>,
) -> Result<(Arc<dyn AgentBackend>, Arc<Ledger>), RunError> {
    let usage = |e: AgentError| RunError::usage(e.to_string());
    let ledger = Ledger::new(means.max_cost);
    if let Some(path) = plan.agent.strip_prefix("replay:") {
        let cassette = open_cassette(Path::new(path))?;
        let name = model.dialect.name();
        let client = Client::replay(&cassette, Some(&name), Some(Arc::clone(&ledger)));
        return Ok((Arc::new(client.map_err(usage)?), ledger));
    }
    let settings = ClientSettings::from_env(model.dialect.clone()).map_err(usage)?;
    let scrub = Scrub::new(&settings.key);
    let cassette = match folder {
        Some(folder) => {
            let path = folder.path().join(CALLS);
            let store = FileStore::open(&path).map_err(RunError::file(&path))?;
            let cassette = Cassette::open(Arc::new(store), Mode::Both, scrub.clone());
            Some(cassette.map_err(|e| RunError::usage(format!("{}: {e}", path.display())))?)
        }
        None => None,
    };
    if let Some(cassette) = &cassette {
        ledger.carry(cassette.paid());
    }
    let prices = match &means.prices {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(RunError::file(path))?;
            let book = PriceBook::parse(&text);
            Some(Arc::new(book.map_err(|e| {
                RunError::usage(format!("{}: {e}", path.display()))
            })?))
        }
        None => None,
    };
    let shared = Shared {
        ledger: Some(Arc::clone(&ledger)),
        prices,
        cache: None,
        cassette,
        scrub: Some(scrub),
    };
    let client = Client::new(settings, &shared).map_err(usage)?;
    Ok((Arc::new(client), ledger))
}

/// A session where its last sitting ended, with its log.
type Seated = Result<(Session, Option<Progress>), RunError>;

fn sit_down(table: &Table<'_>, plan: &Plan, folder: Option<&Folder>, index: u64) -> Seated {
    let case = table.case(index)?;
    let header = table.header(&*case, index);
    let Some(folder) = folder else {
        return Ok((Session::new(case.open()?, header, plan.limits), None));
    };
    let (mut progress, entries) = Progress::open(folder, index)?;
    let session = Session::resume(case.open()?, header, plan.limits, entries)
        .map_err(|e| RunError::usage(format!("the kept part of episode {index}: {e}")))?;
    progress.take_over(&session)?;
    Ok((session, Some(progress)))
}

async fn one(
    seat: Seated,
    minds: Minds,
    settings: PlaySettings,
    stop: Arc<AtomicBool>,
    index: u64,
) -> Result<(EpisodeRecord, Option<Progress>), Unfinished> {
    let (mut session, mut progress) = seat.map_err(|e| Unfinished::Failed(e.to_string()))?;
    let slot = Slot::new(format!("episode{index}"));
    let mut kept = Ok(());
    {
        let mut keep = |session: &Session| {
            if let (Some(progress), Ok(())) = (&mut progress, &kept) {
                kept = progress.keep(session);
            }
        };
        let playing = play(&mut session, &minds, &settings, &slot, &mut keep);
        tokio::pin!(playing);
        loop {
            tokio::select! {
                played = &mut playing => {
                    played.map_err(Unfinished::Model)?;
                    break;
                }
                () = tokio::time::sleep(LOOK) => {
                    if stop.load(Ordering::Relaxed) {
                        return Err(Unfinished::Stopped);
                    }
                }
            }
        }
    }
    kept.map_err(|e| Unfinished::Failed(e.to_string()))?;
    let record = session
        .finish()
        .map_err(|e| Unfinished::Failed(e.to_string()))?;
    Ok((record, progress))
}

struct Keeper {
    appender: Option<Appender>,
    collected: Collected,
    failures: BTreeMap<u64, String>,
    /// Something that ends the run: a disk that is full.
    trouble: Option<RunError>,
    budget: Option<String>,
    stop: Arc<AtomicBool>,
}

impl Keeper {
    fn take(
        &mut self,
        table: &Table<'_>,
        references: &References,
        index: u64,
        result: Result<(EpisodeRecord, Option<Progress>), Unfinished>,
    ) {
        match result {
            Ok((record, progress)) => {
                if let Err(e) = self.keep(table, references, &record, progress) {
                    self.trouble.get_or_insert(e);
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
            Err(Unfinished::Stopped) => {}
            Err(Unfinished::Failed(why)) => {
                self.failures.insert(index, why);
            }
            Err(Unfinished::Model(e)) if e.class == ErrorClass::Budget => {
                self.budget.get_or_insert(e.to_string());
                self.stop.store(true, Ordering::Relaxed);
            }
            Err(Unfinished::Model(e)) => {
                if e.class.stops_the_run() {
                    self.stop.store(true, Ordering::Relaxed);
                }
                self.failures.insert(index, e.to_string());
            }
        }
    }

    fn keep(
        &mut self,
        table: &Table<'_>,
        references: &References,
        record: &EpisodeRecord,
        progress: Option<Progress>,
    ) -> Result<(), RunError> {
        let index = record.header.episode;
        if let Some(appender) = &mut self.appender {
            let line =
                serde_json::to_string(record).map_err(|e| RunError::Failed(e.to_string()))?;
            appender.line(&line)?;
            appender.sync()?;
        }
        if let Some(progress) = progress {
            progress.done()?;
        }
        let reference = references.of(&*table.case(index)?)?;
        let tally = record.tally();
        self.collected.add(index, &record.score, tally, &reference);
        Ok(())
    }
}
