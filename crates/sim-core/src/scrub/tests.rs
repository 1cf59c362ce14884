use super::*;
use base64::Engine as _;
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

const ENCODINGS: [Encoding; 36] = [
    ("plain", str::to_owned),
    ("upper case", str::to_uppercase),
    ("spaces", |k| each(k, |b| format!("{} ", char::from(b)))),
    ("line breaks", |k| {
        each(k, |b| format!("{}\n", char::from(b)))
    }),
    ("zero width", |k| {
        each(k, |b| format!("{}\u{200b}", char::from(b)))
    }),
    ("soft hyphen", |k| {
        each(k, |b| format!("{}\u{ad}", char::from(b)))
    }),
    ("quotes and commas", |k| {
        each(k, |b| format!("\"{}\", ", char::from(b)))
    }),
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
    ("rust escapes", |k| each(k, |b| format!("\\u{{{b:x}}}"))),
    ("octal", |k| each(k, |b| format!("\\{b:03o}"))),
    ("\\x", |k| each(k, |b| format!("\\x{b:02x}"))),
    ("U+", |k| each(k, |b| format!("U+{b:04X} "))),
    ("hex", |k| each(k, |b| format!("{b:02x}"))),
    ("hex, upper case", |k| each(k, |b| format!("{b:02X}"))),
    ("hex, spaces", |k| each(k, |b| format!("{b:02x} "))),
    ("hex, colons", |k| each(k, |b| format!("{b:02x}:"))),
    ("hex, dashes", |k| each(k, |b| format!("{b:02X}-"))),
    ("0x", |k| each(k, |b| format!("0x{b:02x}, "))),
    ("percent", |k| each(k, |b| format!("%{b:02x}"))),
    ("percent, upper case", |k| each(k, |b| format!("%{b:02X}"))),
    ("percent in part", |k| {
        each(k, |b| match b % 2 {
            0 => format!("%{b:02X}"),
            _ => char::from(b).to_string(),
        })
    }),
    ("percent twice", |k| each(k, |b| format!("%25{b:02X}"))),
    ("entities", |k| each(k, |b| format!("&#{b};"))),
    ("entities in hex", |k| each(k, |b| format!("&#x{b:X};"))),
    ("entities, mixed", |k| {
        each(k, |b| match b % 3 {
            0 => format!("&#{b};"),
            1 => format!("&#x{b:x};"),
            _ => char::from(b).to_string(),
        })
    }),
    ("quoted-printable", |k| each(k, |b| format!("={b:02X}"))),
    ("decimal", |k| each(k, |b| format!("{b} "))),
    ("base64", |k| STANDARD.encode(k)),
    ("base64, url", |k| URL_SAFE_NO_PAD.encode(k)),
    ("base64 behind one", |k| {
        STANDARD_NO_PAD.encode(format!("\n{k}\n"))
    }),
    ("base64 behind two", |k| {
        URL_SAFE.encode(format!("k={k}&x=1"))
    }),
    ("base64, wrapped", |k| {
        let text = STANDARD.encode(format!("the key is {k}."));
        text.as_bytes()
            .chunks(7)
            .map(|line| String::from_utf8_lossy(line).into_owned() + "\r\n")
            .collect()
    }),
];

/// Whether `text` holds the encoded key, whatever separates its letters.
fn holds(text: &str, encoded: &str) -> bool {
    letters(text).contains(&letters(encoded))
}

