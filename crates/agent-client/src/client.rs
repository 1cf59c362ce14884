//! A client of a model behind an API, with all stages of a request.
//!
//! A [`Client`] encodes a request in the provider's JSON and sends it through the stages of
//! [`layer`](crate::layer): budget, cache, cassette, limiter, retry, adapt, transport. [`ClientSettings`] belong
//! to one model; [`Shared`] belongs to a run, whose models share one account, cache and recording.

use crate::backend::{AgentBackend, Structured};
use crate::cassette::{Cassette, CassetteMode};
use crate::cause::Cause;
use crate::error::{AgentError, ErrorClass};
use crate::layer::StageLayer;
use crate::layer::adapt::Adapt;
use crate::layer::budget::Budget;
use crate::layer::cache::{Cache, Cached};
use crate::layer::limiter::Limiter;
use crate::layer::record::Record;
use crate::layer::retry::{Retry, RetrySettings};
use crate::layer::transport::{
    Transport, TransportSettings, is_on_this_machine, names_version, secrets as secrets_of_address,
};
use crate::layer::{Answer, Call};
use crate::ledger::CostLedger;
use crate::money::{Price, PriceBook};
use crate::pace::{LongPause, Pace, PaceSettings};
use crate::reply::Reply;
use crate::request::{ModelRole, Request};
use crate::secret::{ApiKey, variable};
use crate::wire::ways::{Learnt, LearntStore, Way, Ways};
use crate::wire::{ApiKind, Dialect};
use async_trait::async_trait;
use sim_core::scrub::Scrub;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tower::util::{BoxCloneSyncService, option_layer};
use tower::{ServiceBuilder, ServiceExt as _};

/// Address, sampling and limits of a model.
///
/// Change single fields after [`new`](Self::new) or [`from_env`](Self::from_env).
///
/// # Example
/// ```
/// use agent_client::client::{Client, ClientSettings, Shared};
/// use agent_client::wire::{ApiKind, Dialect};
/// use agent_client::AgentBackend;
///
/// let mut dialect = Dialect::new(ApiKind::OpenAi, "some-model");
/// dialect.temperature = Some(0.0);
/// let mut settings = ClientSettings::new(dialect, "http://127.0.0.1:8080/v1", None);
/// settings.retry.attempts = 3;
/// settings.transport.attempt_timeout = 60.0; // seconds
/// let client = Client::new(settings, &Shared::default())?;
/// assert_eq!(client.name(), "openai:some-model");
/// assert_eq!(client.allowed(), Some(32)); // concurrent requests
/// # Ok::<(), agent_client::AgentError>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientSettings {
    /// Language, model and sampling.
    pub dialect: Dialect,
    /// Base address, such as `http://127.0.0.1:8080/v1`.
    pub base: String,
    /// Key of the account; local servers need none.
    pub key: Option<ApiKey>,
    /// Rate and concurrency limits.
    pub pace: PaceSettings,
    /// Retry limits.
    pub retry: RetrySettings,
    /// Time and size limits of an attempt.
    pub transport: TransportSettings,
}

impl ClientSettings {
    /// Default limits for the model of `dialect` at the base address `base`, to which the path of the API is
    /// appended (`chat/completions` or `messages`).
    pub fn new(dialect: Dialect, base: impl Into<String>, key: Option<ApiKey>) -> Self {
        Self {
            dialect,
            base: base.into(),
            key,
            pace: PaceSettings::default(),
            retry: RetrySettings::default(),
            transport: TransportSettings::default(),
        }
    }

