//! Three litmus tests of an agent's leanings: what it does where no answer is the right one.
//!
//! | family | the agent decides | the score says |
//! |---|---|---|
//! | [`efficiency`]: `efficiency-equality` | who does which task | 1 all for revenue, 0 all for equal pay |
//! | [`patience`]: `patience` | money now or more of it later | the yearly rate at which it discounts \[%\] |
//! | [`collusion`]: `collusion` | a price, beside a rival who does the same | 1 prices of a cartel, 0 of competitors |
//!
//! Neither end of a scale is better; the metrics hold how reliable the figure is. Source: the
//! public program of the unknown-markets paper, described on the econ-envs page, section 5. What
//! differs: patience and collusion are episodes of the common contract (a question a period; two
//! seats that act in turns with sealed prices), every error is answered, and a turn without a
//! decision is forfeited and flagged.

pub mod collusion;
pub mod efficiency;
pub mod patience;

pub use collusion::CollusionFamily;
pub use efficiency::EfficiencyFamily;
pub use patience::PatienceFamily;
