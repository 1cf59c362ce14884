//! Questions: programs in the sandbox, files of answers, models that answer.

mod analysed;
mod asked;
mod made;
mod model;
#[cfg(feature = "python")]
mod routed;
#[cfg(feature = "python")]
mod sandbox;
mod scored;
