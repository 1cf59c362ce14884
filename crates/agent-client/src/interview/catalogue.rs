//! The twelve cases of this crate.

use super::case::CaseStudy;

/// Texts of the cases, short ones first. Source: our own, see `fixtures/README.md`.
const TEXTS: [&str; 12] = [
    include_str!("../../fixtures/bakery-evenings.json"),
    include_str!("../../fixtures/city-parking.json"),
    include_str!("../../fixtures/gym-discount.json"),
    include_str!("../../fixtures/dairy-trucks.json"),
    include_str!("../../fixtures/lake-hotel.json"),
    include_str!("../../fixtures/claims-backlog.json"),
    include_str!("../../fixtures/island-ferry.json"),
    include_str!("../../fixtures/newspaper-digital.json"),
    include_str!("../../fixtures/packaging-plants.json"),
    include_str!("../../fixtures/clinic-video.json"),
    include_str!("../../fixtures/store-cereals.json"),
    include_str!("../../fixtures/roof-solar.json"),
];

/// The cases, short ones first.
///
/// # Errors
/// When one cannot be played: a fault of this program.
///
/// Four of each [`Length`](super::Length).
///
/// ```
/// use agent_client::interview::{Length, cases};
/// let cases = cases()?;
/// assert_eq!(cases.len(), 12);
/// assert_eq!(cases.iter().filter(|case| case.length == Length::Short).count(), 4);
/// # Ok::<(), String>(())
/// ```
pub fn cases() -> Result<Vec<CaseStudy>, String> {
    TEXTS.iter().map(|text| CaseStudy::parse(text)).collect()
}
