"""Scores of answers on lists, and statistics of scores.

Lists in, arrays out: one figure for each item, the mean is the caller's. A prediction of ``None`` scores 0.
Names and rules are those of the crate ``qa-scoring``; docs/qa.md explains them.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from boardroom import _native

__all__ = ["bootstrap", "choice", "exact", "mrr", "ndcg", "numeric", "paired", "rouge"]

Texts = Sequence[str | None]


def rouge(
    predictions: Texts,
    references: Sequence[str],
    kinds: Iterable[str] = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
    *,
    stem: bool = False,
) -> dict[str, npt.NDArray[np.float64]]:
    """ROUGE: ``rouge1_precision``, ``rouge1_recall``, ``rouge1_f`` and so on.

    The numbers of the package ``rouge-score`` 0.1.2.
    """
    found: dict[str, npt.NDArray[np.float64]] = _native.rouge(
        list(predictions), list(references), list(kinds), stem
    )
    return found


def exact(predictions: Texts, references: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Whether each prediction is the reference, in lower case and single spaces.

    A prediction that announces its answer (``The final answer is ..``) is compared by that answer.
    """
    return _native.exact(list(predictions), list(references))


def choice(
    predictions: Texts,
    references: Sequence[str],
    *,
    options: int = 4,
    rule: Literal["strict", "bizcompass"] = "strict",
) -> npt.NDArray[np.bool_]:
    """Whether the letters of each prediction are those of the reference (``"B"``, ``"AC"``)."""
    if rule not in ("strict", "bizcompass"):
        raise ValueError(f"rule is 'strict' or 'bizcompass', not {rule!r}")
    return _native.choice(list(predictions), list(references), options, rule == "bizcompass")


def numeric(
    predictions: Texts,
    references: Sequence[float],
    *,
    rule: Literal["close", "same"] = "close",
) -> npt.NDArray[np.bool_]:
    """Whether the number of each prediction is right: within 1 % (``close``) or within 1e-6 (``same``)."""
    return _native.numbers(list(predictions), [float(one) for one in references], rule)


def ndcg(relevances: Sequence[Sequence[float]], *, k: int | None = None) -> npt.NDArray[np.float64]:
    """Normalised discounted cumulative gain of rankings.

    ``relevances[i]`` are the gains of ranking ``i`` in the order in which it shows them; 0 without any gain.
    """
    out = np.zeros(len(relevances))
    for number, gains in enumerate(relevances):
        found = np.asarray(gains, np.float64)
        best = np.sort(found)[::-1]
        cut = len(found) if k is None else min(k, len(found))
        weights = 1.0 / np.log2(np.arange(2, cut + 2))
        ideal = float(best[:cut] @ weights)
        out[number] = float(found[:cut] @ weights) / ideal if ideal > 0 else 0.0
    return out


def mrr(relevances: Sequence[Sequence[float]]) -> npt.NDArray[np.float64]:
    """One over the place of the first relevant item of each ranking; 0 where there is none."""
    out = np.zeros(len(relevances))
    for number, gains in enumerate(relevances):
        places = np.flatnonzero(np.asarray(gains) > 0)
        out[number] = 1.0 / (places[0] + 1) if len(places) else 0.0
    return out


def bootstrap(
    values: Sequence[float], *, level: float = 0.95, seed: int = 0, resamples: int = 2000
) -> dict[str, Any] | None:
    """The mean with its interval (bias corrected and accelerated bootstrap)."""
    told = _native.bootstrap([float(one) for one in values], level, seed, resamples)
    found: dict[str, Any] | None = json.loads(told)
    return found


def paired(
    first: Sequence[float],
    second: Sequence[float],
    cluster: Sequence[Hashable] | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Any] | None:
    """The mean difference ``first - second`` with its interval.

    ``cluster`` names what both values of a place have in common (the seed that was played); values of one
    cluster count once. Without it every place is a cluster.
    """
    if len(first) != len(second):
        raise ValueError(f"there are {len(first)} and {len(second)} values")
    keys = range(len(first)) if cluster is None else cluster
    names = [repr(key) for key in keys]
    if len(names) != len(first):
        raise ValueError(f"there are {len(first)} values and {len(names)} clusters")
    pairs = [
        [(name, float(one)) for name, one in zip(names, side, strict=True)]
        for side in (first, second)
    ]
    told = _native.paired(pairs[0], pairs[1], level, seed)
    found: dict[str, Any] | None = json.loads(told)
    return found
