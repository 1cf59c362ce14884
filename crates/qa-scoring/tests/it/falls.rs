//! Losses and falls written without a sign, for right answers with and without one.

use qa_scoring::rules::quantity;

/// What a reply with a loss or a fall of 57 counts for.
const FALLS: [&str; 14] = [
    "The company made a loss of $57 million in 2019.",
    "Answer: a loss of $57 million",
    "A loss of 57.",
    "Net income decreased by $57 million.",
    "Revenue declined 57% year over year.",
    "Growth: a decline of 57%",
    "There was a decrease of approximately 57%.",
    "Net loss was $57 million.",
    "The change was a drop of 57 units, to 143.",
    "Margins contracted by 57 basis points.",
    "In 2020, sales fell by 57.",
    "The answer is a decrease of 57.",
    "Sales were down 57.",
    "It recorded a deficit of 57.",
];

/// What states no fall of 57.
const OTHERS: [&str; 14] = [
    "The company made a profit of $57 million.",
    "Costs rose by 57.",
    "Revenue fell to 57.",
    "Revenue fell from 60 to 57.",
    "Revenue increased by $57 million after a decline.",
    "There was no loss of 57.",
    "It did not fall by 57.",
    "The loss narrowed by 57.",
    "There was a decrease in losses of 57.",
    "The decrease was less than 57.",
    "The answer is 57.",
    "The lower bound is 57.",
    "The firm was down to 57 stores.",
    "It was not a loss but a gain of 57.",
];

/// "A loss of 57" counts for -57 and for 57, as the sign depends on the question; nothing else counts for -57.
#[test]
fn a_loss_counts_with_and_without_its_sign() {
    let right = |reply: &str, right: &str| quantity::strict(reply, right, "", false).right;
    let mut faults = Vec::new();
    for reply in FALLS {
        for wanted in ["57", "-57", "(57)"] {
            if !right(reply, wanted) {
                faults.push(format!("{reply:?} is right for {wanted}"));
            }
        }
        if right(reply, "56") || right(reply, "-56") {
            faults.push(format!("{reply:?} is wrong for 56"));
        }
    }
    for reply in OTHERS {
        if right(reply, "-57") {
            faults.push(format!("{reply:?} is wrong for -57"));
        }
    }
    // A sign that is written counts, whatever the words say.
    for reply in ["a loss of -57", "a decline of (57)", "The change was −57."] {
        if right(reply, "57") || !right(reply, "-57") {
            faults.push(format!("{reply:?} is -57"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