    /// A scrubber for what is secret in these settings: the keys, and passwords and keys in the addresses.
    #[must_use]
    pub fn scrub<'a>(all: impl IntoIterator<Item = &'a Self>) -> Scrub {
        let mut secrets = Vec::new();
        for settings in all {
            secrets.extend(settings.key.iter().map(|key| key.expose().to_owned()));
            secrets.extend(secrets_of_address(&settings.base));
        }
        Scrub::new(secrets.iter().map(String::as_str))
    }

    /// The same with address and key from the environment: `OPENAI_BASE_URL` and `OPENAI_API_KEY`,
    /// or `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY`. Without an address it is the provider's
    /// own, which needs a key.
    ///
    /// # Errors
    /// When the address is the provider's own and there is no key for it.
    pub fn from_env(dialect: Dialect) -> Result<Self, AgentError> {
        Self::from_env_or(dialect, None)
    }

    /// As [`from_env`](Self::from_env), with the address `kept` of an earlier session where the environment
    /// names none.
    ///
    /// # Errors
    /// When the address is the provider's own and there is no key for it, and when the key of the account
    /// would go to another machine that only `kept` names: a folder that somebody else made must not decide
    /// where a key is sent.
    pub fn from_env_or(dialect: Dialect, kept: Option<&str>) -> Result<Self, AgentError> {
        let own = match dialect.kind {
            ApiKind::OpenAi | ApiKind::Embeddings => "https://api.openai.com/v1",
            ApiKind::Anthropic => "https://api.anthropic.com/v1",
        };
        let (key_name, base_name) = (dialect.kind.key_variable(), dialect.kind.base_variable());
        let key = ApiKey::from_env(key_name)?;
        let named = variable(base_name)?;
        // An address in the environment was named by the user, and the provider's own is where the
        // key belongs. Only another one, which nobody but the folder names, is in question.
        let kept = kept.filter(|kept| named.is_none() && *kept != own);
        if let Some(kept) = kept
            && key.is_some()
            && !is_on_this_machine(kept)
        {
            return Err(AgentError::setup(format!(
                "the run began at another server than the provider's; to send the key there again, \
                 set {base_name}={kept}"
            )));
        }
        let base = named.or_else(|| kept.map(str::to_owned));
        if base.is_none() && key.is_none() {
            return Err(AgentError::setup(format!(
                "{key_name} is not set; set it with `export {key_name}=KEY`, or {base_name} for a server \
                 of your own"
            )));
        }
        Ok(Self::new(
            dialect,
            base.unwrap_or_else(|| own.to_owned()),
            key,
        ))
    }
}

/// State that the backends of one run share.
///
/// `Shared::default()` is enough for a single model without limits.
#[derive(Debug, Clone, Default)]
pub struct Shared {
    /// The account; if absent, a new one without a cap.
    pub ledger: Option<Arc<CostLedger>>,
    /// Prices; without them costs are not counted, and a cap is refused.
    pub prices: Option<Arc<PriceBook>>,
    /// Answers of earlier runs.
    pub cache: Option<Cache>,
    /// The recording of this run.
    pub cassette: Option<Cassette>,
    /// The keys of all backends of the run, which must not be written to any file.
    pub scrub: Option<Scrub>,
    /// What the servers refuse, by model; filled by the clients.
    pub ways: Arc<Mutex<BTreeMap<String, Ways>>>,
    /// Where the ways are stored, so that a resumed run knows them.
    pub learnt: Option<Arc<dyn LearntStore>>,
}

impl Shared {
    /// The ways that are known for the model of `dialect`; clients of one model share what they learn.
    fn ways_of(&self, dialect: &Dialect) -> Ways {
        let name = dialect.name();
        let mut all = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || {
            // The store knows more than a cassette: also the room, and ways without a recorded
            // call.
            if let Some(store) = &self.learnt {
                return Ways::of(&dialect.ways, Learnt::default())
                    .kept_in(&name, Arc::clone(store));
            }
            let known = self.cassette.as_ref().map(|cassette| cassette.ways(&name));
            let ways = known.unwrap_or_default();
            Ways::of(&dialect.ways, Learnt { ways, room: None })
        };
        all.entry(name.clone()).or_insert_with(made).clone()
    }
}

type Stages = BoxCloneSyncService<Call, Answer, AgentError>;

