//! Two agents that answer equally well are rarely told apart, whatever their scores look like.

use sim_core::Seed;
use sim_core::seed::Stream;
use sim_core::stats::paired_difference;
use sim_core::testkit::small_or_full;

/// The share of comparisons over `n` questions that call one of two equal agents better.
fn told_apart(n: u64, rounds: u64, answer: impl Fn(&mut Stream, f64) -> f64) -> f64 {
    let told = (0..rounds)
        .filter(|&round| {
            // Questions differ in difficulty; both agents meet the same ones.
            let mut questions = Seed(31).stream("questions", round);
            let mut agents = Seed(32).stream("agents", round);
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for question in 0..n {
                let ease = questions.unit();
                first.push((question, answer(&mut agents, ease)));
                second.push((question, answer(&mut agents, ease)));
            }
            let difference = paired_difference(&first, &second, 0.95, Seed(round));
            difference.unwrap().is_distinguishable()
        })
        .count();
    told as f64 / rounds as f64
}

/// At most 6 % of comparisons, with two and a half standard errors of the simulation.
#[test]
fn slow_equal_agents_on_questions_are_rarely_told_apart() {
    let rounds = small_or_full(60, 400);
    let sizes = small_or_full(vec![10, 30], vec![8, 10, 30, 100]);
    let most = 0.06 + 2.5 * (0.06 * 0.94 / rounds as f64).sqrt();
    for n in sizes {
        for (name, share) in [
            // Letters, labels and verdicts: right or wrong.
            (
                "right or wrong",
                told_apart(n, rounds, |stream, ease| f64::from(stream.unit() < ease)),
            ),
            // Most answers are right, as on the easy tasks of BizCompass.
            (
                "nearly all right",
                told_apart(n, rounds, |stream, ease| {
                    f64::from(stream.unit() < 0.9 + 0.1 * ease)
                }),
            ),
            // A judge's 0 to 5, in whole marks.
            (
                "marks of a judge",
                told_apart(n, rounds, |stream, ease| {
                    (5.0 * ease + stream.normal()).round().clamp(0.0, 5.0)
                }),
            ),
            // A part of the words, as ROUGE has it.
            (
                "shares",
                told_apart(n, rounds, |stream, ease| {
                    ease * stream.unit() * stream.unit()
                }),
            ),
        ] {
            println!("{name}, n = {n}: {:.1} %", 100.0 * share);
            assert!(share <= most, "{name}, n = {n}: {share}");
        }
    }
}
