"""Every example runs, where what it needs is installed, and does what it says."""

from __future__ import annotations

import importlib.util
import runpy
import shutil
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

#: What an example needs beyond numpy: a module, or the program.
NEEDS = {
    "train_ppo.py": "stable_baselines3",
    "inspect_task.py": "inspect_ai",
    "ray_sweep.py": "the program",
}


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_examples_run(name, capsys, monkeypatch, tmp_path):
    need = NEEDS.get(name)
    if need == "the program" and shutil.which("boardroom") is None:
        pytest.skip("the program `boardroom` is not on the path")
    if need not in (None, "the program") and importlib.util.find_spec(need) is None:
        pytest.skip(f"{need} is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name])
    try:
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    except SystemExit as end:
        assert "pip install" in str(end.code)
    assert capsys.readouterr().out


def test_the_search_beats_the_best_order_up_to(capsys):
    example = runpy.run_path(str(EXAMPLES / "numpy_search.py"), run_name="example")
    cost, rule = example["main"]()
    assert cost < rule
