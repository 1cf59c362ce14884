"""The package itself: what it needs, how fast it loads, its stubs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import boardroom
from boardroom._program import records


def run(code: str) -> str:
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return out.stdout.strip()


def test_the_import_is_quick_and_needs_no_framework():
    # CPU time: a busy machine makes the clock on the wall go faster.
    code = (
        "import time, sys; t = time.process_time(); import boardroom; "
        "print(time.process_time() - t, *[m for m in ('numpy', 'gymnasium', 'pettingzoo') if m in sys.modules])"
    )
    best, *loaded = min((run(code).split() for _ in range(3)), key=lambda words: float(words[0]))
    assert float(best) < 0.05 and loaded == []


@pytest.mark.parametrize(
    ("module", "extra", "needs"),
    [
        ("gym", "gym", "gymnasium"),
        ("zoo", "zoo", "pettingzoo"),
        ("sb3", "sb3", "stable_baselines3"),
        ("inspect", "inspect", "inspect_ai"),
        ("openenv", "openenv", "openenv"),
        ("verifiers", "verifiers", "verifiers"),
        ("sweep", "ray", "ray"),
    ],
)
def test_a_missing_extra_is_named(module, extra, needs):
    code = (
        f"import sys; sys.modules[{needs!r}] = None\n"
        "try:\n"
        f"    import boardroom.{module} as m\n"
        "    if hasattr(m, 'run'): m.run('plan.toml', shards=1, out='x', address='auto')\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    assert f"boardroom-sim[{extra}]" in run(code)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize(
    "kind", ["link", "dangling link", "hard link", "folder", "pipe", "long file", "holes", "values"]
)
def test_a_file_of_a_run_folder_is_an_ordinary_file(tmp_path, kind):
    elsewhere, file = tmp_path / "elsewhere", tmp_path / "run" / "episodes.jsonl"
    file.parent.mkdir()
    elsewhere.write_text('{"secret": 1}\n')
    if kind == "link":
        file.symlink_to(elsewhere)
    elif kind == "dangling link":
        file.symlink_to(tmp_path / "nothing")
    elif kind == "hard link":
        file.hardlink_to(elsewhere)
    elif kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "values":
        file.write_text(f"[0{',0' * 1_500_000}]\n")
    elif kind == "holes":
        with file.open("w") as sparse:
            sparse.truncate(1 << 27)
    else:
        with file.open("w") as long:
            long.truncate(1 << 40)
    with pytest.raises(OSError, match=r"episodes\.jsonl"):
        records(file.parent)


def test_records_of_a_run_folder(tmp_path):
    assert records(tmp_path) == []
    (tmp_path / "episodes.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    assert records(tmp_path) == [{"a": 1}, {"a": 2}]
    # What a person or a model wrote may hold what other readers take for a line end; the last line is being written.
    (tmp_path / "episodes.jsonl").write_text('{"a": "x\u2028y\x85z"}\n{"a": 2', encoding="utf-8")
    assert records(tmp_path) == [{"a": "x\u2028y\x85z"}]


def test_names_of_the_package():
    for name in boardroom.__all__:
        assert getattr(boardroom, name) is not None
    with pytest.raises(AttributeError, match="no attribute"):
        boardroom.nothing


def test_the_stubs_fit():
    pytest.importorskip("mypy")
    out = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "boardroom._native"], capture_output=True, text=True
    )
    assert out.returncode == 0, out.stdout + out.stderr


def test_the_types_fit(tmp_path):
    pytest.importorskip("mypy")
    config = Path(__file__).parent.parent / "pyproject.toml"
    # By the name of the package: with its path, mypy would take other packages beside it for a part of it.
    out = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(config), "-p", "boardroom"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert out.returncode == 0, out.stdout


def test_settings_take_numbers_of_numpy():
    for weeks in (np.int64(30), np.uint8(30), np.float64(30)):
        settings = {"weeks": weeks} if not isinstance(weeks, np.floating) else {"cost.holding": weeks}
        plain = {key: value.item() for key, value in settings.items()}
        assert boardroom.Lanes("beer-game", settings=settings).config == boardroom.Lanes("beer-game", settings=plain).config
        assert boardroom.Game("beer-game", settings=settings).state() == boardroom.Game("beer-game", settings=plain).state()
        assert boardroom.reference("beer-game", settings=settings) == boardroom.reference("beer-game", settings=plain)
    alphas = {"alphas": np.array([1.0, 2.0]), "read_once": np.bool_(False)}
    assert boardroom.Game("collusion", settings=alphas).config["alphas"] == [1.0, 2.0]
    with pytest.raises(TypeError, match="set"):
        boardroom.Lanes("beer-game", settings={"weeks": {1}})
