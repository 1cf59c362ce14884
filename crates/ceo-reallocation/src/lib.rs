//! The chief executive's desk: moving capital between business units against four advisors who
//! contradict each other.
//!
//! A company has 4 to 8 business units. Once a quarter its chief executive takes percentage points
//! of the company's capital from some units and gives them to others, under hard limits, after
//! hearing a CFO, a CTO, a COO and a CMO who know different things and want different things. What
//! the plan is worth is decided by rule alone: no model judges.
//!
//! ```text
//!   scenario ──► views of the four advisors ──► plan ──► hard limits ──► four dimensions ──► score
//!      ▲         (or their talk, each a seat)              │               roles, boldness,   labels
//!      │                                                   ▼               history, fit
//!      └──── next round: shares, overload, starvation, runway, leverage, pressure, shocks
//! ```
//!
//! # Source
//! Dai, Peng, Qian, Xie, "Can LLMs Be CEOs? Benchmarking Strategic Resource Reallocation with
//! Multi-Role Agent Simulation", arXiv 2606.17459: the task (section 3), the checks, weights,
//! penalties, grades and labels (appendix C), the fields of the prompts (appendix A). Where the
//! paper names an effect without a formula the formula is ours, and its doc comment says so. The 13
//! scenarios are ours as well (`fixtures`). Not in the paper: several rounds in a row
//! ([`advance`]), advisors as agents of their own ([`Talk`]), companies without limit
//! ([`generate`]), the best possible plan ([`best_plan`]) and the distance from it ([`regret`]).
//!
//! # Example
//! ```
//! use ceo_reallocation::{Scorer, ScoringConfig, authored, best_plan, parse_plan, regret};
//! use sim_core::Effort;
//!
//! let scenario = authored().scenario("C3-R3").ok_or("no such scenario")?;
//! let scorer = Scorer::new(scenario, &ScoringConfig::default())?;
//! let plan = parse_plan(
//!     "We stay careful: {\"remove_from\": {\"A\": 7}, \"add_to\": {\"C\": 4, \"D\": 3},
//!      \"decision_type\": \"conservative\", \"rationale\": \"The CFO is right, but the CTO has a
//!      case for Open Platform.\"}",
//! )?;
//! let card = scorer.score(&plan);
//! assert_eq!(card.labels.len(), 1); // not bold enough
//! let best = best_plan(scenario, &scorer, Effort::Quick);
//! assert_eq!((best.score, best.bound), (97.5, 97.5)); // proven: no plan can beat the bound
//! assert!(regret(&scorer, &best, &card).regret > 28.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`CeoDesk`] is the environment with its tools, [`CeoFamily`] what the runner knows;
//! `docs/ceo.md` has the rules, the replies and the figures.

mod action;
mod batch;
mod check;
mod config;
mod counsel;
mod deliberation;
mod dynamics;
mod environment;
mod family;
mod flow;
mod generate;
mod instance;
mod observe;
mod plan;
mod policy;
mod project;
mod prompt;
mod report;
mod rubric;
mod scenario;
mod score;
mod setting;
mod simple;
mod skin;
mod solve;
mod state;
mod unit_id;
mod world;

pub use action::Action;
pub use batch::CeoBatch;
pub use config::{
    BoldnessConfig, GradeConfig, HistoryConfig, InvalidPolicy, Kappa, Lexicon, PreferenceSource,
    RoleConfig, ScoringConfig, ValidityConfig, WordsConfig,
};
pub use counsel::{HiddenRisk, ideal_range, ideal_total, renew};
pub use deliberation::{Draft, Fact, Message, Report, Talk, TalkMetrics, facts};
pub use dynamics::{
    DISTRESS_FROM, Decision, Noise, Transition, Undercurrent, UnitUndercurrent, advance, fragility,
    in_distress, next_quarter,
};
pub use environment::{CHIEF, CeoDesk, Feedback};
pub use family::CeoFamily;
pub use generate::{Generated, NoneAccepted, Rejection, Sector, Target, generate};
pub use instance::Instance;
pub use observe::{AdvisorView, BriefView, ChiefView, CommonView, Observation};
pub use plan::{
    Amount, DecisionType, Plan, Reading, Unreadable, Violation, ViolationCode, Warning, parse_plan,
    read_plan, read_plan_value,
};
pub use policy::{BuiltIn, MAXIMUM_TEXT, follow_text, max_reallocation, nothing, random_moves};
pub use prompt::PLAN_FORM;
pub use report::{Rate, Row, compare, cooccurrence, row, score_all, wilson};
pub use rubric::{OlderRubric, older_rubric};
pub use scenario::{
    AUTHORED_IDS, Advisor, Advisors, CapacityConstraint, Catalogue, Company, CompanyState,
    Constraints, DecisionBands, Direction, Drift, Evaluation, Flag, FlagKind, FlagName, Label,
    MAX_UNITS, MIN_UNITS, MarginProfile, MarginTrend, Officer, Past, Posture, Profile, Proforma,
    Reversal, RoiTrend, Scenario, ScenarioError, Severity, Shock, ShockKind, Tier, Tolerances,
    TransferRule, Unit, UnitId, UnitRole, authored,
};
pub use score::{
    Diagnostic, Grade, Marks, Moves, Outcome, ScoreCard, Scorer, TextMarks, UnitArray, Wording,
    penalty, round2, score, similarity, validate,
};
pub use setting::{CeoConfig, DeliberationConfig, GeneratorConfig, Visibility};
pub use skin::{READ_ADVISORS, READ_HISTORY, READ_SITUATION, SUBMIT_PLAN, SUBMIT_REPORT};
pub use solve::{BestPlan, Regret, best_plan, best_rationale, closed_bound, regret};
pub use state::{Ended, RoundResult, State};
pub use world::World;
