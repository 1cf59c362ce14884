use super::*;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::json;
use std::sync::LazyLock;

const KEYS: [&str; 5] = [
    "sk-test-0123456789abcdefghij",
    "sk-live-Zb81kQ0pLr7xW2",
    "sk-ant-api03-xR_7-kQw9ZtLm2Vb8Yc4Nd6Hf0Jg1Ps3Au5Ei7OoTlKq-wAA",
    "9f86d081884c7d659a2feaa0c55ad015",
    "hV4~k.9Zq/2w+T=x",
];

/// One scrubber for each of [`KEYS`].
static SCRUBS: LazyLock<Vec<Scrub>> = LazyLock::new(|| KEYS.into_iter().map(scrub).collect());

fn scrub(key: &str) -> Scrub {
    Scrub::new([key])
}

/// The letters and digits of a text.
fn letters(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

type Encoding = (&'static str, fn(&str) -> String);

fn each(key: &str, written: impl Fn(u8) -> String) -> String {
    key.bytes().map(written).collect()
}

const ENCODINGS: [Encoding; 15] = [
    ("plain", str::to_owned),
    ("json escapes", |k| each(k, |b| format!("\\u{b:04x}"))),
    ("json escapes, upper case", |k| {
        each(k, |b| format!("\\u{b:04X}"))
    }),
    ("json escapes, twice", |k| {
        each(k, |b| format!("\\\\u{b:04x}"))
    }),
    ("json escapes, three times", |k| {
        each(k, |b| format!("\\\\\\\\u{b:04x}"))
    }),
    ("some json escapes", |k| {
        each(k, |b| match b % 3 {
            0 => format!("\\u{b:04x}"),
            _ => char::from(b).to_string(),
        })
    }),
    ("escaped slashes", |k| k.replace('/', "\\/")),
    ("percent", |k| each(k, |b| format!("%{b:02x}"))),
    ("percent, upper case", |k| each(k, |b| format!("%{b:02X}"))),
    ("percent in part", |k| {
        each(k, |b| match b % 2 {
            0 => format!("%{b:02X}"),
            _ => char::from(b).to_string(),
        })
    }),
    ("percent and json escapes", |k| {
        each(k, |b| match b % 2 {
            0 => format!("%{b:02X}"),
            _ => format!("\\u{b:04x}"),
        })
    }),
    ("base64", |k| STANDARD.encode(k)),
    ("base64, url", |k| URL_SAFE_NO_PAD.encode(k)),
    ("base64 behind one", |k| {
        STANDARD_NO_PAD.encode(format!("\n{k}\n"))
    }),
    ("base64 behind two", |k| {
        URL_SAFE.encode(format!("k={k}&x=1"))
    }),
];

#[test]
fn no_encoding_of_a_key_gets_through() {
    for (key, scrub) in KEYS.into_iter().zip(&*SCRUBS) {
        for (name, encode) in ENCODINGS {
            let encoded = encode(key);
            let around = format!("(see: {encoded}) ok");
            let clean = scrub.text(&around);
            assert_eq!(
                clean.matches(Scrub::MARK).count(),
                1,
                "{key} {name}: {clean}"
            );
            assert!(
                clean.starts_with("(see: ") && clean.ends_with(") ok"),
                "{clean}"
            );
            assert_eq!(scrub.text(&clean), clean, "{key} {name}: twice");
            // Base64 with a part of its surroundings, in which no byte of the key stands.
            let most = if name.starts_with("base64") { 12 } else { 0 };
            let rest = letters(&clean).len();
            assert!(
                rest <= letters("(see: [key]) ok").len() + most,
                "{key} {name}: {clean}"
            );
        }
    }
}

#[test]
fn base64_leaves_no_byte_of_the_key() {
    for (key, scrub) in KEYS.into_iter().zip(&*SCRUBS) {
        for (before, behind) in [
            ("", ""),
            ("", "x"),
            ("a", ""),
            ("a", "yy"),
            ("ab", ""),
            ("ab", "z"),
        ] {
            for engine in [&STANDARD, &URL_SAFE, &STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
                let text = engine.encode(format!("{before}{key}{behind}"));
                let clean = scrub.text(&text).replace(Scrub::MARK, "");
                // A letter holds six bits, so one at an edge may hold a part of a byte of the key, never a whole one.
                let letters_of = |text: &str| (8 * text.len()).div_ceil(6);
                let most = letters_of(before) + letters_of(behind) + 1;
                let left = letters(&clean).len();
                assert!(left <= most, "{key} {before} {behind}: {text} {clean}");
            }
        }
    }
}

#[test]
fn names_numbers_and_json_in_strings_are_searched() {
    const KEY: &str = "4815162342108";
    let scrub = scrub(KEY);
    let inner = json!({"\u{34}8": format!("{KEY}\n")}).to_string();
    let escaped = inner.replace(KEY, &each(KEY, |b| format!("\\u{b:04x}")));
    let dirty = json!({
        KEY: 1,
        "number": 4_815_162_342_108_u64,
        "deep": json!({"again": inner, "escaped": escaped}).to_string(),
    });
    let clean = scrub.value(&dirty);
    assert!(!clean.to_string().contains("481516"), "{clean}");
    assert_eq!(
        (&clean["[key]"], &clean["number"]),
        (&json!(1), &json!("[key]"))
    );
    // JSON in a string stays JSON.
    let deep: Value = serde_json::from_str(clean["deep"].as_str().unwrap()).unwrap();
    for name in ["again", "escaped"] {
        let inner: Value = serde_json::from_str(deep[name].as_str().unwrap()).unwrap();
        assert_eq!(inner, json!({"48": "[key]\n"}));
    }
}

#[test]
fn a_line_of_json_stays_json() {
    let scrub = scrub(KEYS[0]);
    let line = json!({"a": "sk-test-0123456789abcdefghij", "c": "ok"}).to_string();
    let clean: Value = serde_json::from_str(&scrub.line(&line)).unwrap();
    assert_eq!(clean, json!({"a": "[key]", "c": "ok"}));
    assert!(matches!(scrub.line("{\"c\": \"ok\"}"), Cow::Borrowed(_)));
}

#[test]
fn keys_do_not_show() {
    let scrub = scrub("sk-test-0123456789");
    assert!(!format!("{scrub:?}").contains("0123"));
}

/// Placeholder keys of local servers are not secret, and their words occur in ordinary text.
#[test]
fn placeholders_do_not_change_ordinary_text() {
    for key in [
        "none",
        "ollama",
        "lm-studio",
        "no-key-required",
        "sk-no-key-required",
        "EMPTY",
        "not-needed",
    ] {
        let scrub = scrub(key);
        for text in [
            "none of them is required",
            "{\"required\":[\"tool\",\"with\"],\"type\":\"object\"}",
            "no key is needed in the studio; an empty list is not an error",
            "lm studio",
        ] {
            assert_eq!(scrub.text(text), text, "{key}");
        }
    }
    assert_eq!(
        scrub("sk-no-key-required").text("with sk-no-key-required"),
        "with [key]"
    );
}

proptest! {
    /// Digests, numbers and words do not count as keys.
    #[test]
    fn ordinary_text_stays_as_it_is(
        words in "([a-z]{1,9} |[0-9]{1,6}[., ]|[A-Z][a-z]{2,8} |[0-9a-f]{64} |\\\\u00[0-9a-f]{2}|%[0-9A-F]{2}|\"[a-z_]{3,12}\":){0,40}",
        numbers in proptest::collection::vec(any::<f64>(), 0..20),
    ) {
        let value = json!({"text": words, "numbers": numbers, "nested": json!({"w": words}).to_string()});
        for scrub in &*SCRUBS {
            prop_assert_eq!(&scrub.value(&value), &value);
            prop_assert_eq!(&*scrub.text(&words), &*words);
        }
    }

    #[test]
    fn any_text_is_survived(text in "[\\\\u0-9a-f%&#x;={}\\[\\]key+é\u{200b}]{0,60}") {
        let scrub = &SCRUBS[3];
        let clean = scrub.text(&text).into_owned();
        prop_assert_eq!(&*scrub.text(&clean), &*clean);
        let _ = scrub.value(&json!([text]));
    }
}
