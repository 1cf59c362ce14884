//! Sector packs: names, drift, cost of moving money, and the rules typical of a line of business.
//!
//! A pack is data: names, texts, margins, the drift of a company, the cost of moving
//! money, and the rules over several units that are typical of the line of business.
//! Adding a sector needs a pack and no other code.

use crate::scenario::{Drift, Proforma, Tier, TransferRule, Unit, UnitRole};
use serde::{Deserialize, Serialize};
use sim_core::Stream;

/// A line of business.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Sector {
    /// Hospitals, devices, care.
    Healthcare,
    /// Software and platforms.
    Technology,
    /// Plants and machines.
    Manufacturing,
    /// Shops and brands.
    Retail,
    /// Freight and warehouses.
    Logistics,
}

impl Sector {
    /// All sectors.
    pub const ALL: [Self; 5] = [
        Self::Healthcare,
        Self::Technology,
        Self::Manufacturing,
        Self::Retail,
        Self::Logistics,
    ];

    pub(super) fn pack(self) -> &'static Pack {
        match self {
            Self::Healthcare => &HEALTHCARE,
            Self::Technology => &TECHNOLOGY,
            Self::Manufacturing => &MANUFACTURING,
            Self::Retail => &RETAIL,
            Self::Logistics => &LOGISTICS,
        }
    }
}

/// The rule over several units that a sector adds.
#[derive(Debug, Clone, Copy)]
enum Habit {
    /// Raising growth much asks for raising the protected unit.
    GrowthWithCare,
    /// The speculative growth unit may receive little.
    LimitSpeculation,
    /// Part of what leaves the cash generator stays near it.
    RetainNearby,
    /// Money of the protected unit may not feed growth.
    NoCareForGrowth,
}

/// Everything a sector brings.
#[derive(Debug)]
pub(super) struct Pack {
    pub(super) name: &'static str,
    pub(super) names: &'static [&'static str],
    pub(super) priorities: &'static [&'static str],
    pub(super) drift: Drift,
    pub(super) proforma: Proforma,
    pub(super) margin: (f64, f64),
    legacy: &'static [&'static str],
    retention: &'static [&'static str],
    growth: &'static [&'static str],
    productivity: &'static [&'static str],
    habit: Habit,
}

impl Pack {
    /// A name for the next unit of a role, different from those before it.
    pub(super) fn unit_name(&self, role: UnitRole, earlier: usize, stream: &mut Stream) -> String {
        let names = match role {
            UnitRole::LegacyCashGenerator => self.legacy,
            UnitRole::CustomerRetention => self.retention,
            UnitRole::Growth => self.growth,
            UnitRole::Productivity => self.productivity,
        };
        // Units of one role take their names from different places of the list.
        let thirds = names.len() / 3;
        if earlier < 3 && thirds > 0 {
            // Drawn also for a list of one name a third: what is drawn later must not depend on the
            // sector.
            let place = earlier * thirds + stream.index(thirds);
            return names.get(place).copied().unwrap_or("Unit").to_owned();
        }
        format!(
            "{} {}",
            names.first().copied().unwrap_or("Unit"),
            earlier + 1
        )
    }

