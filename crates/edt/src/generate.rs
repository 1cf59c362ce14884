//! Firms drawn at random, in the style of the paper's template.
//!
//! The ranges, uniform on whole numbers unless the text says otherwise, with s = `units /
//! 96`:
//!
//! | term | range |
//! |---|---|
//! | contract | 30 to 170 consultant-steps, times s |
//! | most consultants at once | 1 to 4 |
//! | window | starts in the first third; 1.2 to 2.5 times the shortest possible time, cut at the end of the run |
//! | probabilities | contract 0.8 to 1, extension 0.1 to 0.9, follow-on 0.05 to 0.65, in steps of 0.05 |
//! | extension | 0.1 to 0.35 of the contract |
//! | rate | 12,000 to 30,000 in steps of 500 |
//! | salary, workplace | 5,000 to 7,000 and 1,500 to 2,500 in steps of 100 |
//! | fixed cost | a fifth of the cost of the staff, in thousands |

use crate::config::Drawn;
use crate::firm::{AgentOrder, Firm, MOST_CONSULTANTS, Project, StaffGroup};
use sim_core::{ConfigError, Seed, Stream};

const FIELDS: [&str; 12] = [
    "Payroll",
    "Warehouse",
    "Claims",
    "Treasury",
    "Fleet",
    "Pricing",
    "Tax",
    "Loyalty",
    "Billing",
    "Recruiting",
    "Returns",
    "Energy",
];
const KINDS: [&str; 10] = [
    "Review",
    "Platform",
    "Forecast",
    "Merger",
    "Audit",
    "Redesign",
    "Launch",
    "Automation",
    "Training",
    "Dashboard",
];

impl Drawn {
    /// Draws a firm.
    ///
    /// Each project has a stream of its own, so project k is the same in a firm of 5 and in one of
    /// 10,000. Ranges surround those of the paper's template; contracts are shorter in shorter
    /// runs.
    ///
    /// ```
    /// use edt::config::Drawn;
    /// use sim_core::Seed;
    ///
    /// let few = Drawn { projects: 5, ..Drawn::default() }.firm(Seed(4))?;
    /// let many = Drawn { projects: 50, ..Drawn::default() }.firm(Seed(4))?;
    /// assert_eq!(few.projects[..], many.projects[..5]);
    /// assert!(few.head_count() < many.head_count());
    /// assert!(Drawn { projects: 0, ..Drawn::default() }.firm(Seed(4)).is_err());
    /// # Ok::<(), sim_core::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// When a setting is out of its range ([`Drawn::check_ranges`]).
    pub fn firm(&self, seed: Seed) -> Result<Firm, ConfigError> {
        self.check_ranges()?;
        let projects: Vec<Project> = (0..self.projects)
            .map(|k| self.project(k, &mut seed.stream("project", k.into())))
            .collect();
        // The mean contract; the head count must not depend on the draw, so that all firms of one
        // setting have the same range of decisions.
        let work = f64::from(self.projects) * 100.0 * f64::from(self.units) / 96.0;
        let heads = (work / (f64::from(self.units) * self.load)).ceil().max(1.0);
        let mut firm = seed.stream("firm", 0);
        let count = crate::clock::whole(heads).min(MOST_CONSULTANTS);
        // From a stream of the firm, not from those of the projects, or the firm would depend on
        // their number.
        let salary = 100.0 * draw(&mut firm, 50, 70);
        let workplace_cost = 100.0 * draw(&mut firm, 15, 25);
        Ok(Firm {
            start: 1,
            stop: self.units,
            dt: 1.0,
            agent_order: AgentOrder::Cpf,
            // The paper's firm pays 20,000 beside the 96,000 of its staff.
            fixed_cost: (f64::from(count) * (salary + workplace_cost) * 0.2 / 1000.0).round()
                * 1000.0,
            risk_level: 0.5,
            staff: vec![StaffGroup {
                count,
                salary,
                workplace_cost,
            }],
            projects,
        })
    }

    fn project(&self, number: u32, stream: &mut Stream) -> Project {
        let share = f64::from(self.units) / 96.0;
        // The order of the draws is part of a firm, as records name firms by their seed.
        let effort = (draw(stream, 30, 170) * share).round().max(2.0);
        let consultants = draw(stream, 1, 4);
        // At its cap the work takes this long; the window leaves room for 1.2 to 2.5 times that.
        let shortest = effort / consultants;
        let length = (shortest * stream.uniform(1.2, 2.5)).ceil();
        let start_time = f64::from(stream.between_u32(1, (self.units / 3).max(1)));
        let field = stream.pick_from(&FIELDS);
        let kind = stream.pick_from(&KINDS);
        Project {
            name: format!("Project {}: {field} {kind}", number + 1),
            contracted_effort: effort,
            contracted_probability: draw(stream, 16, 20) / 20.0,
            extension_probability: draw(stream, 2, 18) / 20.0,
            extension_effort: (effort * stream.uniform(0.1, 0.35)).round().max(1.0),
            follow_on_probability: draw(stream, 1, 13) / 20.0,
            consultants,
            start_time,
            deadline: (start_time + length).min(f64::from(self.units)),
            billing_rate: 500.0 * draw(stream, 24, 60),
            is_follow_on: false,
        }
    }
}

/// A whole number from `low` to `high`.
fn draw(stream: &mut Stream, low: u32, high: u32) -> f64 {
    f64::from(stream.between_u32(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_passes_the_check() {
        for projects in [5, 50, 10_000] {
            for units in [12, 96, 960] {
                let firm = Drawn {
                    projects,
                    units,
                    ..Drawn::default()
                }
                .firm(Seed(3))
                .unwrap();
                firm.check().unwrap();
                assert_eq!(firm.projects.len(), projects as usize);
                let load = firm.total_effort() / f64::from(units * firm.head_count());
                assert!((0.4..1.2).contains(&load), "{load}");
            }
        }
    }

    #[test]
    fn settings_out_of_range_draw_nothing() {
        let place = |drawn: Drawn| drawn.firm(Seed(1)).unwrap_err().place;
        let default = Drawn::default();
        assert_eq!(
            place(Drawn {
                projects: 0,
                ..default.clone()
            }),
            "projects"
        );
        assert_eq!(
            place(Drawn {
                units: u32::MAX,
                ..default.clone()
            }),
            "units"
        );
        assert_eq!(
            place(Drawn {
                load: f64::NAN,
                ..default
            }),
            "load"
        );
    }

    #[test]
    fn value_stability() {
        let of = |projects| Drawn {
            projects,
            units: 48,
            ..Drawn::default()
        };
        let firm = of(5).firm(Seed(1)).unwrap();
        let larger = of(9).firm(Seed(1)).unwrap();
        assert_eq!(firm.projects, larger.projects[..5]);
        let digest = sim_core::Digest::of(&firm).unwrap().to_string();
        assert_eq!(
            digest,
            "75209a96f109011138f10a731c673a62943ec8b03a025c68cb4b8189a17adc84"
        );
    }
}
