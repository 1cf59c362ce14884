//! Quality of questions: the filter, the conversion to a choice, and the format rules for options.
//!
//! # Source
//! BizCompass, appendices D (three dimensions, bands, filter, weights from preferences) and E (type
//! conversion, distractor taxonomy, format rules).
//!
//! | decision | rule |
//! |---|---|
//! | a question is kept | depth, synthesis and centrality at least 6 each ([`Quality::is_kept`]) |
//! | an open question becomes a choice | (clarity + misconception) / 2 at least 9 ([`convert`]) |
//! | options are accepted | no [`RuleViolation`] of [`lint`] |

mod convert;
mod distractor;
mod filter;
mod judged_items;
mod lint;
mod weights;

pub use convert::{CONVERT_AT, Conversion, convert};
pub use distractor::ErrorKind;
pub use filter::{FLOOR, Quality, THRESHOLD, WEIGHTS, rejection_recall};
pub use judged_items::{
    CONVERSION_COLUMNS, QUALITY_COLUMNS, agreement, preferences_of, rated, scores,
};
pub use lint::{RuleViolation, lint};
pub use weights::{Fit, FitError, fit, loss, preferences};

/// Slack of every threshold, against sums of tenths that fall just short (5.999999..).
pub(crate) const SLACK: f64 = 1e-9;
