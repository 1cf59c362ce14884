"""A task of inspect_ai (extra ``inspect``): a model plays episodes over ``boardroom serve``.

    inspect eval boardroom/inspect.py -T environment=beer-game -T episodes=5 --model MODEL

Every sample is one episode on a server of its own, which keeps its record. The score is read from the record;
``unit`` is 1 at the reference and 0.5 at the baseline of the episode.
"""

from __future__ import annotations

import json
import tempfile
from typing import Any

from boardroom._extra import missing
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


@solver
def play(nudges: int = 3) -> Solver:
    """Lets the model call the tools of the episode until it is over, or stops calling them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        given = state.metadata
        game = Game(
            given["environment"],
            preset=given["preset"],
            settings=given["settings"],
            seed=given["seed"],
            episode=given["episode"],
        )
        # The rules go into the first messages, because inspect does not read a server's instructions.
        rules, opening = game.messages()
        state.messages = [
            ChatMessageSystem(content=rules["content"]),
            ChatMessageUser(content=opening["content"]),
        ]
        with tempfile.TemporaryDirectory() as folder:
            arguments = serve(
                given["environment"],
                preset=given["preset"],
                settings=given["settings"],
                seed=given["seed"],
            )
            arguments += ["--mode", "eval", "--episode", str(given["episode"])]
            arguments += ["--record", f"{folder}/run", "--close-at-end"]
            server = mcp_server_stdio(name="boardroom", command=program(), args=arguments)
            try:
                async with mcp_connection(server):
                    state.tools = await server.tools()
                    state = await _turns(state, generate, f"{folder}/run", nudges)
            finally:
                # The server has ended: what was not played, because of a limit for instance, is forfeited.
                found = records(f"{folder}/run")
                state.store.set("record", found[0] if found else None)
        return state

    return solve


async def _turns(state: TaskState, generate: Generate, run: str, nudges: int) -> TaskState:
    """Replies with calls until the server has recorded the game, or the model is silent too often."""
    silent = 0
    while silent <= nudges and not records(run):
        state = await generate(state, tool_calls="single")
        if state.messages[-1].role == "tool":
            silent = 0
            continue
        silent += 1
        state.messages.append(ChatMessageUser(content="The game is not over: go on with the tools."))
    return state


@scorer(metrics={"unit": [mean(), stderr()], "value": [mean(), stderr()]})
def score_of_the_record() -> Any:
    """The score of the record, and where it lies."""

    async def judge(state: TaskState, target: Target) -> Score:
        record = state.store.get("record")
        if record is None:
            return Score(value={"unit": 0.0, "value": float("nan")}, explanation="no record")
        value = float(record["score"]["value"])
        given = state.metadata
        found = _reference(
            given["environment"], given["config"], given["seed"], given["episode"], value
        )
        unit = found.placed.get("unit", 0.0)
        return Score(
            value={"unit": unit, "value": value},
            explanation=f"{record['ending']}; reference: {found}",
            metadata={"record": json.dumps(record)},
        )

    return judge


@task
def boardroom(
    environment: str = "beer-game",
    preset: str | None = None,
    seed: int = 0,
    episodes: int = 5,
    settings: dict[str, Any] | None = None,
) -> Task:
    """Episodes 0 to ``episodes - 1`` of a run."""
    config = Game(environment, preset=preset, settings=settings)._native.config()
    samples = [
        Sample(
            input=f"{environment}, seed {seed}, episode {episode}",
            id=f"{environment}-{seed}-{episode}",
            metadata={
                "environment": environment,
                "preset": preset,
                "settings": settings,
                "seed": seed,
                "episode": episode,
                "config": config,
            },
        )
        for episode in range(episodes)
    ]
    return Task(dataset=samples, solver=play(), scorer=score_of_the_record())
