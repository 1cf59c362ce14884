//! The twelve cases that come with the program.

use super::case::CaseStudy;

/// Texts of the cases, short ones first. Source: our own, see `fixtures/consulting/README.md`.
const TEXTS: [&str; 12] = [
    include_str!("../../../../fixtures/consulting/bakery-evenings.json"),
    include_str!("../../../../fixtures/consulting/city-parking.json"),
    include_str!("../../../../fixtures/consulting/gym-discount.json"),
    include_str!("../../../../fixtures/consulting/dairy-trucks.json"),
    include_str!("../../../../fixtures/consulting/lake-hotel.json"),
    include_str!("../../../../fixtures/consulting/claims-backlog.json"),
    include_str!("../../../../fixtures/consulting/island-ferry.json"),
    include_str!("../../../../fixtures/consulting/newspaper-digital.json"),
    include_str!("../../../../fixtures/consulting/packaging-plants.json"),
    include_str!("../../../../fixtures/consulting/clinic-video.json"),
    include_str!("../../../../fixtures/consulting/store-cereals.json"),
    include_str!("../../../../fixtures/consulting/roof-solar.json"),
];

/// The cases, short ones first.
///
/// # Errors
/// When one cannot be played: a fault of this program.
pub fn cases() -> Result<Vec<CaseStudy>, String> {
    TEXTS.iter().map(|text| CaseStudy::parse(text)).collect()
}
