//! Kinds of replies that were read otherwise than a person reads them, each with replies that must not count.

use qa_scoring::extract::{label, letters, without_thinking, yes_no};
use qa_scoring::rules::quantity;

/// Replies with whether they give the answer, by the rule for copied numbers.
fn check(rows: &[(&str, &str, bool)]) {
    let faults: Vec<String> = rows
        .iter()
        .filter(|(gold, reply, want)| {
            let spoken = without_thinking(reply).text().unwrap_or_default();
            quantity::strict(&spoken, gold, "", false).right != *want
        })
        .map(|(gold, reply, want)| format!("{reply:?} for {gold}: right should be {want}"))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let right = rows.iter().filter(|(.., want)| *want).count();
    assert!(2 * right <= rows.len(), "as many wrong ones as right ones");
}

#[test]
fn ranges_in_words() {
    check(&[
        ("10-15", "10 through 15", true),
        ("10-15", "The term is 10 thru 15 years.", true),
        ("10-15", "Answer: between 10 and 15", true),
        ("10", "10 through 15", false),
        ("15", "The term is 10 through 15 years.", false),
        ("10", "Answer: 10 thru 15", false),
        ("10-15", "15 through 10", false),
        ("10-15", "10 through 150", false),
    ]);
}

#[test]
fn tables_without_a_sentence() {
    let head = "| Item | Value |\n|---|---|\n";
    let table = |rows: &str| format!("{head}{rows}");
    let one = table("| Profit | $42 million |");
    let dated = table("| 2020 | 42 |");
    let bold = table("| Sales | 50 |\n| Cost | 8 |\n| **Profit** | **42** |");
    let result = table("| Sales | 50 |\n| Cost | 8 |\n| Result | 42 |");
    let two = table("| Sales | 50 |\n| Costs | 42 |");
    let bold_first = table("| **Profit** | **42** |\n| Sales | 50 |");
    let range = table("| Profit | 42-50 |");
    let refused = format!("{one}\n\nThe profit of 2021 is not disclosed.");
    let beside = format!(
        "Sales rose by 9.\n\n{}",
        table("| Sales | 50 |\n| Costs | 42 |")
    );
    check(&[
        ("42", &one, true),
        ("42", &dated, true),
        ("42", &bold, true),
        ("42", &result, true),
        ("42", &two, false),
        ("50", &two, false),
        ("42", &bold_first, false),
        ("42", &range, false),
        ("42", &refused, false),
        ("42", &beside, false),
    ]);
}

#[test]
fn a_level_beside_its_change() {
    check(&[
        ("42", "Profit fell 5% to $42 million.", true),
        (
            "42",
            "Sales increased by 12% year over year to $42 million.",
            true,
        ),
        ("42", "Sales were up 3.2% to about $42 million.", true),
        ("42", "Profit dropped to $42 million, a 5% decline.", true),
        ("42", "42 (+10.5%)", true),
        ("42", "$42 million vs $38 million in the prior year.", true),
        ("42", "Profit: $42 million; prior year: $38 million", true),
        ("42", "42 (2019: 38)", true),
        ("5", "Profit fell 5% to $42 million.", false),
        ("5", "Rates rose 5% to 8%.", false),
        ("8", "Rates rose 5% to 8%.", false),
        ("5", "Profit dropped to $42 million, a 5% decline.", false),
        ("10.5", "42 (+10.5%)", false),
        ("42", "42 (30%)", false),
        ("38", "$42 million vs $38 million in the prior year.", false),
        ("38", "Profit: $42 million; prior year: $38 million", false),
        ("38", "42 (2019: 38)", false),
        ("42", "42 vs 38", false),
    ]);
}

#[test]
fn values_of_several_labels_and_of_another_case() {
    check(&[
        ("42", "Profit: 42 (2020)", true),
        ("42", "Profit: 42; that is 42 million.", true),
        ("42", "Sales: 50; costs: 8, so the profit is 42.", true),
        ("42", "It could have fallen, but it was 42.", true),
        (
            "42",
            "Sales were 50 and costs were 8, so the profit is 42.",
            true,
        ),
        ("42", "Sales were 50 and the change is 42.", true),
        ("38", "Profit was 42 and costs were 38.", false),
        ("42", "Profit was 42 and costs were 38.", false),
        ("12", "US: 30; Europe: 12", false),
        ("38", "2020: 42; 2019: 38", false),
        ("16", "Q1: 10, Q2: 12, Q3: 14, Q4: 16", false),
        ("38", "High: 42, low: 38", false),
        ("42", "Without the leases it would have been 42.", false),
    ]);
}

