"""Lanes against single environments: numbers, ends, copies, errors."""

from __future__ import annotations

import copy
import hashlib
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import FIRST, NUMERIC, draw, single

import boardroom

MODES = ["next_step", "same_step", "disabled"]


@pytest.mark.parametrize(("environment", "preset"), NUMERIC)
@pytest.mark.parametrize("mode", MODES)
def test_lanes_play_what_single_environments_play(environment, preset, mode, rng):
    """Bit for bit: every lane, its single environment, and the record of the episode."""
    count = 5
    lanes = boardroom.Lanes(environment, count, preset=preset, autoreset=mode, reward="raw")
    lanes.reset(9)
    numbers = list(range(count))
    games = [single(environment, lanes.config, 9, k) for k in numbers]
    sums = np.zeros(count)
    ends = 0
    for _ in range(min(lanes.horizon + 2, 60)):
        over = np.array([game.done for game in games])
        if mode == "disabled" and over.any():
            lanes.reset_lanes(over)
        actions = draw(lanes, rng)
        before = [lanes.action_value(action) for action in actions]
        _, rewards, ended = lanes.step(actions)
        for lane in range(count):
            if over[lane]:
                numbers[lane] += count
                games[lane] = single(environment, lanes.config, 9, numbers[lane])
                sums[lane] = 0.0
                if mode == "next_step":
                    assert rewards[lane] == 0.0 and not ended[lane]
                    continue
            turn = games[lane].act(before[lane])
            assert turn.info["rejected"] == 0
            sums[lane] += rewards[lane]
            score = games[lane].score["value"]
            assert ended[lane] == turn.done
            assert sums[lane] == pytest.approx(lanes.reward_sign * score, rel=1e-9, abs=1e-9)
            if not ended[lane]:
                continue
            ends += 1
            finals = lanes.finals()
            assert (finals[0][lane], finals[2][lane]) == (pytest.approx(score, rel=1e-12), numbers[lane])
            if mode == "same_step":
                numbers[lane] += count
                games[lane] = single(environment, lanes.config, 9, numbers[lane])
                sums[lane] = 0.0
            else:
                record = lanes.record(lane)
                assert record["score"]["value"] == score
                theirs = games[lane].record()
                assert record["digest"] == theirs["digest"]
                assert record["entries"] == theirs["entries"]
    assert ends > 0 or lanes.horizon > 60


@pytest.mark.parametrize(("environment", "preset"), FIRST)
def test_copies_continue_alike(environment, preset, rng):
    lanes = boardroom.Lanes(environment, 3, preset=preset)
    lanes.reset([4, 4, 5])
    steps = [draw(lanes, rng) for _ in range(8)]
    for actions in steps[:3]:
        lanes.step(actions)
    again = boardroom.Lanes(environment, 3)
    again.restore(lanes.state())
    for other in (copy.deepcopy(lanes), pickle.loads(pickle.dumps(lanes)), again):
        original = lanes.copy()
        for actions in steps[3:]:
            for one, two in zip(original.step(actions), other.step(actions), strict=True):
                assert np.array_equal(one, two)
        assert original.state() == other.state()


@pytest.mark.parametrize(("environment", "preset"), NUMERIC)
def test_observations_stay_in_their_bounds(environment, preset, rng):
    for scale in (True, False):
        lanes = boardroom.Lanes(environment, 4, preset=preset, scale=scale)
        low, high = lanes.observation_bounds()
        obs = lanes.reset(3)
        for _ in range(min(lanes.horizon + 1, 40)):
            assert np.isfinite(obs).all()
            assert (obs >= low).all() and (obs <= high).all(), lanes.named(obs[0])
            obs, _, _ = lanes.step(draw(lanes, rng))


@pytest.mark.parametrize(("environment", "preset"), NUMERIC)
def test_the_largest_observation_is_in_its_bounds(environment, preset):
    """Scaled numbers are multiplied, and the product may be larger than the quotient by a digit."""
    lanes = boardroom.Lanes(environment, 1, preset=preset)
    _, high = lanes.observation_bounds()
    for field, bound in zip(lanes.fields.values(), high, strict=True):
        largest = np.float32(field.high) * (np.float32(1) / np.float32(field.scale))
        assert min(largest, np.float32(lanes.largest_scaled)) <= bound, field


