"""Tasks of inspect_ai (extra ``inspect``): a model plays episodes over ``boardroom serve``.

    inspect eval boardroom/beer_game -T preset=random -T seed=7 -T episodes=5 --model MODEL

There is a task for every environment, with an underscore for every hyphen of its name. Each sample is one
episode on a server of its own, which scores and records it. The log keeps the records, so
``boardroom compare A.eval B.eval`` compares two models episode by episode. With ``--epochs N`` the model plays
every episode N times.

``value`` is the score in the unit of the environment, ``regret`` its distance from the reference in the same unit,
and ``unit`` is 1 at the reference and 0.5 at the baseline of the episode. The last two are NaN where an episode has
no reference.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boardroom import _native, environments
from boardroom._extra import missing
from boardroom._encode import dumps
from boardroom._program import program, records, serve

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser
    from inspect_ai.scorer import Score, Target, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from inspect_ai.tool import mcp_connection, mcp_server_stdio
except ImportError as error:
    raise missing("inspect", error) from error

from boardroom._lanes import _reference
from boardroom.text import Game

_FIGURES = ("value", "regret", "unit")


@solver
def play(nudges: int = 3) -> Solver:
    """Lets the model call the tools of the episode until it is over.

    A reply without a call is answered with a reminder. After ``nudges`` of them in a row the rest of the episode
    is forfeited.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        given = state.metadata
        game = _game(given)
        # The rules go into the first messages, because inspect does not read a server's instructions.
        rules, opening = game.messages()
        state.messages = [
            ChatMessageSystem(content=rules["content"]),
            ChatMessageUser(content=opening["content"]),
        ]
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            arguments = serve(
                given["environment"],
                preset=given["preset"],
                settings=given["settings"],
                seed=given["seed"],
            )
            arguments += ["--mode", "eval", "--episode", str(given["episode"])]
            arguments += ["--record", str(run), "--close-at-end"]
            server = mcp_server_stdio(name="boardroom", command=program(), args=arguments)
            try:
                async with mcp_connection(server):
                    state.tools = await server.tools()
                    state = await _turns(state, generate, game, run, nudges)
            finally:
                # The server has ended. It has forfeited and recorded what was not played, because of a limit
                # for instance.
                found = (run / "episodes.jsonl", run / "manifest.json")
                if all(file.exists() for file in found):
                    kept, manifest = (file.read_text(encoding="utf-8") for file in found)
                    state.store.set("record", kept)
                    state.store.set("manifest", manifest)
        return state

    return solve


def _game(given: dict[str, Any]) -> Game:
    return Game(
        given["environment"],
        preset=given["preset"],
        settings=given["settings"],
        seed=given["seed"],
        episode=given["episode"],
    )


async def _turns(
    state: TaskState, generate: Generate, game: Game, run: Path, nudges: int
) -> TaskState:
    """Replies with calls until the server has recorded the game, or the model is silent too often."""
    silent = 0
    while silent <= nudges and not records(run):
        state = await generate(state, tool_calls="single")
        if state.messages[-1].role == "tool":
            silent = 0
            continue
        silent += 1
        state.messages.append(ChatMessageUser(content=game.reminder))
    return state


@scorer(metrics={name: [mean(), stderr()] for name in _FIGURES})
def score_of_the_record() -> Any:
    """The score of the record, and the record itself as metadata."""

    async def judge(state: TaskState, target: Target) -> Score:
        record = state.store.get("record")
        if record is None:
            raise RuntimeError("`boardroom serve` left no record of the episode")
        ended = json.loads(record.splitlines()[0])
        value = float(ended["score"]["value"])
        given = state.metadata
        found = _reference(
            given["environment"], given["config"], given["seed"], given["episode"], value
        )
        places = {name: found.placed.get(name, float("nan")) for name in ("regret", "unit")}
        return Score(
            value={"value": value, **places},
            explanation=f"{ended['ending']}; {found}",
            # `boardroom compare` reads both.
            metadata={"manifest": state.store.get("manifest"), "record": record},
        )

    return judge


def task_for(
    environment: str,
    *,
    preset: str | None = None,
    seed: int = 0,
    episodes: int = 5,
    first: int = 0,
    settings: dict[str, Any] | None = None,
    nudges: int = 3,
) -> Task:
    """A task of the episodes from number ``first`` on, for any environment and settings."""
    settings = json.loads(dumps(settings))
    native = _native.Game(environment, preset, dumps(settings or {}), seed, first, "inspect")
    config, version = native.config(), native.environment()[1]
    samples = [
        Sample(
            input=f"{environment}, seed {seed}, episode {number}",
            id=f"{environment}-{seed}-{number}",
            metadata={
                "environment": environment,
                "preset": preset,
                "settings": settings,
                "seed": seed,
                "episode": number,
                "config": config,
            },
        )
        for number in range(first, first + episodes)
    ]
    return Task(
        name=environment.replace("-", "_"),
        dataset=samples,
        solver=play(nudges),
        scorer=score_of_the_record(),
        version=version,
    )


def _task_of(environment: str) -> Callable[..., Task]:
    def make(
        preset: str | None = None,
        seed: int = 0,
        episodes: int = 5,
        first: int = 0,
        settings: dict[str, Any] | None = None,
        nudges: int = 3,
    ) -> Task:
        return task_for(
            environment,
            preset=preset,
            seed=seed,
            episodes=episodes,
            first=first,
            settings=settings,
            nudges=nudges,
        )

    make.__name__ = make.__qualname__ = environment.replace("-", "_")
    make.__doc__ = f"Episodes ``first`` to ``first + episodes - 1`` of ``{environment}``."
    made: Callable[..., Task] = task(make)
    return made


#: The task of each environment, by its name with underscores.
TASKS = {name.replace("-", "_"): _task_of(name) for name in environments()}
globals().update(TASKS)
