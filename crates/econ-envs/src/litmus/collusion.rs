//! Collusion or competition: two sellers of like products who meet again and again.
//!
//! Both set a price each period without seeing the other's current one; logit demand decides what
//! each sells. Prices of a cartel and of competitors (Nash) are known in closed form; where the
//! sellers settle between them is the score.
//!
//! ```text
//!   period:  seller_1 and seller_2 each set a price (sealed) -> both learn what they sold and
//!            what the other charged
//!   score:   (mean real price of the last periods - Nash) / (monopoly - Nash), cut to [0, 1]
//! ```
//!
//! With one seller it is the check of competence: does the agent find the monopoly price and stay.

mod config;
mod env;
mod market;
mod policy;
mod spec;
mod tools;

pub use config::{Config, Instance};
pub use env::{Collusion, Feedback, Observation, Past, PriceAction, State};
pub use market::{best_reply, nash_price};
pub use spec::CollusionFamily;
