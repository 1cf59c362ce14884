"""Sweeps on Ray (extra ``ray``), or on the processes of one machine.

``run("plan.toml", shards=64, out="/shared/dir")`` runs ``boardroom run --plan .. --shard i/n`` once for each
shard. The truth is in the run folders: a shard that was cut off continues where it stopped, so a driver that
died is started again with the same command. ``python -m boardroom.sweep plan.toml --shards 8 --out dir
--local`` does the same without Ray.

A runner whose worker is killed ends with it on Linux. Elsewhere it goes on, and the next attempt waits for it and
plays what is missing then.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from boardroom._extra import missing
from boardroom._program import program

#: Exit codes of ``boardroom run``.
_DONE, _SOME_FAILED, _BAD_PLAN, _BUDGET = 0, 1, 2, 3

#: How long a runner waits for another process that uses its folder [s].
_WAIT = 3600 if sys.platform != "linux" else 60


class ShardFailed(RuntimeError):
    """A shard that ended in a way that another try may mend."""


@dataclass(frozen=True)
class Shard:
    """The end of one shard."""

    number: int
    folder: str
    code: int
    #: Last line of its output.
    told: str


def _ends_with_its_parent() -> Callable[[], None] | None:
    """What a child calls before it becomes the runner, so that it is killed when its parent is."""
    if sys.platform != "linux":
        return None
    import ctypes
    import signal

    # Found before the fork: after it little may be called.
    prctl = ctypes.CDLL(None).prctl
    death_signal, kill = 1, int(signal.SIGKILL)
    return lambda: prctl(death_signal, kill)


def _run_shard(command: str, plan: str, number: int, shards: int, out: str) -> Shard:
    folder = str(Path(out) / f"shard{number}")
    # On a folder that exists, the same command plays what is missing.
    call = [command, "--wait", str(_WAIT), "run", "--plan", plan]
    call += ["--shard", f"{number}/{shards}", "--out", folder]
    ended = subprocess.run(
        call, capture_output=True, text=True, check=False, preexec_fn=_ends_with_its_parent()
    )
    lines = (ended.stdout + ended.stderr).strip().splitlines()
    shard = Shard(number, folder, ended.returncode, lines[-1] if lines else "")
    if shard.code not in (_DONE, _SOME_FAILED, _BAD_PLAN, _BUDGET):
        raise ShardFailed(f"shard {number} ended with code {shard.code}: {shard.told}")
    return shard


def _on_processes(calls: list[tuple[Any, ...]], retries: int, workers: int | None) -> list[Shard]:
    def attempt(call: tuple[Any, ...]) -> Shard:
        for left in reversed(range(retries + 1)):
            try:
                return _run_shard(*call)
            except ShardFailed:
                if left == 0:
                    raise
        raise AssertionError("not reached")

    # Threads only wait for processes.
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        return list(pool.map(attempt, calls))


def _on_ray(
    calls: list[tuple[Any, ...]], retries: int, address: str | None, resources: dict[str, float]
) -> list[Shard]:
    import ray

    if not ray.is_initialized():
        ray.init(address=address)
    remote = ray.remote(
        max_retries=retries, retry_exceptions=[ShardFailed], **{"num_cpus": 1, **resources}
    )(_run_shard)
    return list(ray.get([remote.remote(*call) for call in calls]))


def run(
    plan: str,
    *,
    shards: int,
    out: str,
    address: str | None = None,
    retries: int = 2,
    local: bool = False,
    workers: int | None = None,
    resources: dict[str, float] | None = None,
) -> list[Shard]:
    """Runs all shards of a plan and returns their ends, in order.

    ``address`` is Ray's (None starts a cluster on this machine); ``local=True`` uses ``workers`` processes and
    no Ray. ``out`` must be a folder that every worker sees. More shards than workers (about four times as many)
    even out slow ones.

    Raises ValueError for a plan that cannot be run, and :class:`ShardFailed` for a shard that failed
    ``retries + 1`` times.
    """
    if shards < 1:
        raise ValueError(f"shards is at least 1, not {shards}")
    if not local:
        try:
            import ray  # noqa: F401
        except ImportError as error:
            raise missing("ray", error) from error
    Path(out).mkdir(parents=True, exist_ok=True)
    command = program()
    calls: list[tuple[Any, ...]] = [
        (command, str(Path(plan).resolve()), number, shards, str(Path(out).resolve()))
        for number in range(shards)
    ]
    if local:
        ended = _on_processes(calls, retries, workers)
    else:
        ended = _on_ray(calls, retries, address, resources or {})
    for shard in ended:
        if shard.code == _BAD_PLAN:
            raise ValueError(f"shard {shard.number}: {shard.told}")
    return ended


def main(arguments: list[str] | None = None) -> int:
    """The command ``python -m boardroom.sweep``."""
    parser = argparse.ArgumentParser(prog="python -m boardroom.sweep", description=__doc__)
    parser.add_argument("plan", help="file of the plan")
    parser.add_argument("--shards", type=int, required=True)
    parser.add_argument("--out", required=True, help="folder that every worker sees")
    parser.add_argument("--address", help="address of a Ray cluster")
    parser.add_argument("--retries", type=int, default=2)
    parser.add_argument("--local", action="store_true", help="processes of this machine, without Ray")
    given = vars(parser.parse_args(arguments))
    try:
        ended = run(given.pop("plan"), **given)
    except (ValueError, ShardFailed, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    for shard in ended:
        print(json.dumps(asdict(shard)))
    return max(shard.code for shard in ended)


if __name__ == "__main__":
    sys.exit(main())