    /// Rules over several units: the protected unit's share, and the habit of the sector.
    pub(super) fn rules(&self, units: &[Unit]) -> Vec<TransferRule> {
        // Every company has all four roles; a habit of fewer would be another rule.
        let (Some(legacy), Some(guarded), Some(growth), Some(productive)) = (
            first_of(units, UnitRole::LegacyCashGenerator),
            first_of(units, UnitRole::CustomerRetention),
            first_of(units, UnitRole::Growth),
            first_of(units, UnitRole::Productivity),
        ) else {
            return Vec::new();
        };
        // Every sector asks that the protected unit keeps a share just above its floor: at most what
        // it has now, or leaving it alone would break the rule.
        let mut rules = vec![TransferRule::MinShare {
            unit: guarded.id.clone(),
            pp: (guarded.floor_pp + 0.5).min(guarded.share_pp),
        }];
        let [legacy, care, growth, productive] =
            [legacy, guarded, growth, productive].map(|unit| unit.id.clone());
        match self.habit {
            Habit::GrowthWithCare => rules.push(TransferRule::ConditionalMinAdd {
                if_unit: growth,
                if_add_gt: 8.0,
                then_unit: care,
                then_add_ge: 1.0,
            }),
            Habit::LimitSpeculation => {
                let second = units
                    .iter()
                    // The second one is the speculative one; with a single growth unit the habit
                    // has no object.
                    .filter(|unit| unit.role == UnitRole::Growth)
                    .nth(1);
                if let Some(unit) = second {
                    rules.push(TransferRule::MaxAdd {
                        unit: unit.id.clone(),
                        pp: 6.0,
                    });
                }
            }
            Habit::RetainNearby => rules.push(TransferRule::RetainFraction {
                sources: vec![legacy],
                destinations: vec![care, productive],
                fraction: 0.1,
            }),
            Habit::NoCareForGrowth => rules.push(TransferRule::ForbidFlow {
                sources: vec![care],
                destinations: vec![growth],
            }),
        }
        rules
    }
}

/// The end of a title.
pub(super) fn title(tier: Tier) -> &'static str {
    match tier {
        Tier::Easy => "room to move",
        Tier::Tension => "two aims that exclude each other",
        Tier::Fragile => "little cash, much to change",
        Tier::Adversarial => "a story that is too good",
    }
}

/// The rationale of an earlier round.
pub(super) fn past_rationale(round: u32, starved: bool) -> &'static str {
    match (round, starved) {
        (1, false) => "A first step toward growth.",
        (1, true) => "Growth first; care gives a little.",
        (_, false) => "Growth was funded once more.",
        (_, true) => "Growth once more, care trimmed again.",
    }
}

static HEALTHCARE: Pack = Pack {
    name: "healthcare",
    names: &[
        "Alder Clinics",
        "Brightwell Devices",
        "Norda Care",
        "Sanfield Labs",
        "Tessel Health",
    ],
    priorities: &[
        "move care out of the ward without losing a patient",
        "earn from home care while the clinics still pay",
        "modernise the laboratories before the contracts are renewed",
    ],
    drift: drift(-0.3, 0.03, 3.0),
    proforma: proforma(0.07, 0.02),
    margin: (38.0, 52.0),
    legacy: &[
        "Ward Services",
        "Imaging Centres",
        "Pharmacy Supply",
        "Rehab Houses",
        "Dialysis Sites",
        "Blood Bank",
    ],
    retention: &["Patient Support", "Nursing Line", "Care Contracts"],
    growth: &[
        "Home Monitoring",
        "Remote Clinic",
        "Gene Screening",
        "Sleep Lab",
        "Sports Medicine",
        "Travel Medicine",
    ],
    productivity: &[
        "Records Platform",
        "Lab Automation",
        "Sterile Logistics",
        "Theatre Planning",
        "Coding Desk",
        "Bed Management",
    ],
    habit: Habit::GrowthWithCare,
};

static TECHNOLOGY: Pack = Pack {
    name: "technology",
    names: &[
        "Basalt Systems",
        "Corvane Software",
        "Lumen Stack",
        "Pelorus Data",
        "Quillon Networks",
    ],
    priorities: &[
        "win the platform while the licence money lasts",
        "turn the installed base into subscriptions",
        "ship the data product before the rivals do",
    ],
    drift: drift(-0.4, 0.03, 4.0),
    proforma: proforma(0.08, 0.02),
    margin: (52.0, 68.0),
    legacy: &[
        "Licence Business",
        "Hosting Estate",
        "Mainframe Tools",
        "Training Centre",
        "Hardware Resale",
        "Print Drivers",
    ],
    retention: &["Customer Success", "Support Desk", "Partner Care"],
    growth: &[
        "Agent Platform",
        "Edge Cloud",
        "Data Exchange",
        "Wearable Lab",
        "Game Studio",
        "Quantum Desk",
    ],
    productivity: &[
        "Build Pipeline",
        "Core Services",
        "Security Office",
        "Cost Engineering",
        "Test Farm",
        "Billing Engine",
    ],
    habit: Habit::LimitSpeculation,
};

