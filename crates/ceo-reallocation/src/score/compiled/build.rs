//! Compiling a scenario.

use super::{
    Compiled, CompiledFlag, CompiledProfile, CompiledReversal, Condition, Rule, UnitArray, UnitNo,
    UnitSet, at, at_mut, has,
};
use crate::plan::DecisionType;
use crate::scenario::{
    FlagKind, MAX_UNITS, Scenario, Severity, TransferRule, Unit, UnitId, no_unit,
};
use crate::scoring::ScoringConfig;
use sim_core::ConfigError;

/// The units in the order of their ids.
struct Names<'a>(&'a [&'a Unit]);

impl Names<'_> {
    fn number(&self, id: &UnitId, place: &str) -> Result<UnitNo, ConfigError> {
        let mut known = UnitNo::ALL.into_iter().zip(self.0);
        let found = known.find(|(_, unit)| unit.id == *id);
        found
            .map(|(unit, _)| unit)
            .ok_or_else(|| ConfigError::new(place, no_unit(id, self.0.iter().copied())))
    }

    fn set(&self, ids: &[UnitId], place: &str) -> Result<UnitSet, ConfigError> {
        ids.iter()
            .try_fold(0, |set, id| Ok(set | self.number(id, place)?.bit()))
    }

    fn array<'b>(
        &self,
        values: impl IntoIterator<Item = (&'b UnitId, &'b f64)>,
        place: &str,
    ) -> Result<UnitArray, ConfigError> {
        let mut array = [0.0; MAX_UNITS];
        for (id, value) in values {
            *at_mut(&mut array, self.number(id, place)?) = *value;
        }
        Ok(array)
    }
}

impl Compiled {
    pub(crate) fn new(scenario: &Scenario, config: &ScoringConfig) -> Result<Self, ConfigError> {
        let units = scenario.units_by_id();
        if units.len() > MAX_UNITS {
            return Err(ConfigError::new(
                "units",
                format!(
                    "there are {} units; at most {MAX_UNITS} are allowed",
                    units.len()
                ),
            ));
        }
        let names = Names(&units);
        let each = |value: fn(&Unit) -> f64| {
            let mut array = [0.0; MAX_UNITS];
            for (slot, unit) in array.iter_mut().zip(&units) {
                *slot = value(unit);
            }
            array
        };
        let those = |is: fn(&Unit) -> bool| {
            units
                .iter()
                .enumerate()
                .fold(0, |set: UnitSet, (i, unit)| set | u8::from(is(unit)) << i)
        };
        let protected = those(|unit| unit.protected);
        let state = &scenario.company_state;
        let mut compiled = Self {
            units: units.len(),
            share: each(|unit| unit.share_pp),
            floor: each(|unit| unit.floor_pp),
            ceiling: each(|unit| unit.ceiling_pp),
            capacity: each(|unit| unit.absorptive_capacity_pp),
            outlook: each(|unit| unit.growth_outlook),
            protected,
            locked: names.set(
                &scenario.constraints.locked_units,
                "constraints.locked_units",
            )?,
            max_realloc: scenario.constraints.max_realloc_pp,
            rules: Vec::new(),
            rule_texts: Vec::new(),
            // Money may go everywhere until a rule forbids it.
            reach: [UnitSet::MAX; MAX_UNITS],
            limited: 0,
            salience: [0.0; 4],
            authored_preferences: [[0.0; MAX_UNITS]; 4],
            preferences: [[0.0; MAX_UNITS]; 4],
            preferences_by_unit: [[0.0; 4]; MAX_UNITS],
            least_move: [0.0; MAX_UNITS],
            most_move: [0.0; MAX_UNITS],
            flags: Vec::new(),
            runway: state.cash_runway_months,
            leverage: state.leverage,
            runway_per_pp: state.proforma.runway_months_per_pp,
            leverage_per_pp: state.proforma.leverage_per_pp,
            preference_low: [0.0; MAX_UNITS],
            preference_high: [0.0; MAX_UNITS],
            disputed: 0,
            profiles: Vec::new(),
            moderate_from: scenario.evaluation.decision_bands.moderate_from_pp,
            bold_from: scenario.evaluation.decision_bands.bold_from_pp,
            reversal: None,
            has_history: !scenario.history.is_empty(),
            shock_now: scenario
                .shocks
                .iter()
                .any(|shock| shock.round == scenario.round),
            overload_run: [0.0; MAX_UNITS],
            starvation_run: [0.0; MAX_UNITS],
            last: [0.0; MAX_UNITS],
            moved_before: 0,
            eps: config.eps_pp,
            mass_tolerance: config.mass_tolerance_pp,
            declared_tolerance: config.declared_tolerance_pp,
        };
        compiled.set_room();
        compiled.add_rules(scenario, &names)?;
        compiled.add_advisors(scenario, config, &names)?;
        compiled.add_evaluation(scenario, config, &names)?;
        compiled.add_history(scenario, config, &names)?;
        Ok(compiled)
    }

