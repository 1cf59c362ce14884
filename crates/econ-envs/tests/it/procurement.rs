//! ProcurementFamily.

mod agents;
mod contract;
mod custom;
mod draws;
mod golden;
mod market;
mod optimum;
mod policies;
mod words;