/// A backend behind an API, or behind the recording of one.
#[derive(Clone)]
pub struct Client {
    dialect: Arc<Dialect>,
    stages: Stages,
    ledger: Arc<CostLedger>,
    ways: Ways,
    pace: Option<Arc<Pace>>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("dialect", &self.dialect)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client of a server.
    ///
    /// # Errors
    /// When the settings cannot work, or a cap is set and the model has no price.
    ///
    /// All numbers of the settings are checked here, so a mistake appears before the first request: the
    /// error has class [`ErrorClass::Setup`] and names the value and its range. Nothing is sent.
    pub fn new(settings: ClientSettings, shared: &Shared) -> Result<Self, AgentError> {
        settings.dialect.check()?;
        settings.pace.check()?;
        settings.retry.check()?;
        let ledger = shared
            .ledger
            .clone()
            .unwrap_or_else(|| CostLedger::new(None));
        let price = price(&settings.dialect, shared, &ledger)?;
        let scrub = shared
            .scrub
            .clone()
            .unwrap_or_else(|| ClientSettings::scrub([&settings]));
        let pace = Pace::new(&settings.pace);
        let transport = Transport::new(
            settings.dialect.kind,
            &settings.base,
            settings.key.as_ref(),
            settings.transport,
            scrub.clone(),
        )?;
        let cassette = shared.cassette.clone();
        let ways = shared.ways_of(&settings.dialect);
        // Ways that cannot help: without a key no header carries it, and an address that names a
        // version has its `/v1`.
        let mut vain = BTreeSet::new();
        if settings.key.is_none() {
            vain.insert(Way::KeyHeader);
        }
        if names_version(&settings.base) {
            vain.insert(Way::V1);
        }
        let stages = ServiceBuilder::new()
            .layer(StageLayer(Budget::new(Arc::clone(&ledger), price)))
            .layer(option_layer(
                shared
                    .cache
                    .clone()
                    .map(|cache| StageLayer(Cached::new(cache, cassette.clone()))),
            ))
            .layer(option_layer(
                cassette.map(|c| StageLayer(Record::new(c, price))),
            ))
            .layer(StageLayer(Limiter::new(Arc::clone(&pace))))
            .layer(StageLayer(Retry::new(
                settings.retry,
                Arc::clone(&pace),
                Arc::clone(&ledger),
                scrub,
            )))
            .layer(StageLayer(Adapt::new(
                ways.clone(),
                vain,
                Arc::clone(&pace),
                Arc::clone(&ledger),
            )))
            .service(transport);
        Ok(Self {
            dialect: Arc::new(settings.dialect),
            stages: BoxCloneSyncService::new(stages),
            ledger,
            ways,
            pace: Some(pace),
        })
    }

    /// A client that replays a cassette and never sends anything. It uses the dialect and the name
    /// of the recording.
    ///
    /// `name` chooses one of several recorded models (`openai:some-model`); without it the first
    /// one is replayed.
    ///
    /// # Errors
    /// When the cassette is empty, or does not contain a model of that name.
    pub fn replay(
        cassette: &Cassette,
        name: Option<&str>,
        ledger: Option<Arc<CostLedger>>,
    ) -> Result<Self, AgentError> {
        let dialects = cassette.dialects();
        let chosen = match name {
            None => dialects.first(),
            Some(name) => dialects.iter().find(|d| d.name() == name),
        };
        let Some(dialect) = chosen.cloned() else {
            let names: Vec<String> = dialects.iter().map(Dialect::name).collect();
            return Err(AgentError::new(
                ErrorClass::Miss,
                match name {
                    Some(name) if !names.is_empty() => format!(
                        "the recording holds no calls of {name}; it holds those of {}",
                        names.join(", ")
                    ),
                    _ => "the recording holds no model calls".to_owned(),
                },
            ));
        };
        Self::recorded(dialect, cassette, ledger)
    }

