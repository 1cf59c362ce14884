//! Judge replies, taxonomy, quality filter, weights, correlation and O*NET against stored vectors.

use crate::golden::{close, rows, text, vectors};
use proptest::prelude::*;
use qa_scoring::correlate::{
    Coefficient, Correlation, DomainValue, correlate, kendall, pearson, spearman,
};
use qa_scoring::judge::{PublishedCategory, published_verdict, read_score};
use qa_scoring::load::Prediction;
use qa_scoring::onet::{self, Occupation, OnetCategory};
use qa_scoring::quality::{Conversion, Quality, convert, fit, loss, rejection_recall};
use qa_scoring::taxonomy;
use qa_scoring::{Gold, Grader, Item, Settings, Task, score, score_set};
use serde_json::Value;

#[test]
fn judge_replies() {
    let Some(file) = vectors("judge_and_taxonomy.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "gpt_eval") {
        let reply = text(row, "text");
        let published = published_verdict(reply);
        let want = &row["authors"];
        assert_eq!(published.json.as_deref(), want["json"].as_str(), "{reply}");
        let category: PublishedCategory = serde_json::from_value(want["category"].clone()).unwrap();
        assert_eq!(published.category, category, "{reply}");
        let score = want["score"]
            .as_f64()
            .unwrap_or_else(|| f64::from(u8::from(want["score"].as_bool().unwrap())));
        assert_eq!(published.score, score, "{reply}");
        let strict = read_score(reply);
        let want = &row["strict"];
        assert_eq!(
            strict.is_ok(),
            want["ok"].as_bool().unwrap(),
            "{reply} {strict:?}"
        );
        if let Ok(strict) = strict {
            close(strict.score, want["score"].as_f64().unwrap(), 1e-12, reply);
            assert_eq!(strict.reported, want["reported"].as_f64(), "{reply}");
            assert_eq!(
                strict.mismatch,
                want["mismatch"].as_bool().unwrap(),
                "{reply}"
            );
            compared += 3;
        }
        compared += 4;
    }
    assert!(compared > 90, "{compared}");
}

#[test]
fn taxonomy_replies() {
    let Some(file) = vectors("judge_and_taxonomy.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "classification") {
        let reply = text(row, "text");
        let got = taxonomy::read_label(reply);
        let want = &row["parsed"];
        if reply.matches("Capability:").count() > 1 {
            // The published code takes the first of two lines; a model that corrects itself means the last one.
            assert_eq!(got.capability, Some(taxonomy::Capability::DomainKnowledge));
            assert_eq!(
                (got.difficulty, want["difficulty_score"].as_f64()),
                (Some(9.0), Some(1.0))
            );
            continue;
        }
        assert_eq!(
            got.capability.map(<&str>::from),
            want["capability"].as_str(),
            "{reply}"
        );
        assert_eq!(got.difficulty, want["difficulty_score"].as_f64(), "{reply}");
        assert_eq!(
            got.reasoning.as_deref(),
            want["reasoning"].as_str(),
            "{reply}"
        );
        let bucket = got.bucket().map(|b| serde_json::to_value(b).unwrap());
        assert_eq!(bucket.unwrap_or(Value::Null), want["bucket"], "{reply}");
        compared += 4;
    }
    assert_eq!(compared, 28);
}

fn quality(row: &Value) -> Quality {
    let score = |key: &str| row[key].as_f64().unwrap();
    Quality {
        depth: score("A"),
        synthesis: score("B"),
        centrality: score("C"),
    }
}

#[test]
fn quality_filter() {
    let Some(file) = vectors("quality_filter.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "filter") {
        let q = quality(row);
        close(q.total(), row["score"].as_f64().unwrap(), 1e-12, "total");
        assert_eq!(
            q.reaches_total(),
            row["keep_total_only"].as_bool().unwrap(),
            "{row}"
        );
        assert_eq!(q.is_kept(), row["keep"].as_bool().unwrap(), "{row}");
        compared += 3;
    }
    for row in rows(&file, "type_conversion") {
        let scores = Conversion {
            clarity: row["clarity"].as_f64().unwrap(),
            misconception: row["misconception"].as_f64().unwrap(),
        };
        close(
            scores.total(),
            row["total"].as_f64().unwrap(),
            1e-12,
            "total",
        );
        assert_eq!(convert(scores), row["convert"].as_bool().unwrap(), "{row}");
        compared += 2;
    }
    let questions: Vec<(Quality, bool)> = rows(&file, "recall_items")
        .iter()
        .map(|row| (quality(row), row["rejected_by_experts"].as_bool().unwrap()))
        .collect();
    for row in rows(&file, "recall") {
        let recall = rejection_recall(&questions, row["T"].as_f64().unwrap()).unwrap();
        close(
            recall,
            row["recall_reject"].as_f64().unwrap(),
            1e-12,
            "recall",
        );
        compared += 1;
    }
    assert_eq!(compared, 72 * 3 + 39 * 2 + 7);
}

