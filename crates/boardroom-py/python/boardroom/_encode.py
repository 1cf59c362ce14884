"""JSON of what a caller gives: also the numbers and arrays of numpy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def dumps(value: Any) -> str:
    """``value`` as JSON text; numbers of numpy become numbers, arrays become lists."""
    return json.dumps(value, default=_plain, allow_nan=False)


def whole(value: Any, name: str, least: int) -> int:
    """A whole number that is at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} is a whole number from {least} on, not {value!r}")
    return int(value)


def _plain(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}, which no setting can be")
