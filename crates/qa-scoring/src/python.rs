//! The rules of Python on which published evaluators rely: which texts `float()` reads, how a
//! number is written, how `round` rounds. Profiles that reproduce those evaluators need them
//! exactly.
//!
//! Everything here is compared with CPython 3.11 by the tests.

mod arithmetic;
mod digits;
mod float;
mod text;

pub use arithmetic::evaluate;
pub use digits::digit_value;
pub use float::{float_text, parse_float, round_to};
pub use text::value_text;

pub(crate) use float::is_space;
pub(crate) use text::strip;
