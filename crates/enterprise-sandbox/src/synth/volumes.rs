//! Number of rows of each source.
//!
//! The published counts belong to 1,260 people, and the ratios are kept at every size: about 11
//! sales, 10 mails and 9 overflow posts per person. Floors keep small companies usable: with 50
//! people the ratio would give four customers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A set of ratios of rows to people.
///
/// `Lite` and `Ops` also draw the product of a sale at random, so products differ in how often they
/// were sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VolumeProfile {
    /// The ratios of the published data; every product is sold ten times.
    #[default]
    Upstream,
    /// The same with four reviews to ten sales.
    Lite,
    /// The same with one ticket to two people.
    Ops,
}

/// Number of rows by source.
///
/// ```
/// use enterprise_sandbox::synth::{VolumeProfile, Volumes};
///
/// let paper = Volumes::new(1_260, VolumeProfile::Upstream);
/// assert_eq!((paper.mails, paper.tickets), (11_928, 163)); // the published counts
/// assert_eq!(Volumes::new(1_260, VolumeProfile::Ops).tickets, 630);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Volumes {
    /// People.
    pub employees: u32,
    /// Customers.
    pub customers: u32,
    /// Products.
    pub products: u32,
    /// Sales.
    pub sales: u32,
    /// Reviews.
    pub reviews: u32,
    /// Support chats.
    pub support_chats: u32,
    /// Conversations between colleagues.
    pub conversations: u32,
    /// Mail threads.
    pub threads: u32,
    /// Mails.
    pub mails: u32,
    /// Repositories.
    pub repositories: u32,
    /// Files, and issues, one a file.
    pub files: u32,
    /// Helpdesk tickets.
    pub tickets: u32,
    /// Posts.
    pub posts: u32,
    /// Questions and answers.
    pub overflow: u32,
    /// Curricula.
    pub resumes: u32,
}

/// Head-count of the published company, to which its row counts belong.
const PUBLISHED: u64 = 1_260;

impl Volumes {
    /// The row counts of a company of `employees` people: the published counts in proportion,
    /// rounded, with a floor of 20 customers, 60 products and 7 tickets.
    #[must_use]
    pub fn new(employees: u32, profile: VolumeProfile) -> Self {
        let share = |rows| share_of(employees, rows);
        let sales = share(13_510);
        Self {
            employees,
            customers: share(90).max(20),
            products: share(1_351).max(60),
            sales,
            reviews: if profile == VolumeProfile::Lite {
                sales / 5 * 2
            } else {
                sales
            },
            support_chats: share(1_000),
            conversations: share(2_897),
            threads: share(4_417),
            mails: share(11_928),
            repositories: share(726),
            files: share(750),
            tickets: if profile == VolumeProfile::Ops {
                employees / 2
            } else {
                share(163)
            }
            .max(7),
            posts: share(971),
            overflow: share(10_823),
            resumes: share(1_013).min(employees),
        }
    }
}

impl Volumes {
    /// Rows of a table in proportion to the people, given those of the published company.
    pub(crate) fn share(&self, published: u32) -> u32 {
        share_of(self.employees, u64::from(published))
    }
}

/// `rows` of the published company in proportion to the people, rounded half up in whole numbers, so
/// that no platform rounds an exact half differently.
fn share_of(employees: u32, rows: u64) -> u32 {
    let n = u64::from(employees);
    u32::try_from((n * rows * 2 + PUBLISHED) / (2 * PUBLISHED)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_counts_at_the_published_size() {
        let v = Volumes::new(1_260, VolumeProfile::Upstream);
        assert_eq!(
            (v.sales, v.mails, v.threads, v.overflow),
            (13_510, 11_928, 4_417, 10_823)
        );
        assert_eq!(
            (v.tickets, v.files, v.repositories, v.resumes),
            (163, 750, 726, 1_013)
        );
        let big = Volumes::new(100_000, VolumeProfile::Upstream);
        assert_eq!(
            (big.customers, big.overflow, big.tickets),
            (7_143, 858_968, 12_937)
        );
        assert_eq!(Volumes::new(50, VolumeProfile::Upstream).customers, 20);
    }
}
