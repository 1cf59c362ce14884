//! Errors of this workspace as Python's `ValueError`.

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;
use std::fmt::Display;

/// A `ValueError` with the error's own message.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
