"""The fast Beer Game against its twin in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import boardroom

pytest.importorskip("gymnasium")

import twin  # noqa: E402


@pytest.mark.parametrize("episode", [0, 1])
def test_the_twin_pays_the_same(episode):
    """Episode 0 is against `typical`, episode 1 against the mean of four weeks."""
    rng = np.random.default_rng(episode)
    demand = [100.0] * 2 + [400.0] * 23
    for _ in range(50):
        lanes = boardroom.Lanes("beer-game", preset="paper", scale=False, reward="raw", autoreset="disabled")
        lanes.reset(3)
        lanes.reset_lanes(np.ones(1, bool), [episode])
        slow = twin.BeerGame(demand, [1, 4][episode])
        for _ in range(twin.WEEKS):
            order = float(rng.integers(0, 900))
            obs, reward, _ = lanes.step([[order]])
            assert -reward[0] == slow.step(order)
            seen = lanes.named(obs[0])
            assert (seen["inventory"], seen["backlog"]) == (
                slow.stages[0].inventory,
                slow.stages[0].backlog,
            )
