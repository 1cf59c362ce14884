"""Business simulators for reinforcement learning and language models.

The package needs numpy alone. What needs more lives in a module of its own, whose import says which
extra installs it: ``boardroom.gym``, ``boardroom.zoo``, ``boardroom.sb3``, ``boardroom.inspect``,
``boardroom.verifiers``, ``boardroom.openenv``, ``boardroom.sweep``.

>>> import boardroom
>>> boardroom.Lanes("beer-game", 2, preset="random").fields["inventory"].unit
'units'
"""

from __future__ import annotations

import json as _json
import sys as _sys
from typing import TYPE_CHECKING, Any

from boardroom import _native
from boardroom._native import __version__

if TYPE_CHECKING:
    from boardroom import score as score
    from boardroom._lanes import Field as Field
    from boardroom._lanes import Lanes as Lanes
    from boardroom._lanes import Reference as Reference
    from boardroom._lanes import reference as reference
    from boardroom.gym import Env, VectorEnv
    from boardroom.text import Game as Game
    from boardroom.text import Turn as Turn
    from boardroom.text import draw as draw
    from boardroom.text import plots as plots
    from boardroom.text import tasks as tasks

__all__ = [
    "Field",
    "Game",
    "Lanes",
    "Reference",
    "Turn",
    "__version__",
    "describe",
    "draw",
    "environments",
    "make",
    "make_vec",
    "plots",
    "reference",
    "score",
    "tasks",
    "versions",
]

# Loaded when they are first used: numpy takes longer to import than all of this package.
_LAZY = {
    "Field": "_lanes",
    "Lanes": "_lanes",
    "Reference": "_lanes",
    "reference": "_lanes",
    "Game": "text",
    "Turn": "text",
    "draw": "text",
    "plots": "text",
    "tasks": "text",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name in _LAZY:
        return getattr(importlib.import_module(f"boardroom.{_LAZY[name]}"), name)
    if name == "score":
        return importlib.import_module("boardroom.score")
    raise AttributeError(f"module 'boardroom' has no attribute {name!r}")


def environments() -> list[str]:
    """Names of all environments."""
    return list(_json.loads(_native.environments()))


def describe(environment: str) -> dict[str, Any]:
    """Presets, policies, unit, direction of the score and the schema of the settings."""
    return dict(_json.loads(_native.describe(environment)))


def versions() -> dict[str, Any]:
    """Version of the package and of the numbers of every environment; store it with results."""
    return {
        "boardroom-sim": __version__,
        "environments": {name: describe(name)["version"] for name in environments()},
    }


def make(environment: str, **options: Any) -> Env:
    """A Gymnasium environment (extra ``gym``); see :class:`boardroom.gym.Env` for the options."""
    from boardroom.gym import Env

    return Env(environment, **options)


def make_vec(environment: str, num_envs: int, **options: Any) -> VectorEnv:
    """Many of them at once (extra ``gym``); see :class:`boardroom.gym.VectorEnv` for the options."""
    from boardroom.gym import VectorEnv

    return VectorEnv(environment, num_envs, **options)


# Gymnasium takes a second to import, so its ids are registered here
# only for programs that have imported it already; `import boardroom.gym` registers them in any order.
if "gymnasium" in _sys.modules:
    import boardroom.gym as _gym  # noqa: F401
