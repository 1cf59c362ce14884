//! Names of rules: `typical`, `smoothing-4`, `constant:400` and the like.

use super::{Formula, MAX_WINDOW, OrderingRule, sterman_alpha, sterman_beta, sterman_theta};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// A text that names no ordering rule.
///
/// Its text quotes the name, shortened if it is long, and lists the names there are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not an ordering rule; known are {KNOWN}")]
pub struct BadRuleName {
    given: String,
}

const KNOWN: &str = "typical, smoothing-<weeks>, smoothing:<weeks>, ignore-backorder, base-stock, \
     include-supply-line, slow-adjustment[:<weeks>], order-balance[:<weeks>], \
     system-dynamics[:<weeks>], order-up-to[:<level>], sterman, follow-demand, constant:<units>";

/// A rule as it may be written; for the JSON Schema only.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(
    dead_code,
    reason = "never built: it only describes what the deserializer takes"
)]
pub(super) enum RuleText {
    /// By name: `"typical"`, `"smoothing-4"`, `"constant:400"` ...
    Name(String),
    /// With parameters: `{"rule": "typical", "alpha": 0.5}`.
    Full(Formula),
}

impl<'de> Deserialize<'de> for OrderingRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Asked for any value and not as an untagged enum, whose errors only say that nothing
        // matched.
        deserializer.deserialize_any(RuleVisitor)
    }
}

struct RuleVisitor;

impl<'de> Visitor<'de> for RuleVisitor {
    type Value = OrderingRule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an ordering rule or an object with its parameters")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<OrderingRule, E> {
        OrderingRule::from_name(name).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OrderingRule, A::Error> {
        Formula::deserialize(MapAccessDeserializer::new(map)).map(OrderingRule)
    }
}

impl OrderingRule {
    /// The typical rule of the source paper.
    ///
    /// `d + T - I + B` (strategic paper, A.5, equation 1 with alpha = beta = 1).
    pub const TYPICAL: Self = Self(Formula::Typical {
        alpha: 1.0,
        beta: 1.0,
        window: 1,
    });
    /// The moving-average rule of the source paper.
    ///
    /// `mean(d of four weeks) + T - I + B` (strategic paper, A.5, equations 2 and 3).
    pub const SMOOTHING_4: Self = Self(Formula::Typical {
        alpha: 1.0,
        beta: 1.0,
        window: 4,
    });
    /// Sterman's rule with the mean estimates over his subjects.
    ///
    /// theta 0.36, alpha 0.26, beta 0.34, a desired stock of 4.25 weeks of flow (Sterman
    /// 1989).
    pub const STERMAN: Self = Self(Formula::Sterman {
        theta: sterman_theta(),
        alpha: sterman_alpha(),
        beta: sterman_beta(),
        desired: None,
        reach: 0.0,
    });

    /// The base-stock rule of the source paper.
    ///
    /// `trunc(T - (I + SL - B) + d)`, the program's `base_stock`.
    pub const BASE_STOCK: Self = Self(Formula::BaseStock);

    /// Order up to `level` \[units\].
    ///
    /// `level - (I - B + O)`, with this week's order counted in. Levels from 0 on make
    /// sense; none is refused here.
    #[must_use]
    pub const fn order_up_to(level: f64) -> Self {
        Self(Formula::OrderUpTo { level: Some(level) })
    }

    /// `units` every week \[units\].
    ///
    /// A negative amount orders nothing.
    #[must_use]
    pub const fn constant(units: f64) -> Self {
        Self(Formula::Constant { units })
    }

    /// The rule called `name`, with the parameters of its source:
    ///
    /// `typical`, `smoothing-4` (moving average over 4 weeks; any of 1 to 8), `smoothing:4` (the
    /// paper's program's formula of that name), `ignore-backorder`, `base-stock`,
    /// `include-supply-line`, `slow-adjustment` and `order-balance` and `system-dynamics`
    /// (optionally `:<weeks>`, else 8), `order-up-to` (optionally `:<level>`, else what the role
    /// starts with), `sterman`, `follow-demand`, `constant:<units>`.
    ///
    /// # Errors
    /// [`BadRuleName`] when there is no such rule or its parameter is not a number in range.
    ///
    /// ```
    /// use beer_game::rule::OrderingRule;
    ///
    /// assert_eq!(OrderingRule::from_name("order-up-to:1200")?, OrderingRule::order_up_to(1200.0));
    /// // The name of a rule reads back as the rule.
    /// let rule = OrderingRule::from_name("slow-adjustment")?;
    /// assert_eq!(rule.to_string(), "slow-adjustment:8");
    /// assert_eq!(OrderingRule::from_name(&rule.to_string())?, rule);
    /// assert!(OrderingRule::from_name("smoothing-9").is_err(), "averages reach back 8 weeks");
    /// # Ok::<(), beer_game::rule::BadRuleName>(())
    /// ```
    pub fn from_name(name: &str) -> Result<Self, BadRuleName> {
        let bad = || BadRuleName {
            given: sim_core::error::clip(name),
        };
        let (head, parameter) = match name.split_once(':') {
            Some((head, text)) => {
                let number: f64 = text.parse().map_err(|_| bad())?;
                // `inf` and `NaN` are numbers for the parser, and one of them makes all stocks so.
                let sane = number.is_finite() && number >= 0.0;
                (head, Some(sane.then_some(number).ok_or_else(bad)?))
            }
            None => (name, None),
        };
        let weeks = |default: f64| match parameter {
            None => Ok(default),
            Some(weeks) if weeks >= 1.0 => Ok(weeks),
            Some(_) => Err(bad()),
        };
        let formula = match (head, parameter) {
            ("typical", None) => return Ok(Self::TYPICAL),
            ("ignore-backorder", None) => Formula::Typical {
                alpha: 1.0,
                beta: 0.0,
                window: 1,
            },
            // With a colon it is the program's formula, with a hyphen the moving average of the
            // text.
            ("smoothing", Some(_)) => Formula::GradualSmoothing { weeks: weeks(4.0)? },
            ("base-stock", None) => return Ok(Self::BASE_STOCK),
            ("include-supply-line", None) => Formula::IncludeSupplyLine,
            ("slow-adjustment", _) => Formula::SlowAdjustment { weeks: weeks(8.0)? },
            ("order-balance", _) => Formula::OrderBalance { weeks: weeks(8.0)? },
            ("system-dynamics", _) => Formula::SystemDynamics {
                weeks: weeks(8.0)?,
                supply_line: true,
            },
            ("order-up-to", level) => Formula::OrderUpTo { level },
            ("sterman", None) => return Ok(Self::STERMAN),
            ("follow-demand", None) => Formula::FollowDemand,
            ("constant", Some(units)) => Formula::Constant { units },
            // Last, as only here a part of the name is a number.
            (other, None) => {
                let window = other.strip_prefix("smoothing-").ok_or_else(bad)?;
                let window: u32 = window.parse().map_err(|_| bad())?;
                if window == 0 || window > MAX_WINDOW {
                    return Err(bad());
                }
                Formula::Typical {
                    alpha: 1.0,
                    beta: 1.0,
                    window,
                }
            }
            _ => return Err(bad()),
        };
        Ok(Self(formula))
    }
}

