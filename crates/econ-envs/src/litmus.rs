//! Three litmus tests: what an agent does when no answer is the right one.
//!
//! | environment | the agent decides | the score |
//! |---|---|---|
//! | [`efficiency`]: `efficiency-equality` | which worker does which task | 1 all for revenue, 0 all for equal pay |
//! | [`patience`]: `patience` | money now or more of it later | the yearly discount rate \[%\] |
//! | [`collusion`]: `collusion` | a price against a rival | 1 prices of a cartel, 0 of competitors |
//!
//! Neither end of a scale is better; the metrics say how reliable the figure is. Source: the public
//! program of the unknown-markets paper. Different from it: patience and collusion are episodes of the
//! common contract (one question per period; two seats that act in turns with sealed prices), every
//! error is answered, and a turn without a decision is forfeited and recorded as an incident.
//!
//! Each of them also runs as a check of competence (one goal, one seller), in which one
//! end of the scale is better: a litmus score means something only for an agent that
//! passes the check.

pub mod collusion;
pub mod efficiency;
pub mod patience;
