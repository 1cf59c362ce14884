"""Speed of the vector environments, in steps per CPU second: `python tests/bench.py`.

1,024 lanes with copies and drawn actions, resets included, on one core. Not a test: figures depend on the machine.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import boardroom

CASES = [
    ("beer-game", "random", 30e6),
    ("beer-game", "stationary", 20e6),
    ("pricing", "hard", 3e6),
    ("scheduling", "hard", 100e3),
    ("edt", None, 300e3),
    ("procurement", None, 0.0),
    ("ceo", None, 0.0),
]


def measure(environment: str, preset: str | None, seconds: float = 1.5) -> float:
    """Steps per CPU second, the best of three."""
    venv = boardroom.make_vec(environment, 1024, preset=preset)
    venv.reset(seed=1)
    venv.action_space.seed(1)
    actions = [venv.action_space.sample() for _ in range(16)]
    best = 0.0
    for _ in range(3):
        started, steps = time.process_time(), 0
        while (spent := time.process_time() - started) < seconds / 3:
            for action in actions:
                venv.step(action)
            steps += len(actions) * 1024
        best = max(best, steps / spent)
    return best


def single() -> float:
    """Steps per CPU second of one environment."""
    env = boardroom.make("beer-game", preset="random")
    env.reset(seed=1)
    action = np.zeros(1, np.float32)
    started, steps = time.process_time(), 0
    while (spent := time.process_time() - started) < 1.0:
        for _ in range(25):
            env.step(action)
        env.reset()
        steps += 25
    return steps / spent


def plain_python() -> float:
    """Steps per CPU second of Gymnasium's SyncVectorEnv over the twin in plain Python."""
    import gymnasium
    import twin

    venv = gymnasium.vector.SyncVectorEnv([twin.Env] * 1024)
    venv.reset(seed=1)
    action = venv.action_space.sample()
    started, steps = time.process_time(), 0
    while (spent := time.process_time() - started) < 2.0:
        venv.step(action)
        steps += 1024
    return steps / spent


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for environment, preset, goal in CASES:
        if wanted and environment not in wanted:
            continue
        found = measure(environment, preset)
        print(f"{environment:12} {preset or '':12} {found / 1e6:8.3f} M/s  wanted {goal / 1e6:6.3f}")
    if not wanted:
        print(f"single       random       {single() / 1e6:8.3f} M/s")
        print(f"plain Python (SyncVector) {plain_python() / 1e6:8.3f} M/s")
