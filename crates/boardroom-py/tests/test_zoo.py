"""PettingZoo's tests on games with several seats."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import boardroom

pytest.importorskip("pettingzoo")

from pettingzoo.test import parallel_api_test, parallel_seed_test  # noqa: E402

from boardroom import zoo  # noqa: E402

GAMES = ["beer-game", "collusion"]


@pytest.mark.parametrize("environment", GAMES)
def test_pettingzoo_has_nothing_to_say(environment):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(zoo.parallel_env(environment), num_cycles=100)
        parallel_seed_test(lambda: zoo.parallel_env(environment))


@pytest.mark.parametrize("environment", GAMES)
def test_rewards_sum_to_the_score(environment):
    env = zoo.parallel_env(environment)
    rng = np.random.default_rng(2)
    env.reset(seed=5)
    total = 0.0
    while env.agents:
        acts = {seat: rng.uniform(-1, 1, 1).astype(np.float32) for seat in env.agents}
        _, rewards, _, _, info = env.step(acts)
        assert len(set(rewards.values())) == 1
        total += next(iter(rewards.values()))
    score = next(iter(info.values()))["score"]["value"]
    assert env._form.sign * total * env.reward_scale == pytest.approx(score, rel=1e-9, abs=1e-12)


def test_seats_see_what_the_game_shows():
    env = zoo.parallel_env("beer-game")
    seen, _ = env.reset(seed=1)
    game = boardroom.Game("beer-game", preset="classic", seed=1)
    assert list(seen) == game.seats
    one = boardroom.Lanes("beer-game", preset="classic", settings={"play.controlled": ["retailer"]})
    assert one.named(seen["retailer"])["inventory"] == game.seen["retailer"]["inventory"]


def test_bad_actions_are_refused():
    env = zoo.parallel_env("beer-game")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="finite"):
        env.step({seat: np.array([np.nan], np.float32) for seat in env.agents})
    with pytest.raises(ValueError, match="no seats as numbers"):
        zoo.parallel_env("edt")
