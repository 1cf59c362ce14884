"""Gymnasium's checkers, and its vector environment against ours."""

from __future__ import annotations

import copy
import pickle
import re
import warnings

import numpy as np
import pytest
from conftest import FIRST, NUMERIC

import boardroom

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

import boardroom.gym  # noqa: E402


@pytest.mark.parametrize(("environment", "preset"), NUMERIC)
def test_the_checker_has_nothing_to_say(environment, preset):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(boardroom.make(environment, preset=preset))
        check_env(boardroom.make(environment, preset=preset, render_mode="ansi"))


@pytest.mark.parametrize(("environment", "preset"), FIRST)
@pytest.mark.parametrize("reward", ["raw", "scaled"])
def test_ids_are_registered(environment, preset, reward):
    name = f"boardroom/{boardroom.gym.IDS[environment]}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(name, preset=preset, reward=reward)
        check_env(env.unwrapped)
        vector = gymnasium.make_vec(name, 3, vectorization_mode="vector_entry_point", preset=preset)
        vector.reset(seed=1)
        _, _, _, _, info = vector.step(vector.action_space.sample())
    told = {"score", "length", "episode_number", "clipped"}
    assert set(info) <= told | {f"_{name}" for name in told}


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(("environment", "preset"), FIRST)
def test_vectors_are_gymnasiums_vectors(environment, preset, mode):
    """Ours against SyncVectorEnv over single environments: the same numbers in every mode."""
    count = 3
    ours = boardroom.make_vec(environment, count, preset=preset, autoreset=mode.name.lower())
    assert ours.metadata["autoreset_mode"] is mode
    theirs = gymnasium.vector.SyncVectorEnv(
        [lambda: boardroom.make(environment, preset=preset)] * count, autoreset_mode=mode
    )
    seeds = [5, 6, 7]
    mine, _ = ours.reset(seed=seeds)
    other, _ = theirs.reset(seed=seeds)
    assert np.array_equal(mine, other)
    ours.action_space.seed(3)
    over = np.zeros(count, bool)
    for _ in range(min(ours.lanes.horizon + 3, 45)):
        if mode is AutoresetMode.DISABLED and over.any():
            mine, _ = ours.reset(options={"reset_mask": over})
            other, _ = theirs.reset(options={"reset_mask": over})
            assert np.array_equal(mine, other)
        actions = ours.action_space.sample()
        mine, reward, over, _, info = ours.step(actions)
        other, their_reward, their_over, _, their_info = theirs.step(actions)
        assert np.array_equal(mine, other)
        assert np.array_equal(reward, their_reward) and np.array_equal(over, their_over)
        if mode is AutoresetMode.SAME_STEP and over.any():
            for lane in np.flatnonzero(over):
                assert np.array_equal(info["final_obs"][lane], their_info["final_obs"][lane])


def test_copies_are_the_callers_unless_asked_otherwise():
    venv = boardroom.make_vec("beer-game", 4)
    venv.reset(seed=1)
    first = venv.step(venv.action_space.sample())[0]
    kept = first.copy()
    venv.step(venv.action_space.sample())
    assert np.array_equal(first, kept)
    shared = boardroom.make_vec("beer-game", 4, copy=False)
    shared.reset(seed=1)
    one = shared.step(shared.action_space.sample())[0]
    assert one is shared.step(shared.action_space.sample())[0]


def test_seeds_and_episodes():
    env = boardroom.make("beer-game", preset="random")
    obs, info = env.reset(seed=7)
    assert info == {"seed": 7, "episode": 0}
    second, info = env.reset()
    assert info == {"seed": 7, "episode": 1}
    again, info = env.reset(seed=7, options={"episode": 1})
    assert np.array_equal(second, again) and info["episode"] == 1
    other = boardroom.make("beer-game", preset="random")
    assert other.reset()[1]["seed"] != boardroom.make("beer-game", preset="random").reset()[1]["seed"]
    with pytest.raises(ValueError, match="unknown options"):
        env.reset(options={"week": 3})
    venv = boardroom.make_vec("beer-game", 4, preset="random")
    venv.reset(seed=7)
    assert venv.episodes.tolist() == [0, 1, 2, 3] and set(venv.episode_seeds.tolist()) == {7}


@pytest.mark.parametrize(("environment", "preset"), NUMERIC)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 8])
def test_any_lane_takes_any_episode(environment, preset, count):
    """Seeds and episodes by lane, also where lanes share opponents: what a single environment sees."""
    if count not in (2, 4) and (environment, preset) not in FIRST:
        pytest.skip("the first preset of each environment only")
    venv = boardroom.make_vec(environment, count, preset=preset)
    seeds = [100 + k for k in range(count)]
    singles = [boardroom.make(environment, preset=preset) for _ in seeds]

    def agree(obs, lanes=range(count)):
        for lane in lanes:
            assert np.array_equal(obs[lane], seen[lane]), lane

    try:
        seen = [env.reset(seed=seed)[0] for env, seed in zip(singles, seeds)]
    except ValueError as error:
        pytest.skip(str(error))
    agree(venv.reset(seed=seeds)[0])
    venv.action_space.seed(1)
    for _ in range(3):
        if venv.lanes.horizon <= 3:
            break
        actions = venv.action_space.sample()
        obs, rewards, *_ = venv.step(actions)
        steps = [env.step(action) for env, action in zip(singles, actions)]
        seen = [step[0] for step in steps]
        agree(obs)
        assert np.array_equal(rewards, [step[1] for step in steps])
        # A game that ended by its action waits for its reset.
        if any(step[2] for step in steps):
            break
    # One lane begins another episode, the others go on.
    mask = np.arange(count) == count - 1
    numbers = [7 + k for k in range(count)]
    obs, _ = venv.reset(options={"reset_mask": mask, "episodes": numbers})
    seen[-1], _ = singles[-1].reset(options={"episode": numbers[-1]})
    agree(obs)
    obs, info = venv.reset(seed=seeds, options={"episodes": numbers})
    seen = [env.reset(seed=seed, options={"episode": k})[0] for env, seed, k in zip(singles, seeds, numbers)]
    agree(obs)
    assert info["episode_number"].tolist() == numbers