@pytest.mark.parametrize(
    "options",
    [
        {"scale": False, "reward": "raw", "autoreset": "disabled"},
        {"reward": "score", "autoreset": "same_step"},
    ],
)
def test_restored_lanes_have_the_numbers_and_resets_of_the_state(options):
    lanes = boardroom.Lanes("beer-game", 2, preset="random", **options)
    lanes.reset(4)
    other = boardroom.Lanes("edt", 5)
    other.restore(lanes.state())
    for name in ("environment", "lanes", "scale", "reward", "autoreset"):
        assert getattr(other, name) == getattr(lanes, name), name
    assert np.array_equal(other.observation_bounds(), lanes.observation_bounds())
    actions = np.zeros((2, 1), np.float32)
    for _ in range(25):
        for one, two in zip(lanes.step(actions), other.step(actions), strict=True):
            assert np.array_equal(one, two)
    with pytest.raises(ValueError, match="numbers"):
        other.restore(b'{"lanes": {}}')


def test_policies_draw_what_they_draw_in_a_run():
    # The records of `boardroom run beer-game --agent random --seed 7 --episodes 2`.
    lanes = boardroom.Lanes("beer-game")
    assert [lanes.policy_score("random", 7, k) for k in range(2)] == [46918.0, 49282.0]


def test_numbers_that_cannot_be_meant_are_named():
    lanes = boardroom.Lanes("beer-game", 2)
    for call, named in [
        (lambda: boardroom.Lanes("beer-game", 0), "lanes"),
        (lambda: boardroom.Lanes("beer-game", reward="none"), "reward"),
        (lambda: lanes.reset(-1), "seed"),
        (lambda: lanes.reset([1, -1]), "seed"),
        (lambda: lanes.reset_lanes(np.ones(2, bool), [1, -1]), "episode"),
        (lambda: lanes.policy_score("typical", 1, -1), "episode"),
        (lambda: boardroom.Game("beer-game", seed=-1), "seed"),
        (lambda: boardroom.reference("beer-game", seed=1.5), "seed"),
        (lambda: boardroom.Lanes("beer-game", settings={"": lanes.config, "weeks": 3}), "weeks"),
        (lambda: boardroom.Lanes("beer-game", settings={"cost.holding": np.nan}), "float"),
    ]:
        with pytest.raises(ValueError, match=named):
            call()
    for lane in (-1, 2):
        for call in (lanes.score_of, lanes.reference_of, lanes.record):
            with pytest.raises(IndexError, match="2 lanes"):
                call(lane)


def test_a_bad_action_moves_nothing():
    lanes = boardroom.Lanes("beer-game", 3, preset="random")
    lanes.reset(1)
    state = lanes.state()
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="lane 1 has .* in field 0"):
            lanes.step([[0.0], [bad], [0.0]])
    with pytest.raises(ValueError, match=r"shape \(2, 1\), wanted \(3, 1\)"):
        lanes.step([[0.0], [0.0]])
    assert lanes.state() == state


def test_a_finished_lane_waits_for_its_reset():
    lanes = boardroom.Lanes("edt", 2, autoreset="disabled")
    lanes.reset(1)
    action = np.zeros((2, lanes.action_size), np.float32)
    lanes.step(action)
    with pytest.raises(ValueError, match="lane 0 is over"):
        lanes.step(action)
    lanes.reset_lanes(np.array([True, True]), [7, 9])
    assert lanes.episodes.tolist() == [7, 9]
    lanes.step(action)


