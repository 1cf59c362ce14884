//! Statistics of runs: how good, how certain, and how far from the best possible.
//!
//! | question | function |
//! |---|---|
//! | what is the average, how widely do episodes differ? | [`mean`], [`RunningMean`], [`sd`], [`quantile`] |
//! | how certain is the average? | [`mean_interval`] |
//! | the same where values have a least and a greatest value? | [`mean_interval_within`] |
//! | the same where values share an instance, question or case? | [`cluster_mean`], [`cluster_ratio`] |
//! | how certain is a share, such as a success rate? | [`share_interval`], [`rate_interval`], [`effective_share_interval`] |
//! | how certain is another statistic? | [`Bootstrap`] |
//! | is agent A better than agent B on the same seeds? | [`paired_difference`], [`paired_difference_over`] |
//! | do the means of two independent samples differ? | [`welch_test`] |
//! | how reliably does an agent succeed k times in a row? | [`pass_k`], [`mean_pass_k`] |
//! | how far is a value from the optimum, and many values together? | [`normalise`], [`NormalisedSum`] |
//!
//! Two rules hold throughout. What is undefined is absent (`None`), never zero and never NaN: one
//! episode has no standard deviation, and an empty run has no mean. And chance comes from a
//! [`Seed`](crate::Seed) only, so an interval is a function of its inputs, on every platform.
//!
//! ```
//! use sim_core::{Seed, stats};
//!
//! let costs = [9_200.0, 9_764.0, 9_200.0, 10_050.0, 9_431.0, 9_388.0];
//! let interval = stats::mean_interval(&costs, 0.95, Seed(7)).unwrap();
//! assert!(interval.low < stats::mean(&costs).unwrap());
//! assert_eq!(interval.kind, stats::IntervalKind::Studentised);
//! assert_eq!(stats::mean_interval(&costs[..1], 0.95, Seed(7)), None); // one episode tells nothing
//! ```

mod clusters;
mod interval;
mod moments;
mod normal;
mod normalised;
mod paired;
mod pass;
mod welch;

pub use clusters::{Estimate, cluster_mean, cluster_ratio, cluster_values};
pub use interval::{
    Bootstrap, DEFAULT_RESAMPLES, Interval, IntervalKind, MAX_BOOTSTRAP_VALUES,
    effective_share_interval, mean_interval, mean_interval_within, rate_interval, share_interval,
};
pub use moments::{RunningMean, mean, quantile, sd};
pub use normal::{normal_cdf, normal_quantile};
pub use normalised::{Normalised, NormalisedSum, normalise};
pub use paired::{PairedDifference, paired_difference, paired_difference_over};
pub use pass::{mean_pass_k, pass_k};
pub use welch::{WelchTest, welch_test};
