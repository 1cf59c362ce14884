"""OpenEnv (extra ``openenv``): a server of ``boardroom serve --openenv``, and its client.

    with boardroom.openenv.serving("beer-game", preset="random", seed=7) as url:
        with boardroom.openenv.client(url).sync() as env:
            env.reset(seed=3)                                  # episode 3 of seed 7
            env.step({"name": "place_order", "arguments": {"quantity": 300}})

The reward is the unit score; an environment without one needs ``reward="score"``.
``python -m boardroom.openenv beer-game --port 8000`` serves until it is stopped. Only a connection (``/ws``) keeps
a game; a seed of ``reset`` is the number of an episode.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from boardroom._extra import missing
from boardroom._program import openenv_command, serving

try:
    from openenv.core.generic_client import GenericEnvClient
except ImportError as error:
    raise missing("openenv", error) from error

__all__ = ["client", "main", "serving"]


def client(url: str) -> GenericEnvClient:
    """A client of OpenEnv; ``.sync()`` makes one without ``await``."""
    return GenericEnvClient(base_url=url)


def main(arguments: list[str] | None = None) -> int:
    """The command ``python -m boardroom.openenv``."""
    parser = argparse.ArgumentParser(prog="python -m boardroom.openenv", description=__doc__)
    parser.add_argument("environment")
    parser.add_argument("--preset")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--reward", choices=["score", "unit"], default="unit")
    given = parser.parse_args(arguments)
    command = openenv_command(
        given.environment, given.port, preset=given.preset, seed=given.seed, reward=given.reward
    )
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