/// A short name for tables; parameters that differ from the rule's usual ones follow in brackets.
impl fmt::Display for OrderingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Formula::Typical {
                alpha: 1.0,
                beta: 1.0,
                window: 1,
            } => f.write_str("typical"),
            Formula::Typical {
                alpha: 1.0,
                beta: 0.0,
                window: 1,
            } => f.write_str("ignore-backorder"),
            Formula::Typical {
                alpha: 1.0,
                beta: 1.0,
                window,
            } => write!(f, "smoothing-{window}"),
            Formula::Typical {
                alpha,
                beta,
                window,
            } => {
                write!(f, "typical (alpha {alpha}, beta {beta}, window {window})")
            }
            Formula::GradualSmoothing { weeks } => write!(f, "smoothing:{weeks}"),
            Formula::BaseStock => f.write_str("base-stock"),
            Formula::IncludeSupplyLine => f.write_str("include-supply-line"),
            Formula::SlowAdjustment { weeks } => write!(f, "slow-adjustment:{weeks}"),
            Formula::OrderBalance { weeks } => write!(f, "order-balance:{weeks}"),
            Formula::SystemDynamics {
                weeks,
                supply_line: true,
            } => {
                write!(f, "system-dynamics:{weeks}")
            }
            Formula::SystemDynamics {
                weeks,
                supply_line: false,
            } => {
                write!(f, "system-dynamics:{weeks} (without supply line)")
            }
            Formula::OrderUpTo { level: None } => f.write_str("order-up-to"),
            Formula::OrderUpTo { level: Some(level) } => write!(f, "order-up-to:{level}"),
            // Only with all usual parameters: a tuned rule under this name would pass for
            // Sterman's.
            Formula::Sterman { .. } if *self == Self::STERMAN => f.write_str("sterman"),
            Formula::Sterman {
                theta,
                alpha,
                beta,
                desired,
                reach,
            } => {
                write!(f, "sterman (theta {theta}, alpha {alpha}, beta {beta}")?;
                if let Some(desired) = desired {
                    write!(f, ", desired {desired}")?;
                }
                if reach == 0.0 {
                    f.write_str(")")
                } else {
                    write!(f, ", reach {reach})")
                }
            }
            Formula::FollowDemand => f.write_str("follow-demand"),
            Formula::Constant { units } => write!(f, "constant:{units}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_from_display() {
        for name in [
            "typical",
            "smoothing-4",
            "smoothing:4",
            "ignore-backorder",
            "base-stock",
            "include-supply-line",
            "slow-adjustment:8",
            "order-balance:8",
            "system-dynamics:8",
            "order-up-to",
            "order-up-to:1743",
            "sterman",
            "follow-demand",
            "constant:400",
        ] {
            assert_eq!(OrderingRule::from_name(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn json_takes_names_and_parameters() {
        let short: OrderingRule = serde_json::from_str("\"smoothing-4\"").unwrap();
        assert_eq!(short, OrderingRule::SMOOTHING_4);
        let full: OrderingRule =
            serde_json::from_str(r#"{"rule": "typical", "alpha": 0.5}"#).unwrap();
        assert_eq!(
            full,
            OrderingRule(Formula::Typical {
                alpha: 0.5,
                beta: 1.0,
                window: 1
            })
        );
        let back: OrderingRule =
            serde_json::from_str(&serde_json::to_string(&full).unwrap()).unwrap();
        assert_eq!(back, full);
        assert!(
            serde_json::from_str::<OrderingRule>(r#"{"rule": "typical", "gamma": 1}"#).is_err()
        );
    }

    #[test]
    fn bad_names_are_refused() {
        for bad in [
            "",
            "Typical",
            "smoothing-9",
            "smoothing-0",
            "constant",
            "constant:-1",
            "constant:nan",
            "sterman:3",
            "order-balance:0",
            "order-up-to:x",
        ] {
            let error = OrderingRule::from_name(bad).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("`{bad}` is not an ordering rule")),
                "{error}"
            );
        }
    }
}