    /// The preferences that the perspectives part compares with.
    pub(crate) fn set_preferences(&mut self, preferences: [UnitArray; 4]) {
        self.preferences = preferences;
        for (unit, by_officer) in UnitNo::ALL.into_iter().zip(&mut self.preferences_by_unit) {
            *by_officer = preferences.map(|preference| at(&preference, unit));
        }
    }

    fn set_room(&mut self) {
        for unit in self.numbers() {
            let share = at(&self.share, unit);
            // Floors, ceilings and locks become one interval for the signed move, with
            // the tolerance inside: one comparison for each unit instead of three rules.
            let (least, most) = if has(self.locked, unit.index()) {
                (-self.eps, self.eps)
            } else {
                let (floor, ceiling) = (at(&self.floor, unit), at(&self.ceiling, unit));
                (floor - self.eps - share, ceiling + self.eps - share)
            };
            *at_mut(&mut self.least_move, unit) = least;
            *at_mut(&mut self.most_move, unit) = most;
        }
    }

    /// The decision type of a plan that moves `r`.
    pub(crate) fn band(&self, r: f64) -> DecisionType {
        if r >= self.bold_from - self.eps {
            DecisionType::Bold
        } else if r >= self.moderate_from - self.eps {
            DecisionType::Moderate
        } else {
            DecisionType::Conservative
        }
    }

    fn add_rules(&mut self, scenario: &Scenario, names: &Names<'_>) -> Result<(), ConfigError> {
        let mut flows = Vec::new();
        for (n, rule) in scenario.constraints.transfer_rules.iter().enumerate() {
            let place = format!("constraints.transfer_rules[{n}]");
            let compiled = match rule {
                TransferRule::MaxAdd { unit, pp } => Rule::MaxAdd {
                    unit: names.number(unit, &place)?,
                    pp: *pp,
                },
                TransferRule::MinShare { unit, pp } => Rule::MinShare {
                    unit: names.number(unit, &place)?,
                    pp: *pp,
                },
                TransferRule::RetainFraction {
                    sources,
                    destinations,
                    fraction,
                } => Rule::Retain {
                    sources: names.set(sources, &place)?,
                    destinations: names.set(destinations, &place)?,
                    fraction: *fraction,
                },
                TransferRule::ConditionalMinAdd {
                    if_unit,
                    if_add_gt,
                    then_unit,
                    then_add_ge,
                } => Rule::Conditional {
                    if_unit: names.number(if_unit, &place)?,
                    above: *if_add_gt,
                    then_unit: names.number(then_unit, &place)?,
                    least: *then_add_ge,
                },
                TransferRule::ForbidFlow {
                    sources,
                    destinations,
                } => {
                    let (from, to) = (
                        names.set(sources, &place)?,
                        names.set(destinations, &place)?,
                    );
                    for (index, reach) in self.reach.iter_mut().enumerate() {
                        if has(from, index) {
                            *reach &= !to;
                        }
                    }
                    // All forbidden pairs go into one table of reachable destinations,
                    // and one rule checks it: the pairs must be satisfied by the same
                    // assignment.
                    self.limited |= from;
                    flows.push(rule.to_string());
                    continue;
                }
            };
            self.rules.push(compiled);
            self.rule_texts.push(rule.to_string());
        }
        if !flows.is_empty() {
            self.rules.push(Rule::Flow);
            self.rule_texts.push(flows.join("; "));
        }
        Ok(())
    }

    fn add_advisors(
        &mut self,
        scenario: &Scenario,
        config: &ScoringConfig,
        names: &Names<'_>,
    ) -> Result<(), ConfigError> {
        let slots = self.authored_preferences.iter_mut().zip(&mut self.salience);
        for ((officer, advisor), (preference, salience)) in scenario.advisors.iter().zip(slots) {
            let place = format!("advisors.{officer}");
            *preference = names.array(&advisor.preference_pp, &format!("{place}.preference_pp"))?;
            *salience = advisor.salience;
            // Divided out here, so that the kernel subtracts one product for each broken flag.
            let total: f64 = advisor.flags.iter().map(|flag| flag.weight).sum();
            for (n, flag) in advisor.flags.iter().enumerate() {
                self.flags.push(CompiledFlag {
                    weight: advisor.salience * flag.weight / total,
                    is_veto: flag.severity == Severity::Veto,
                    condition: condition(&flag.kind, names, &format!("{place}.flags[{n}]"))?,
                });
            }
        }
        // The authored preferences first; live advisors replace them later, without a new
        // compilation.
        self.set_preferences(self.authored_preferences);
        for unit in self.numbers() {
            let preferences = self
                .authored_preferences
                .map(|preference| at(&preference, unit));
            let low = preferences.into_iter().fold(f64::INFINITY, f64::min);
            let high = preferences.into_iter().fold(f64::NEG_INFINITY, f64::max);
            *at_mut(&mut self.preference_low, unit) = low;
            *at_mut(&mut self.preference_high, unit) = high;
            // The slack is on the side of a dispute: amounts read from decimal text may
            // miss the threshold in the last bit.
            if high - low >= config.role.dispute_from_pp - config.eps_pp {
                self.disputed |= unit.bit();
            }
        }
        Ok(())
    }

