//! The four roles of the chain.
//!
//! ```
//! use beer_game::role::{ByRole, Role};
//!
//! let stock = ByRole::new([400.0, 380.0, 420.0, 400.0]);
//! assert_eq!(stock[Role::Wholesaler], 380.0);
//! assert_eq!(stock.total(), 1_600.0);
//! assert_eq!(stock.map(|units| units / 2.0)[Role::Brewery], 200.0);
//! assert_eq!(stock.shared(), None);
//!
//! // Orders go from a role to its supplier, goods the other way.
//! let mut up_the_chain = vec![Role::Retailer];
//! while let Some(supplier) = up_the_chain[up_the_chain.len() - 1].supplier() {
//!     up_the_chain.push(supplier);
//! }
//! assert_eq!(up_the_chain, Role::ALL);
//! ```
//!
//! Indexing a [`ByRole`] by a [`Role`] cannot fail: there is a value for every role.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_core::Seat;
use std::array;
use std::ops::{Index, IndexMut};

/// Number of roles.
pub const ROLES: usize = 4;

/// A place in the chain, from the customer upstream. Orders travel in the direction of the list,
/// goods against it.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Sells to the customer.
    #[default]
    Retailer,
    /// Supplies the retailer.
    Wholesaler,
    /// Supplies the wholesaler.
    Distributor,
    /// Supplies the distributor from its own production (called `factory` in Sterman 1989).
    #[serde(alias = "factory")]
    Brewery,
}

impl Role {
    /// All roles, downstream first: the order of every list of roles in this crate.
    pub const ALL: [Self; ROLES] = [
        Self::Retailer,
        Self::Wholesaler,
        Self::Distributor,
        Self::Brewery,
    ];

    /// Position in [`Role::ALL`]: 0 for the retailer, 3 for the brewery.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name in lower case, as it stands in JSON and in seats.
    ///
    /// Reading JSON also takes `factory` for the brewery, the word of Sterman (1989).
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The role that plays `seat`.
    pub(crate) fn of_seat(seat: &Seat) -> Option<Self> {
        let mut roles = Self::ALL.into_iter();
        roles.find(|role| role.name() == seat.name())
    }

    /// The role that buys from this one; `None` for the retailer, whose buyer is the customer.
    #[must_use]
    pub const fn customer(self) -> Option<Self> {
        match self {
            Self::Retailer => None,
            Self::Wholesaler => Some(Self::Retailer),
            Self::Distributor => Some(Self::Wholesaler),
            Self::Brewery => Some(Self::Distributor),
        }
    }

    /// The role that this one buys from; `None` for the brewery, which produces.
    #[must_use]
    pub const fn supplier(self) -> Option<Self> {
        match self {
            Self::Retailer => Some(Self::Wholesaler),
            Self::Wholesaler => Some(Self::Distributor),
            Self::Distributor => Some(Self::Brewery),
            Self::Brewery => None,
        }
    }
}

/// One value for each role. In JSON, this is a list of the values, downstream first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ByRole<T>([T; ROLES]);

impl<T> ByRole<T> {
    /// The values in the order of [`Role::ALL`].
    #[must_use]
    pub const fn new(values: [T; ROLES]) -> Self {
        Self(values)
    }

    /// The same value for every role.
    #[must_use]
    pub const fn all(value: T) -> Self
    where
        T: Copy,
    {
        Self([value; ROLES])
    }

    /// The value that `of` gives for each role, downstream first.
    #[inline]
    #[must_use]
    pub fn from_fn(of: impl FnMut(Role) -> T) -> Self {
        Self(Role::ALL.map(of))
    }

    /// The results of `of` for each value, downstream first.
    #[inline]
    #[must_use]
    pub fn map<U>(self, of: impl FnMut(T) -> U) -> ByRole<U> {
        ByRole(self.0.map(of))
    }

    /// Each role with its value, downstream first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Role, &T)> {
        // From one list, so that no loop can have an order of its own.
        Role::ALL.into_iter().zip(&self.0)
    }

    /// The values, downstream first.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }

    /// All values at once, downstream first, for work on neighbours.
    #[inline(always)]
    pub(crate) fn each_mut(&mut self) -> &mut [T; ROLES] {
        &mut self.0
    }

    /// The value that all roles share, if they do.
    ///
    /// The dynamics use it to look at a rule's formula once for all roles.
    #[must_use]
    pub fn shared(&self) -> Option<&T>
    where
        T: PartialEq,
    {
        // A pattern and no index, so that the type proves there is a first one.
        let [first, others @ ..] = &self.0;
        others.iter().all(|value| value == first).then_some(first)
    }
}

impl ByRole<f64> {
    /// The sum over all roles, added downstream first.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The sum over the roles that `counted` names, added downstream first.
    ///
    /// ```
    /// use beer_game::role::{ByRole, Role};
    ///
    /// let costs = ByRole::new([46.0, 50.0, 54.0, 54.0]);
    /// let mine = ByRole::from_fn(|role| role == Role::Retailer || role == Role::Brewery);
    /// assert_eq!((costs.total_of(&mine), costs.total()), (100.0, 204.0));
    /// ```
    #[must_use]
    pub fn total_of(&self, counted: &ByRole<bool>) -> f64 {
        let counted = self.iter().filter(|(role, _)| counted[*role]);
        counted.map(|(_, value)| value).sum()
    }
}

impl<T> Index<Role> for ByRole<T> {
    type Output = T;

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "every role's index is below ROLES")]
    fn index(&self, role: Role) -> &T {
        &self.0[role.index()]
    }
}

impl<T> IndexMut<Role> for ByRole<T> {
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "every role's index is below ROLES")]
    fn index_mut(&mut self, role: Role) -> &mut T {
        &mut self.0[role.index()]
    }
}

impl<T> IntoIterator for ByRole<T> {
    type Item = (Role, T);
    type IntoIter = std::iter::Zip<array::IntoIter<Role, ROLES>, array::IntoIter<T, ROLES>>;

    fn into_iter(self) -> Self::IntoIter {
        Role::ALL.into_iter().zip(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_is_a_chain() {
        for pair in Role::ALL.windows(2) {
            assert_eq!(pair[0].supplier(), Some(pair[1]));
            assert_eq!(pair[1].customer(), Some(pair[0]));
        }
        assert_eq!(Role::ALL.map(Role::index), [0, 1, 2, 3]);
        for role in Role::ALL {
            assert_eq!(serde_json::to_value(role).unwrap(), role.name());
        }
        assert_eq!(
            serde_json::from_str::<Role>("\"factory\"").unwrap(),
            Role::Brewery
        );
    }

    #[test]
    fn values_belong_to_their_roles() {
        let mut values = ByRole::new([0.0, 1.0, 2.0, 8.0]);
        assert_eq!(ByRole::from_fn(|role| values[role]), values);
        for (role, value) in values {
            assert_eq!(values[role], value);
        }
        values[Role::Brewery] = 8.5;
        assert_eq!(values, ByRole::new([0.0, 1.0, 2.0, 8.5]));
        assert_eq!(values.total(), 11.5);
        let counted = ByRole::from_fn(|role| role != Role::Distributor);
        assert_eq!(values.total_of(&counted), 9.5);
        assert_eq!((values.shared(), ByRole::all(4).shared()), (None, Some(&4)));
        let json = serde_json::to_string(&values).unwrap();
        assert_eq!(json, "[0.0,1.0,2.0,8.5]");
        assert_eq!(serde_json::from_str::<ByRole<f64>>(&json).unwrap(), values);
        assert!(serde_json::from_str::<ByRole<f64>>("[1.0,2.0,3.0]").is_err());
    }
}
