"""Drawn episodes of every environment: a lane among many, a lane alone, and the record of Rust's single environment.

`cargo xtask python --episodes 10000` plays ten thousand of each.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from conftest import FIRST, draw

import boardroom

EPISODES = int(os.environ.get("EPISODES", "12"))


@pytest.mark.parametrize(("environment", "preset"), FIRST)
def test_episodes_are_alike_bit_for_bit(environment, preset, rng):
    count = min(EPISODES, 50)
    many = boardroom.Lanes(environment, count, preset=preset, reward="raw")
    alone = boardroom.Lanes(environment, 1, preset=preset, reward="raw", autoreset="disabled")
    first = many.reset(21)
    alone.reset(21)
    played: list[list[tuple]] = [[] for _ in range(count)]
    over = np.zeros(count, bool)
    left = EPISODES
    while left > 0:
        actions = draw(many, rng)
        obs, rewards, ended = many.step(actions)
        for lane in np.flatnonzero(~over):
            played[lane].append((actions[lane], obs[lane], rewards[lane]))
        first[over] = obs[over]
        for lane in np.flatnonzero(ended):
            scores, lengths, episodes = many.finals()
            assert lengths[lane] == len(played[lane])
            begin = alone.reset_lanes(np.ones(1, bool), [int(episodes[lane])])
            assert np.array_equal(begin[0], first[lane])
            for action, seen, earned in played[lane]:
                obs_alone, reward, done = alone.step(action[None])
                assert np.array_equal(obs_alone[0], seen) and reward[0] == earned
            assert done[0] and alone.finals()[0][0] == scores[lane]
            record = many.record(int(lane))
            assert record == alone.record(0)
            assert record["score"]["value"] == scores[lane]
            assert record["header"]["episode"] == episodes[lane]
            total = sum(earned for _, _, earned in played[lane])
            assert total == pytest.approx(many.reward_sign * scores[lane], rel=1e-9, abs=1e-9)
            played[lane] = []
            left -= 1
        over = ended
