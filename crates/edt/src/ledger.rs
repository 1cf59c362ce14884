//! Controlling: computes the figures of the firm from the bookings.
//!
//! The original engine keeps these as a stock-and-flow model solved by Euler's method, hence its
//! conventions: a stock (`accumulated_*`, `overall_*`, `cash`) at a step holds the flows of the
//! steps *before* it, so the last step of a run never enters the final figure, and money that is
//! billed reaches the bank two steps later while expenses are paid at once.

use serde::{Deserialize, Serialize};

/// Days that a consultant bills in one unit of time; turns a rate per unit into a daily fee.
// The number of the original engine. It is in the two figures of fees alone, never in money that is booked.
pub const BILLED_DAYS: f64 = 18.0;

/// Bookings since the last turn of controlling.
///
/// Consultants book `staff_cost` and `capacity`, projects the rest; controlling takes
/// everything at its turn and begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Bookings {
    /// Revenue reported by projects \[money\].
    pub revenue: f64,
    /// The same, weighted with the risk of each project \[money\].
    pub revenue_at_risk: f64,
    /// Salaries and workplaces \[money\].
    pub staff_cost: f64,
    /// Effort reported by projects \[consultant-steps of length 1\].
    pub effort: f64,
    /// Time that consultants had \[consultant-steps of length 1\].
    pub capacity: f64,
    /// Places that projects would staff \[consultants\].
    pub demand: f64,
}

/// The firm's figures after a step. Names are those of the original engine's controlling agent.
///
/// A step's figures hold two kinds of numbers. Flows (`revenue`, `expenses`, `earnings`,
/// `cash_flow`) belong to the step. Stocks (`accumulated_*`, `overall_*`, `cash`) hold
/// all steps before it. With `dt` below 1 flows are per step, not per unit of time.
///
/// The record derives `Default`, so figures for a test are `Figures { revenue: 1.0,
/// ..Figures::default() }`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Time of the step.
    pub time: f64,
    /// Revenue of the step \[money\].
    pub revenue: f64,
    /// Expenses of the step \[money\].
    pub expenses: f64,
    /// `revenue - expenses` \[money\].
    pub earnings: f64,
    /// Revenue of all earlier steps \[money\].
    pub accumulated_revenue: f64,
    /// Expenses of all earlier steps \[money\].
    pub accumulated_expenses: f64,
    /// Earnings of all earlier steps \[money\]: the score of a run at its last step.
    pub accumulated_earnings: f64,
    /// Cash flows of all earlier steps \[money\].
    pub cash: f64,
    /// Revenue of two steps ago minus expenses of this step \[money\].
    pub cash_flow: f64,
    /// Places in projects that are ready or running \[consultants\].
    pub consultant_demand: f64,
    /// Time of all consultants in the step \[consultant-steps of length 1\].
    pub consultant_capacity: f64,
    /// The same in heads: `consultant_capacity / dt` \[consultants\].
    pub consultant_capacity_fte: f64,
    /// Effort delivered in the step over capacity of the step; 0 without capacity.
    pub avg_utilization: f64,
    /// Effort over capacity of all earlier steps; 0 without capacity.
    pub overall_avg_utilization: f64,
    /// Risk of the step's revenue, weighted by revenue; 0 without revenue.
    pub revenue_risk: f64,
    /// `earnings / revenue` of the step; 0 without revenue.
    pub profit_margin: f64,
    /// The same of all earlier steps.
    pub overall_profit_margin: f64,
    /// Revenue of the step for a billed day of a consultant \[money\]; 0 without effort.
    pub avg_consulting_fee: f64,
    /// The same of all earlier steps \[money\].
    pub overall_avg_consulting_fee: f64,
    /// Projects that have come up so far, follow-ons included.
    pub projects: f64,
    /// Consultants attached to a project after the step.
    pub busy: u32,
}