def test_the_arrays_are_checked():
    lanes = boardroom.Lanes("beer-game", 2)
    lanes.reset(1)
    obs, rewards, ended = np.zeros((2, 8), np.float32), np.zeros(2), np.zeros(2, bool)
    step = lanes._native.step
    actions = np.zeros((2, 1), np.float32)
    with pytest.raises(ValueError, match="contiguous"):
        step(actions, np.zeros((8, 2), np.float32).T, rewards, ended)
    with pytest.raises(TypeError):
        step(actions.astype(np.float64), obs, rewards, ended)
    with pytest.raises(ValueError, match="obs has length"):
        step(actions, obs[:1], rewards, ended)
    with pytest.raises(ValueError, match="next_step"):
        boardroom.Lanes("beer-game", 2, autoreset="never")
    with pytest.raises(ValueError, match="there is no environment"):
        boardroom.Lanes("beer")
    with pytest.raises(ValueError, match="no form as numbers"):
        boardroom.Lanes("beer-game", preset="classic")


def test_normalised_rewards_sum_to_the_normalised_score(rng):
    with pytest.raises(ValueError, match="needs a reference"):
        boardroom.Lanes("pricing", reward="score").reset(3)
    for environment in ["beer-game", "edt", "procurement"]:
        lanes = boardroom.Lanes(environment, 2, autoreset="disabled", reward="score")
        lanes.reset(3)
        total = np.zeros(2)
        ended = np.zeros(2, bool)
        while not ended.all():
            _, rewards, ended = lanes.step(draw(lanes, rng))
            total += rewards
        for lane in range(2):
            assert total[lane] == pytest.approx(lanes.reference_of(lane).placed["normalised"], rel=1e-9)


def episode_hash(environment: str) -> str:
    rng = np.random.default_rng(0)
    lanes = boardroom.Lanes(environment, 8)
    digest = hashlib.sha256(lanes.reset(11).tobytes())
    for _ in range(40):
        for array in lanes.step(draw(lanes, rng)):
            digest.update(array.tobytes())
    return digest.hexdigest()


def test_another_process_plays_the_same():
    names = [environment for environment, _ in FIRST]
    code = f"import test_lanes; print(*map(test_lanes.episode_hash, {names!r}))"
    out = subprocess.run(
        [sys.executable, "-c", code],
        cwd=os.path.dirname(__file__),
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.split() == [episode_hash(name) for name in names]


def play_and_tell(connection) -> None:
    connection.send(episode_hash("beer-game"))


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_children_play(method):
    """After a step with other threads in the parent; nothing of ours starts a thread."""
    expected = episode_hash("beer-game")
    threads = [threading.Thread(target=episode_hash, args=("beer-game",)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    context = multiprocessing.get_context(method)
    for _ in range(5 if method == "fork" else 1):
        ours, theirs = context.Pipe()
        child = context.Process(target=play_and_tell, args=(theirs,))
        child.start()
        assert ours.poll(60), "the child hangs"
        assert ours.recv() == expected
        child.join(10)
        assert child.exitcode == 0


def test_threads_step_their_own_lanes_at_once_and_one_object_refuses_two():
    lanes = boardroom.Lanes("scheduling", 512)
    lanes.reset(1)
    actions = np.zeros((512, lanes.action_size), np.float32)
    errors: list[BaseException] = []

    def step() -> None:
        try:
            for _ in range(20):
                lanes.step(actions)
        except RuntimeError as error:
            errors.append(error)

    threads = [threading.Thread(target=step) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Either the threads took turns, or one was refused; both leave lanes that work.
    assert all("borrowed" in str(error) for error in errors)
    lanes.step(actions)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a process alone")
def test_ctrl_c_stops_a_long_call():
    # A job in the background of a shell ignores SIGINT, and so would its child.
    code = (
        "import boardroom, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "texts = ['word ' * 2000] * 20_000\n"
        "print('ready', flush=True)\n"
        "while True: boardroom.score.rouge(texts, texts)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    # The lists are converted first, which Python does not interrupt.
    deadline = time.monotonic() + 300
    while child.poll() is None and time.monotonic() < deadline:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(0.5)
        except subprocess.TimeoutExpired:
            continue
    # One that does not listen must not hold up the tests.
    child.kill()
    _, stderr = child.communicate()
    assert child.returncode != 0 and "KeyboardInterrupt" in stderr
