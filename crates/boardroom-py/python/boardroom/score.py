"""Scores of answers on lists, and statistics of scores.

Lists in, arrays out: one figure for each item, the mean is the caller's. A prediction that is ``None`` or NaN
scores 0, and a number is read as the text that it prints. An error names the place of a value, from 0.
Names and rules are those of the crate ``qa-scoring``; docs/qa.md explains them.
"""

from __future__ import annotations

import json
import string
import warnings
from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from boardroom import _native
from boardroom._encode import whole

__all__ = ["bootstrap", "choice", "exact", "mrr", "ndcg", "numeric", "paired", "rouge"]

#: A text, a number, or None (in pandas: NaN) where there is none.
Texts = Sequence[Any]


def _place(name: str, values: Any) -> list[Any]:
    """The entries of a list, array or column."""
    if isinstance(values, (str, bytes)):
        raise ValueError(f"{name} must be a list, not a single text")
    # A table or a mapping would give the names of its columns, not its values.
    if hasattr(values, "columns") or hasattr(values, "keys") and not hasattr(values, "to_numpy"):
        raise ValueError(f"{name} must be a list or one column, not a {type(values).__name__}")
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not the shape {values.shape}")
    return list(values)


def _is_missing(value: Any) -> bool:
    # pandas has markers of its own, which it need not be imported to know.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _text(value: Any, name: str) -> str:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"{name} is not valid Unicode: half a pair at {error.start}") from error
        return str(value)
    if isinstance(value, (int, float, np.number, Decimal)):
        return str(value)
    raise ValueError(f"{name} is a {type(value).__name__}, neither a text nor a number")


def _said(predictions: Texts) -> list[str | None]:
    """Predictions as texts; what is missing is None, and a number is the text that it prints."""
    return [
        None if _is_missing(one) else _text(one, f"prediction {place}")
        for place, one in enumerate(_place("predictions", predictions))
    ]


def _right(references: Sequence[Any]) -> list[str]:
    out = []
    for place, one in enumerate(_place("references", references)):
        if _is_missing(one):
            raise ValueError(f"reference {place} is missing")
        out.append(_text(one, f"reference {place}"))
    return out


def _numbers(values: Sequence[float], name: str = "value", of: str = "") -> list[float]:
    """Finite numbers; the first that is none is named by its place, from 0."""
    out = []
    for place, one in enumerate(_place(f"{name}s", values)):
        try:
            number = float(one)
        except (TypeError, ValueError):
            number = np.nan
        if np.isnan(number):
            raise ValueError(f"{name} {place} is not a number{of}")
        if np.isinf(number):
            raise ValueError(f"{name} {place} is infinite{of}")
        out.append(number)
    return out


def rouge(
    predictions: Texts,
    references: Sequence[Any],
    kinds: Iterable[str] = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
    *,
    stem: bool = False,
) -> dict[str, npt.NDArray[np.float64]]:
    """ROUGE: ``rouge1_precision``, ``rouge1_recall``, ``rouge1_f`` and so on.

    The numbers of the package ``rouge-score`` 0.1.2, which counts words of a-z and 0-9 only: a reference without any
    has 0 whatever is said, and a warning says so. A pair of texts of hundreds of thousands of words is an error where
    ``rougeLsum`` is asked for: it would take hours.
    """
    wanted = _right(references)
    wordless = sum(not any(c.isascii() and c.isalnum() for c in one) for one in wanted)
    if wordless:
        warnings.warn(
            f"{wordless} of {len(wanted)} references hold no word of a-z and 0-9; ROUGE is 0 for them whatever is said",
            stacklevel=2,
        )
    found: dict[str, npt.NDArray[np.float64]] = _native.rouge(
        _said(predictions), wanted, list(kinds), stem
    )
    return found


def exact(predictions: Texts, references: Sequence[Any]) -> npt.NDArray[np.bool_]:
    """Whether each prediction is the reference, in lower case and single spaces.

    A prediction that announces its answer (``The final answer is ..``) is compared by that answer.
    """
    return _native.exact(_said(predictions), _right(references))


