//! Models in the seats of a classroom.

use agent_client::Slot;
use agent_client::backend::AgentBackend;
use agent_client::decide::Deliberator;
use agent_client::play::{Agent, PlayReport, PlaySettings, play_turn};
use boardroom_serve::classroom::{ModelFuture, ModelPlayer, ModelTurn};
use run_engine::engine::model::ask::CONCURRENCY;
use run_engine::engine::model::backends::Models;
use run_engine::error::RunError;
use run_engine::plan::model::{ModelPlan, RunBudget};
use run_engine::plan::options::ModelOptions;
use run_engine::run_dir::Folder;
use sim_core::{Input, Next};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The models of a classroom, which share its budget and its recording.
#[derive(Debug)]
pub(super) struct SeatModels {
    names: Vec<String>,
    agents: Vec<SeatAgent>,
    /// Permits for turns in progress.
    places: Arc<Semaphore>,
}

#[derive(Debug)]
struct SeatAgent {
    backend: Arc<dyn AgentBackend>,
    deliberator: Arc<dyn Deliberator>,
    play: PlaySettings,
}

impl SeatModels {
    /// The models with these names; their calls are recorded in the run folder `folder`.
    ///
    /// # Errors
    /// When a name is not that of a model, or a key or a price is missing.
    pub(super) fn open(
        names: &[String],
        means: &RunBudget,
        folder: &Folder,
    ) -> Result<Self, RunError> {
        let plans = Self::plans(names)?;
        let dialects: Vec<_> = plans.iter().map(|plan| &plan.dialect).collect();
        let first = names.first().map_or("", String::as_str);
        let models = Models::open_in(Some(folder), first, &dialects, means)?;
        let agents = plans.iter().enumerate().map(|(place, plan)| {
            let method = plan.method.make();
            let method = method.map_err(|e| RunError::usage(e.message))?;
            Ok(SeatAgent {
                backend: models.backend(place)?,
                deliberator: method.deliberator,
                play: plan.play,
            })
        });
        Ok(Self {
            names: names.to_vec(),
            agents: agents.collect::<Result<_, RunError>>()?,
            places: Arc::new(Semaphore::new(means.concurrency.unwrap_or(CONCURRENCY))),
        })
    }

    /// How each of the models is asked.
    ///
    /// # Errors
    /// When a name is not that of a model.
    pub(super) fn plans(names: &[String]) -> Result<Vec<ModelPlan>, RunError> {
        let plan = |name: &String| {
            // A recording answers the requests of its own run; those of a class are others.
            let found = if name.starts_with("replay:") {
                None
            } else {
                ModelPlan::new(name, &ModelOptions::default())?
            };
            found.ok_or_else(|| {
                RunError::usage(format!(
                    "`{}` is not a model; name one as openai:MODEL or anthropic:MODEL",
                    sim_core::error::clip(name)
                ))
            })
        };
        names.iter().map(plan).collect()
    }
}

impl ModelPlayer for SeatModels {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn play(&self, turn: ModelTurn) -> ModelFuture {
        let place = self.names.iter().position(|name| *name == turn.model);
        let agent = place.and_then(|place| self.agents.get(place));
        let agent = agent.map(|agent| {
            let mut mind = Agent::new(Arc::clone(&agent.backend));
            mind.deliberator = Arc::clone(&agent.deliberator);
            (mind, agent.play)
        });
        let places = Arc::clone(&self.places);
        Box::pin(async move {
            let (mind, settings) = agent.ok_or("there is no such model")?;
            // Held and not looked at: it is an error only where the semaphore was closed, which
            // nobody does.
            let permit = places.acquire_owned().await;
            let mut session = turn.session;
            let (slot, mut report) = (Slot::new(turn.name), PlayReport::default());
            let next = play_turn(&mut session, &mind, &settings, &slot, &mut report).await;
            drop(permit);
            match next {
                Err(e) => Err(e.to_string()),
                Ok(Next::Forfeited) => Err("it made no valid decision".to_owned()),
                Ok(_) => {
                    let inputs = session.entries().iter().map(|entry| entry.input.clone());
                    Ok(inputs.filter(|input| *input != Input::Forfeit).collect())
                }
            }
        })
    }
}
