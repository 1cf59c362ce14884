//! Checks of firms.

use super::{Firm, MOST_CONSULTANTS, MOST_PROJECTS, MOST_STEPS, Project};
use crate::clock::Clock;
use sim_core::ConfigError;

impl Firm {
    /// Checks all values that a run relies on.
    ///
    /// # Errors
    /// The first field at fault, by its path, with what would be right.
    ///
    /// Checked are: the ranges of the fields, the order of start and stop, `dt`, at most [`MOST_STEPS`] steps,
    /// [`MOST_CONSULTANTS`] consultants and [`MOST_PROJECTS`] projects, a start on the grid of steps, and a deadline
    /// that is not before it.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.stop < self.start {
            return Err(ConfigError::new(
                "stop",
                format!(
                    "must not lie before start {}, not {}",
                    self.start, self.stop
                ),
            ));
        }
        if ![1.0, 0.5, 0.25].contains(&self.dt) {
            return Err(ConfigError::new(
                "dt",
                format!("must be 1, 0.5 or 0.25, not {}", self.dt),
            ));
        }
        // As doubles, and before anything asks the clock: the steps of a run up to `u32::MAX` do
        // not fit 32 bits.
        let steps = (f64::from(self.stop) - f64::from(self.start) + 1.0) / self.dt;
        if steps > f64::from(MOST_STEPS) {
            return Err(ConfigError::new(
                "stop",
                format!("a run may have at most {MOST_STEPS} steps, this one has {steps}"),
            ));
        }
        self.check_ranges()?;
        let mut heads = 0_u64;
        for (i, group) in self.staff.iter().enumerate() {
            group
                .check_ranges()
                .map_err(|e| e.within(&format!("staff[{i}]")))?;
            // In 64 bits, because the groups of a file may add up to more than 32 hold.
            heads += u64::from(group.count);
        }
        if heads > u64::from(MOST_CONSULTANTS) {
            return Err(ConfigError::new(
                "staff",
                format!("at most {MOST_CONSULTANTS} consultants, these are {heads}"),
            ));
        }
        if self.projects.len() > MOST_PROJECTS as usize {
            return Err(ConfigError::new(
                "projects",
                format!(
                    "at most {MOST_PROJECTS} projects, these are {}",
                    self.projects.len()
                ),
            ));
        }
        let clock = self.clock();
        for (i, project) in self.projects.iter().enumerate() {
            project
                .check(&clock)
                .map_err(|e| e.within(&format!("projects[{i}]")))?;
        }
        Ok(())
    }
}

impl Project {
    fn check(&self, clock: &Clock) -> Result<(), ConfigError> {
        if self.name.chars().count() > 200 {
            return Err(ConfigError::new("name", "must have at most 200 characters"));
        }
        self.check_ranges()?;
        // The original engine takes such a project and never starts it. In a template
        // that is certainly a mistake of its author, so it is reported; a plan may still
        // choose any step.
        if clock.step_at(self.start_time).is_none() {
            return Err(ConfigError::new(
                "start_time",
                format!(
                    "must be a time of the run ({} to {} in steps of {}), not {}; the project would never start",
                    clock.start(),
                    clock.last(),
                    clock.dt(),
                    self.start_time
                ),
            ));
        }
        if self.deadline < self.start_time {
            return Err(ConfigError::new(
                "deadline",
                format!(
                    "must not lie before start_time {}, not {}",
                    self.start_time, self.deadline
                ),
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_field_and_the_remedy() {
        let fault = |change: fn(&mut Firm)| {
            let mut firm = Firm::paper();
            change(&mut firm);
            firm.check().unwrap_err().to_string()
        };
        assert_eq!(
            fault(|f| f.projects[3].contracted_effort = -1.0),
            "projects[3].contracted_effort: `-1` is out of range, it must be 0 to 1000000000000"
        );
        assert_eq!(
            fault(|f| f.projects[0].deadline = f64::NAN),
            "projects[0].deadline: `NaN` is out of range, it must be -1000000000000 to 1000000000000"
        );
        assert_eq!(
            fault(|f| f.projects[1].start_time = 60.0),
            "projects[1].deadline: must not lie before start_time 60, not 55"
        );
        assert_eq!(
            fault(|f| f.projects[1].start_time = 5.5),
            "projects[1].start_time: must be a time of the run (1 to 96 in steps of 1), not 5.5; the project would never start"
        );
        assert_eq!(fault(|f| f.dt = 0.3), "dt: must be 1, 0.5 or 0.25, not 0.3");
        assert_eq!(
            fault(|f| f.stop = 0),
            "stop: must not lie before start 1, not 0"
        );
        assert_eq!(
            fault(|f| f.risk_level = 1.5),
            "risk_level: `1.5` is out of range, it must be 0 to 1"
        );
        for stop in [20_000, u32::MAX] {
            let firm = Firm {
                start: 0,
                stop,
                ..Firm::paper()
            };
            let message = firm.check().unwrap_err().to_string();
            assert!(message.starts_with("stop: a run may have at most 10000 steps"));
        }
        assert!(fault(|f| f.staff[0].count = u32::MAX).starts_with("staff: at most 100000"));
    }
}
