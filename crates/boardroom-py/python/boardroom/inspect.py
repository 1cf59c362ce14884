"""Tasks of inspect_ai (extra ``inspect``): a model plays episodes over ``boardroom serve``.

    inspect eval boardroom/beer_game -T preset=random -T seed=7 -T episodes=5 --model MODEL

There is a task for every environment, with an underscore for every hyphen of its name. Each sample is one
episode on a server of its own, which scores and records it. The log keeps the records: ``runs`` writes them into
a run folder, so that ``boardroom compare`` compares two models episode by episode. With ``--epochs N`` the model
plays every episode N times. ``predictions`` writes the answers of any log of questions for ``boardroom score``.

``value`` is the score in the unit of the environment, ``regret`` its distance from the reference in the same unit,
and ``unit`` is 1 at the reference and 0.5 at the baseline of the episode. The last two are NaN where an episode has
no reference; ``unit`` also where it has no baseline.
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
from boardroom._program import program, records, run_file, serve, whole_lines

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalLog, read_eval_log
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
                    kept, manifest = (run_file(file) for file in found)
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
        kept = whole_lines(record or "")
        if not kept:
            raise RuntimeError("`boardroom serve` left no record of the episode")
        ended = json.loads(kept[0])
        value = float(ended["score"]["value"])
        given = state.metadata
        found = _reference(
            given["environment"], given["config"], given["seed"], given["episode"], value
        )
        places = {name: found.placed.get(name, float("nan")) for name in ("regret", "unit")}
        return Score(
            value={"value": value, **places},
            explanation=f"{ended['ending']}; {found}",
            # `runs` writes both into a run folder.
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


def runs(log: str | Path | EvalLog, folder: str | Path) -> Path:
    """Writes the episodes of a log into the new run folder ``folder``, for ``boardroom compare``, ``report``,
    ``export``, ``verify`` and ``view``.

    The agent of the run is ``mcp``; tables tell runs of one agent apart by the names of their folders. Epoch 2 of
    a sample is trial 1 of its episode. Samples without a record (those that failed) are left out.

    ``ValueError``: no sample has a record, or the samples were played in games of different settings or seeds.
    """
    kept: dict[tuple[int, int], dict[str, Any]] = {}
    manifests: dict[int, str] = {}
    games = set()
    for sample in _read(log).samples or []:
        for score in (sample.scores or {}).values():
            metadata = score.metadata or {}
            if "record" not in metadata:
                continue
            record = json.loads(whole_lines(metadata["record"])[0])
            header = record["header"]
            header["trial"] = sample.epoch - 1
            games.add(tuple(str(header[key]) for key in ("environment", "version", "config", "seed")))
            kept[header["episode"], header["trial"]] = record
            manifests[header["episode"]] = metadata["manifest"]
    if not kept:
        raise ValueError(
            "no sample has the record of an episode; `inspect eval boardroom/..` writes logs that have them"
        )
    if len(games) > 1:
        raise ValueError(f"the samples belong to {len(games)} runs: {sorted(games)}")
    folder = Path(folder)
    folder.mkdir(parents=True)
    # A server plans the episodes up to its own: the plan of the last one covers all.
    (folder / "manifest.json").write_text(manifests[max(manifests)], encoding="utf-8")
    lines = [dumps(kept[key]) + "\n" for key in sorted(kept)]
    (folder / "episodes.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def predictions(log: str | Path | EvalLog, file: str | Path, *, epoch: int = 1) -> int:
    """Writes the answer of each sample of a log as a line ``{"id", "prediction"}``, for ``boardroom score``.

    Only the samples of ``epoch`` are taken, because an item has one answer. An answer that a sample does not have
    (it failed) is null. Returns the number of lines.
    """
    lines = [
        dumps({"id": sample.id, "prediction": sample.output.completion if sample.output else None})
        for sample in _read(log).samples or []
        if sample.epoch == epoch
    ]
    Path(file).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return len(lines)


def _read(log: str | Path | EvalLog) -> EvalLog:
    return log if isinstance(log, EvalLog) else read_eval_log(str(log))


#: The task of each environment, by its name with underscores.
TASKS = {name.replace("-", "_"): _task_of(name) for name in environments()}
globals().update(TASKS)
