//! The four roles of the chain.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Number of roles.
pub const ROLES: usize = 4;

/// A place in the chain, from the customer upstream. Orders travel in the direction of the list,
/// goods against it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Sells to the customer.
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
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retailer => "retailer",
            Self::Wholesaler => "wholesaler",
            Self::Distributor => "distributor",
            Self::Brewery => "brewery",
        }
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

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
        assert_eq!(
            serde_json::from_str::<Role>("\"factory\"").unwrap(),
            Role::Brewery
        );
    }
}
