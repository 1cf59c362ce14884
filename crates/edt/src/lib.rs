//! The Enterprise Digital Twin: a consulting firm that is set up once and then runs by itself.
//!
//! A decision `{C, R, P}` says how many consultants stay, how much revenue risk is taken, and which
//! projects are accepted from when to when. Then the firm runs to its end, and what it has earned
//! is the score.
//!
//! ```text
//!  one step (agent order cpf)
//!
//!  consultants   book their cost ─ free ones start ready projects, then join open ones ─ work
//!  projects      report ─ open at the start ─ end at the deadline ─ extend when done ─ follow-on?
//!  controlling   takes what was booked ─ revenue, expenses, cash, utilization
//!  follow-ons    as projects, but what they report is booked one step later
//! ```
//!
//! # Source
//! "EnterpriseBench" (the strategic paper), appendix A.6 and Table 3; the
//! template's numbers are facts from the authors' public repository; the dynamics are those of the
//! tutorial model of the Business Prototyping Toolkit (BPTK-Py 3.2.0), on which the authors ran.
//!
//! # What differs
//! * A plan outside the limits is refused with an explanation; the authors' clamping is an option
//!   ([`DecisionRule`]).
//! * The paper speaks of draws for extensions and follow-ons. The original engine draws nothing: a
//!   probability counts when it exceeds 1 - R. That is the default here; real draws are an option
//!   ([`RiskMode`]).
//! * Marketing campaigns of the tutorial are left out; no scenario uses them.
//!
//! # Example
//! ```
//! use edt::{Chance, Decision, Engine, Firm};
//!
//! let firm = Firm::paper();
//! let totals = Engine::new(&firm).run(&Decision::simple(&firm), &Chance::threshold(0.0));
//! assert_eq!(totals.accumulated_earnings, 7_116_500.0);
//! assert!((totals.mean_utilization - 0.9340).abs() < 1e-4);
//! ```

mod batch;
mod chance;
pub mod chart;
mod clock;
mod config;
mod decision;
mod engine;
mod environment;
mod family;
mod firm;
mod generate;
mod instance;
mod ledger;
mod observe;
pub mod optimum;
mod outcome;
mod policy;
mod prompt;
mod reference;
pub mod scenario;
mod skin;
mod twin;

pub use batch::EdtBatch;
pub use chance::{Chance, RiskMode};
pub use clock::Clock;
pub use config::{Config, Disclosure, Drawn, FEWEST_DRAWN, StepLength, Template};
pub use decision::{Decision, DecisionRule, Window};
pub use engine::{Engine, ProjectEnd, Totals};
pub use environment::{Edt, State};
pub use family::EdtFamily;
pub use firm::{
    Actor, AgentOrder, Firm, MOST_CONSULTANTS, MOST_PROJECTS, MOST_STEPS, Project, StaffGroup,
};
pub use instance::Instance;
pub use ledger::{BILLED_DAYS, Bookings, Figures, FirmAccounts};
pub use observe::{Observation, SeenProject, SeenStaff};
pub use outcome::{Outcome, Point, Taken};
pub use policy::{local_search, random_decision};
pub use skin::{GET_FIRM, GET_PROJECTS, SUBMIT_PLAN};
pub use twin::{Consultant, ProjectAgent, ProjectState, Twin};
