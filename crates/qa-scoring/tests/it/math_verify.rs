//! The number formats of math-verify 0.9's own tests.

use crate::golden::{rows, text, vectors};
use qa_scoring::rules::quantity;

/// Pairs that its tests count otherwise than a person would.
///
/// | pair | its test | a person |
/// |---|---|---|
/// | "Answer $ \n 9 \n $" for 9 | different: `$` does not match over lines | the answer is 9 |
/// | "Answer \( \n 9 \n \)" for 9 | different: the same | the answer is 9; the same text in `\[ \]` counts as equal there |
/// | `1 + 1/e` for `1 - 1/e` | equal: both are read as the text "1" | 1.37 is not 0.63 |
const FAULTS_OF_ITS_TABLE: [(&str, &str); 3] = [
    ("$9$", "Answer $ \n 9 \n $"),
    ("$9$", "Answer \\( \n 9 \n \\)"),
    (
        "$1 - \\frac{1}{\\mathrm{e}}$",
        "$1 + \\frac{1}{\\mathrm{e}}$",
    ),
];

/// Every pair counts as in its tests, but for those in which the table is wrong; those count the other way.
#[test]
fn number_formats_are_read_at_least_as_well_as_math_verify_does() {
    let file = vectors("math_verify.json").expect("kept in this crate");
    let mut faults = Vec::new();
    let mut of_its_table = 0;
    for pair in rows(&file, "pairs") {
        let (right, reply) = (text(pair, "right"), text(pair, "reply"));
        let is_fault = FAULTS_OF_ITS_TABLE.contains(&(right, reply));
        of_its_table += usize::from(is_fault);
        let want = pair["equal"].as_bool().unwrap() != is_fault;
        let said = quantity::strict(reply, right, "", false);
        if said.right != want {
            faults.push(format!("{reply:?} for {right:?}: {said:?}, want {want}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(of_its_table, FAULTS_OF_ITS_TABLE.len());
    assert_eq!(rows(&file, "pairs").len(), 124);
}
