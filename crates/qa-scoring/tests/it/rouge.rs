//! ROUGE compared with the vectors of the reference package and with the simple implementation.

use crate::golden::{close, rows, text, vectors};
use crate::plain_rouge as plain;
use proptest::prelude::*;
use qa_scoring::rouge::{Prf, Rouge, Stemming, stem, words};
use serde_json::Value;

fn triple(value: &Value) -> [f64; 3] {
    [0, 1, 2].map(|k| value[k].as_f64().unwrap())
}

#[test]
fn every_stored_pair_in_both_modes() {
    let Some(file) = vectors("rouge_pairs.json") else {
        return;
    };
    let mut compared = 0;
    for (key, stemming) in [("nostem", Stemming::Off), ("stem", Stemming::Porter)] {
        let mut scorer = Rouge::new(stemming);
        for pair in rows(&file, "pairs") {
            let (reference, prediction) = (text(pair, "reference"), text(pair, "prediction"));
            let scores = scorer.score(reference, prediction);
            let lsum = scorer.lsum(reference, prediction).unwrap();
            let mut check = |name: &str, got: Prf| {
                let want = triple(&pair[key][name]);
                for (got, want) in [got.precision, got.recall, got.f].into_iter().zip(want) {
                    close(
                        got,
                        want,
                        1e-12,
                        &format!("{name} {reference:?} {prediction:?}"),
                    );
                    compared += 1;
                }
            };
            check("rouge1", scores.rouge1);
            check("rouge2", scores.rouge2);
            check("rougeL", scores.rouge_l);
            check("rougeLsum", lsum);
            close(
                scores.mean_f(),
                pair[key]["mean_f_1_2_L"].as_f64().unwrap(),
                1e-12,
                "mean",
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 329 * 2 * 13);
}

#[test]
fn stems_and_words() {
    let Some(file) = vectors("rouge_tokens_stems.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "stems") {
        let (token, porter, rouge) = (
            row[0].as_str().unwrap(),
            row[1].as_str().unwrap(),
            row[2].as_str().unwrap(),
        );
        assert_eq!(stem(token), porter, "{token}");
        assert_eq!(words(token, Stemming::Porter), [rouge], "{token}");
        compared += 1;
    }
    for row in rows(&file, "tokenize") {
        let list = |key: &str| -> Vec<String> { serde_json::from_value(row[key].clone()).unwrap() };
        assert_eq!(words(text(row, "text"), Stemming::Off), list("nostem"));
        assert_eq!(words(text(row, "text"), Stemming::Porter), list("stem"));
        compared += 1;
    }
    assert_eq!(compared, 2_632);
}

fn close_prf(a: Prf, b: Prf) {
    for (x, y) in [(a.precision, b.precision), (a.recall, b.recall), (a.f, b.f)] {
        assert!((x - y).abs() < 1e-12, "{a:?} {b:?}");
    }
}

fn check_twins(scorer: &mut Rouge, stemming: Stemming, a: &str, b: &str) {
    let fast = scorer.score(a, b);
    let slow = plain::score(a, b, stemming);
    close_prf(fast.rouge1, slow.rouge1);
    close_prf(fast.rouge2, slow.rouge2);
    close_prf(fast.rouge_l, slow.rouge_l);
    close_prf(scorer.lsum(a, b).unwrap(), plain::lsum(a, b, stemming));
}

/// Words from a small set, so that much is shared, with long words and line breaks among them.
fn prose(words: usize) -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "[a-d]{1,2}",
        2 => "[a-c]{15,18}",
        1 => Just("running".to_owned()),
        1 => Just("runs".to_owned()),
        1 => Just("\n".to_owned()),
        1 => Just("é".to_owned()),
    ];
    prop::collection::vec(word, 0..words).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_fast_scorer_is_the_plain_one(pairs in prop::collection::vec((prose(90), prose(90)), 1..4), stems in any::<bool>()) {
        let stemming = if stems { Stemming::Porter } else { Stemming::Off };
        // One scorer for several pairs: no state of a pair may affect the next one.
        let mut scorer = Rouge::new(stemming);
        for (a, b) in &pairs {
            check_twins(&mut scorer, stemming, a, b);
        }
    }

    #[test]
    fn any_text_is_scored(a in ".{0,80}", b in ".{0,80}") {
        let mut scorer = Rouge::new(Stemming::Porter);
        check_twins(&mut scorer, Stemming::Porter, &a, &b);
        let own = scorer.score(&a, &a);
        let has_words = !words(&a, Stemming::Off).is_empty();
        prop_assert_eq!(own.rouge_l.f, if has_words { 1.0 } else { 0.0 });
    }
}

/// Texts longer than a strip of four machine words and than a table of the first size.
#[test]
fn long_texts_agree_with_the_plain_twin() {
    let text = |seed: u64, count: usize| -> String {
        let mut stream = sim_core::Seed(seed).stream("words", 0);
        (0..count)
            .map(|k| {
                format!(
                    "w{}{}",
                    stream.below(60),
                    if k % 40 == 39 { "\n" } else { " " }
                )
            })
            .collect()
    };
    let mut scorer = Rouge::new(Stemming::Off);
    for (a, b) in [(700, 300), (300, 700), (257, 256), (64, 65), (1_000, 1)] {
        check_twins(&mut scorer, Stemming::Off, &text(1, a), &text(2, b));
    }
}
