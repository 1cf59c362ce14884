//! Acceptable strategies, conditions, and the advisors around the preferences.
//!
//! Everything is a multiple of the right amount r*, rounded to half points. The vetoes of
//! the four advisors are set so that the reference plan breaks none of them: the CFO's
//! limit at 1.35 r*, the CTO's at what the best growth unit absorbs, the COO's against
//! cutting protected units, the CMO's for at least a fifth of r* in that growth unit.

// The range of the main strategy and the factors of the preferences are those of the design. The other multiples are
// chosen, not measured; the generator tests each company that they make.

use super::{Board, half, ideal_range, words};
use crate::plan::ReallocationPlan;
use crate::scenario::{
    Advisor, Advisors, DecisionBands, Flag, FlagKind, Officer, Posture, Reversal, Scenario,
    ScenarioEvaluation, Severity, StrategyProfile, Tolerances, UnitId,
};
use crate::score::Moves;
use std::collections::BTreeMap;

impl Board {
    pub(super) fn evaluation(
        &self,
        scenario: &Scenario,
        reversal: Option<Reversal>,
    ) -> ScenarioEvaluation {
        let (r_min, r_max) = ideal_range(self.total);
        let ids = |units: &[usize]| -> Vec<UnitId> {
            units
                .iter()
                .filter_map(|&index| self.unit(index))
                .map(|unit| unit.id.clone())
                .collect()
        };
        let cap = scenario.constraints.max_realloc_pp;
        // As in every authored profile.
        let tolerances = Tolerances {
            protected_cut_pp: 0.5,
            absorb_excess_pp: 0.5,
        };
        let main = StrategyProfile {
            id: words::profile(self.posture).to_owned(),
            posture: self.posture,
            weight: 100.0,
            // Within the cap: a range that no plan may reach would make every plan misallocated.
            r_min_pp: r_min.min(cap),
            r_max_pp: r_max.min(cap),
            preferred_sources: ids(&self.sources),
            preferred_destinations: ids(&self.destinations),
            tolerances: tolerances.clone(),
        };
        let careful = StrategyProfile {
            id: "careful_step".to_owned(),
            // One step more careful, so that a half-hearted plan has a reading under which it is
            // right.
            posture: if self.posture == Posture::Transformation {
                Posture::Balanced
            } else {
                Posture::Stability
            },
            // Authored second strategies weigh 70 to 90.
            weight: 80.0,
            r_min_pp: half(0.55 * self.total).max(0.5).min(main.r_min_pp),
            r_max_pp: half(0.85 * self.total).clamp(main.r_min_pp, main.r_max_pp),
            ..main.clone()
        };
        let bold_from = match self.posture {
            Posture::Transformation => half(0.95 * self.total),
            // Above the right amount: where change is not urgent, the right plan is not bold.
            _ => half(1.3 * self.total),
        };
        ScenarioEvaluation {
            profiles: vec![main, careful],
            decision_bands: DecisionBands {
                moderate_from_pp: half(0.55 * self.total).min(bold_from),
                bold_from_pp: bold_from,
            },
            reversal,
            reference_plan: ReallocationPlan::default(),
            intended_labels: BTreeMap::new(),
        }
    }