#[test]
fn no_encoding_of_a_key_gets_through() {
    for (key, scrub) in KEYS.into_iter().zip(&*SCRUBS) {
        for (name, encode) in ENCODINGS {
            let encoded = encode(key);
            // Base64 with a part of its surroundings.
            let around = format!("(see: {encoded}) ok");
            let clean = scrub.text(&around);
            assert!(!holds(&clean, &encoded), "{key} {name}: {clean}");
            assert!(clean.contains(Scrub::MARK), "{key} {name}: {clean}");
            assert_eq!(scrub.text(&clean), clean, "{key} {name}: twice");
            // The rest is shorter than a fragment.
            let rest = letters(&clean).len();
            let words = letters("(see: ) ok [key][key][key]").len();
            let most = if name.starts_with("base64") {
                words + 40
            } else {
                words
            };
            assert!(rest <= most, "{key} {name}: {clean}");
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
                let left = letters(&clean).len();
                assert!(left <= 4, "{key} {before} {behind}: {text} {clean}");
                if before.is_empty() && behind.is_empty() {
                    assert_eq!(left, 0, "{key}: {clean}");
                }
            }
        }
    }
}

/// Wherever a key is cut, less than a fragment of it remains.
#[test]
fn a_key_in_pieces_is_found() {
    for (key, scrub) in KEYS.into_iter().zip(&*SCRUBS) {
        for length in 1..12 {
            let pieces: Vec<String> = key
                .as_bytes()
                .chunks(length)
                .map(|piece| String::from_utf8_lossy(piece).into_owned())
                .collect();
            let fields: Vec<Value> = pieces
                .iter()
                .map(|p| json!({"type": "text", "text": p}))
                .collect();
            let named: serde_json::Map<String, Value> = pieces
                .iter()
                .enumerate()
                .map(|(n, piece)| (format!("f{n:03}"), json!(piece)))
                .collect();
            for value in [
                json!(pieces),
                json!(fields),
                Value::Object(named),
                json!({"a": json!(pieces).to_string()}),
            ] {
                let clean = scrub.value(&value).to_string();
                let joined: String = pieces.iter().map(|p| letters(p)).collect();
                let left: usize = pieces
                    .iter()
                    .filter(|p| clean.contains(&format!("\"{p}\"")))
                    .map(String::len)
                    .sum();
                assert!(left < joined.len() / 2, "{length}: {clean}");
                assert_eq!(
                    scrub
                        .value(&serde_json::from_str(&clean).unwrap())
                        .to_string(),
                    clean
                );
            }
            // One piece a turn.
            let mut said = String::new();
            for piece in &pieces {
                // A separate conversation for each length.
                let part =
                    json!({"said": {"text": "", "calls": [{"id": "call_1", "name": piece}]}});
                let clean = scrub.value_in(&format!("episode-{length}"), &part);
                let name = clean["said"]["calls"][0]["name"].as_str();
                said.push_str(name.unwrap_or_else(|| panic!("{key} {piece} {clean}")));
            }
            assert!(!holds(&said, key), "{length}: {said}");
            assert!(said.ends_with(Scrub::MARK), "{length}: {said}");
        }
    }
}

#[test]
fn names_numbers_and_json_in_strings_are_searched() {
    let scrub = scrub("sk-4815162342108-Zb81kQ0pLr7xW2");
    let inner = json!({"\u{73}k": "sk-4815162342108-Zb81kQ0pLr7xW2"}).to_string();
    let dirty = json!({
        "sk-4815162342108-Zb81kQ0pLr7xW2": 1,
        "deep": json!({"again": inner}).to_string(),
        "codes": "sk-4815162342108-Zb81kQ0pLr7xW2".bytes().collect::<Vec<u8>>(),
    });
    let clean = scrub.value(&dirty).to_string();
    assert!(
        !clean.contains("4815162342108") && !clean.contains("kQ0p"),
        "{clean}"
    );
    assert!(clean.contains("\"[key]\":1"), "{clean}");
    assert!(!clean.contains("[115,107"), "{clean}");
}

#[test]
fn a_line_of_json_stays_json() {
    let scrub = scrub(KEYS[0]);
    let line = json!({"a": "sk-test-", "b": ["0123456789", "abcdefghij"], "c": "ok"}).to_string();
    let clean: Value = serde_json::from_str(&scrub.line(&line)).unwrap();
    assert_eq!(clean["c"], "ok");
    assert!(!holds(&clean.to_string(), KEYS[0]), "{clean}");
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
