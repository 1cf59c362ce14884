use super::*;

#[test]
fn answers_of_real_kinds() {
    let cases: [(&str, Option<f64>); 66] = [
        ("\\boxed 1204", Some(1204.0)),
        ("so $\\boxed 5$.", Some(5.0)),
        ("boxed{1204}", Some(1204.0)),
        ("It is 10 \u{8}oxed{1204}", Some(1204.0)),
        ("1204 (one thousand two hundred and four)", Some(1204.0)),
        ("₹1,204/-", Some(1204.0)),
        ("Result ➜ 1204", Some(1204.0)),
        ("1204. This is 1500 minus 296.", Some(1204.0)),
        ("▼57", Some(-57.0)),
        ("↓ $57", Some(-57.0)),
        (
            "Answer: 1204\n\nQuestion: And in 2019?\nAnswer: 1075",
            Some(1204.0),
        ),
        ("1204\n\nQ: And in 2019?\nA: 1075", Some(1204.0)),
        (
            "Here it is.\nQuestion: And in 2019?\nAnswer: 1075",
            Some(1075.0),
        ),
        ("57% decrease", Some(57.0)),
        ("It is 5 or 6 lower.", None),
        ("Answer: 57 (decrease)", Some(57.0)),
        (
            "Orders were 10 in 2019 and 74.2 in 2020. So the change is 64.2.",
            Some(64.2),
        ),
        (
            "Orders were 10 in 2019 and 74.2 in 2020. Thus, 74.2 - 10 = 64.2",
            Some(64.2),
        ),
        (
            "Orders were 10 in 2019 and 74.2 in 2020. Final result: 64.2",
            Some(64.2),
        ),
        ("in 2019 it was 5", Some(5.0)),
        (
            "The stock of the year 2020 was $1,204 million.",
            Some(1204.0),
        ),
        (
            "Orders were 10 in 2019. Answer: US$64.2 million",
            Some(64.2),
        ),
        ("Orders were 10 in 2019. Answer: CHF 64.2", Some(64.2)),
        (r"Orders were 10 in 2019. Answer: \(64.2\)", Some(64.2)),
        ("Orders were 10 in 2019. <answer>64.2</answer>", Some(64.2)),
        ("Orders were 10 in 2019. #### 64.2", Some(64.2)),
        ("The answer is $1{,}250.", Some(1250.0)),
        (r"\boxed{1{,}250}", Some(1250.0)),
        (r"\boxed{\$9{,}500}", Some(9500.0)),
        ("Answer: –4.9%", Some(-4.9)),
        ("[[(1,204)]]", Some(-1204.0)),
        ("the growth rate is 101.5%", Some(101.5)),
        ("Boats sold brought $381.6 million in cash in FY2020.", None),
        (
            "The firm generated $381.6 million in cash in FY2020.",
            Some(381.6),
        ),
        (
            "The firm had total assets of $59,268 million at the end of FY2021.",
            Some(59268.0),
        ),
        ("The ratio is 0.68 (5,121.3 / 7,491.5).", Some(0.68)),
        ("The ratio is 0.75 or 75%.", Some(0.75)),
        ("It is 4 or 5.", None),
        ("It is between 5 and 7.", None),
        ("The margin was 4.1% in 2018 and 4.3% in 2019.", None),
        (
            "The margin is 4.1%. This means that for every $1 there are 4 cents.",
            Some(4.1),
        ),
        ("The cost is 5. I cannot verify this.", None),
        ("If sales were 10, the ratio would be 5.", None),
        ("We get 6/80*100", None),
        ("Answer: 5x + 3", None),
        ("Is it 5?", None),
        ("[[none]] 5", None),
        (r#"{"answer": null, "x": 5}"#, None),
        (r#"{"why": "2 steps", "answer": 7}"#, Some(7.0)),
        (r#"{"final_answer": "$40"}"#, Some(40.0)),
        (r#"{"answer": 4} or rather {"answer": 5}"#, Some(5.0)),
        ("So the total is 5.\n\n**64.2**", Some(64.2)),
        ("64.2\n\nThis is the sum of the two rows.", Some(64.2)),
        ("10\n20\n30", None),
        (
            "The provided context does not mention it. Therefore, the cost is 0.",
            None,
        ),
        ("There were none. Therefore, the cost is 0.", Some(0.0)),
        (
            "Spending is $(4,625) million, which is equivalent to $4.625 billion.",
            Some(4625.0),
        ),
        ("Spending is $(4,625) million.", Some(-4625.0)),
        ("about 0.2", Some(0.2)),
        ("0.2 (20%)", Some(0.2)),
        ("0.2 (30%)", None),
        ("5 (2019)", Some(5.0)),
        ("5 (6)", None),
        ("not 0.2", None),
        ("The report gives no data on it. So the answer is 0.", None),
        (
            "The tax is not given. Sales are 5 and costs are 5. Revenue covers cost. So the profit is 0.",
            Some(0.0),
        ),
    ];
    for (text, want) in cases {
        assert_eq!(number(text).map(|answer| answer.value()), want, "{text}");
    }
}

/// Notations of one number in typeset mathematics and prose, and texts that state none.
#[test]
fn numbers_of_accountants_bounds_and_calculations_in_words() {
    let cases: [(&str, Option<f64>); 30] = [
        ("(57) million", Some(-57.0)),
        ("(1) in 2019 it rose; (2) the total is 5", Some(5.0)),
        ("The provision was (57) in 2020.", Some(-57.0)),
        ("Answer: (57) in 2020", Some(-57.0)),
        ("The answer is (57) in 2020.", Some(-57.0)),
        ("The loss is (57) (2019: (49)).", Some(-57.0)),
        ("It was (1,204) in 2020.", Some(-1204.0)),
        ("It was (5.5%) in 2020", Some(-5.5)),
        ("It was (in millions) 57 in 2020.", Some(57.0)),
        ("The answer is not 3.", None),
        ("Answer: not 3", None),
        ("Answer: <3", None),
        ("Answer: > 3", None),
        ("Answer: more than 3", None),
        ("Answer: at least 3 boats", None),
        ("Answer: 3 more than last year", Some(3.0)),
        ("The answer is not 3 but 4.", Some(4.0)),
        ("It is 5. The confidence is 90%.", Some(5.0)),
        ("The change is 11 less 6, which is 5.", None),
        ("So the area is 10 which is 1,000.5m²", Some(1000.5)),
        ("The area is 10, which is 1,000m².", Some(1000.0)),
        ("The weight is 2,000, which equals 2kg.", Some(2.0)),
        ("The rise is 10, which is 5%.", Some(10.0)),
        ("The rise is 10, which is $5.", Some(10.0)),
        ("The fee is $10, which is 5kg.", Some(10.0)),
        ("The area is 10, which is 5m more than before.", Some(10.0)),
        ("The total is 10 boxes, which is 5kg.", Some(10.0)),
        ("64.2 (in millions)", Some(64.2)),
        ("64.2 million, up from 10 in 2019.", Some(64.2)),
        ("5, 6 and 7", None),
    ];
    for (text, want) in cases {
        let found = number(text).map(|answer| answer.value());
        assert_eq!(found, want, "{text}");
    }
}

#[test]
fn notations_of_one_number() {
    let cases: [(&str, Option<f64>); 48] = [
        (r"\(\left( \frac{3}{4} \right)\)", Some(0.75)),
        (r"\boxed{\left(\frac{3}{4}\right)}", Some(0.75)),
        (r"$\frac{3}{4} \text{ litres}$", Some(0.75)),
        (r"$\dfrac{3}{4}$ of the cake", Some(0.75)),
        ("(3/4)", Some(0.75)),
        (r"So the share is $-\frac{3}{4}$.", Some(-0.75)),
        (r"$1\tfrac{3}{4}$", Some(1.75)),
        (r"\boxed{45^\circ}", Some(45.0)),
        (r"The angle is $45^{\circ}$.", Some(45.0)),
        ("It was 21 °C.", Some(21.0)),
        (r"\boxed{1,\! 250,\! 000}", Some(1_250_000.0)),
        ("The final answer is $1 {, }250$.", Some(1250.0)),
        (r"\boxed{1{,}250}", Some(1250.0)),
        (r"\boxed{1\,250}", Some(1250.0)),
        ("640 miles", Some(640.0)),
        ("640 square feet", Some(640.0)),
        (r"\boxed{640\text{ cm}^2}", Some(640.0)),
        (r"\boxed{640\mbox{ m}^3}", Some(640.0)),
        ("64.2 percentage", Some(64.2)),
        (r"$\boxed{64}$ pct", Some(64.0)),
        ("The cost is not 10 but 12.", Some(12.0)),
        ("The cost is not 10, it's 12 €.", Some(12.0)),
        ("It is not 10 which is 1,250.5€", Some(1250.5)),
        ("The cost is not 10.", None),
        ("$x = 2/3 \\approx 0.67$", Some(0.67)),
        ("$x = 2/3 \\approx 5$", Some(2.0 / 3.0)),
        ("Answer: 1/2 + 1/6 = 2/3", Some(2.0 / 3.0)),
        ("Answer: $k = 11$", Some(11.0)),
        ("Answer: half of 24 = 12", Some(12.0)),
        ("So the price increases by 40 %.", Some(40.0)),
        ("Hence the stock falls to 40.", Some(40.0)),
        (
            "The final answer is 40. The table does not state what it assumes.",
            Some(40.0),
        ),
        (
            "The answer would be 40. But the table does not state the costs, so I cannot tell.",
            None,
        ),
        (r"28*\frac{1}{100}", Some(0.28)),
        (r"\boxed{3\sqrt{2}x}", None),
        (r"\boxed{\frac{9}{4}\pi r}", None),
        (r"\boxed{1 \pm \sqrt{2}}", None),
        (r"\boxed{(3, 4)}", None),
        (r"\boxed{\{3, 4\}}", None),
        (r"\boxed{[3, 4]}", None),
        (r"\boxed{x > 3}", None),
        (r"\boxed{3 \text{ and } 4}", None),
        (r"\boxed{3:4}", None),
        (r"\boxed{212_2}", None),
        (r"\boxed{2^{x}}", None),
        ("640 is not given", None),
        ("12:00", None),
        ("AZ2B", None),
    ];
    let read = cases.map(|(text, _)| (text, number(text).map(|answer| answer.value())));
    let wrong: Vec<_> = read.iter().zip(&cases).filter(|(a, b)| a != b).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn answers_in_other_languages() {
    let cases: [(&str, Option<f64>); 54] = [
        ("Die Antwort lautet 64,2 Millionen Euro.", Some(64.2)),
        ("Die Antwort ist 64,2.", Some(64.2)),
        ("Antwort: 64,2 Mio. €", Some(64.2)),
        ("Die Antwort ist nicht 64,2.", None),
        ("Die Antwort ist nicht bekannt.", None),
        ("Die Veränderung beträgt 64,2 Mio. Euro.", Some(64.2)),
        (
            "Im Jahr 2019 betrug der Umsatz 10. Das Ergebnis ist 64,2.",
            Some(64.2),
        ),
        ("73,3 wäre falsch. Richtig ist 64,2.", Some(64.2)),
        ("La réponse est 64,2 millions d'euros.", Some(64.2)),
        ("La réponse n'est pas 64,2.", None),
        ("Le résultat est de 64,2 millions d’euros.", Some(64.2)),
        ("La respuesta es 64,2 millones.", Some(64.2)),
        ("La respuesta no es 64,2.", None),
        ("El resultado no es 64,2.", None),
        ("El resultado es 64,2.", Some(64.2)),
        ("La risposta è 64,2.", Some(64.2)),
        ("A resposta final é 64,2 milhões.", Some(64.2)),
        ("Ответ — 64,2.", Some(64.2)),
        ("答案是42", Some(42.0)),
        ("答案:64.2百万美元", Some(64.2)),
        ("答案不是42", None),
        ("最终答案是64.2百万。", Some(64.2)),
        ("因此,2020年的金额为64.2百万美元。", Some(64.2)),
        ("所以，变化为64.2。", Some(64.2)),
        ("金额不是64.2。", None),
        ("金额在64.2至70之间。", None),
        ("2020年12月31日", None),
        ("答えは64.2です。", Some(64.2)),
        ("答えは 64.2 です", Some(64.2)),
        ("정답은 64.2입니다.", Some(64.2)),
        ("الجواب: ٦٤٫٢", Some(64.2)),
        ("第3季度", None),
        ("Antwort: höchstens 64,2", None),
        ("Antwort: mehr als 64,2", None),
        ("Die Antwort ist 64,2 oder 10.", None),
        ("Antwort: keine Angabe; 64,2 ist der Gesamtwert", None),
        ("Der Umsatz ist unbekannt, die Kosten betragen 64,2.", None),
        ("Réponse : moins de 64,2", None),
        ("Réponse : 64,2 et 10", None),
        ("Le résultat n'est pas 64,2.", None),
        ("Respuesta: más de 64,2", None),
        ("La respuesta es al menos 64,2.", None),
        ("La risposta non è 64,2.", None),
        ("A resposta não é 64,2.", None),
        ("Ответ: не 64,2", None),
        ("Ответ: более 64,2", None),
        ("答案:64.2或10", None),
        ("答案:不是64.2", None),
        ("答案:少于64.2", None),
        ("答案是64.2以上", None),
        ("无法确定，总额为64.2。", None),
        ("答えは64.2以上です。", None),
        ("정답은 64.2 이상입니다.", None),
        ("The answer to question no 5 is 64.2", Some(64.2)),
    ];
    let read = cases.map(|(text, _)| (text, number(text).map(|answer| answer.value())));
    let wrong: Vec<_> = read.iter().zip(&cases).filter(|(a, b)| a != b).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn values_beside_cases_remarks_and_workings() {
    let cases: [(&str, Option<f64>); 30] = [
        ("not it's not 10 it's 1,000.99m²", Some(1000.99)),
        ("It's not 10, it isn't 11 and it's not 12.", None),
        (
            "The answer is 12. (Had the question asked for two years, it would be 24.)",
            Some(12.0),
        ),
        (
            "It is 12. (Had it been two years, it would be 24.)",
            Some(12.0),
        ),
        (
            "The firm made $381,999,999 (about $382 million); in millions, that is 382.",
            Some(382.0),
        ),
        ("It is a margin that is 5.", None),
        ("4.0 years (5 / 1.25)", Some(4.0)),
        ("4.0 years (5 / 2)", None),
        ("The ratio is 1/3 (0.33).", Some(0.33)),
        (
            "Step 2: offices 9.1\nStep 3: 73.3 - 9.1 = 64.2\n\nStep 4: Done.",
            Some(64.2),
        ),
        ("There are precisely 3.", Some(3.0)),
        ("{'answer': 64.2}", Some(64.2)),
        ("{'steps': [1, 2], 'answer': None} 5", None),
        ("The set is {'a': 1}. The answer is 2.", Some(2.0)),
        (r#"{'why': 'say \"yes\"', 'answer': 3}"#, Some(3.0)),
        ("Domestic: $30M\nForeign: $12M", None),
        ("**Domestic:** $30M\n\n**Foreign:** $12M", None),
        ("Domestic: $30M\nForeign: $12M\nTotal: $42M", Some(42.0)),
        ("Domestic: $30M\nTotal: $42M", Some(42.0)),
        ("Profit: $8M\nMargin: 12%", Some(12.0)),
        ("Revenue: 50\nCosts: 8\nProfit: 42", Some(42.0)),
        ("Guidance: 42", Some(42.0)),
        ("The call was at 9 a.m.", None),
        ("It was 9 a.m. when profit was 42.", Some(42.0)),
        ("The plan is a 401(k).", None),
        ("The last day was Nov 5.", None),
        ("The first day is 5 Jun.", None),
        ("64.2 as of Nov. 30, 2020", Some(64.2)),
        ("FY 2020: 64.2", Some(64.2)),
        ("The answer is one fifth.", Some(0.2)),
    ];
    let read = cases.map(|(text, _)| (text, number(text).map(|answer| answer.value())));
    let wrong: Vec<_> = read.iter().zip(&cases).filter(|(a, b)| a != b).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Signs, units and words of many countries around a number, and ranges in their words.
#[test]
fn numbers_as_other_countries_write_them() {
    let cases: [(&str, Option<f64>); 72] = [
        ("ca. 42,1 Mio. €", Some(42.1)),
        ("Yes, 42.", Some(42.0)),
        ("No, 42.", Some(42.0)),
        ("No, 42 is wrong.", None),
        ("42 [million]", Some(42.0)),
        ("4.2-fold", Some(4.2)),
        ("42 - unknown", None),
        ("No, 42 is too low.", None),
        ("42 ❌", None),
        ("-%5", None),
        ("负百分之5", None),
        ("42,-€", Some(42.0)),
        (
            "Revenue was $42 million. I am sure of this — 100%.",
            Some(42.0),
        ),
        (
            "Revenue was $42 million. The plan is to close 3 shops.",
            Some(42.0),
        ),
        (r"The error vanishes as $h \rightarrow 0$.", None),
        (
            "Sales 50 | Costs 8\n\n| Item | Value |\n|---|---|\n| Profit | 42 |",
            None,
        ),
        ("42 ✅", Some(42.0)),
        ("42 t CO2", Some(42.0)),
        ("kr 42", Some(42.0)),
        ("Rp 42", Some(42.0)),
        ("大约42", Some(42.0)),
        ("人民币42万元", Some(42.0)),
        ("Khoảng 42 triệu", Some(42.0)),
        ("Ongeveer 42 miljoen", Some(42.0)),
        ("Profit in 2020 — $42 million", Some(42.0)),
        ("FY2020 profit — $42 million", Some(42.0)),
        ("$100 million − $58 million", None),
        ("$42 million ($100 million − $58 million)", Some(42.0)),
        ("$42 million ($100 million − $50 million)", None),
        ("$100 million − $58 million = $42 million", Some(42.0)),
        ("We add 30 and 12 to get 42.", Some(42.0)),
        ("%12,5", Some(12.5)),
        ("答案是百分之12.5", Some(12.5)),
        ("CHF 1'204.–", Some(1204.0)),
        ("€ 1.204.567,-", Some(1_204_567.0)),
        ("₦1,204", Some(1204.0)),
        ("64,2 M€", Some(64.2)),
        ("64,2 Md€", Some(64.2)),
        ("120MW", Some(120.0)),
        ("42Ω", Some(42.0)),
        ("2⅜ miles", Some(2.375)),
        ("𝟒𝟐", Some(42.0)),
        ("๔๒", Some(42.0)),
        (r"\boxed{\boldsymbol{42}}", Some(42.0)),
        (r"$\Large 42$", Some(42.0)),
        (r"\boxed{\textcolor{red}{42}}", Some(42.0)),
        (r"$\color{blue}{42}$", Some(42.0)),
        (r"\boxed{\color{blue} 42}", Some(42.0)),
        (r"50 - 8 \implies 42", Some(42.0)),
        ("Le total s'élève à 64,2 millions.", Some(64.2)),
        ("Der Umsatz beläuft sich auf 64,2 Mio. Euro.", Some(64.2)),
        ("El total asciende a 64,2 millones.", Some(64.2)),
        ("Das Ergebnis ist 64,2 Prozent.", Some(64.2)),
        ("The margin is close to 42%.", Some(42.0)),
        ("It was some 42 million.", Some(42.0)),
        ("Item | Value\n--- | ---\nProfit | 42", Some(42.0)),
        ("Item | Value\n--- | ---\nSales | 50\nProfit | 42", None),
        (r"It is \boxed{42}, or 6 \times 7", Some(42.0)),
        ("答案是10～20", None),
        ("10～200", None),
        ("10~200", None),
        (
            "Revenue was $42 million, a 5% increase over 2019.",
            Some(42.0),
        ),
        ("To get 5% of 200, multiply 200 by 0.05.", None),
        ("42-", None),
        ("10-K", None),
        ("We need to find 5% of 200, which we take from 50.", None),
        ("Le résultat est de 10 à 20 millions.", None),
        ("La respuesta es 10 a 20.", None),
        ("Answer: 3 out of 4", None),
        ("Der Umsatz beläuft sich nicht auf 64,2.", None),
        ("Le total ne s'élève pas à 64,2.", None),
        ("It is not close to 42.", None),
    ];
    let read = cases.map(|(text, _)| (text, number(text).map(|answer| answer.value())));
    let wrong: Vec<_> = read.iter().zip(&cases).filter(|(a, b)| a != b).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // What changes an amount by a factor is a part of it.
    let applied = |text: &str| whole(text).map(Number::applied);
    for (text, want) in [
        ("%12,5", 0.125),
        ("百分之12.5", 0.125),
        ("12,5 Prozent", 0.125),
        ("12,5 pour cent", 0.125),
        ("12,5 por ciento", 0.125),
        ("١٢٫٥٪", 0.125),
        ("2 M€", 2e6),
        ("2 Md€", 2e9),
        ("2 mld", 2e9),
        ("2 mill.", 2e6),
        ("2 triệu", 2e6),
        ("₱2 million", 2e6),
    ] {
        assert_eq!(applied(text), Some(want), "{text}");
    }
}

/// A fall that is named behind its amount is the amount, and less than nothing.
#[test]
fn falls_behind_their_amount_have_both_signs() {
    let signs = |text: &str| {
        let forms = number(text).map(|answer| answer.forms).unwrap_or_default();
        let has = |sign: f64| forms.iter().any(|number| number.value * sign > 0.0);
        (has(1.0), has(-1.0))
    };
    for text in [
        "57% decrease",
        "It was a 57% decrease.",
        "Answer: 57 million (decline)",
        "The answer is a 57% reduction.",
        "57 lower",
    ] {
        assert_eq!(signs(text), (true, true), "{text}");
    }
    for text in [
        "57% increase",
        "The margin is 57% after a decrease.",
        "57 drops of oil",
    ] {
        assert_eq!(signs(text), (true, false), "{text}");
    }
}

/// What is said after an answer to compare it is not the answer, unless the question asks for the comparison.
#[test]
fn a_comparison_in_the_next_sentence_is_not_the_answer() {
    let cases = [
        ("EPS was 1.05. This is 5% higher than in 2019.", 1.05, 5.0),
        ("EPS was 1.05. It is 5% higher than in 2019.", 1.05, 5.0),
        ("EPS was 1.05. This is 0.05 more than in 2019.", 1.05, 0.05),
        ("EPS was 1.05. This is an increase of 5%.", 1.05, 5.0),
        ("EPS was 1.05. This is a 5% increase.", 1.05, 5.0),
        (
            "Revenue was $64.2 million. That is 7% more than in 2019.",
            64.2,
            7.0,
        ),
        (
            "Return on equity = 15 / 200 = 7.5 %. Peers earned 8 %.",
            7.5,
            8.0,
        ),
        (
            "Return on equity = 15 / 200 = 7.5 %. The peer average is 8 %.",
            7.5,
            8.0,
        ),
    ];
    let value = |text, question| number_asked(text, question).map(|answer| answer.value());
    for (text, level, change) in cases {
        assert_eq!(value(text, "What was it in 2020?"), Some(level), "{text}");
        let question = "How much higher is it than its peers or the year before?";
        assert_eq!(value(text, question), Some(change), "{text}");
    }
    let earlier = "EPS was 1.05. In 2019 it was 1.00.";
    for (question, want) in [
        ("What was EPS?", 1.05),
        ("What was EPS in FY2020?", 1.05),
        ("What was EPS in 2019?", 1.0),
        ("What was EPS in FY19?", 1.0),
        ("What was EPS in the prior year?", 1.0),
    ] {
        assert_eq!(value(earlier, question), Some(want), "{question}");
    }
    // What two amounts are compared for is their comparison.
    let computed = "Revenue rose from 60 to 64.2. This is a 7% increase.";
    assert_eq!(value(computed, ""), Some(7.0));
    let either = "The margin is 15%; it was 13% in 2019.";
    assert_eq!(value(either, ""), None);
}

#[test]
fn marks_of_a_list_within_a_sentence_are_not_the_answer() {
    for text in [
        "There are three segments: (1) Cloud, (2) Devices and (3) Services.",
        "The three segments are (1) Cloud, (2) Devices and (3) Services.",
        "The drivers are: (1) price, (2) volume.",
        "(1) Cloud, (2) Devices and (3) Services.",
        "The company has three segments: 1) Cloud, 2) Devices, 3) Services.",
    ] {
        let value = number(text).map(|answer| answer.value());
        assert!(matches!(value, None | Some(3.0)), "{text}: {value:?}");
        assert_eq!(crate::number::count(text), 0, "{text}");
    }
    for text in [
        "The changes were (1) million and (2) million.",
        "(0, 1) and (0, 2) are",
    ] {
        assert!(crate::number::count(text) >= 2, "{text}");
    }
}

#[test]
fn denials_and_missing_data_in_other_languages() {
    for text in [
        "5ではありません。",
        "答えは5ではありません。",
        "正解は5ではない",
        "5가 아닙니다",
        "정답은 5가 아닙니다.",
        "Die Daten fehlen. 2019 waren es 5.",
        "Die Angabe fehlt. 2019 waren es 5.",
        "データがありません。2019年は5でした。",
        "判断できません。2019年は5でした。",
        "数据缺失。2019年为5。",
        "Dati mancanti. Nel 2019 era 5.",
        "Faltan los datos. En 2019 fue 5.",
    ] {
        assert_eq!(number(text), None, "{text}");
    }
}

#[test]
fn scales_of_other_languages_differ() {
    for (text, want) in [
        ("7,5 Tsd. Euro", 1e3),
        ("7,5 millardos", 1e9),
        ("7.5 Billionen", 1e12),
        ("7,5 Billionen Euro", 1e12),
        ("7,5 Bio. €", 1e12),
        ("7,5 billones de dólares", 1e12),
        ("7,5 bilioni", 1e12),
        ("7,5 триллиона", 1e12),
    ] {
        let forms = number(text).map(|answer| answer.forms).unwrap_or_default();
        let scales: Vec<f64> = forms.iter().map(|number| number.scale).collect();
        assert_eq!(scales, [want], "{text}");
    }
}

#[test]
fn a_detail_that_is_denied_in_the_same_sentence_leaves_the_answer() {
    let value = |text| number(text).map(|answer| answer.value());
    assert_eq!(
        value("The total is 5; this does not include boats."),
        Some(5.0)
    );
    assert_eq!(
        value("The report is of 2019; it does not include the data to answer."),
        None
    );
}
