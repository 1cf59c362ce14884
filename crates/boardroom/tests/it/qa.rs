//! Questions: programs in the sandbox, files of answers, models that answer.

mod asked;
mod made;
mod model;
mod routed;
#[cfg(feature = "python")]
mod sandbox;
mod scored;
