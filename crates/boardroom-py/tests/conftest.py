"""What several tests use."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import boardroom

#: Every environment with a form as numbers, with all presets that have one.
NUMERIC: list[tuple[str, str]] = []
for _name in boardroom.environments():
    for _preset in boardroom.describe(_name)["presets"]:
        try:
            boardroom.Lanes(_name, 1, preset=_preset["name"])
        except ValueError:
            continue
        NUMERIC.append((_name, _preset["name"]))

#: The first preset of each.
FIRST = [pair for k, pair in enumerate(NUMERIC) if k == 0 or NUMERIC[k - 1][0] != pair[0]]


def draw(lanes: boardroom.Lanes, rng: np.random.Generator) -> np.ndarray:
    """Actions of all lanes."""
    shape = (lanes.lanes, lanes.action_size)
    if lanes.choices is not None:
        return rng.integers(0, lanes.choices, shape).astype(np.float32)
    low, high = lanes.action_bounds()
    return (low + (high - low) * rng.random(shape, np.float32)).astype(np.float32)


def single(environment: str, config: dict[str, Any], seed: int, episode: int) -> boardroom.Game:
    """The same episode as a game of its own, in Rust's single environment."""
    return boardroom.Game(environment, settings={"": config}, seed=seed, episode=episode)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def as_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
