//! The native module of the Python package `boardroom-sim`.
//!
//! It converts between Python and the crates of this workspace and holds no rule, formula or default of a
//! simulator. Buffers are numpy arrays that the caller passes in; everything with a structure crosses as
//! JSON text, which `python/boardroom` reads.
//!
//! | class or function | what it wraps |
//! |---|---|
//! | `Lanes` | `sim_core::Lanes` with scaling: the Gymnasium environments |
//! | `Game` | `sim_core::Session`: text and tools, several seats |
//! | `rouge`, `exact`, `numbers`, `choice` ... | `qa_scoring` on lists |
//! | `environments`, `describe` | the registry of this package |
//! | `draw` | `pictures::as_file` |

#![forbid(unsafe_code)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "what Python passes arrives as values of its own"
)]

mod error;
mod game;
mod lanes;
mod registry;
mod scale;
mod scoring;

use pyo3::prelude::*;

/// The native part of `boardroom`.
#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use crate::game::Game;
    #[pymodule_export]
    use crate::lanes::Lanes;
    #[pymodule_export]
    use crate::registry::{describe, draw, environments, plots, policy_score, reference};
    #[pymodule_export]
    use crate::scoring::{bootstrap, choice, exact, numbers, paired, rouge};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
