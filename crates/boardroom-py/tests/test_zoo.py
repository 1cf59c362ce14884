"""PettingZoo's tests on games with several seats."""

from __future__ import annotations

import copy
import pickle
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


def draw(env, rng):
    return {seat: rng.uniform(-1, 1, 1).astype(np.float32) for seat in env.agents}


def test_rewards_sum_to_the_cost_of_the_team():
    env = zoo.parallel_env("beer-game")
    rng = np.random.default_rng(2)
    env.reset(seed=5)
    total = 0.0
    while env.agents:
        _, rewards, _, _, info = env.step(draw(env, rng))
        assert len(set(rewards.values())) == 1
        total += next(iter(rewards.values()))
    score = next(iter(info.values()))["score"]["value"]
    assert -total * env.reward_scale == pytest.approx(score, rel=1e-9)


@pytest.mark.parametrize("sellers", [2, 3])
def test_a_seller_earns_its_own_profit(sellers):
    env = zoo.parallel_env("collusion", settings={"sellers": np.int64(sellers), "periods": 60, "steady": 30})
    rng = np.random.default_rng(2)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=5)
    while env.agents:
        seen, rewards, _, _, info = env.step(draw(env, rng))
        for seat, reward in rewards.items():
            totals[seat] += reward
            assert reward * env.reward_scale == pytest.approx(env.named(seen[seat])["profit"], rel=1e-5, abs=1e-5)
    assert len(set(totals.values())) == sellers
    for seat, total in totals.items():
        profit = info[seat]["score"]["metrics"][f"profit_{seat}"]
        assert total * env.reward_scale == pytest.approx(profit, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("episode", range(4))
def test_numbers_of_sellers_are_scaled(episode):
    """The printed ceiling differs from episode to episode; prices are shares of the present one."""
    env = zoo.parallel_env("collusion")
    env.reset(seed=3, options={"episode": episode})
    rng = np.random.default_rng(4)
    largest = np.zeros(len(env.fields))
    while env.agents:
        acts = draw(env, rng)
        seen, *_ = env.step(acts)
        for seat, other in zip(env.possible_agents, reversed(env.possible_agents)):
            named = env.named(seen[seat])
            assert named["price"] == pytest.approx((acts[seat][0] + 1) / 2, abs=1e-5)
            assert named["rival_1"] == pytest.approx((acts[other][0] + 1) / 2, abs=1e-5)
            largest = np.maximum(largest, np.abs(seen[seat]))
    assert largest.max() < 10 and largest.min() > 0.1


@pytest.mark.parametrize("environment", GAMES)
def test_the_last_observation_is_that_of_the_last_period(environment):
    env = zoo.parallel_env(environment)
    rng = np.random.default_rng(2)
    env.reset(seed=5)
    while env.agents:
        before = env._seen
        seen, *_ = env.step(draw(env, rng))
    results = dict(env.game.outcomes)
    for seat, observation in seen.items():
        assert not np.array_equal(observation, before[seat])
        named, result = env.named(observation), results[seat]
        if environment == "beer-game":
            for name in ("inventory", "backlog"):
                assert named[name] == pytest.approx(result[name], rel=1e-5) or named[name] > 200
        else:
            assert named["quantity"] == pytest.approx(result["quantity"], rel=1e-5)


@pytest.mark.parametrize("environment", GAMES)
def test_an_environment_is_a_value(environment):
    env = zoo.parallel_env(environment)
    rng = np.random.default_rng(2)
    assert pickle.loads(pickle.dumps(env)).possible_agents == env.possible_agents
    env.reset(seed=5)
    for _ in range(3):
        env.step(draw(env, rng))
    acts = draw(env, rng)
    others = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    seen, rewards, *_ = env.step(acts)
    for other in others:
        found, earned, *_ = other.step(acts)
        assert earned == rewards
        for seat in seen:
            assert np.array_equal(found[seat], seen[seat])


def test_sizes_are_those_of_the_preset():
    team = {"play.controlled": ["retailer", "wholesaler"]}
    one = boardroom.Lanes("beer-game", preset="paper")
    for settings in (team, {"": boardroom.Game("beer-game", preset="paper", settings=team).config}):
        env = zoo.parallel_env("beer-game", preset="paper", settings=settings)
        assert env.fields == one.fields and env.reward_scale == one.reward_scale
        seen, _ = env.reset(seed=1)
        assert np.array_equal(seen["retailer"], one.reset(seed=1)[0])


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
    good = {seat: np.zeros(1, np.float32) for seat in env.agents}
    for wrong in (np.zeros(2), np.zeros((1, 1)), np.zeros(0)):
        with pytest.raises(ValueError, match="shape"):
            env.step({**good, "brewery": wrong})
    with pytest.raises(ValueError, match="wanted one of each"):
        env.step({"retailer": np.zeros(1)})
    with pytest.raises(ValueError, match="render_mode"):
        zoo.parallel_env("beer-game", render_mode="human")
    with pytest.raises(ValueError, match="no seats as numbers"):
        zoo.parallel_env("edt")
