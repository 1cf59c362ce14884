//! The cases of this crate, and parts of them.

use super::case::{CaseKind, CaseStudy, Length};
use sim_core::Seed;
use std::collections::BTreeSet;

/// Texts of the cases, short ones first. Source: our own, see `fixtures/README.md`.
const TEXTS: [&str; 52] = [
    include_str!("../../fixtures/cases/bakery-evenings.json"),
    include_str!("../../fixtures/cases/city-parking.json"),
    include_str!("../../fixtures/cases/gym-discount.json"),
    include_str!("../../fixtures/cases/dairy-trucks.json"),
    include_str!("../../fixtures/cases/pharmacy-delivery.json"),
    include_str!("../../fixtures/cases/bus-fares.json"),
    include_str!("../../fixtures/cases/cheese-export.json"),
    include_str!("../../fixtures/cases/saas-seats.json"),
    include_str!("../../fixtures/cases/branch-queues.json"),
    include_str!("../../fixtures/cases/laser-cutter.json"),
    include_str!("../../fixtures/cases/vet-chain.json"),
    include_str!("../../fixtures/cases/podcast-ads.json"),
    include_str!("../../fixtures/cases/canteen-kitchen.json"),
    include_str!("../../fixtures/cases/crop-insurance.json"),
    include_str!("../../fixtures/cases/language-school.json"),
    include_str!("../../fixtures/cases/brick-kiln.json"),
    include_str!("../../fixtures/cases/salmon-smoke.json"),
    include_str!("../../fixtures/cases/ferry-terminal.json"),
    include_str!("../../fixtures/cases/radio-city.json"),
    include_str!("../../fixtures/cases/shoe-factory.json"),
    include_str!("../../fixtures/cases/lake-hotel.json"),
    include_str!("../../fixtures/cases/claims-backlog.json"),
    include_str!("../../fixtures/cases/island-ferry.json"),
    include_str!("../../fixtures/cases/newspaper-digital.json"),
    include_str!("../../fixtures/cases/card-fraud.json"),
    include_str!("../../fixtures/cases/prepaid-weekend.json"),
    include_str!("../../fixtures/cases/mango-cold.json"),
    include_str!("../../fixtures/cases/wind-repower.json"),
    include_str!("../../fixtures/cases/school-laptops.json"),
    include_str!("../../fixtures/cases/furniture-returns.json"),
    include_str!("../../fixtures/cases/clear-aligners.json"),
    include_str!("../../fixtures/cases/lorry-merger.json"),
    include_str!("../../fixtures/cases/rebar-furnace.json"),
    include_str!("../../fixtures/cases/festival-tents.json"),
    include_str!("../../fixtures/cases/hostel-danang.json"),
    include_str!("../../fixtures/cases/ad-agency-buyout.json"),
    include_str!("../../fixtures/cases/tea-label.json"),
    include_str!("../../fixtures/cases/water-meters.json"),
    include_str!("../../fixtures/cases/lift-sensors.json"),
    include_str!("../../fixtures/cases/eye-clinic.json"),
    include_str!("../../fixtures/cases/packaging-plants.json"),
    include_str!("../../fixtures/cases/clinic-video.json"),
    include_str!("../../fixtures/cases/store-cereals.json"),
    include_str!("../../fixtures/cases/roof-solar.json"),
    include_str!("../../fixtures/cases/airport-parking.json"),
    include_str!("../../fixtures/cases/insulin-cape.json"),
    include_str!("../../fixtures/cases/moravia-merger.json"),
    include_str!("../../fixtures/cases/fibre-otago.json"),
    include_str!("../../fixtures/cases/erp-cloud.json"),
    include_str!("../../fixtures/cases/potato-crisps.json"),
    include_str!("../../fixtures/cases/tyre-moulds.json"),
    include_str!("../../fixtures/cases/district-heat.json"),
];

/// The cases, short ones first.
///
/// # Errors
/// When one cannot be played: a fault of this program.
///
/// ```
/// use qa_scoring::interview::{cases, industries};
/// let cases = cases()?;
/// assert!(cases.len() >= 40 && industries(&cases).len() >= 8);
/// # Ok::<(), String>(())
/// ```
pub fn cases() -> Result<Vec<CaseStudy>, String> {
    TEXTS.iter().map(|text| CaseStudy::parse(text)).collect()
}

/// Which cases are wanted. An absent field does not restrict the choice.
///
/// ```
/// use qa_scoring::interview::{CaseKind, CaseSelection, cases};
/// let mut cases = cases()?;
/// let wanted = CaseSelection { kind: Some(CaseKind::Pricing), ..CaseSelection::default() };
/// cases.retain(|case| wanted.has(case));
/// assert!(cases.iter().any(|case| case.id == "bus-fares"));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseSelection {
    /// Only cases of this length.
    pub length: Option<Length>,
    /// Only cases of this industry.
    pub industry: Option<String>,
    /// Only cases of this kind.
    pub kind: Option<CaseKind>,
}

impl CaseSelection {
    /// Whether a case is wanted.
    #[must_use]
    pub fn has(&self, case: &CaseStudy) -> bool {
        self.length.is_none_or(|length| case.length == length)
            && self
                .industry
                .as_ref()
                .is_none_or(|name| case.industry == *name)
            && self.kind.is_none_or(|kind| case.kind == Some(kind))
    }
}

/// The industries of the cases, in alphabetical order.
#[must_use]
pub fn industries(cases: &[CaseStudy]) -> BTreeSet<&str> {
    let named = cases.iter().map(|case| case.industry.as_str());
    named.filter(|industry| !industry.is_empty()).collect()
}

/// Divides cases into `train` for training and the others for tests, drawn with the seed.
///
/// Both parts keep the order of `cases`. If there are at most `train` cases, no test cases are left. The
/// strategic paper has 12 for training and 48 for tests.
///
/// ```
/// use qa_scoring::interview::{cases, split};
/// use sim_core::Seed;
/// let (train, test) = split(cases()?, Seed(1), 12);
/// assert_eq!(train.len(), 12);
/// assert!(test.iter().all(|case| !train.contains(case)));
/// # Ok::<(), String>(())
/// ```
#[must_use]
pub fn split(cases: Vec<CaseStudy>, seed: Seed, train: usize) -> (Vec<CaseStudy>, Vec<CaseStudy>) {
    let order = seed.child("interview split", 0).order(0, cases.len());
    let chosen: BTreeSet<usize> = order.into_iter().take(train).collect();
    let (train, test): (Vec<_>, Vec<_>) = cases
        .into_iter()
        .enumerate()
        .partition(|(place, _)| chosen.contains(place));
    let without = |part: Vec<(usize, CaseStudy)>| part.into_iter().map(|(_, case)| case).collect();
    (without(train), without(test))
}
