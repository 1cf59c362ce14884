use super::*;

fn value(text: &str) -> Option<f64> {
    whole(text).map(|number| number.value)
}

#[test]
fn forms_of_one_number() {
    let cases: [(&str, f64); 78] = [
        ("64.2", 64.2),
        ("64.2.", 64.2),
        ("$64.2", 64.2),
        ("US$64.2", 64.2),
        ("USD 64.2", 64.2),
        ("64.2 USD", 64.2),
        ("CHF 64.2", 64.2),
        ("€64.2", 64.2),
        ("64.2 €", 64.2),
        ("£ 64.2", 64.2),
        ("Rs. 64.2", 64.2),
        ("HK$64.2", 64.2),
        ("64.2%", 64.2),
        ("64.2 %", 64.2),
        (r"64.2\%", 64.2),
        ("64.2 percent", 64.2),
        ("64.2 per cent", 64.2),
        ("64.2 percentage points", 64.2),
        ("64.2 bps", 64.2),
        ("$28$ %", 28.0),
        ("28 pct", 28.0),
        ("64.2 million", 64.2),
        ("$64.2 million", 64.2),
        ("64.2M", 64.2),
        ("$64.2bn", 64.2),
        ("64.2k", 64.2),
        ("64.2 crore", 64.2),
        ("64.2 lakh", 64.2),
        ("$64.2 m", 64.2),
        ("12.5x", 12.5),
        ("1,000.99m²", 1000.99),
        ("1,000.99$", 1000.99),
        ("-5", -5.0),
        ("−5", -5.0),
        ("–5", -5.0),
        ("\u{2011}5", -5.0),
        ("minus 5", -5.0),
        ("negative 5", -5.0),
        ("+5", 5.0),
        ("-$5", -5.0),
        ("$-5", -5.0),
        ("$ -5", -5.0),
        ("-US$5", -5.0),
        ("(5)", -5.0),
        ("$(57)", -57.0),
        ("($57)", -57.0),
        ("(1,204)", -1204.0),
        ("(5.2%)", -5.2),
        ("(5.2)%", -5.2),
        ("$(57) million", -57.0),
        ("1,250", 1250.0),
        ("1 250", 1250.0),
        ("1\u{a0}250", 1250.0),
        ("1\u{2009}250", 1250.0),
        ("1\u{202f}250", 1250.0),
        ("1'250", 1250.0),
        ("1’250", 1250.0),
        ("1{,}250", 1250.0),
        (r"1\,250", 1250.0),
        (r"1,\!250", 1250.0),
        ("12,5", 12.5),
        ("12,50", 12.5),
        ("1,57 %", 1.57),
        ("1e-7", 1e-7),
        ("1.5e7", 1.5e7),
        ("1.5E+7", 1.5e7),
        ("1.5×10^7", 1.5e7),
        ("1.5 x 10^7", 1.5e7),
        (r"1.5 \times 10^{7}", 1.5e7),
        ("1.5×10⁷", 1.5e7),
        (r"$1.5\cdot 10^{-7}$", 1.5e-7),
        ("10^6", 1e6),
        ("3/4", 0.75),
        (r"\frac{3}{4}", 0.75),
        (r"\dfrac34", 0.75),
        ("1 3/4", 1.75),
        ("½", 0.5),
        ("٣", 3.0),
    ];
    let read = cases.map(|(text, _)| (text, value(text)));
    let wanted = cases.map(|(text, want)| (text, Some(want)));
    let wrong: Vec<_> = read.iter().zip(&wanted).filter(|(a, b)| a != b).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn no_number_is_read_out_of_a_larger_expression() {
    let cases = [
        "",
        "n/a",
        "5y + 3",
        "10-15",
        "2019-2020",
        "10–15",
        "1.2.3",
        "1,2,3",
        "3:2",
        "12:30",
        "12/31/2019",
        "2019-12-31",
        "2^x",
        r"2\pi r",
        r"\sqrt{x}",
        "5!",
        "10 - 4",
        "5 to 7",
        "about 5",
        "Q3",
        "FY2019",
        "3rd",
        "10-K",
        "3-year",
        "A1",
        "v2",
        "#3",
        "COVID-19",
        "x5",
        "5_000a",
        "1/0",
        "12 boats",
    ];
    let read: Vec<_> = cases.iter().filter(|text| value(text).is_some()).collect();
    assert!(read.is_empty(), "{read:?}");
}

#[test]
fn units_and_scales_are_applied_on_request() {
    let cases = [
        ("12.5%", 0.125),
        ("101.5 %", 1.015),
        ("$9 million", 9e6),
        ("$1.2bn", 1.2e9),
        ("50 bps", 0.005),
        ("(1.5) million", -1.5e6),
        ("2 hundred million", 2e8),
        ("3 crore", 3e7),
        ("5", 5.0),
        ("3 thousand", 3000.0),
    ];
    for (text, want) in cases {
        assert_eq!(whole(text).map(Number::applied), Some(want), "{text}");
    }
}

#[test]
fn lists() {
    let values =
        |text: &str| -> Option<Vec<f64>> { Some(list(text)?.iter().map(|n| n.value).collect()) };
    let cases: [(&str, Option<&[f64]>); 9] = [
        ("2019, 2018", Some(&[2019.0, 2018.0])),
        ("$ 1,204 / $ 1,131", Some(&[1204.0, 1131.0])),
        ("12.5%, 13.1%", Some(&[12.5, 13.1])),
        ("10-15", Some(&[10.0, 15.0])),
        ("10 to 15", Some(&[10.0, 15.0])),
        ("5", Some(&[5.0])),
        ("1 and 2", Some(&[1.0, 2.0])),
        ("December 31, 2019", None),
        ("", None),
    ];
    for (text, want) in cases {
        assert_eq!(values(text).as_deref(), want, "{text}");
    }
}

#[test]
fn the_last_number() {
    let cases = [
        ("5 of 10", Some(10.0)),
        ("$5, in FY2019", Some(5.0)),
        ("is -3.", Some(-3.0)),
        ("0.2 (20 %)", Some(20.0)),
        ("a loss (57)", Some(-57.0)),
        ("", None),
    ];
    for (text, want) in cases {
        assert_eq!(last(text).map(|n| n.value), want, "{text}");
    }
}