    fn add_evaluation(
        &mut self,
        scenario: &Scenario,
        config: &ScoringConfig,
        names: &Names<'_>,
    ) -> Result<(), ConfigError> {
        for (n, profile) in scenario.evaluation.profiles.iter().enumerate() {
            let place = |field: &str| format!("evaluation.profiles[{n}].{field}");
            let kappa = config.boldness.of(profile.posture);
            self.profiles.push(CompiledProfile {
                weight: profile.weight,
                r_min: profile.r_min_pp,
                r_max: profile.r_max_pp,
                kappa_under: kappa.under,
                kappa_over: kappa.over,
                sources: names.set(&profile.preferred_sources, &place("preferred_sources"))?,
                destinations: names.set(
                    &profile.preferred_destinations,
                    &place("preferred_destinations"),
                )?,
                protected_cut: profile.tolerances.protected_cut_pp,
                absorb_excess: profile.tolerances.absorb_excess_pp,
            });
        }
        if let Some(reversal) = &scenario.evaluation.reversal {
            self.reversal = Some(CompiledReversal {
                unit: names.number(&reversal.unit, "evaluation.reversal.unit")?,
                direction: reversal.direction,
                target: reversal.target_min_pp,
                stage_max: reversal.stage_max_pp,
            });
        }
        Ok(())
    }

    fn add_history(
        &mut self,
        scenario: &Scenario,
        config: &ScoringConfig,
        names: &Names<'_>,
    ) -> Result<(), ConfigError> {
        // Amounts below the tolerance are not moves, with the slack on the side of a move.
        let moved = config.move_tolerance_pp - config.eps_pp;
        let mut overload_open: UnitSet = UnitSet::MAX;
        let mut starvation_open: UnitSet = self.protected;
        for (n, past) in scenario.history.iter().enumerate().rev() {
            let deltas = names.array(&past.deltas_pp, &format!("history[{n}].deltas_pp"))?;
            let warned = names.set(
                &past.capacity_warnings,
                &format!("history[{n}].capacity_warnings"),
            )?;
            if n + 1 == scenario.history.len() {
                self.last = deltas;
            }
            for (unit, delta) in UnitNo::ALL.into_iter().zip(&deltas) {
                let (index, bit) = (unit.index(), unit.bit());
                if delta.abs() >= moved {
                    self.moved_before |= bit;
                }
                // From the last round backwards: the first round without funding or
                // without a warning ends the run of a unit for good.
                if *delta < moved || !has(warned, index) {
                    overload_open &= !bit;
                }
                if *delta > -moved {
                    starvation_open &= !bit;
                }
                if has(overload_open, index) {
                    *at_mut(&mut self.overload_run, unit) += 1.0;
                }
                if has(starvation_open, index) {
                    *at_mut(&mut self.starvation_run, unit) += 1.0;
                }
            }
        }
        Ok(())
    }
}

fn condition(kind: &FlagKind, names: &Names<'_>, place: &str) -> Result<Condition, ConfigError> {
    Ok(match kind {
        FlagKind::MaxTotal { pp } => Condition::MaxTotal(*pp),
        FlagKind::MinTotal { pp } => Condition::MinTotal(*pp),
        FlagKind::MaxAdd { unit, pp } => Condition::MaxAdd(names.number(unit, place)?, *pp),
        FlagKind::NoAdd { unit } => Condition::MaxAdd(names.number(unit, place)?, 0.0),
        FlagKind::MinAdd { unit, pp } => {
            Condition::MinAddSum(names.number(unit, place)?.bit(), *pp)
        }
        FlagKind::MinAddSum { units, pp } => Condition::MinAddSum(names.set(units, place)?, *pp),
        FlagKind::NoCut { unit } => Condition::MaxCut(names.number(unit, place)?, 0.0),
        FlagKind::MaxCut { unit, pp } => Condition::MaxCut(names.number(unit, place)?, *pp),
        FlagKind::MinCut { unit, pp } => Condition::MinCut(names.number(unit, place)?, *pp),
        FlagKind::MinShareAfter { unit, pp } => {
            Condition::MinShareAfter(names.number(unit, place)?, *pp)
        }
        FlagKind::Prereq {
            if_unit,
            if_add_gt,
            then_unit,
            then_add_ge,
        } => Condition::Prereq {
            if_unit: names.number(if_unit, place)?,
            above: *if_add_gt,
            then_unit: names.number(then_unit, place)?,
            least: *then_add_ge,
        },
        FlagKind::MinRunwayAfter { months } => Condition::MinRunway(*months),
        FlagKind::MaxLeverageAfter { x } => Condition::MaxLeverage(*x),
    })
}
