"""OpenEnv's client plays over `boardroom serve --openenv`."""

from __future__ import annotations

import pytest

import boardroom

pytest.importorskip("openenv")

from boardroom import openenv  # noqa: E402


def test_a_seed_is_the_number_of_an_episode():
    with (
        openenv.serving("beer-game", preset="random", seed=7, reward="score") as url,
        openenv.client(url).sync() as env,
    ):
        env.reset(seed=3)
        done, total = False, 0.0
        while not done:
            result = env.step({"name": "place_order", "arguments": {"quantity": 300}})
            done, total = result.done, total + (result.reward or 0.0)
    # 5,394.5 is what constant orders of 300 cost in episode 3 of seed 7.
    assert -total == pytest.approx(5394.5)


def test_the_reward_at_the_end_is_the_unit_score():
    with openenv.serving("beer-game", preset="paper") as url, openenv.client(url).sync() as env:
        env.reset(seed=0)
        done, rewards = False, []
        while not done:
            result = env.step({"name": "place_order", "arguments": {"quantity": 400}})
            done = result.done
            rewards.append(result.reward or 0.0)
    assert rewards[-1] == 1.0 and not any(rewards[:-1])


def test_a_server_that_cannot_start_says_why():
    with pytest.raises(RuntimeError, match="no-such"), openenv.serving("no-such"):
        pass
    assert "beer-game" in boardroom.environments()
