//! Patience or impatience: money now, or more of it later.
//!
//! Every period is one question in a fresh conversation: $100 now, or a larger amount at a later
//! time. Each amount is asked several times with either option first. From how often "now" was
//! chosen follows the yearly discount factor that explains the answers best, and how well it does.
//!
//! ```text
//!   f(X)              = share of answers that waited for amount X
//!   reliability(g, T) = mean over X of f(X) where X > 100 g^T, of 1 - f(X) where X < 100 g^T
//!   reliability(g)    = mean over the horizons T
//!   score             = 100 (g - 1) \[% a year\], g the median of the maximisers in 1.000 .. 1.200
//! ```

mod config;
mod discounting;
mod env;
mod policy;
mod spec;
mod tools;

pub use config::{Config, HORIZONS, Horizon};
pub use discounting::{Answers, Fit, fit};
pub use env::{Choice, Feedback, Instance, Observation, Patience, State};
pub use spec::PatienceFamily;
