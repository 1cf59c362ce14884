//! A whole simulator in one file: the newsvendor, walked through in `docs/new-simulator.md`.
//!
//! ```text
//!   order q  ─►  [ stand ]  ─►  demand of the day: sold = min(q, demand), the rest is waste
//! ```
//!
//! Run with: `cargo run --example new_simulator`
#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "an example prints, and its items are explained in docs/new-simulator.md"
)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim_core::batch::{LaneBatch, LaneSpec, Reward, play};
use sim_core::{
    ActionError, BatchEnvironment, BatchLayout, ConfigError, DynEnvironmentSpec, Effort,
    Environment, EnvironmentAbout, EnvironmentSpec, Episode, Field, Incident, NotFinite,
    PeriodCount, Policy, PolicyContext, PolicySpec, Preset, Prompt, Ranges, Reference,
    RestoreError, Score, Seed, Sense, Status, ToolInterface, ToolKind, ToolOutput, ToolSpec,
};
use std::sync::Arc;

// 1. Settings. `Default` has the values of the source; the schema and the check read the range on the field.

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Ranges)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Days in an episode.
    #[schemars(range(min = 1, max = 365))]
    pub days: u32,
    /// Price of a paper [cents].
    #[schemars(range(min = 1, max = 1_000_000))]
    pub price: i64,
    /// Cost of a paper [cents], at most its price.
    pub cost: i64,
    /// Demand is drawn each day from 0..=this [papers].
    #[schemars(range(min = 0, max = 1_000))]
    pub largest_demand: i64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            days: 10,
            price: 100,
            cost: 40,
            largest_demand: 50,
        }
    }
}

// 2. An instance, drawn once. It holds all random numbers of the episode.

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    pub config: Config,
    /// Demand of each day [papers]: hidden from the agent.
    pub demand: Vec<i64>,
}

// 3. The environment: shared instance + small state.

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    day: u32,
    profit: i64,
    last_demand: Option<i64>,
    forfeited: Vec<u32>,
}

#[derive(Debug, Clone)]
pub struct Newsstand {
    instance: Arc<Instance>,
    state: State,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Papers to buy for today, 0 to 1,000.
    pub papers: i64,
}

/// What the agent sees: a separate type, so that future demand cannot leak.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Observation {
    pub day: u32,
    pub yesterdays_demand: Option<i64>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Sales {
    pub sold: i64,
    pub unsold: i64,
    pub profit: i64,
}

impl Newsstand {
    fn sell(&mut self, papers: i64) -> Sales {
        let config = &self.instance.config;
        let demand = self
            .instance
            .demand
            .get(self.state.day as usize)
            .copied()
            .unwrap_or(0);
        let sold = papers.min(demand);
        let profit = sold * config.price - papers * config.cost;
        self.state.day += 1;
        self.state.profit += profit;
        self.state.last_demand = Some(demand);
        Sales {
            sold,
            unsold: papers - sold,
            profit,
        }
    }
}

impl Environment for Newsstand {
    type State = State;
    type Action = Order;
    type Observation = Observation;
    type Feedback = Sales;

    fn state(&self) -> &State {
        &self.state
    }

    fn set_state(&mut self, state: State) -> Result<(), RestoreError> {
        if state.day > self.instance.config.days {
            let message = format!("day {} is beyond the last", state.day);
            return Err(RestoreError {
                place: "state.day".to_owned(),
                message,
            });
        }
        self.state = state;
        Ok(())
    }

    fn observe(&self) -> Observation {
        Observation {
            day: self.state.day,
            yesterdays_demand: self.state.last_demand,
        }
    }

    fn step(&mut self, order: &Order) -> Result<Sales, ActionError> {
        if self.is_over() {
            return Err(ActionError::episode_over());
        }
        if !(0..=1_000).contains(&order.papers) {
            let message = format!("an order is 0 to 1000 papers, not `{}`", order.papers);
            return Err(ActionError::new("order_out_of_range", message));
        }
        Ok(self.sell(order.papers))
    }

    fn forfeit(&mut self) -> Sales {
        self.state.forfeited.push(self.state.day);
        self.sell(0)
    }

    fn is_over(&self) -> bool {
        self.state.day >= self.instance.config.days
    }

    fn score(&self) -> Result<Score, NotFinite> {
        let incidents = self.state.forfeited.iter().map(|day| Incident {
            code: "forfeited_day".to_owned(),
            period: *day,
            note: "no order was placed".to_owned(),
        });
        #[allow(
            clippy::cast_precision_loss,
            reason = "cents of ten days are far below 2^53"
        )]
        let score = Score::new(self.state.profit as f64)?;
        Ok(score.incidents(incidents))
    }
}

