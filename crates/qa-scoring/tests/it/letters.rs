//! The strict letter cascade and the published letter rules against the vectors.

use crate::golden::{rows, text, vectors};
use qa_scoring::LetterSet;
use qa_scoring::extract::{letters, published};
use serde_json::Value;

fn set(value: &Value) -> LetterSet {
    match value {
        Value::Null => LetterSet::EMPTY,
        Value::String(letter) => letter.chars().collect(),
        Value::Array(list) => list
            .iter()
            .flat_map(|v| v.as_str().unwrap().chars())
            .collect(),
        other => panic!("{other}"),
    }
}

#[test]
fn the_strict_cascade_on_made_up_replies() {
    let Some(file) = vectors("choice_extraction.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "rows") {
        let reply = text(row, "text");
        let options = usize::try_from(row["strict_options"].as_u64().unwrap()).unwrap();
        let got = letters(reply, options);
        assert_eq!(got.set, set(&row["strict_multi"]), "{reply:?} {got:?}");
        assert_eq!(got.single(), set(&row["strict_single"]), "{reply:?}");
        compared += 2;
    }
    assert_eq!(compared, 124);
}

#[test]
fn published_letter_rules() {
    let Some(file) = vectors("choice_extraction.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "rows") {
        let reply = text(row, "text");
        let gold = text(row, "gold");
        let one = |value: &Value| value.as_str().and_then(|s| s.chars().next());
        let equal = published::evaluator_letter(reply) == published::evaluator_letter(gold);
        assert_eq!(
            equal,
            row["bizcompass_evaluator_equal"].as_bool().unwrap(),
            "{reply:?}"
        );
        assert_eq!(
            published::api_letter(reply),
            one(&row["bizcompass_api_first_letter"]),
            "{reply:?}"
        );
        let local = published::local_letters(reply);
        assert_eq!(
            local.first().copied(),
            one(&row["bizcompass_local_single"]),
            "{reply:?}"
        );
        let multi: Vec<char> = row["bizcompass_local_multi"]
            .as_array()
            .map(|list| list.iter().filter_map(one).collect())
            .unwrap_or_default();
        assert_eq!(local, multi, "{reply:?}");
        compared += 4;
    }
    assert_eq!(compared, 248);
}

/// Replies whose stored letter contradicts the cascade as it is described, with what it gives.
///
/// 497 walks through the options ("The option A states .. Option B suggests .. The option D implies");
/// the stored A is the first of them, the opening "C)" is the model's choice. 202 ends "So, the correct
/// answer is B) 5%", the last phrase; stored is the opening C. 26 says "The answer is a single
/// letter, which is "B""; stored is the article.
const READ_DIFFERENTLY: [(&str, u64, &str); 3] =
    [("Econ", 26, "B"), ("Econ", 202, "B"), ("Econ", 497, "C")];

#[test]
fn the_strict_cascade_on_real_replies() {
    let Some(file) = vectors("bizcompass_choice_combos.json") else {
        return;
    };
    let (mut compared, mut different) = (0, Vec::new());
    for combo in rows(&file, "combos") {
        let single = text(combo, "question_type") == "single";
        for item in rows(combo, "items") {
            let options = usize::try_from(item["n_options"].as_u64().unwrap()).unwrap();
            let got = letters(text(item, "raw"), options);
            let got = if single { got.single() } else { got.set };
            if got != set(&item["strict_raw"]) {
                different.push((
                    text(combo, "domain").to_owned(),
                    item["id"].as_u64().unwrap(),
                    got.to_string(),
                ));
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 1_883);
    let want: Vec<(String, u64, String)> = READ_DIFFERENTLY
        .iter()
        .map(|&(domain, id, letters)| (domain.to_owned(), id, letters.to_owned()))
        .collect();
    different.sort();
    let mut want = want;
    want.sort();
    assert_eq!(different, want);
}