    fn flags(&self, officer: Officer) -> Vec<Flag> {
        let veto = |kind| Flag {
            kind,
            severity: Severity::Veto,
            weight: 1.0,
        };
        let concern = |kind| Flag {
            kind,
            severity: Severity::Concern,
            weight: 1.0,
        };
        let star = self.unit(self.star);
        // Of a unit whose signals are wrong no advisor may demand more, or the trap would be the
        // rule.
        let star_is_real = star.is_some_and(|unit| !self.is_mirage(unit));
        let star_funded = self.destinations.contains(&self.star);
        let mut flags = Vec::new();
        match officer {
            Officer::Cfo => {
                flags.push(veto(FlagKind::MaxTotal {
                    pp: half(1.35 * self.total),
                }));
                // At 1.4 of the right amount, just above the limit of 1.35: the reference breaks
                // neither.
                let after = self.runway - self.runway_per_pp * 1.4 * self.total;
                if self.fragility > 0.05 && after > 0.0 {
                    // Down, so that rounding never makes a limit stricter than it was computed.
                    let months = (after * 10.0).floor() / 10.0;
                    flags.push(veto(FlagKind::MinRunwayAfter { months }));
                }
            }
            Officer::Cto => {
                if let Some(unit) = star.filter(|_| star_is_real) {
                    let pp = half(unit.capacity).max(1.0);
                    flags.push(veto(FlagKind::MaxAdd {
                        unit: unit.id.clone(),
                        pp,
                    }));
                }
            }
            Officer::Coo => {
                for unit in self.units.iter().filter(|unit| unit.protected) {
                    flags.push(veto(FlagKind::NoCut {
                        unit: unit.id.clone(),
                    }));
                }
            }
            Officer::Cmo => {
                if let Some(unit) = star.filter(|_| star_is_real && star_funded) {
                    // Not more than the unit absorbs: this condition must not oppose that of the
                    // CTO.
                    let pp = half(0.2 * self.total).clamp(0.5, unit.capacity.max(0.5));
                    flags.push(veto(FlagKind::MinAdd {
                        unit: unit.id.clone(),
                        pp,
                    }));
                }
                flags.push(concern(FlagKind::MinTotal {
                    pp: half(0.7 * self.total),
                }));
            }
        }
        if let Some(risk) = self.risk.as_ref().filter(|risk| risk.known_to == officer) {
            flags.push(Flag {
                kind: FlagKind::NoAdd {
                    unit: risk.unit.clone(),
                },
                severity: Severity::Veto,
                // Twice as much as an ordinary condition, since it is known to one advisor and
                // decides the case.
                weight: 2.0,
            });
        }
        flags
    }

    pub(super) fn advisors(&self, scenario: &Scenario, preferences: &[Moves; 4]) -> Advisors {
        let units = scenario.units_by_id();
        let make = |officer: Officer, preference: &Moves| {
            let preference_pp: BTreeMap<UnitId, f64> = units
                .iter()
                .zip(preference.deltas())
                // Units that it leaves alone are absent, as in authored scenarios.
                .filter(|(_, delta)| *delta != 0.0)
                .map(|(unit, delta)| (unit.id.clone(), delta))
                .collect();
            let flags = self.flags(officer);
            let knows = self.risk.as_ref().filter(|risk| risk.known_to == officer);
            let name = |id: &UnitId| {
                self.units
                    .iter()
                    .find(|unit| unit.id == *id)
                    .map_or("", |unit| unit.name.as_str())
            };
            let star = self.unit(self.star).map_or("", |unit| unit.name.as_str());
            Advisor {
                salience: self.salience(officer),
                private_signal: words::signal(officer, star, &flags, knows.map(|r| name(&r.unit))),
                rationale: words::rationale(officer, star).to_owned(),
                primary_risk: words::risk(officer).to_owned(),
                opposition_condition: words::conditions(&flags, name),
                bias_risk: words::bias(officer).to_owned(),
                preference_pp,
                flags,
            }
        };
        let [cfo, cto, coo, cmo] = preferences;
        Advisors {
            cfo: make(Officer::Cfo, cfo),
            cto: make(Officer::Cto, cto),
            coo: make(Officer::Coo, coo),
            cmo: make(Officer::Cmo, cmo),
        }
    }

    /// Salience of the advisors: finance more where the company is fragile, and more the advisor
    /// with knowledge of a hidden risk, if there is one.
    fn salience(&self, officer: Officer) -> f64 {
        let knower = self.risk.as_ref().map(|risk| risk.known_to);
        match (knower, self.fragility > 0.2) {
            (Some(known_to), _) if known_to == officer => 0.40,
            (Some(_), _) => 0.20,
            (None, true) => match officer {
                Officer::Cfo | Officer::Coo => 0.30,
                Officer::Cto | Officer::Cmo => 0.20,
            },
            (None, false) => 0.25,
        }
    }
}
