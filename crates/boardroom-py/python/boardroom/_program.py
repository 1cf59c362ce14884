"""The program `boardroom`, which the adapters for language models run."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any


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
        arguments += ["--set", f"{path}={json.dumps(value)}"]
    return arguments


def records(folder: str | Path) -> list[dict[str, Any]]:
    """The records of a run folder."""
    path = Path(folder) / "episodes.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