/// The stocks behind the figures.
///
/// They begin empty: cash is 0 at the first step, and there is no opening balance.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirmAccounts {
    revenue: f64,
    expenses: f64,
    effort: f64,
    capacity: f64,
    cash: f64,
    /// Revenue of the last step and of the one before it.
    billed: [f64; 2],
    utilizations: f64,
    steps: u32,
}

impl FirmAccounts {
    /// Closes a step: the figures at `time`, from what was booked since the last turn and the
    /// fixed cost of the step. `projects` and `busy` of the figures are left to the caller.
    pub fn close(&mut self, time: f64, dt: f64, fixed_cost: f64, booked: &Bookings) -> Figures {
        let Bookings {
            revenue,
            revenue_at_risk,
            staff_cost,
            effort,
            capacity,
            demand,
        } = *booked;
        let expenses = staff_cost + fixed_cost;
        let earnings = revenue - expenses;
        let [last, before_last] = self.billed;
        let figures = Figures {
            time,
            revenue,
            expenses,
            earnings,
            accumulated_revenue: self.revenue,
            accumulated_expenses: self.expenses,
            accumulated_earnings: self.revenue - self.expenses,
            cash: self.cash,
            // Clients pay two steps later, not two units of time: with shorter steps the delay
            // shrinks too, as in the original engine.
            cash_flow: before_last - expenses,
            consultant_demand: demand,
            consultant_capacity: capacity,
            consultant_capacity_fte: capacity / dt,
            avg_utilization: ratio(effort, capacity),
            overall_avg_utilization: ratio(self.effort, self.capacity),
            revenue_risk: ratio(revenue_at_risk, revenue),
            profit_margin: ratio(earnings, revenue),
            overall_profit_margin: ratio(self.revenue - self.expenses, self.revenue),
            avg_consulting_fee: ratio(revenue, BILLED_DAYS * effort),
            overall_avg_consulting_fee: ratio(self.revenue, BILLED_DAYS * self.effort),
            projects: 0.0,
            busy: 0,
        };
        // After the figures, so that a stock holds earlier steps only and the last step of a run is
        // in none.
        self.revenue += revenue;
        self.expenses += expenses;
        self.effort += effort;
        self.capacity += capacity;
        self.cash += figures.cash_flow;
        self.billed = [revenue, last];
        self.utilizations += figures.avg_utilization;
        self.steps += 1;
        figures
    }

    /// Plain mean of `avg_utilization` over the closed steps: the utilization of the paper's
    /// Table 3. It differs from `overall_avg_utilization`, which leaves out the last step.
    #[must_use]
    pub fn mean_utilization(&self) -> f64 {
        ratio(self.utilizations, f64::from(self.steps))
    }

    /// Effort booked in all closed steps, the last one included \[consultant-steps of length 1\].
    #[must_use]
    pub fn effort_booked(&self) -> f64 {
        self.effort
    }
}

/// `part / whole`, 0 when `whole` is 0.
pub(crate) fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stocks_hold_the_past_and_cash_comes_two_steps_later() {
        let mut ledger = FirmAccounts::default();
        let booked = Bookings {
            revenue: 100.0,
            staff_cost: 30.0,
            effort: 1.0,
            capacity: 2.0,
            ..Bookings::default()
        };
        let steps: Vec<_> = (0..4)
            .map(|k| ledger.close(f64::from(k), 1.0, 10.0, &booked))
            .collect();
        assert_eq!(
            steps
                .iter()
                .map(|f| f.accumulated_earnings)
                .collect::<Vec<_>>(),
            [0.0, 60.0, 120.0, 180.0]
        );
        assert_eq!(
            steps.iter().map(|f| f.cash_flow).collect::<Vec<_>>(),
            [-40.0, -40.0, 60.0, 60.0]
        );
        assert_eq!(
            steps.iter().map(|f| f.cash).collect::<Vec<_>>(),
            [0.0, -40.0, -80.0, -20.0]
        );
        assert_eq!(ledger.mean_utilization(), 0.5);
    }
}