    /// A client that encodes requests in `dialect` and answers them from the cassette alone:
    /// nothing is ever sent. Unlike [`replay`](Self::replay) it accepts a cassette in any dialect.
    /// A request that differs from all recorded ones is an [`ErrorClass::Miss`].
    ///
    /// # Errors
    /// When the cassette is not in replay mode.
    ///
    /// `verify` uses it to ask the models of a plan again with the stored calls of the run.
    pub fn recorded(
        dialect: Dialect,
        cassette: &Cassette,
        ledger: Option<Arc<CostLedger>>,
    ) -> Result<Self, AgentError> {
        if cassette.mode() != CassetteMode::Replay {
            return Err(AgentError::setup(
                "a replay needs a cassette in replay mode",
            ));
        }
        let ledger = ledger.unwrap_or_else(|| CostLedger::new(None));
        // Below the recording, which answers or fails in replay mode, so it is never asked.
        let nothing = tower::service_fn(|_: Call| async {
            Err::<Answer, _>(AgentError::setup("a replay tried to use the network"))
        });
        let stages = ServiceBuilder::new()
            // Free: the run that was recorded has paid, and a cap must not refuse what costs
            // nothing.
            .layer(StageLayer(Budget::new(Arc::clone(&ledger), Price::FREE)))
            .layer(StageLayer(Record::new(cassette.clone(), Price::FREE)))
            .service(nothing);
        Ok(Self {
            dialect: Arc::new(dialect),
            stages: BoxCloneSyncService::new(stages),
            ledger,
            ways: Ways::default(),
            pace: None,
        })
    }

    /// Provider, model and sampling.
    #[must_use]
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// The account to which costs are booked.
    #[must_use]
    pub fn ledger(&self) -> &Arc<CostLedger> {
        &self.ledger
    }

    /// What the server refused so far, in one line each, and how it was asked then.
    #[must_use]
    pub fn refusals(&self) -> Vec<String> {
        self.ways.learnt().notes(&self.dialect.name())
    }

    /// A long pause that the server asked for and of which nobody was told yet.
    #[must_use]
    pub fn take_pause(&self) -> Option<LongPause> {
        self.pace.as_ref()?.take_pause()
    }

    /// Number of requests that may run concurrently now, for the progress line; absent for a
    /// replay.
    #[must_use]
    pub fn allowed(&self) -> Option<u32> {
        self.pace.as_ref().map(|pace| pace.allowed())
    }
}

/// The price of the model; free if unknown and there is no cap, because then no decision depends on it.
fn price(dialect: &Dialect, shared: &Shared, ledger: &CostLedger) -> Result<Price, AgentError> {
    let known = shared
        .prices
        .as_ref()
        .and_then(|prices| prices.price(&dialect.model));
    match known {
        Some(price) => Ok(price),
        None if ledger.cap().is_none() => Ok(Price::FREE),
        None => Err(AgentError::setup(format!(
            "--max-cost needs the price of `{}`: give a file that has it with --prices",
            dialect.model
        ))),
    }
}

#[async_trait]
impl AgentBackend for Client {
    fn name(&self) -> String {
        self.dialect.name()
    }

    async fn ask(&self, request: Request) -> Result<Reply, AgentError> {
        let call = Call::new(&self.dialect, &request);
        let in_flight = call.in_flight.clone();
        let work = self.stages.clone().oneshot(call);
        let answer = match self.pace {
            Some(_) => in_flight.carry_out(work).await,
            // Nothing is sent.
            None => work.await,
        };
        let reply = answer.and_then(|answer| answer.reply);
        reply.map_err(|mut error| {
            error.role = Some(request.role);
            // A run may ask several models, and the server's words need not say which one is meant.
            let of_model = matches!(
                error.class,
                ErrorClass::Auth | ErrorClass::Quota | ErrorClass::NotFound
            );
            if of_model && error.status.is_some() && !error.message.contains(&self.dialect.model) {
                error.message = format!("{}; the model is {}", error.message, self.dialect.name());
            }
            // Also where no key was sent: a server of one's own that wants none is as usual as one that does.
            if error.class == ErrorClass::Auth && error.status.is_some() {
                let variable = self.dialect.kind.key_variable();
                error.message = format!("{}; its key is read from {variable}", error.message);
            }
            error
        })
    }

    fn recount(&self, role: ModelRole, cause: Cause) {
        self.ledger.recount(role, &self.dialect.name(), cause);
    }

    fn structured(&self) -> Structured {
        let own = self.dialect.kind.structured();
        self.dialect.structured.unwrap_or(own)
    }

    fn settings(&self) -> serde_json::Value {
        sim_core::bytes::json(&*self.dialect)
    }
}
