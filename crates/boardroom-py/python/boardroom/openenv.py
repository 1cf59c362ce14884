"""OpenEnv (extra ``openenv``): a server of ``boardroom serve --openenv``, and its client.

    with boardroom.openenv.serving("beer-game", preset="random", seed=7) as url:
        with boardroom.openenv.client(url).sync() as env:
            env.reset(seed=3)                                  # episode 3 of seed 7
            env.step({"name": "place_order", "arguments": {"quantity": 300}})

``python -m boardroom.openenv beer-game --port 8000`` serves until it is stopped. Only a connection (``/ws``) keeps
a game; a seed of ``reset`` is the number of an episode.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from boardroom._extra import missing
from boardroom._program import program, serve

try:
    from openenv.core.generic_client import GenericEnvClient
except ImportError as error:
    raise missing("openenv", error) from error

#: How long a server may take to answer for the first time [s].
_PATIENCE = 30.0


def _command(
    environment: str,
    port: int,
    preset: str | None,
    settings: dict[str, Any] | None,
    seed: int,
    reward: str,
) -> list[str]:
    arguments = serve(environment, preset=preset, settings=settings, seed=seed)
    arguments += ["--openenv", "--http", f"127.0.0.1:{port}", "--reward", reward]
    return [program(), *arguments]


@contextmanager
def serving(
    environment: str,
    *,
    preset: str | None = None,
    settings: dict[str, Any] | None = None,
    seed: int = 0,
    reward: Literal["score", "unit"] = "unit",
    port: int = 0,
) -> Iterator[str]:
    """A server on this machine, as the address for :func:`client`; it ends with the block."""
    if port == 0:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
    command = _command(environment, port, preset, settings, seed, reward)
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                with urllib.request.urlopen(f"{url}/health", timeout=1):
                    break
            except (urllib.error.URLError, OSError):
                pass
            if server.poll() is not None or time.monotonic() > deadline:
                server.kill()
                _, told = server.communicate()
                raise RuntimeError(f"`boardroom serve` did not answer: {told.strip()}")
            time.sleep(0.05)
        yield url
    finally:
        server.terminate()
        server.communicate()


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
    command = _command(given.environment, given.port, given.preset, None, given.seed, given.reward)
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
