"""The program `boardroom`, which the adapters for language models run."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from boardroom._encode import dumps

#: How long a server may take to answer for the first time [s].
_PATIENCE = 30.0


def program() -> str:
    """The command ``boardroom``: the one of this environment, or the one on the path."""
    here = Path(sys.executable).parent / ("boardroom.exe" if os.name == "nt" else "boardroom")
    found = str(here) if here.exists() else shutil.which("boardroom")
    if found is None:
        raise FileNotFoundError(
            "the program `boardroom` was not found: this wheel was built without it; "
            "`cargo install --path crates/boardroom` builds it"
        )
    return found


def serve(
    environment: str,
    *,
    preset: str | None = None,
    settings: dict[str, Any] | None = None,
    seed: int = 0,
) -> list[str]:
    """The arguments of ``boardroom serve`` for an environment."""
    arguments = ["serve", environment, "--seed", str(seed)]
    if preset is not None:
        arguments += ["--preset", preset]
    for path, value in (settings or {}).items():
        arguments += ["--set", f"{path}={dumps(value)}"]
    return arguments


def openenv_command(
    environment: str,
    port: int,
    *,
    preset: str | None = None,
    settings: dict[str, Any] | None = None,
    seed: int = 0,
    reward: str = "unit",
    record: str | None = None,
) -> list[str]:
    """The command of a server of this machine with OpenEnv's protocol."""
    arguments = serve(environment, preset=preset, settings=settings, seed=seed)
    arguments += ["--openenv", "--http", f"127.0.0.1:{port}", "--reward", reward]
    if record is not None:
        arguments += ["--record", record, "--close-at-end"]
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
    record: str | None = None,
) -> Iterator[str]:
    """A server on this machine, as its address; it ends with the block.

    ``record`` is a run folder that keeps the record of every game.
    """
    if port == 0:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
    command = openenv_command(
        environment,
        port,
        preset=preset,
        settings=settings,
        seed=seed,
        reward=reward,
        record=record,
    )
    # A file and no pipe, which nobody would empty.
    with tempfile.TemporaryFile("w+", encoding="utf-8") as told:
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=told)
        try:
            url = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + _PATIENCE
            while not _answers(url):
                if server.poll() is not None or time.monotonic() > deadline:
                    told.seek(0)
                    raise RuntimeError(f"`boardroom serve` did not answer: {told.read().strip()}")
                time.sleep(0.05)
            yield url
        finally:
            server.terminate()
            server.wait()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=1):
            return True
    except (urllib.error.URLError, OSError):
        return False


def records(folder: str | Path) -> list[dict[str, Any]]:
    """The records of a run folder."""
    path = Path(folder) / "episodes.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
