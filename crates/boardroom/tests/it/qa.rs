//! Questions: programs in the sandbox, files of answers, models that answer.

mod analysed;
mod asked;
mod made;
mod measured;
mod model;
mod requests;
mod routed;
mod sandbox;
mod scored;
