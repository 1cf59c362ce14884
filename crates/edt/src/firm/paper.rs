//! The template of the strategic paper.

use super::{AgentOrder, Firm, Project, StaffGroup};

/// The ten projects: name; effort, contracted probability, extension probability, extension effort, follow-on
/// probability, start, deadline, consultants, billing rate. Source: the authors' public repository bitpyc/Finbench,
/// commit 2739367, `SeriousGame/scenarios/interactive.json`; the first row also stands in the paper, A.6.
const PROJECTS: [(&str, [f64; 9]); 10] = [
    (
        "Project 1: Core Upgrade",
        [70.0, 1.0, 0.25, 10.0, 0.10, 1.0, 30.0, 2.0, 16_000.0],
    ),
    (
        "Project 2: Data Migration",
        [140.0, 0.95, 0.55, 20.0, 0.15, 5.0, 55.0, 3.0, 21_000.0],
    ),
    (
        "Project 3: Regulatory Rollout",
        [60.0, 0.9, 0.2, 8.0, 0.55, 10.0, 40.0, 1.0, 14_000.0],
    ),
    (
        "Project 4: AI Pilot",
        [45.0, 0.85, 0.8, 15.0, 0.25, 8.0, 28.0, 2.0, 30_000.0],
    ),
    (
        "Project 5: Sales Enablement",
        [35.0, 1.0, 0.1, 6.0, 0.65, 1.0, 20.0, 1.0, 12_000.0],
    ),
    (
        "Project 6: Cloud Cost Optimization",
        [90.0, 1.0, 0.9, 30.0, 0.05, 25.0, 80.0, 2.0, 17_000.0],
    ),
    (
        "Project 7: CRM Revamp",
        [100.0, 0.92, 0.45, 18.0, 0.35, 30.0, 88.0, 2.0, 20_000.0],
    ),
    (
        "Project 8: Market Expansion Study",
        [55.0, 1.0, 0.5, 12.0, 0.2, 15.0, 60.0, 1.0, 15_500.0],
    ),
    (
        "Project 9: Ops Automation",
        [170.0, 0.88, 0.35, 20.0, 0.08, 35.0, 96.0, 4.0, 22_000.0],
    ),
    (
        "Project 10: Security Hardening",
        [80.0, 0.8, 0.3, 12.0, 0.45, 6.0, 50.0, 2.0, 24_000.0],
    ),
];

impl Firm {
    /// The template of the strategic paper: 12 consultants, 10 projects, 96 steps.
    #[must_use]
    pub fn paper() -> Self {
        let projects = PROJECTS.map(
            |(
                name,
                [
                    effort,
                    reliable,
                    extend,
                    extension,
                    follow,
                    start,
                    deadline,
                    cap,
                    rate,
                ],
            )| {
                Project {
                    name: name.to_owned(),
                    contracted_effort: effort,
                    contracted_probability: reliable,
                    extension_probability: extend,
                    extension_effort: extension,
                    follow_on_probability: follow,
                    consultants: cap,
                    start_time: start,
                    deadline,
                    billing_rate: rate,
                    is_follow_on: false,
                }
            },
        );
        Self {
            start: 1,
            stop: 96,
            dt: 1.0,
            agent_order: AgentOrder::Cpf,
            fixed_cost: 20_000.0,
            risk_level: 0.5,
            staff: vec![StaffGroup {
                count: 12,
                salary: 6_000.0,
                workplace_cost: 2_000.0,
            }],
            projects: projects.into(),
        }
    }
}

impl Default for Firm {
    fn default() -> Self {
        Self::paper()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_of_the_paper() {
        let firm = Firm::paper();
        assert_eq!(firm.total_effort(), 845.0);
        let value: f64 = firm
            .projects
            .iter()
            .map(|p| p.contracted_effort * p.billing_rate)
            .sum();
        assert_eq!(value, 16_712_500.0);
        assert_eq!((firm.head_count(), firm.covering_staff()), (12, 9));
        assert_eq!(firm.staff_cost(9), 72_000.0);
        firm.check().unwrap();
    }
}