#[test]
fn corrections_and_first_thoughts() {
    check(&[
        (
            "42",
            "I first thought it was 40 but it is in fact 42.",
            true,
        ),
        (
            "42",
            "Initially I got 40, but the correct figure is 42.",
            true,
        ),
        ("42", "The answer is 40. Edit: the answer is 42.", true),
        (
            "40",
            "I first thought it was 40 but it is in fact 42.",
            false,
        ),
        ("40", "40, no, 42", false),
        ("40", "40, sorry, 42", false),
        ("40", "The answer is 40... sorry, 42.", false),
        (
            "40",
            "The answer is 40.\n\nEDIT: I misread the table. It is 42.",
            false,
        ),
    ]);
}

#[test]
fn objects_lists_and_tags() {
    check(&[
        ("42", "{\"profit\": 42}", true),
        ("42", "{\"year\": 2020, \"profit\": \"$42 million\"}", true),
        (
            "42",
            "```json\n{\"profit_2020\": 42, \"unit\": \"USD\"}\n```",
            true,
        ),
        ("42", "{\"numeric_answer\": 42, \"sales\": 50}", true),
        (
            "42",
            "<answer><number>42</number><unit>USD</unit></answer>",
            true,
        ),
        ("42", "[42]", true),
        ("42", "{\"sales\": 50, \"profit\": 42}", false),
        ("50", "{\"sales\": 50, \"profit\": 42}", false),
        ("42", "{\"low\": 42, \"range\": [42, 50]}", false),
        ("31", "{\"2018\": 31, \"2019\": 47}", false),
        ("42", "{\"profit\": null, \"page\": 42}", false),
        ("42", "<answer><low>42</low><high>50</high></answer>", false),
        ("42", "[42, 50]", false),
    ]);
}

#[test]
fn forms_of_other_countries_and_of_accountants() {
    check(&[
        ("42.5", "Il margine è del 42,5%.", true),
        ("42.5", "Прибыль составила 42,5 млн.", true),
        ("42", "Zysk wyniósł około 42 mln", true),
        ("42", "Vinsten var 42 miljoner", true),
        ("0.42", "0.42 (i.e. 42%)", true),
        ("42", "$42.0 million (i.e., $42,000,000)", true),
        ("42", "42¢", true),
        ("42", "42 km²", true),
        ("0", "The value is $—.", true),
        ("-42", "Net loss: $42 million", true),
        ("42", "42 as of 12/31/2020", true),
        ("2020", "The answer is 2020, with 42 million.", true),
        ("425", "Il margine è del 42,5%.", false),
        ("42", "Прибыль не 42 млн.", false),
        ("0", "—", false),
        ("0", "$ — 5", false),
        ("0", "The value is not $—.", false),
        ("-42", "There was no net loss of 42.", false),
        ("12", "42 as of 12/31/2020", false),
        ("42", "The answer is 2020, with 42 million.", false),
        ("0.42", "0.42 (i.e. 43%)", false),
        ("42", "42 (i.e. 0.5)", false),
        ("42", "x > 42", false),
        ("42", "Utile superiore a 40 o 42", false),
    ]);
}

#[test]
fn results_of_a_calculation_in_words() {
    check(&[
        ("42", "50 - 8 => 42", true),
        ("42", "The sum of 30 and 12 comes out to 42.", true),
        ("42", "It repaid 8 of its debt of 50, leaving 42.", true),
        (
            "42.13",
            "The ratio is 42.1345, or 42.13 when rounded.",
            true,
        ),
        ("42", "Note 7 states an amount of $42 million.", true),
        ("8", "50 - 8 => 42", false),
        ("30", "The sum of 30 and 12 comes out to 42.", false),
        ("50", "It repaid 8 of its debt of 50, leaving 42.", false),
        ("43", "The ratio is 42, or 43 when leases count.", false),
        ("7", "Note 7 states an amount of $42 million.", false),
    ]);
}