// 4. Tools and prompts.

impl ToolInterface for Newsstand {
    type Shown = ();

    fn tools(&self) -> Vec<ToolSpec> {
        let papers = json!({"type": "integer", "minimum": 0, "maximum": 1000});
        vec![
            ToolSpec::new(
                "get_yesterday",
                ToolKind::Getter,
                "How many papers were wanted.",
            ),
            ToolSpec::new(
                "order",
                ToolKind::Action,
                "Buy papers for today and sell them.",
            )
            .with("papers", papers),
        ]
    }

    fn briefing(&self) -> Prompt {
        let Config { price, cost, .. } = self.instance.config;
        Prompt {
            system: format!(
                "You run a newsstand. A paper costs {cost} cents and sells for {price}; unsold \
                 papers are worthless. Earn as much as you can."
            ),
            opening: format!(
                "It is day {}. Decide how many papers to buy.",
                self.state.day
            ),
            reminder: "Call `order` when you have decided.".to_owned(),
        }
    }

    fn period(&self) -> PeriodCount {
        PeriodCount {
            index: self.state.day,
            total: Some(self.instance.config.days),
            unit: "day",
        }
    }

    fn get(&self, _tool: &str, _arguments: &Value) -> Result<ToolOutput, ActionError> {
        Ok(ToolOutput::text(match self.state.last_demand {
            Some(demand) => format!("{demand} papers were wanted yesterday."),
            None => "There is no yesterday yet.".to_owned(),
        }))
    }

    fn read_call(&self, _tool: &str, arguments: &Value) -> Result<Order, ActionError> {
        Order::deserialize(arguments).map_err(|e| {
            ActionError::bad_arguments(format!("`order` takes {{\"papers\": n}}: {e}"))
        })
    }

    fn feedback_text(&self, sales: &Sales) -> String {
        format!(
            "Sold {}, {} left over, {} cents earned.",
            sales.sold, sales.unsold, sales.profit
        )
    }

    // Agents read the text alone; with `type Shown = Sales` and `Some(sales)` they would get JSON beside it.
    fn feedback_value<'a>(&self, _: &'a Sales) -> Option<&'a ()> {
        None
    }
}

// 5. The spec: presets, generator, reference, policies.

#[derive(Debug, Clone, Copy)]
pub struct Newsvendor;

struct Constant(i64);

impl Policy<Newsstand> for Constant {
    fn act(&mut self, _observation: &Observation) -> Order {
        Order { papers: self.0 }
    }
}

/// The critical fractile: the smallest order that covers demand with probability
/// (price - cost) / price (Arrow, Harris and Marschak 1951).
fn fractile(config: &Config) -> i64 {
    (config.largest_demand + 1) * (config.price - config.cost) / config.price
}

impl EnvironmentSpec for Newsvendor {
    const ABOUT: EnvironmentAbout = EnvironmentAbout {
        name: "newsvendor",
        version: 1,
        about: "how many papers to buy before the demand is known",
        unit: "cents",
        sense: Sense::Maximise,
        ..EnvironmentAbout::DEFAULT
    };

    type Env = Newsstand;
    type Config = Config;
    type Instance = Instance;

    fn presets(&self) -> Vec<Preset<Config>> {
        vec![Preset::new(
            "classic",
            "ten days of uniform demand",
            Config::default(),
        )]
    }

    fn check(&self, config: &Config) -> Result<(), ConfigError> {
        config.check_ranges()?;
        ConfigError::check_range("cost", config.cost, 0, config.price)
    }

    fn generate(&self, config: &Config, episode: Episode) -> Result<Instance, ConfigError> {
        self.check(config)?;
        let draw = |day| {
            episode
                .seed
                .stream("demand", u64::from(day))
                .between(0, config.largest_demand)
        };
        Ok(Instance {
            config: config.clone(),
            demand: (0..config.days).map(draw).collect(),
        })
    }

    fn begin(&self, instance: Arc<Instance>) -> Result<Newsstand, ConfigError> {
        self.check(&instance.config)
            .map_err(|e| e.within("config"))?;
        if instance.demand.len() != instance.config.days as usize {
            return Err(ConfigError::new(
                "demand",
                "must have one number for each day",
            ));
        }
        for demand in &instance.demand {
            ConfigError::check_range("demand", *demand, 0, 1_000)?;
        }
        Ok(Newsstand {
            instance,
            state: State::default(),
        })
    }

