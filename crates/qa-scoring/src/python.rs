//! The few rules of Python that published evaluators lean on: what `float()` reads, how a number
//! is written, how `round` rounds. Profiles that repeat those evaluators need them to the letter.

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