#[test]
fn letters_named_one_by_one() {
    for (reply, want) in [
        ("Option A and Option D", "AD"),
        ("Both option A and option D are correct.", "AD"),
        ("Options A and Option D are right.", "AD"),
        ("I would select A as well as D.", "AD"),
        ("A ❌ B ✅ C ❌ D ❌", "B"),
        ("A ✅ B ❌ C ❌ D ✅", "AD"),
        ("Answer: B. Wait, actually C.", "C"),
        ("I initially considered B, but C is the better answer.", "C"),
        ("Between B and C, C is better.", "C"),
        ("答えはCです。", "C"),
        ("Option A or Option D", ""),
        ("Neither Option A nor Option D", ""),
        ("Option A, not Option D", "A"),
        ("Option A is right and Option D is wrong.", "A"),
        ("Option A has merit. Option D has merit.", ""),
        ("- **A.** Rates rise\n- **D.** Rating is cut", ""),
        ("A ❌ B ❌", ""),
        ("答えはCクラスです。", ""),
        ("Company A beats Company C.", ""),
        ("Vitamin C", ""),
        ("So it is C.", "C"),
        ("It is unclear whether C is better.", ""),
    ] {
        let got = letters(reply, 4).to_string().replace(',', "");
        assert_eq!(got, want, "{reply}");
    }
}

#[test]
fn labels_and_yes_or_no_behind_a_concession() {
    let tones = ["positive", "neutral", "negative"];
    for (reply, want) in [
        (
            "Mostly negative with some positive parts. Overall: negative",
            Some("negative"),
        ),
        (
            "At first glance positive, but actually negative.",
            Some("negative"),
        ),
        ("It seems positive, but it is negative.", Some("negative")),
        (
            "Although it begins positive, overall it is negative.",
            Some("negative"),
        ),
        (
            "It could be seen as positive, but I'd say negative.",
            Some("negative"),
        ),
        (
            "Negative. Neutral and positive do not fit.",
            Some("negative"),
        ),
        ("Negative. Wait, positive or neutral.", None),
        ("Answer: positive. Wait, negative.", None),
        ("Answer: positive. No, negative.", None),
        ("Answer: positive\nNo, negative.", None),
        ("Positive. No, negative.", None),
        ("Positive. No, wait, negative.", None),
        ("Positive... actually negative", None),
        ("Answer: positive. Wait, is it? Yes.", Some("positive")),
        (
            "Answer: positive. No, wait. The answer is negative.",
            Some("negative"),
        ),
        ("Negative or neutral. Not positive.", None),
        ("Negative. However, taken together it is positive.", None),
        ("Negative:\n- costs rose\nPositive:\n- sales rose", None),
        (
            "It is negative at heart: sales fell, so the positive outlook is gone.",
            None,
        ),
        (
            "Lower rates could be negative for banks but positive for builders.",
            None,
        ),
        ("It seems positive, but it could be negative.", None),
        ("Overall it is positive or negative", None),
        ("Positive on sales but negative on costs", None),
        ("Answer: positive for banks, negative for insurers", None),
        (
            "Answer: positive, for the negative items are small",
            Some("positive"),
        ),
        ("There is no reason to say positive.", None),
    ] {
        assert_eq!(label(reply, &tones), want, "{reply}");
    }
    for (reply, want) in [
        ("Nope", Some(false)),
        ("Yep.", Some(true)),
        ("是", Some(true)),
        ("否。", Some(false)),
        ("Nein, es fiel.", Some(false)),
        ("It's a yes.", Some(true)),
        ("There is no reason to say yes.", None),
        ("There is no doubt, so I would say yes.", Some(true)),
        ("Did it rise? No, it did not.", Some(false)),
        ("Did it rise? Yes or no?", None),
        ("Jahr 2020", None),
        ("It's a no-brainer", None),
        ("不是很清楚", None),
        ("Nonetheless it rose", None),
    ] {
        assert_eq!(yes_no(reply), want, "{reply}");
    }
}

#[test]
fn whole_spans_with_marks_or_an_explanation_below() {
    check(&[
        (
            "boat sales",
            "Boat sales\n\nExplanation: see the table.",
            true,
        ),
        ("boat sales", "‘Boat sales’", true),
        ("boat sales", "$\\text{boat sales}$", true),
        ("boat sales", "1. Boat sales", true),
        (
            "boat sales",
            "Boat sales\n\nCar sales: see the table.",
            false,
        ),
        (
            "boat sales",
            "Car sales\n\nExplanation: boat sales fell",
            false,
        ),
        ("boat sales", "Explanation: boat sales", false),
        ("boat sales", "(boat sales and car sales)", false),
        (
            "boat sales",
            "Boat sales\nReasoning: they fell, so the answer is car sales.",
            false,
        ),
        ("boat sales", "> Boat sales", true),
    ]);
}