    fn reference(&self, instance: &Instance, _effort: Effort) -> Reference {
        // With known demand the best order is exactly the demand.
        let margin = instance.config.price - instance.config.cost;
        let best = instance.demand.iter().sum::<i64>() * margin;
        #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
        let best = best as f64;
        Reference {
            optimum: Some(best),
            bound: Some(best),
            baseline: None,
            status: Status::Proven,
            method: "order the demand of the day".to_owned(),
        }
    }

    fn policies(&self) -> Vec<PolicySpec<Newsstand, Instance>> {
        vec![
            PolicySpec::new(
                "constant",
                "the same order every day",
                |m: PolicyContext<'_, Instance>| {
                    #[allow(clippy::cast_possible_truncation, reason = "saturates; step checks it")]
                    Ok(Constant(m.number()?.unwrap_or(25.0) as i64))
                },
            )
            .argument("<n>", "20"),
            PolicySpec::new(
                "fractile",
                "the critical fractile",
                |m: PolicyContext<'_, Instance>| Ok(Constant(fractile(&m.instance.config))),
            ),
        ]
    }

    fn batch(
        &self,
        config: &Config,
        lanes: usize,
        seed: Seed,
    ) -> Result<Option<Box<dyn BatchEnvironment>>, ConfigError> {
        let batch = LaneBatch::<Vectors>::new(config, lanes, seed)?;
        Ok(Some(Box::new(batch)))
    }
}

// 6. The episode in numbers, for reinforcement learning. A lane of the batch is the environment itself.

#[derive(Debug, Clone)]
pub struct Vectors {
    config: Config,
}

impl LaneSpec for Vectors {
    type Config = Config;
    type Env = Newsstand;
    type Lane = Newsstand;

    fn new(config: &Config, _: Seed) -> Result<Self, ConfigError> {
        Newsvendor.check(config)?;
        Ok(Self {
            config: config.clone(),
        })
    }

    fn layout(&self, lanes: usize) -> BatchLayout {
        BatchLayout {
            lanes,
            horizon: self.config.days,
            observation: vec![
                Field::new("day", "days", 0.0, 365.0, 10.0).whole(),
                // -1 on the first day.
                Field::new("yesterdays_demand", "papers", -1.0, 1_000.0, 50.0).whole(),
            ],
            action: vec![Field::new("papers", "papers", 0.0, 1_000.0, 50.0).whole()],
            reward: Reward {
                about: "the profit of the day",
                sign: 1.0,
                scale: 1_000.0,
            },
        }
    }

    fn begin(&self, episode: Episode) -> Result<Newsstand, ConfigError> {
        Newsvendor.begin(Arc::new(Newsvendor.generate(&self.config, episode)?))
    }

    fn read(&self, action: &[f32]) -> Order {
        #[allow(clippy::cast_possible_truncation, reason = "0 to 1,000")]
        let papers = action.first().map_or(0, |papers| papers.round() as i64);
        Order { papers }
    }

    fn step(&mut self, lane: &mut Newsstand, action: &[f32]) -> f64 {
        let before = self.value(lane);
        play(lane, &self.read(action));
        self.value(lane) - before
    }

    fn is_over(&self, lane: &Newsstand) -> bool {
        lane.is_over()
    }

    fn write(&self, lane: &Newsstand, row: &mut [f32]) {
        if let [day, demand] = row {
            #[allow(clippy::cast_precision_loss, reason = "at most 1,000")]
            let number = |x: i64| x as f32;
            *day = number(lane.state.day.into());
            *demand = number(lane.state.last_demand.unwrap_or(-1));
        }
    }

    fn value(&self, lane: &Newsstand) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
        let value = lane.state.profit as f64;
        value
    }

    fn reference_env(&self, lane: &Newsstand) -> Result<Newsstand, ConfigError> {
        Newsvendor.begin(Arc::clone(&lane.instance))
    }
}

// 7. Playing it.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = Newsvendor.configure(Some("classic"), &[])?;
    println!("day by day for 20 seeds; profit in cents, best = order the demand of the day\n");
    for policy in ["constant:10", "constant:25", "fractile"] {
        let (mut sum, mut best) = (0.0, 0.0);
        for index in 0..20 {
            let instance =
                DynEnvironmentSpec::draw(&Newsvendor, &config, sim_core::Seed(1), index)?;
            let record = sim_core::testkit::play(&Newsvendor, &*instance, policy)?;
            sum += record.score.value() / 20.0;
            best += instance.reference(Effort::Quick).value().unwrap_or(0.0) / 20.0;
        }
        println!("{policy:<12} mean {sum:>8.1}   best {best:>8.1}");
    }
    Ok(())
}