#[test]
fn weights_from_preferences() {
    let Some(file) = vectors("bradley_terry.json") else {
        return;
    };
    let mut compared = 0;
    for case in rows(&file, "cases") {
        let items: Vec<[f64; 3]> = serde_json::from_value(case["items"].clone()).unwrap();
        let preferences: Vec<(usize, usize)> =
            serde_json::from_value(case["preferences"].clone()).unwrap();
        let three = |value: &Value| -> [f64; 3] { serde_json::from_value(value.clone()).unwrap() };
        let fitted = fit(&items, &preferences).unwrap();
        let mut check = |got: [f64; 3], key: &str, tolerance: f64| {
            for (got, want) in got.into_iter().zip(three(&case[key])) {
                close(got, want, tolerance, key);
                compared += 1;
            }
        };
        check(fitted.weights, "mle", 1e-7);
        check(fitted.normalised.unwrap(), "mle_normalised", 1e-7);
        check(fitted.simplex, "simplex_mle", 1e-4);
        close(
            fitted.loss,
            case["mle_loss"].as_f64().unwrap(),
            1e-7,
            "loss",
        );
        close(
            fitted.simplex_loss,
            case["simplex_loss"].as_f64().unwrap(),
            1e-4,
            "simplex loss",
        );
        compared += 2;
        for probe in rows(case, "probes") {
            let w = three(&probe["w"]);
            let want = probe["loss"].as_f64().unwrap();
            close(
                loss(&items, &preferences, &w).unwrap(),
                want,
                1e-10 * want.abs(),
                "probe",
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 2 * (11 + 4));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// No nearby weights, and no weights on the simplex, fit better than the fitted ones.
    #[test]
    fn fitted_weights_are_minima(
        items in prop::collection::vec([1_i8..11, 1_i8..11, 1_i8..11], 5..12),
        pairs in prop::collection::vec((0_usize..12, 0_usize..12), 10..60),
        nudge in [-0.5_f64..0.5, -0.5_f64..0.5, -0.5_f64..0.5],
        share in [0.0_f64..1.0, 0.0_f64..1.0, 0.001_f64..1.0],
    ) {
        let items: Vec<[f64; 3]> = items.iter().map(|item| item.map(f64::from)).collect();
        let pairs: Vec<(usize, usize)> = pairs
            .into_iter()
            .map(|(a, b)| (a % items.len(), b % items.len()))
            .filter(|(a, b)| a != b)
            .collect();
        if let Ok(fitted) = fit(&items, &pairs) {
            let mut near = fitted.weights;
            for (w, n) in near.iter_mut().zip(nudge) {
                *w += n;
            }
            prop_assert!(fitted.loss <= loss(&items, &pairs, &near).unwrap() + 1e-9);
            let total: f64 = share.iter().sum();
            let on_simplex = share.map(|s| s / total);
            prop_assert!(fitted.simplex_loss <= loss(&items, &pairs, &on_simplex).unwrap() + 1e-9);
            prop_assert!((fitted.simplex.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn correlations_are_symmetric_and_bounded(pairs in prop::collection::vec((-3_i8..4, -3_i8..4), 0..40)) {
        let x: Vec<f64> = pairs.iter().map(|p| f64::from(p.0)).collect();
        let y: Vec<f64> = pairs.iter().map(|p| f64::from(p.1)).collect();
        for which in [Coefficient::Pearson, Coefficient::Spearman, Coefficient::Kendall] {
            let (a, b) = (correlate(which, &x, &y), correlate(which, &y, &x));
            prop_assert_eq!(a.is_some(), b.is_some());
            if let (Some(a), Some(b)) = (a, b) {
                prop_assert!((a.coefficient - b.coefficient).abs() < 1e-12);
                prop_assert!(a.coefficient.abs() <= 1.0);
                prop_assert!(a.p.is_none_or(|p| (0.0..=1.0).contains(&p)));
            }
        }
    }
}

/// The definition: every pair is looked at.
#[test]
fn kendall_counts_what_all_pairs_say() {
    let mut stream = sim_core::Seed(7).stream("kendall", 0);
    for kinds in [3, 9, 1_000_000] {
        let mut column = || -> Vec<f64> {
            let value = |_| stream.below(kinds) as f64 - 1.0;
            (0..200).map(value).collect()
        };
        let (x, mut y) = (column(), column());
        // Equal to 0, but not by its bits.
        y[0] = -0.0;
        let (mut difference, mut in_x, mut in_y) = (0.0, 0.0, 0.0);
        for i in 0..x.len() {
            for j in 0..i {
                let sign = |a: f64| if a == 0.0 { 0.0 } else { a.signum() };
                let (dx, dy) = (sign(x[i] - x[j]), sign(y[i] - y[j]));
                difference += dx * dy;
                in_x += dx.abs();
                in_y += dy.abs();
            }
        }
        let want = difference / f64::sqrt(in_x) / f64::sqrt(in_y);
        close(kendall(&x, &y).unwrap().coefficient, want, 1e-12, "tau");
    }
}

/// Labels of two splits under one index say nothing where they differ.
#[test]
fn labels_of_two_splits() {
    let line = |split: &str, at: u32, name: &str| {
        format!("{{\"uid\":\"FinCode:{split}:{at}\",\"capability\":\"{name}\"}}\n")
    };
    let file = line("test", 0, "DK")
        + &line("train", 0, "NC")
        + &line("test", 1, "cr")
        + &line("train", 1, "Complex Reasoning");
    let labels = qa_scoring::load::labels(file.as_bytes()).unwrap().records;
    let labels = labels.into_iter().map(|one| (one.id, one.label)).collect();
    let items = ["0", "1"].map(|id| Item::new(id, "?", Gold::Text("5".to_owned())));
    let answers = ["0", "1"].map(|id| Prediction::new(id, Some("5".to_owned())));
    let task: Task = "FinCode".parse().unwrap();
    let report = score_set(
        task,
        &items,
        &answers,
        &mut Grader::new(Settings::default()),
    );
    let axes = [taxonomy::LabelAxis::Capability];
    let cells = score::report_cells(&report, &labels, &axes, sim_core::Seed(1));
    let found: Vec<_> = cells.iter().map(|cell| cell.key.capability).collect();
    assert_eq!(found, [None, Some(taxonomy::Capability::ComplexReasoning)]);
    assert_eq!(
        taxonomy::Capability::ComplexReasoning.to_string(),
        "Complex Reasoning"
    );
}

#[test]
fn correlations_of_vectors() {
    let Some(file) = vectors("correlation.json") else {
        return;
    };
    let mut compared = 0;
    for row in rows(&file, "vectors") {
        let list = |key: &str| -> Vec<f64> { serde_json::from_value(row[key].clone()).unwrap() };
        let (x, y) = (list("x"), list("y"));
        let found = [pearson(&x, &y), spearman(&x, &y), kendall(&x, &y)];
        for (got, key) in found.into_iter().zip(["pearson", "spearman", "kendall_b"]) {
            match row[key].as_f64() {
                Some(want) => close(got.unwrap().coefficient, want, 1e-12, key),
                None => assert_eq!(got, None, "{row}"),
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 39);
}

#[test]
fn correlations_of_the_published_tables() {
    let (Some(file), Some(tables)) = (
        vectors("correlation.json"),
        vectors("published_tables.json"),
    ) else {
        return;
    };
    let models: Vec<&String> = tables["table15"].as_object().unwrap().keys().collect();
    assert_eq!(models.len(), 23);
    let published = qa_scoring::published::models().unwrap();
    let mut compared = 0;
    for row in rows(&file, "table") {
        let (task, domain) = (text(row, "task"), text(row, "domain"));
        let value: DomainValue = serde_json::from_value(row["domain_value"].clone()).unwrap();
        let x: Vec<f64> = models
            .iter()
            .map(|m| {
                let cells = &tables["table16"][m.as_str()];
                cells[task].as_f64().unwrap_or_else(|| {
                    ["R1", "R2", "RL"]
                        .map(|r| cells[format!("{task}.{r}")].as_f64().unwrap())
                        .iter()
                        .sum::<f64>()
                        / 3.0
                })
            })
            .collect();
        let y: Vec<f64> = models
            .iter()
            .map(|m| published.value(m, domain, value).unwrap())
            .collect();
        for (which, key, p_key) in [
            (Coefficient::Pearson, "pearson", "pearson_p"),
            (Coefficient::Spearman, "spearman", "spearman_p"),
            (Coefficient::Kendall, "kendall_b", "kendall_p"),
        ] {
            let Correlation { coefficient, p } = correlate(which, &x, &y).unwrap();
            let label = format!("{task} {domain} {value:?} {key}");
            close(coefficient, row[key].as_f64().unwrap(), 1e-9, &label);
            close(p.unwrap(), row[p_key].as_f64().unwrap(), 1e-9, &label);
            compared += 2;
        }
    }
    assert_eq!(compared, 44 * 6);
}

#[test]
fn occupations_and_roles() {
    let Some(file) = vectors("onet.json") else {
        return;
    };
    let occupations: Vec<Occupation> =
        serde_json::from_value(file["occupations_with_duplicates"].clone()).unwrap();
    let shares = onet::shares(&occupations);
    let mut compared = 0;
    let mut sums = (0.0, 0.0);
    for (category, shares) in &shares {
        let name = serde_json::to_value(category).unwrap();
        let want = &file["shares"][name.as_str().unwrap()];
        close(
            shares.employment_share,
            want["employment_share"].as_f64().unwrap(),
            1e-9,
            "employment",
        );
        close(
            shares.opening_share,
            want["opening_share"].as_f64().unwrap(),
            1e-9,
            "openings",
        );
        sums.0 += shares.employment_share;
        sums.1 += shares.opening_share;
        compared += 2;
    }
    close(
        sums.0,
        file["total_core"]["employment"].as_f64().unwrap(),
        1e-9,
        "total",
    );
    close(
        sums.1,
        file["total_core"]["openings"].as_f64().unwrap(),
        1e-9,
        "total",
    );
    assert!(!shares.contains_key(&OnetCategory::None));
    for (role, want) in file["roles"].as_object().unwrap() {
        let table: Vec<Vec<bool>> = rows(want, "relevance")
            .iter()
            .map(|row| {
                row.as_array()
                    .unwrap()
                    .iter()
                    .map(|v| v.as_u64() == Some(1))
                    .collect()
            })
            .collect();
        let got = onet::coverage(&table).unwrap();
        close(got.coverage, want["coverage"].as_f64().unwrap(), 1e-9, role);
        let wanted: Vec<f64> = serde_json::from_value(want["H"].clone()).unwrap();
        assert_eq!(got.matched.len(), wanted.len());
        for (got, want) in got.matched.into_iter().zip(wanted) {
            close(got, want, 1e-9, role);
            compared += 1;
        }
    }
    assert_eq!(compared, 6 + 16);
}

/// A name is compared with all others, so the time grows with the square of either number.
#[test]
fn a_table_of_any_size_is_refused_at_once() {
    use qa_scoring::{error::TableError, load, model_table::ModelTable};
    let names: Vec<String> = (0..80_000).map(|n| format!("c{n}")).collect();
    let cells = ",1".repeat(names.len());
    let wide = format!("model,{}\na{cells}\n", names.join(","));
    let long = format!("model,FRM\n{}", "a,1\n".repeat(10_001));
    for text in [wide, long] {
        let rows = load::rows(text.as_bytes()).unwrap();
        let error = ModelTable::default().read(&rows).unwrap_err();
        assert!(matches!(error, TableError::TooLarge { .. }), "{error}");
    }
}

#[test]
fn names_of_columns_count_in_any_case_in_each_row() {
    use qa_scoring::{error::TableError, load, model_table::ModelTable};
    let first = r#"{"model": "a", "FRM": "40.5%", "Size": "8B", "x": ""}"#;
    let read = |second: &str| {
        let mut table = ModelTable::default();
        let rows = load::rows(format!("{first}\n{second}\n").as_bytes()).unwrap();
        table.read(&rows).map(|()| table)
    };
    let table = read(r#"{"Model": "b", "frm": 61, " X ": 3, "size": "70B"}"#).unwrap();
    assert_eq!(table.columns(), ["FRM", "x"]);
    let value = |model: &str, column: &str| table.value(model, column, DomainValue::default());
    assert_eq!(value("a", "frm"), Some(40.5));
    assert_eq!(value("b", "FRM"), Some(61.0));
    assert_eq!((value("a", "x"), value("b", "x")), (None, Some(3.0)));
    let table = read(r#"{"model": "b", "FRM": 61, "TSA": 7}"#).unwrap();
    assert_eq!(table.columns(), ["FRM", "TSA"], "also those of a later row");
    let error = read(r#"{"model": "b", "frm": "many"}"#).unwrap_err();
    let TableError::BadCell { row, name, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((*row, name.as_str()), (2, "FRM"), "as the first row has it");
}