static MANUFACTURING: Pack = Pack {
    name: "manufacturing",
    names: &[
        "Ferrant Works",
        "Kestrel Bearings",
        "Marrow and Pike",
        "Ostrand Drives",
        "Velden Castings",
    ],
    priorities: &[
        "fund the new drives out of the old line",
        "automate before the order book thins out",
        "sell service with every machine",
    ],
    drift: drift(-0.2, 0.02, 3.0),
    proforma: proforma(0.08, 0.02),
    margin: (26.0, 40.0),
    legacy: &[
        "Standard Drives",
        "Cast Parts",
        "Steel Frames",
        "Spare Motors",
        "Tool Rental",
        "Paint Shop",
    ],
    retention: &["Field Service", "Fleet Care", "Warranty Desk"],
    growth: &[
        "Smart Actuators",
        "Battery Housings",
        "Machine Data",
        "Printed Parts",
        "Drone Frames",
        "Hydrogen Valves",
    ],
    productivity: &[
        "Plant Robotics",
        "Line Control",
        "Heat Recovery",
        "Tool Shop",
        "Quality Vision",
        "Yard Logistics",
    ],
    habit: Habit::RetainNearby,
};

static RETAIL: Pack = Pack {
    name: "retail",
    names: &[
        "Amberline Stores",
        "Dorsey Markets",
        "Fennel and Rye",
        "Harrow Outfitters",
        "Windle Home",
    ],
    priorities: &[
        "grow delivery and keep the shops alive",
        "win the loyal customers back",
        "make the season without a discount war",
    ],
    drift: drift(-0.4, 0.04, 4.0),
    proforma: proforma(0.08, 0.02),
    margin: (28.0, 44.0),
    legacy: &[
        "City Stores",
        "Catalogue Sales",
        "Outlet Shops",
        "Gift Cards",
        "Photo Counter",
        "Seasonal Halls",
    ],
    retention: &["Member Club", "Service Counter", "Repair Bar"],
    growth: &[
        "Rapid Delivery",
        "Own Brands",
        "Market Place",
        "Live Shopping",
        "Rental Wardrobe",
        "Meal Boxes",
    ],
    productivity: &[
        "Stock Robots",
        "Shelf Planning",
        "Checkout Renewal",
        "Cold Storage",
        "Returns Centre",
        "Price Engine",
    ],
    habit: Habit::NoCareForGrowth,
};

static LOGISTICS: Pack = Pack {
    name: "logistics",
    names: &[
        "Brackwater Lines",
        "Cobalt Freight",
        "Meridian Haulage",
        "Stonegate Cargo",
        "Tideway Express",
    ],
    priorities: &[
        "lower the cost of a parcel without losing a key account",
        "open the new corridor and keep the lenders calm",
        "take the depots into the next decade",
    ],
    drift: drift(-0.3, 0.04, 3.0),
    proforma: proforma(0.07, 0.018),
    margin: (20.0, 30.0),
    legacy: &[
        "Road Network",
        "Bulk Haulage",
        "Rail Slots",
        "Fuel Depots",
        "Trailer Pool",
        "Pallet Exchange",
    ],
    retention: &["Account Service", "Driver Care", "Customs Desk"],
    growth: &[
        "Corridor East",
        "Same-Day City",
        "Cold Chain Export",
        "Drone Routes",
        "Moving Service",
        "Port Terminal",
    ],
    productivity: &[
        "Depot Sorting",
        "Route Engine",
        "Dock Automation",
        "Telematics",
        "Fleet Workshop",
        "Yard Control",
    ],
    habit: Habit::NoCareForGrowth,
};

/// The drift of a company in this sector per round, and the cost of moving money.
const fn drift(runway: f64, leverage: f64, pressure: f64) -> Drift {
    Drift {
        runway,
        leverage,
        pressure,
    }
}

const fn proforma(runway_months_per_pp: f64, leverage_per_pp: f64) -> Proforma {
    Proforma {
        runway_months_per_pp,
        leverage_per_pp,
    }
}

/// The first unit of a role.
pub(super) fn first_of(units: &[Unit], role: UnitRole) -> Option<&Unit> {
    units.iter().find(|unit| unit.role == role)
}
