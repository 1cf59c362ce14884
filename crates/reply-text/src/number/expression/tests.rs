use crate::answer;
use crate::number::{list, whole};

#[test]
fn constant_expressions_have_their_value() {
    let pi = std::f64::consts::PI;
    let e = std::f64::consts::E;
    let cases: [(&str, f64); 42] = [
        ("(9+1)", 10.0),
        (r"\( (9+1) \)", 10.0),
        (r"\sqrt{17}", 17.0_f64.sqrt()),
        (r"$\sqrt 5$", 5.0_f64.sqrt()),
        (r"\sqrt3", 3.0_f64.sqrt()),
        ("√17", 17.0_f64.sqrt()),
        ("sqrt(17)", 17.0_f64.sqrt()),
        (r"\sqrt[3]{27}", 3.0),
        (r"\sqrt[4]{16}", 2.0),
        (r"3\sqrt{13}", 3.0 * 13.0_f64.sqrt()),
        (r"\frac{\sqrt{3}}{2}", 3.0_f64.sqrt() / 2.0),
        (r"\frac{1+\sqrt{5}}{2}", f64::midpoint(1.0, 5.0_f64.sqrt())),
        (r"\sqrt{2}+\sqrt{5}", 2.0_f64.sqrt() + 5.0_f64.sqrt()),
        (r"1 - \frac{1}{\mathrm{e}}", 1.0 - 1.0 / e),
        ("1 - 1/e", 1.0 - 1.0 / e),
        (r"e^{2}", e * e),
        (r"2\pi", 2.0 * pi),
        ("2π", 2.0 * pi),
        (r"\frac{9}{4}\pi", 9.0 / 4.0 * pi),
        (r"\frac94\pi", 9.0 / 4.0 * pi),
        (r"-\frac{\pi}{2}", -pi / 2.0),
        (r"\left(\frac{1}{2}\right)^2", 0.25),
        ("2^10", 1024.0),
        (r"2^{10}", 1024.0),
        ("2**10", 1024.0),
        ("-2^2", -4.0),
        ("2^{-1}", 0.5),
        ("3 + 4", 7.0),
        ("2 + 3 * 4", 14.0),
        ("(74.2 - 10) / 10", 64.2 / 10.0),
        ("6/80*100", 7.5),
        (r"28*\frac{1}{100}", 0.28),
        ("2^(10)", 1024.0),
        (r"1 - \frac{1}{e}", 1.0 - 1.0 / e),
        ("√3/2", 3.0_f64.sqrt() / 2.0),
        ("1,200 + 300", 1500.0),
        (r"1{,}200 \times 2", 2400.0),
        ("204_5", 54.0),
        (r"1112112_{3}", 1121.0),
        (r"x = 2\sqrt{4}", 4.0),
        (r"\frac{10-4}{2}", 3.0),
        (r"3\sqrt{4} \text{ cm}^2", 6.0),
    ];
    for (text, want) in cases {
        for text in [
            text.to_owned(),
            format!(r"\boxed{{{text}}}"),
            format!("Answer: {text}."),
        ] {
            let read = answer::number(&text).map(|answer| answer.value());
            assert!(
                read.is_some_and(|read| (read - want).abs() <= 1e-12 * want.abs()),
                "{text}: {read:?} for {want}"
            );
        }
    }
    let share = whole(r"\frac{6}{80} \times 100\%").unwrap();
    assert_eq!((share.value, share.unit), (7.5, 0.01));
}