@pytest.mark.parametrize(("environment", "preset"), FIRST)
def test_actions_of_another_shape_are_refused(environment, preset):
    venv = boardroom.make_vec(environment, 4, preset=preset)
    venv.reset(seed=1)
    size = venv.lanes.action_size
    wrong = [(size + 1, 4), (2, 2 * size), (1, 4, size), (4 * size + 4,), ()]
    wrong += [(size, 4), (4 * size,)] if size not in (1, 4) else []
    for shape in wrong:
        with pytest.raises(ValueError, match=re.escape(f"shape {shape}, wanted {(4, size)}")):
            venv.step(np.zeros(shape, np.float32))
    assert np.array_equal(venv.lanes.episodes, range(4))
    env = boardroom.make(environment, preset=preset)
    env.reset(seed=1)
    for shape in [(size + 1,), (1, size, 1)] + ([(size, 1)] if size > 1 else []):
        with pytest.raises(ValueError, match="wanted"):
            env.step(np.zeros(shape, np.float32))
    with pytest.raises(ValueError, match="wanted"):
        venv.lanes.reset_lanes(np.ones((4, 1), bool))


def test_clipped_actions_are_counted():
    env = boardroom.make("beer-game", preset="random", scale=False)
    env.reset(seed=1)
    info = {}
    for week in range(25):
        _, _, _, _, info = env.step([-1.0 if week < 3 else 5.0])
    assert info["score"]["clipped"] == 3
    venv = boardroom.make_vec("beer-game", 2, preset="random", scale=False)
    venv.reset(seed=1)
    for week in range(25):
        _, _, _, _, info = venv.step([[10.0], [1e7 if week in (4, 9) else 10.0]])
    assert info["clipped"].tolist() == [0, 2]


def test_an_environment_is_a_value():
    env = boardroom.make("pricing")
    env.reset(seed=3)
    env.action_space.seed(1)
    for _ in range(4):
        env.step(env.action_space.sample())
    state = env.state()
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    fresh = boardroom.make("pricing")
    fresh.restore(state)
    others.append(fresh)
    action = env.action_space.sample()
    expected = env.step(action)
    for other in others:
        found = other.step(action)
        assert np.array_equal(found[0], expected[0]) and found[1] == expected[1]


def test_a_state_of_other_spaces_is_refused():
    env = boardroom.make("pricing")
    env.reset(seed=3)
    state = env.state()
    others = [boardroom.make("pricing", preset="hard"), boardroom.make("pricing", scale=False), boardroom.make("edt")]
    for other in [*others, boardroom.make_vec("pricing", 2)]:
        other.reset(seed=1)
        before = other.state()
        with pytest.raises(ValueError, match="the state has other"):
            other.restore(state)
        assert other.state() == before


def test_a_mask_resets_lanes_that_have_begun():
    venv = boardroom.make_vec("beer-game", 2, preset="random")
    mask = np.array([True, False])
    with pytest.raises(ValueError, match="first reset"):
        venv.reset(options={"reset_mask": mask})
    venv.reset(seed=1)
    state = venv.state()
    with pytest.raises(ValueError, match="with a seed"):
        venv.reset(seed=2, options={"reset_mask": mask})
    assert venv.state() == state


def test_wrappers_of_gymnasium_work():
    from gymnasium.wrappers import vector as wrappers

    for mode in ("next_step", "same_step"):
        venv = boardroom.make_vec("beer-game", 4, preset="random", autoreset=mode)
        venv = wrappers.RecordEpisodeStatistics(venv)
        if mode == "next_step":
            venv = wrappers.NormalizeObservation(venv)
        venv.reset(seed=1)
        seen = 0
        for _ in range(60):
            _, _, terminated, _, info = venv.step(venv.action_space.sample())
            told = info.get("final_info", info)
            if terminated.any():
                seen += 1
                assert (told.get("length", info.get("length")) == 25).all()
        assert seen >= 2


def test_async_vector_env_works():
    make = [lambda: boardroom.make("beer-game", preset="random")] * 2
    venv = gymnasium.vector.AsyncVectorEnv(make, context="spawn")
    try:
        obs, _ = venv.reset(seed=1)
        assert obs.shape == (2, 8)
        venv.step(venv.action_space.sample())
    finally:
        venv.close()
