"""Scores of answers: hand-computed cases, and the shape of the lists."""

from __future__ import annotations

import numpy as np
import pytest

from boardroom import score


def test_rouge_of_known_pairs():
    found = score.rouge(["the cat ate", None], ["the cat sat on the mat", "a b"])
    assert found["rouge1_precision"].tolist() == [2 / 3, 0.0]
    assert found["rouge2_recall"].tolist() == [1 / 5, 0.0]
    assert found["rougeL_recall"].tolist() == [2 / 6, 0.0]
    assert set(score.rouge(["a"], ["a"], ["rougeLsum"])) == {
        "rougeLsum_precision",
        "rougeLsum_recall",
        "rougeLsum_f",
    }
    assert score.rouge(["running"], ["runs"], ["rouge1"], stem=True)["rouge1_f"][0] == 1.0
    long = "w " * 400_000
    with pytest.raises(ValueError, match="prediction 1 and its reference are too long for rougeLsum"):
        score.rouge(["a", long], ["a", long], ["rougeLsum"])
    with pytest.raises(ValueError, match="there is no kind"):
        score.rouge(["a"], ["a"], ["rouge7"])
    with pytest.raises(ValueError, match="1 predictions and 2 references"):
        score.rouge(["a"], ["a", "b"])


def test_answers():
    said = ["Answer: B", "I think A is wrong, so B", None, "[[A]] [[C]]", "The answer is A and C."]
    assert score.choice(said[:3], ["B", "B", "B"]).tolist() == [True, True, False]
    assert score.choice(said[4:], ["AC"]).tolist() == [True]
    assert score.exact(["The final answer is hawkish.", " Hawkish", None, "dovish"], ["hawkish"] * 4).tolist() == [
        True,
        True,
        False,
        False,
    ]
    assert score.numeric(["it is 101", "it is 102", None], [100, 100, 1]).tolist() == [True, False, False]
    assert score.numeric(["100.0000001"], [100], rule="same").tolist() == [True]
    with pytest.raises(ValueError, match="rule"):
        score.choice([], [], rule="loose")


def test_rankings():
    assert score.mrr([[0, 0, 1], [1, 0], [0]]).tolist() == [1 / 3, 1.0, 0.0]
    best, worst, none = score.ndcg([[3, 2, 1], [1, 2, 3], [0, 0]])
    assert best == 1.0 and 0 < worst < 1 and none == 0.0
    hand = (1 + 2 / np.log2(3)) / (2 + 1 / np.log2(3))
    assert score.ndcg([[1, 2]])[0] == pytest.approx(hand)
    assert score.ndcg([[0, 0, 5]], k=2)[0] == 0.0