#[test]
fn what_only_looks_like_an_expression_is_unread() {
    let cases = [
        "1-2",
        "10 - 4",
        "10-15",
        "(2-0)",
        "(10-15)",
        "2020-01-01",
        "12/31/2019",
        "01/02/2020",
        "1/2/3",
        "555-1234",
        "(555) 123-4567",
        "+1 555 123-4567",
        "+1 (555) 123 4567",
        "+49 30 123456",
        "5(1)",
        "(5)(6)",
        "3, 4",
        "(3, 4+1)",
        "1,2+3",
        "12:30",
        "10+",
        "4+ years",
        "5*",
        "5**",
        "A+",
        "e",
        "E",
        "2e",
        "5!",
        "5x + 3",
        r"2\pi r",
        r"1/2\pi",
        "1/2(3+4)",
        "2^3^2",
        "2^x",
        r"\sqrt17",
        r"2\frac{\pi}{4}",
        r"1 \pm \sqrt{2}",
        r"\{3, 4\}",
        r"\sqrt{-1}",
        "1 + 1/0",
        "50% + 20%",
        "$5 million + $3 million",
        "3 + 4 million",
        "2020_12",
        "12_34",
        "9_8_7",
        "212_2",
        r"3\sqrt{2} \text{ million}",
        r"3\sqrt{2} \text{ or } 5",
        "a = 1, b = 2 + 3",
        "1 + 2 or 4",
        "((((((((((((((((((((((((((((((1+1))))))))))))))))))))))))))))))",
        r"2(3+\sqrt{4})",
        r"\frac{1}{2}(1/2)",
        r"3 \sqrt{13}",
        r"2\,\pi",
        r"2\pi^2",
        "2^3π",
        "4^1/2",
        "10 2^3",
        "64.2 (74.2 - 10)",
        "**64.2** (74.2 - 10)",
        "**64.2** 10 + 5",
        "3 ** 4",
        r"1.414 (\sqrt{2})",
        r"$3$ $\sqrt{4}$",
        r"\(3\) \(\sqrt{4}\)",
        "12\n\\sqrt{144}",
        "100\n(50 + 50)",
        "* 3\n* 4",
        "+ 3\n+ 4",
        "* 3 * 4",
        "- 5 * 1",
        r"- 3\sqrt{4}",
        "3 + - 4",
        "(500) + 200",
        "200 + (500)",
        "($500) + 200",
        "(10) * 2",
        "(5)^2",
        "5 * 20%",
        "100 * 3%",
        "(5 * 100)%",
        r"2 + 3 \times 100\%",
        r"3\sqrt{4}\%",
        "√2π",
        r"\sqrt2\pi",
        "√2^2",
        "12³",
        "2 + 3²",
        "2020_3",
        "2020_{3}",
        "5 (e)",
        "2 * e",
        "e + 1",
        "3 + e",
        "3·5",
        "9^999^999",
        "9^999",
    ];
    let read: Vec<_> = cases
        .iter()
        .filter(|text| super::value(text).is_some())
        .collect();
    assert!(read.is_empty(), "{read:?}");
}

/// A number with its working is that number, a conclusion comes before an expression in front of it, and nothing is read
/// where two readings differ.
#[test]
fn replies_with_expressions() {
    let cases: &[(&str, Option<f64>)] = &[
        ("Answer: 64.2 (74.2 - 10)", Some(64.2)),
        ("64.2 (74.2 - 10)", Some(64.2)),
        ("64.2 (80 - 10)", None),
        ("**64.2** (74.2 - 10)", Some(64.2)),
        ("Answer: **64.2** (74.2 - 10)", Some(64.2)),
        ("The final answer is 640 (800 - 160)", Some(640.0)),
        ("#### 640 (800 - 160)", Some(640.0)),
        ("[[640 (800 - 160)]]", Some(640.0)),
        (r#"{"answer": "640 (800 - 160)"}"#, Some(640.0)),
        ("Answer: 0.75 (3/4)", Some(0.75)),
        (r"\boxed{0.5 (1/2)}", Some(0.5)),
        (r"$\frac{1}{2}$ (1/2)", Some(0.5)),
        (r"Answer: 1.414 (\sqrt{2})", Some(1.414)),
        (r"1.414 (\sqrt{2})", Some(1.414)),
        (r"9.42 (3\pi)", Some(9.42)),
        ("1024 (2^10)", Some(1024.0)),
        ("Answer: 1024 (2^10)", Some(1024.0)),
        ("Answer: $5,000 ($10,000/2)", Some(5000.0)),
        ("Final answer: 25 (2020–2021)", Some(25.0)),
        ("25 (2020–2021)", None),
        ("Answer: 5 (2019-2020)", Some(5.0)),
        ("Answer: 5 (1/2/2020)", Some(5.0)),
        ("5 (1/2/2020)", None),
        ("Answer: 5 (e)", Some(5.0)),
        ("10 2^3", None),
        ("* 3\n* 4", None),
        ("* 10\n* 20\n* 30", None),
        ("+ 3\n+ 4", None),
        ("100\n(50 + 50)", None),
        ("12\n\\sqrt{144}", None),
        (r"$\sqrt{16}$ $\sqrt{16}$", None),
        (
            "<answer>1,200 + 300. Less 200 it is 1,300</answer>",
            Some(1300.0),
        ),
        ("Answer: 3 * 4\n= 12 + 1\n= 13", Some(13.0)),
        ("<answer>10 + 5\nminus 3 is 12</answer>", Some(12.0)),
        ("Answer: 10 + 5\nminus 3 is 12", Some(12.0)),
        ("<answer>10 + 5\nThat is the sum.</answer>", Some(15.0)),
        ("Answer: (500) + 200", None),
        ("Answer: (1,204) + 4", None),
        ("Answer: (10) * 2", None),
        (r"- 3\sqrt{4}", None),
        ("- 5 * 1", None),
        ("Answer: -5 * 2", Some(-10.0)),
        ("Answer: 5 * 20%", None),
        ("Answer: √2π", None),
        ("Answer: 12³", None),
        ("Answer: 2020_3", None),
    ];
    let mut faults = Vec::new();
    for (reply, want) in cases {
        let read = answer::number(reply).map(|answer| answer.value());
        if read != *want {
            faults.push(format!("{reply:?}: {read:?} for {want:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(list("6/80*100").is_none());
    assert!(list("2^3, 4").is_none());
}
