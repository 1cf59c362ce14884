//! Clients and vendors, and tables whose fields give their texts.

use crate::company::Company;
use crate::source::{Make, TableId};
use crate::synth::people::{name, name_order};
use crate::synth::phrases::{FAMILY, capital, fill, pair, pick};
use sim_core::Stream;

/// One of the phrases of a field.
pub(super) fn phrase(c: &Company, source: TableId, row: u32, field: &str) -> String {
    let Some(Make::Phrases(phrases)) = source.field(field).map(|f| f.make) else {
        return String::new();
    };
    let purpose = format!("text.{source}.{field}");
    let mut s = c.seed.stream(&purpose, u64::from(row));
    let phrase = s.pick(phrases).copied().unwrap_or_default();
    fill(phrase, |slot| {
        let (low, high) = slot.split_once('-').unwrap_or(("0", "0"));
        let bound = |text: &str| text.parse().unwrap_or(0);
        s.between(bound(low), bound(high)).to_string()
    })
}

/// Number, street, city and a number of five digits.
fn address(s: &mut Stream) -> String {
    let number = s.between(1, 240);
    let (street, city) = (pick(s, "street"), pick(s, "city"));
    format!("{number} {street}, {city} {}", s.between(10_000, 99_999))
}

/// A name of a firm from family names of the list; two firms may share it, as in the published
/// data.
fn firm(s: &mut Stream) -> String {
    let family = |s: &mut Stream| s.pick(&FAMILY).copied().unwrap_or("Ash");
    let (one, two) = (family(s), family(s));
    fill(pick(s, "firm"), |slot| {
        if slot == "family2" { two } else { one }.to_owned()
    })
}

/// Two letters and five digits, as published.
fn tax_id(s: &mut Stream) -> String {
    let letter = |s: &mut Stream| char::from(b'A' + u8::try_from(s.below(26)).unwrap_or(0));
    let (a, b) = (letter(s), letter(s).to_ascii_lowercase());
    format!("{a}{b}{:05}", s.between(0, 99_999))
}

/// A text field of a client.
pub(super) fn client(c: &Company, row: u32, field: &str) -> String {
    let mut s = c
        .seed
        .stream(&format!("text.client.{field}"), u64::from(row));
    let contact = name(&name_order(c.seed, "contact.names"), row);
    match field {
        "business_name" => firm(&mut s),
        "industry" => pick(&mut s, "industry").to_owned(),
        "business_type" => pick(&mut s, "client.type").to_owned(),
        "contact_person_id" => {
            format!("{:08x}-{:04x}", s.bits() >> 32, s.bits() & 0xffff)
        }
        "contact_person_name" => format!("{} {}", contact.0, contact.1),
        "contact_email" => format!("{}.{}@example.com", contact.0, contact.1).to_lowercase(),
        "phone_number" => format!("555-{:04}-{:03}", s.between(0, 9_999), s.between(0, 999)),
        "registered_address" => address(&mut s),
        "tax_id" => tax_id(&mut s),
        "current_POC_product" => pick(&mut s, "client.trial").to_owned(),
        "engagement_description" => fill(pick(&mut s, "client.work"), |slot| match slot {
            "trial" => client(c, row, "current_POC_product"),
            "firm" => client(c, row, "business_name"),
            "industry" => client(c, row, "industry"),
            "thing" => pick(&mut s, "thing").to_owned(),
            _ => s.between(2, 40).to_string(),
        }),
        _ => String::new(),
    }
}

/// A text field of a vendor.
pub(super) fn vendor(c: &Company, row: u32, field: &str) -> String {
    let mut s = c
        .seed
        .stream(&format!("text.vendor.{field}"), u64::from(row));
    let mut kind = c.seed.stream("text.vendor.kind", u64::from(row));
    // One draw for both, because each type of business has its own description.
    let (business, relationship) = pair(pick(&mut kind, "vendor.type"));
    match field {
        "business_name" => firm(&mut s),
        "industry" => pick(&mut s, "industry").to_owned(),
        "business_type" => business.to_owned(),
        "registered_address" => address(&mut s),
        "tax_id" => tax_id(&mut s),
        "relationship_description" => format!("{}.", capital(relationship)),
        _ => String::new(),
    }
}
