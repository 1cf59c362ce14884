"""A taskset of verifiers 0.4 (extra ``verifiers``, Python 3.11 or later): rollouts over ``boardroom serve``.

    vf-eval boardroom-verifiers --env.taskset.environment beer-game --env.taskset.preset random \\
        --env.taskset.seed 7 --no-push --env.agent.harness.id null --env.agent.runtime.type subprocess -m MODEL

verifiers uploads results and starts sandboxes in a cloud unless it is told otherwise: ``--no-push`` and
``--env.agent.runtime.type subprocess`` keep everything on this machine.

A task is an episode. One server of an environment worker holds all games; each rollout has a game of its own, which
its tools play. The reward is the unit score: 1 at the reference of the episode, 0.5 at its baseline, above 0
everywhere (where the baseline is as good as the reference: 0 for what is worse), and 0 for an episode without a
reference or a baseline. A rollout that ends early forfeits the rest of its game.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

from boardroom._extra import missing
from boardroom._program import serving

try:
    import httpx
    import verifiers.v1 as vf
    from mcp.types import CallToolResult, TextContent, Tool
    from verifiers.v1.envs.single_agent import SingleAgentEnv
except ImportError as error:
    raise missing("verifiers", error) from error

from boardroom.text import Game

__all__ = ["BoardroomConfig", "BoardroomEnv", "BoardroomTask", "BoardroomTaskset"]

#: Longest time for an answer of the server [s].
_PATIENCE = 60.0


class GameState(vf.State):
    """The game of a rollout."""

    url: str = ""
    episode_id: str = ""
    tools: list[dict[str, Any]] = []
    #: What the server told at the end.
    result: dict[str, Any] | None = None

    async def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        """A request to the server of the games."""
        async with httpx.AsyncClient(timeout=_PATIENCE) as client:
            return await client.post(f"{self.url}/{path}", json=body)


class BoardroomTaskConfig(vf.TaskConfig):
    """Settings of a running task."""

    url: str | None = None
    """Address of ``boardroom serve --openenv``; without one, each environment worker starts a server."""


class BoardroomConfig(vf.TasksetConfig):
    """Which games are played."""

    environment: str = "beer-game"
    preset: str | None = None
    settings: dict[str, Any] = {}
    seed: int = 0
    """Seed of the run whose episodes are played."""
    first: int = 0
    """Number of the first episode."""
    episodes: int = 100
    """Number of tasks. Training and evaluation take different episodes or seeds."""
    record: Path | None = None
    """Folder with a run folder for each environment worker; it keeps the record of every game."""
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()
    task: BoardroomTaskConfig = BoardroomTaskConfig()


class EpisodeData(vf.TaskData):
    """An episode, with the version of its numbers."""

    environment: str
    version: int
    preset: str | None
    settings: dict[str, Any]
    seed: int
    episode: int


class BoardroomTask(vf.Task[EpisodeData, GameState, BoardroomTaskConfig]):
    """One episode."""

    async def setup(self, trace: vf.Trace, runtime: Any) -> None:
        """Opens the game of the rollout."""
        state, data = trace.state, self.data
        if self.config.url is None:
            raise ValueError("no server: use the environment of this taskset, or set task.url")
        state.url = self.config.url.rstrip("/")
        opened = await state.post("reset", {"episode": data.episode})
        opened.raise_for_status()
        state.episode_id = opened.json()["metadata"]["episode_id"]
        game = Game(
            data.environment,
            preset=data.preset,
            settings=data.settings,
            seed=data.seed,
            episode=data.episode,
        )
        state.tools = [tool["function"] for tool in game.tools()]

    async def finalize(self, trace: vf.Trace, runtime: Any) -> None:
        """Forfeits what was not played."""
        state = trace.state
        if state.result is None:
            closed = await state.post("host/close", {"episode_id": state.episode_id})
            state.result = closed.json().get("result")
        trace.info["boardroom"] = state.result

    @vf.reward(weight=1.0)
    async def unit_score(self, trace: vf.Trace) -> float:
        result = trace.state.result or {}
        for name in ("value", "regret", "normalised_score"):
            if isinstance(result.get(name), (int, float)):
                trace.record_metric(name, float(result[name]))
        trace.record_metric("incidents", float(len(result.get("incidents") or [])))
        return float(result.get("unit_score") or 0.0)


class GameTools(vf.Toolset[vf.SharedToolsetConfig, GameState]):
    """The tools of the rollout's game; the agent sees neither seed nor score."""

    TOOL_PREFIX = None

    def register(self, mcp: Any) -> None:
        # The protocol's handlers call these two methods, so the schemas are those of the environment.
        mcp.list_tools = self._with_state(self.list_tools)
        mcp.call_tool = self._with_state(self.call_tool)

    async def list_tools(self) -> list[Tool]:
        return [
            Tool(
                name=tool["name"],
                description=tool["description"],
                input_schema=tool["parameters"],
            )
            for tool in self.state.tools
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> CallToolResult:
        state = self.state
        action = {"name": name, "arguments": arguments}
        answer = await state.post("step", {"action": action, "episode_id": state.episode_id})
        told = answer.json()
        seen = told.get("observation") or {"text": json.dumps(told), "error": True}
        if told.get("done"):
            state.result = (told.get("metadata") or {}).get("result", state.result)
        text = TextContent(type="text", text=seen["text"])
        return CallToolResult(content=[text], is_error=bool(seen["error"]))


class BoardroomTaskset(vf.Taskset[BoardroomTask, BoardroomConfig]):
    """Episodes of one environment."""

    @classmethod
    def toolsets(cls, config: BoardroomConfig) -> list[vf.Toolset]:
        return [GameTools(config.tools)]

    def load(self) -> Iterator[BoardroomTask]:
        config = self.config
        for episode in range(config.first, config.first + config.episodes):
            game = Game(
                config.environment,
                preset=config.preset,
                settings=config.settings,
                seed=config.seed,
                episode=episode,
            )
            rules, opening = game.messages()
            data = EpisodeData(
                name=f"{config.environment} {config.preset or ''} {config.seed}:{episode}",
                system_prompt=rules["content"],
                prompt=opening["content"],
                environment=config.environment,
                version=game._native.environment()[1],
                preset=config.preset,
                settings=config.settings,
                seed=config.seed,
                episode=episode,
            )
            yield BoardroomTask(data, config.task)


class BoardroomEnv(SingleAgentEnv):
    """One server of games for each environment worker."""

    _server: ExitStack | None = None

    async def start(self) -> None:
        """Starts the server, unless the configuration names one."""
        config = cast(BoardroomTaskset, self.taskset).config
        if config.task.url is not None:
            return
        self._server = ExitStack()
        config.task.url = self._server.enter_context(
            serving(
                config.environment,
                preset=config.preset,
                settings=config.settings,
                seed=config.seed,
                # The unit score is read from the result: a server of unit rewards needs an environment that has them.
                reward="score",
                record=_fresh(config.record),
            )
        )

    async def stop(self) -> None:
        """Ends it."""
        if self._server is not None:
            self._server.close()
            self._server = None
            cast(BoardroomTaskset, self.taskset).config.task.url = None


def _fresh(home: Path | None) -> str | None:
    """A folder in ``home`` that no other worker has taken."""
    if home is None:
        return None
    number = 0
    while True:
        folder = home / f"worker{number}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
            continue
        return str(folder)


if __name__ == "__main__":
    GameTools.run()
