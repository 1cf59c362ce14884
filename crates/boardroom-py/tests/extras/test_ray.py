"""Sweeps on a Ray cluster of two, and without Ray, while runners and workers are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from boardroom import sweep
from boardroom._program import program

pytest.importorskip("ray")

#: Of each of two agents; `cargo xtask python --extra ray --episodes 32000` makes 64,000 records in all.
EPISODES = int(os.environ.get("EPISODES", "500"))
SHARDS = 8
PLAN = f"""
seeds = [7]
episodes = {EPISODES}

[[runs]]
environment = "beer-game"
presets = ["random"]
agents = ["order-up-to", "typical"]
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    file = tmp_path_factory.mktemp("plan") / "plan.toml"
    file.write_text(PLAN, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def whole(plan, tmp_path_factory):
    """Records of the run that is not split."""
    out = tmp_path_factory.mktemp("whole") / "runs"
    call = [program(), "run", "--plan", str(plan), "--out", str(out)]
    assert subprocess.run(call, capture_output=True).returncode == 0
    return lines(out)


def lines(folder: Path) -> list[str]:
    files = sorted(folder.rglob("episodes.jsonl"))
    return sorted(line for file in files for line in file.read_text().splitlines())


def runners_of(of: str) -> list[tuple[int, int]]:
    """Processes whose command line holds all of these words, with their parents."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace")
            status = (process / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if of in words:
            found.append((int(process.name), int(status[1])))
    return found


def kill_while(out: Path, *, parents: bool) -> threading.Thread:
    """Kills a runner that has begun to write under `out`, and then the parent of another."""
    def work() -> None:
        runners = wait(out)
        if not runners:
            return
        os.kill(runners[0][0], signal.SIGKILL)
        if parents and (runners := wait(out, besides=runners[0][0])):
            os.kill(runners[0][1], signal.SIGKILL)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def wait(out: Path, besides: int = 0) -> list[tuple[int, int]]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        begun = [one for one in runners_of(str(out)) if one[0] != besides and begun_by(one[0])]
        if begun:
            return begun
        time.sleep(0.005)
    return []


def begun_by(process: int) -> bool:
    """Whether a runner has a file of records open."""
    try:
        return any(
            os.readlink(file).endswith("episodes.jsonl")
            for file in Path(f"/proc/{process}/fd").iterdir()
        )
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_cluster_of_two_with_a_runner_and_a_worker_killed(plan, whole, tmp_path):
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        out = tmp_path / "runs"
        killer = kill_while(out, parents=True)
        ended = sweep.run(str(plan), shards=SHARDS, out=str(out))
        killer.join()
        assert [shard.code for shard in ended] == [0] * SHARDS
        assert lines(out) == whole
        files = {file: file.stat().st_mtime_ns for file in out.rglob("episodes.jsonl")}
        again = sweep.run(str(plan), shards=SHARDS, out=str(out))
        assert [shard.code for shard in again] == [0] * SHARDS
        assert {file: file.stat().st_mtime_ns for file in out.rglob("episodes.jsonl")} == files
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_local_mode_gives_the_same(plan, whole, tmp_path):
    out = tmp_path / "runs"
    killer = kill_while(out, parents=False)
    ended = sweep.run(str(plan), shards=SHARDS, out=str(out), local=True, workers=2)
    killer.join()
    assert [shard.code for shard in ended] == [0] * SHARDS
    assert lines(out) == whole


def test_a_bad_plan_fails_at_once(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text("seeds = [7]\nepisodes = 2\n\n[[runs]]\nenvironment = \"beer\"\nagents = [\"typical\"]\n")
    with pytest.raises(ValueError, match="beer"):
        sweep.run(str(plan), shards=4, out=str(tmp_path / "runs"), local=True)
    assert not list((tmp_path / "runs").rglob("episodes.jsonl"))