def test_statistics():
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 9.0]
    told = score.bootstrap(values, seed=3)
    assert told["mean"] == 4.0 and told["interval"]["low"] < 4.0 < told["interval"]["high"]
    assert score.bootstrap(values, seed=3) == told
    assert score.bootstrap([]) is None
    assert told["clusters"] == 6
    # Equal streams tell nothing new: the interval of five is that of one.
    five = score.bootstrap(values * 5, [*"abcdef"] * 5, seed=3)
    assert five["clusters"] == 6 and five["mean"] == pytest.approx(told["mean"])
    for end in ("low", "high"):
        assert five["interval"][end] == pytest.approx(told["interval"][end])
    alone = score.bootstrap(values * 5, seed=3)["interval"]
    assert alone["high"] - alone["low"] < 0.6 * (told["interval"]["high"] - told["interval"]["low"])
    # A cluster counts by its size: the mean is that of all values.
    uneven = score.bootstrap([0.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"])
    assert uneven["mean"] == 0.25 and uneven["clusters"] == 2
    assert score.bootstrap([1.0, 2.0], ["a", "a"])["interval"] is None
    with pytest.raises(ValueError, match="there are 3 values and 2 clusters"):
        score.bootstrap([1, 2, 3], ["a", "b"])
    with pytest.raises(ValueError, match="cluster 1 is missing"):
        score.bootstrap([1, 2], ["a", None])
    first = [1000.0 * k for k in range(1, 9)]
    second = [one + 100.0 + k for k, one in enumerate(first, 1)]
    found = score.paired(first, second, seed=7)
    assert found["mean"] == -104.5 and found["distinguishable"] and found["clusters"] == 8
    twice = score.paired(first + first, second + second, [*range(8)] * 2)
    assert twice["clusters"] == 8
    with pytest.raises(ValueError, match="level"):
        score.bootstrap(values, level=95)


class NAType:
    """As the marker of pandas for a missing value."""


def test_missing_predictions_count_like_none_and_numbers_like_their_text():
    nan = float("nan")
    for missing in (None, nan, np.float32("nan"), NAType()):
        assert score.numeric([missing, "5"], [5, 5]).tolist() == [False, True]
        assert score.exact([missing, "a"], ["a", "a"]).tolist() == [False, True]
        assert score.choice([missing, "B"], ["B", "B"]).tolist() == [False, True]
        assert score.rouge([missing, "a"], ["a", "a"], ["rouge1"])["rouge1_f"].tolist() == [0.0, 1.0]
    assert score.numeric([5.0, np.float64(5.0), np.int64(5), 6], [5, 5, 5, 5]).tolist() == [True, True, True, False]
    assert score.numeric(np.array([5.0, nan]), np.array([5, 5])).tolist() == [True, False]
    assert score.exact([5, "5"], ["5", 5]).tolist() == [True, True]
    for wrong, place in ((["a", ["b"]], "prediction 1"), ("ab", "predictions must be a list")):
        with pytest.raises(ValueError, match=place):
            score.exact(wrong, ["a", "b"])
    with pytest.raises(ValueError, match="reference 1 is missing"):
        score.exact(["a", "b"], ["a", nan])


def test_values_that_are_no_numbers_are_named():
    nan, inf = float("nan"), float("inf")
    for wrong in (nan, None, "x", np.float32("nan"), NAType()):
        with pytest.raises(ValueError, match="value 3 is not a number"):
            score.bootstrap([1, 2, 3, wrong])
    with pytest.raises(ValueError, match="value 0 is infinite"):
        score.bootstrap([inf, 2])
    with pytest.raises(ValueError, match=r"value 2 is not a number \(first list\)"):
        score.paired([1, 2, nan], [1, 2, 3])
    with pytest.raises(ValueError, match=r"value 1 is not a number \(second list\)"):
        score.paired([1, 2, 3], [1, None, 3])
    with pytest.raises(ValueError, match="cluster 1 is missing"):
        score.paired([1, 2], [1, 2], ["a", nan])
    with pytest.raises(ValueError, match="reference 1 is not a number"):
        score.numeric(["1", "2"], [1, nan])
    with pytest.raises(ValueError, match=r"gain 1 is not a number \(ranking 0\)"):
        score.ndcg([[1, nan]])
    with pytest.raises(ValueError, match=r"gain 0 is not a number \(ranking 1\)"):
        score.mrr([[1], [nan]])


def test_rouge_warns_of_references_without_a_word_that_it_counts():
    with pytest.warns(UserWarning, match="1 of 2 references hold no word"):
        found = score.rouge(["\u516c\u53f8", "a"], ["\u516c\u53f8", "a"], ["rouge1"])
    assert found["rouge1_f"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: score.choice(["B"], [1]), "reference 0"),
        (lambda: score.choice(["B", "A"], ["B", "Z"]), "reference 1"),
        (lambda: score.choice(["B"], [""]), "reference 0"),
        (lambda: score.choice(["B"], ["B"], options=0), "options"),
        (lambda: score.ndcg([[1, 0]], k=-1), "k"),
        (lambda: score.ndcg([[1.0], [0.5, -1.0]]), "gain 1"),
        (lambda: score.bootstrap([1, 2, 3], resamples=1), "resamples"),
        (lambda: score.bootstrap([1, 2, 3], seed=-1), "seed"),
        (lambda: score.bootstrap({1: 2}), "values"),
        (lambda: score.numeric(["5\ud800"], [5]), "prediction 0"),
        (lambda: score.numeric(np.array([["5"]]), [5]), "predictions"),
    ],
)
def test_values_that_cannot_be_meant_are_named(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def test_letters_of_a_reference_may_stand_apart():
    assert score.choice(["A, C", "A, C"], ["C, A", ["A", "C"]]).tolist() == [True, True]
