"""Stable-Baselines3: its checker on every id, and its vector environment."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import boardroom

pytest.importorskip("stable_baselines3")

from stable_baselines3.common.env_checker import check_env  # noqa: E402

import boardroom.gym  # noqa: E402
from boardroom.sb3 import VecEnv  # noqa: E402

PRESETS = [
    (name, preset["name"])
    for name in boardroom.gym.IDS
    for preset in boardroom.describe(name)["presets"]
]


@pytest.mark.parametrize(("environment", "preset"), PRESETS)
def test_the_checker_has_nothing_to_say(environment, preset):
    try:
        env = boardroom.make(environment, preset=preset)
    except ValueError as error:
        pytest.skip(str(error))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


def test_ended_episodes_are_told():
    env = VecEnv("beer-game", 4, preset="random", seed=7)
    obs = env.reset()
    single = boardroom.make("beer-game", preset="random")
    first, _ = single.reset(seed=7)
    assert np.array_equal(obs[0], first)
    total = np.zeros(4)
    for week in range(25):
        obs, rewards, dones, infos = env.step(np.zeros((4, 1), np.float32))
        total += rewards
        last, *_ = single.step(np.zeros(1, np.float32))
        assert dones.all() == (week == 24)
    assert np.array_equal(infos[0]["terminal_observation"], last)
    assert not np.array_equal(obs[0], last)
    assert infos[0]["episode"]["l"] == 25 and not infos[0]["TimeLimit.truncated"]
    assert total[0] == pytest.approx(infos[0]["episode"]["r"], rel=1e-5)
    scale = env.lanes.reward_sign / env.lanes.reward_scale
    assert infos[0]["episode"]["r"] == pytest.approx(infos[0]["episode"]["score"] * scale, rel=1e-9)


def test_a_seed_counts_at_the_next_reset():
    env = VecEnv("beer-game", 2, preset="random")
    seeds = []
    for seed in (7, None, 7):
        if seed is not None:
            env.seed(seed)
        env.reset()
        seeds.append(env.lanes.episode_seeds.tolist())
    assert seeds == [[7, 7], [8, 8], [7, 7]]


def test_wrappers_of_sb3_work():
    from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

    env = VecNormalize(VecMonitor(VecEnv("pricing", 3)))
    env.reset()
    for _ in range(5):
        obs, *_ = env.step(np.stack([env.action_space.sample() for _ in range(3)]))
    assert np.isfinite(obs).all()