def choice(
    predictions: Texts,
    references: Sequence[Any],
    *,
    options: int = 4,
    rule: Literal["strict", "bizcompass"] = "strict",
) -> npt.NDArray[np.bool_]:
    """Whether the letters of each prediction are those of the reference (``"B"``, ``"AC"``, ``"A, C"``).

    A reference that names no option is a ``ValueError``.
    """
    if rule not in ("strict", "bizcompass"):
        raise ValueError(f"rule is 'strict' or 'bizcompass', not {rule!r}")
    letters = string.ascii_uppercase[: whole(options, "options", 1)]
    wanted = []
    for place, one in enumerate(_place("references", references)):
        if isinstance(one, (list, tuple)):
            one = "".join(str(letter) for letter in one)
        if _is_missing(one):
            raise ValueError(f"reference {place} is missing")
        text = _text(one, f"reference {place}")
        named = text.upper().replace(",", "").replace(";", "").replace(" ", "")
        if not named or any(letter not in letters for letter in named):
            raise ValueError(f"reference {place} names no option of {letters}: {text!r}")
        wanted.append(named)
    return _native.choice(_said(predictions), wanted, len(letters), rule == "bizcompass")


def numeric(
    predictions: Texts,
    references: Sequence[float],
    *,
    rule: Literal["close", "same"] = "close",
) -> npt.NDArray[np.bool_]:
    """Whether the number of each prediction is right: within 1 % (``close``) or within 1e-6 (``same``)."""
    return _native.numbers(_said(predictions), _numbers(references, "reference"), rule)


def ndcg(relevances: Sequence[Sequence[float]], *, k: int | None = None) -> npt.NDArray[np.float64]:
    """Normalised discounted cumulative gain of rankings.

    ``relevances[i]`` are the gains of ranking ``i`` in the order in which it shows them, each at least 0; 0 without
    any gain. ``k`` counts only the first places.
    """
    if k is not None:
        k = whole(k, "k", 1)
    out = np.zeros(len(relevances))
    for number, gains in enumerate(relevances):
        found = np.array(_numbers(gains, "gain", f" (ranking {number})"))
        if (found < 0).any():
            raise ValueError(f"gain {int(np.argmax(found < 0))} is below 0 (ranking {number})")
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
        places = np.flatnonzero(np.array(_numbers(gains, "gain", f" (ranking {number})")) > 0)
        out[number] = 1.0 / (places[0] + 1) if len(places) else 0.0
    return out


def _keys(count: int, cluster: Sequence[Hashable] | None) -> list[str]:
    """The cluster of each of ``count`` values; without ``cluster``, each value is a cluster."""
    keys = range(count) if cluster is None else list(cluster)
    if len(keys) != count:
        raise ValueError(f"there are {count} values and {len(keys)} clusters; each value needs one cluster")
    for place, key in enumerate(keys):
        if _is_missing(key):
            raise ValueError(f"cluster {place} is missing")
    return [repr(key) for key in keys]


def bootstrap(
    values: Sequence[float],
    cluster: Sequence[Hashable] | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
) -> dict[str, Any] | None:
    """The mean with its interval (bias corrected and accelerated bootstrap); ``None`` without values.

    ``cluster`` names the instance, question or case of each value. The mean is that of all values; the interval
    counts clusters, as in ``boardroom run``. Without ``cluster``, every value is a cluster. One cluster has no
    interval.

    A value that is not a finite number is a ``ValueError``: leave such values out before, or decide what they
    count.
    """
    seed, resamples = whole(seed, "seed", 0), whole(resamples, "resamples", 2)
    numbers = _numbers(values)
    rows = list(zip(_keys(len(numbers), cluster), numbers, strict=True))
    told = _native.bootstrap(rows, level, seed, resamples)
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
    seed = whole(seed, "seed", 0)
    if len(first) != len(second):
        raise ValueError(f"there are {len(first)} and {len(second)} values")
    names = _keys(len(first), cluster)
    pairs = [
        list(zip(names, _numbers(side, of=of), strict=True))
        for side, of in ((first, " (first list)"), (second, " (second list)"))
    ]
    told = _native.paired(pairs[0], pairs[1], level, seed)
    found: dict[str, Any] | None = json.loads(told)
    return found
