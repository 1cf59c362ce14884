"""The program `boardroom`, which the adapters for language models run."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import stat
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

#: The longest file of a run folder that is read [bytes].
_LONGEST_FILE = 1 << 28

#: The most JSON values of a line of records, or of another file, that are read.
_MOST_VALUES = 1_500_000


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
    """The records of a run folder; none while there is no file of records.

    What follows the last line end is no record: it is being written, or its writer was killed.
    """
    path = Path(folder) / "episodes.jsonl"
    if not os.path.lexists(path):
        return []
    return [json.loads(line) for line in whole_lines(run_file(path))]


def whole_lines(text: str) -> list[str]:
    """The whole lines of a file of JSON lines. ``splitlines`` also splits at U+2028, which may stand in a text."""
    return text.split("\n")[:-1]


def run_file(path: Path) -> str:
    """The text of a file of a run folder.

    Raises OSError where the program would refuse it: a link leads out of the folder, a pipe never ends, and a long
    file, one with holes, or one of very many values fills the memory.
    """
    # On Windows, which has no links of this kind for everybody, the two flags do not exist.
    more = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(path, encoding="utf-8", opener=lambda name, flags: os.open(name, flags | more)) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise OSError(errno.EINVAL, "not an ordinary file with one name", str(path))
        if found.st_size > _LONGEST_FILE:
            raise OSError(errno.EFBIG, f"longer than {_LONGEST_FILE} bytes", str(path))
        # Windows states no blocks. Disks that compress files store less as well, and their files have no holes.
        stored = 512 * getattr(found, "st_blocks", found.st_size)
        if stored + (1 << 20) < found.st_size and os.lseek(file.fileno(), 0, os.SEEK_HOLE) < found.st_size:
            raise OSError(errno.EINVAL, f"has holes: of {found.st_size} bytes, {stored} are on the disk", str(path))
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        text = file.read()
    # Each value but the first follows one of these signs.
    for part in text.split("\n") if path.suffix == ".jsonl" else [text]:
        if sum(map(part.count, ",[{")) > _MOST_VALUES:
            raise OSError(errno.EFBIG, f"holds more than {_MOST_VALUES} JSON values", str(path))
    return text
