"""PPO on the Beer Game: 20 CPU seconds of training beat the adaptive rule on games that it has not seen."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytest.importorskip("stable_baselines3")

EXAMPLE = Path(__file__).parents[2] / "examples/train_ppo.py"


def test_twenty_seconds_of_training_beat_the_adaptive_rule():
    found = runpy.run_path(str(EXAMPLE), run_name="example")["main"](17.0)
    print(found)
    assert found["training"] <= 20.0
    assert found["cost"] <= 7_700
    assert found["difference"]["interval"]["high"] < 0
