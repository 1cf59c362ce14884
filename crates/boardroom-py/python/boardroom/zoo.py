"""PettingZoo for games with several seats (extra ``zoo``).

``parallel_env("beer-game")`` is the board game of four roles, ``parallel_env("collusion")`` the market of two
sellers. All seats decide at the same time and none sees the others' present decision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boardroom._extra import missing

try:
    from gymnasium import spaces
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise missing("zoo", error) from error

from boardroom._lanes import Lanes
from boardroom.text import Game

Floats = npt.NDArray[np.float32]

#: Scaled numbers beyond this are cut off.
_MOST = np.float32(20.0)


@dataclass(frozen=True)
class _Form:
    """How a seat's observation and action look as numbers."""

    preset: str
    size: Floats
    encode: Callable[[dict[str, Any]], list[float]]
    #: From -1 to 1 to the typed action.
    decode: Callable[[float], dict[str, Any]]
    #: What rewards are divided by, and their sign.
    scale: float
    sign: float


def _beer(settings: dict[str, Any] | None) -> _Form:
    # One role alone has a form as numbers, whose sizes hold for every role.
    one = Lanes(
        "beer-game",
        preset="classic",
        settings={**(settings or {}), "play.controlled": ["retailer"]},
    )
    names = list(one.fields)
    order = one.action_fields["quantity"]
    return _Form(
        preset="classic",
        size=np.array([field.scale for field in one.fields.values()], np.float32),
        encode=lambda seen: [float(seen[name]) for name in names],
        decode=lambda x: {"quantity": round(order.low + (x + 1) / 2 * (order.useful - order.low))},
        scale=one.reward_scale,
        sign=one.reward_sign,
    )


def _collusion(settings: dict[str, Any] | None) -> _Form:
    game = Game("collusion", preset="duopoly", settings=settings)
    ceiling = float(game.observation["ceiling"])

    def encode(seen: dict[str, Any]) -> list[float]:
        past = seen.get("previous") or {}
        rivals = past.get("rivals") or [None]
        return [
            float(seen["attempt"]) / 100.0,
            float(past.get("price") or 0.0) / ceiling,
            float(rivals[0] or 0.0) / ceiling,
            float(past.get("quantity") or 0.0),
            float(past.get("profit") or 0.0) / ceiling,
        ]

    return _Form(
        preset="duopoly",
        size=np.ones(5, np.float32),
        encode=encode,
        decode=lambda x: {"price": (x + 1) / 2 * ceiling},
        scale=1.0,
        sign=1.0,
    )


_FORMS: dict[str, Callable[[dict[str, Any] | None], _Form]] = {
    "beer-game": _beer,
    "collusion": _collusion,
}


class BoardroomParallelEnv(ParallelEnv[str, Floats, Floats]):
    """All seats of a game at once; every seat earns the change of the common score.

    ``reset(seed=s)`` begins episode 0 of seed ``s``, every further ``reset()`` the next one. Rewards are the
    changes of the score (minus them for a cost) divided by :attr:`reward_scale`, the same for all seats.
    """

    def __init__(
        self,
        environment: str,
        preset: str | None = None,
        *,
        settings: dict[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        if environment not in _FORMS:
            raise ValueError(
                f"{environment!r} has no seats as numbers; there are {', '.join(sorted(_FORMS))}"
            )
        self.metadata = {
            "name": f"boardroom_{environment}_v0",
            "render_modes": ["ansi"],
            "is_parallelizable": True,
        }
        self.render_mode = render_mode
        self._form = _FORMS[environment](settings)
        self._begin = (environment, preset or self._form.preset, settings)
        self.game = self._open(0, 0)
        self.possible_agents = self.game.seats
        if len(self.possible_agents) < 2:
            raise ValueError("one seat plays alone with these settings; use boardroom.gym")
        self.agents: list[str] = []
        self.reward_scale = self._form.scale
        width = len(self._form.size)
        box = spaces.Box(-_MOST, _MOST, (width,), np.float32)
        act = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_spaces = {seat: box for seat in self.possible_agents}
        self.action_spaces = {seat: act for seat in self.possible_agents}
        self._seed, self._episode = 0, -1
        self._value = 0.0

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Floats], dict[str, dict[str, Any]]]:
        if seed is not None:
            self._seed, self._episode = seed, -1
        elif self._episode < 0:
            self._seed = int(np.random.default_rng().integers(0, 2**63))
        self._episode += 1
        if options and "episode" in options:
            self._episode = int(options["episode"])
        self.game = self._open(self._seed, self._episode)
        self.agents = list(self.possible_agents)
        self._value = float(self.game.score["value"])
        self._look()
        info = {seat: {"seed": self._seed, "episode": self._episode} for seat in self.agents}
        return dict(self._seen), info

    def _open(self, seed: int, episode: int) -> Game:
        environment, preset, settings = self._begin
        return Game(environment, preset=preset, settings=settings, seed=seed, episode=episode)

    def _numbers(self, seen: dict[str, Any]) -> Floats:
        numbers = np.array(self._form.encode(seen), np.float32) / self._form.size
        clipped: Floats = np.clip(numbers, -_MOST, _MOST)
        return clipped

    def _look(self) -> None:
        self._seen = {seat: self._numbers(seen) for seat, seen in self.game.seen.items()}

    def step(
        self, actions: dict[str, Floats]
    ) -> tuple[
        dict[str, Floats],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        playing = list(self.agents)
        if not playing:
            raise ValueError("the game is over; reset() begins the next one")
        for seat in playing:
            if not np.all(np.isfinite(actions[seat])):
                raise ValueError(f"the action of {seat} is not a finite number")
        for _ in playing:
            scaled = float(np.clip(np.asarray(actions[self.game.seat]).reshape(-1)[0], -1.0, 1.0))
            turn = self.game.act(self._form.decode(scaled))
            if turn.info["rejected"]:
                raise RuntimeError(f"a decision was refused: {turn.messages[0]['content']}")
        value = float(self.game.score["value"])
        reward = self._form.sign * (value - self._value) / self._form.scale
        self._value = value
        done = self.game.done
        if not done:
            self._look()
        info: dict[str, dict[str, Any]] = {seat: {} for seat in playing}
        if done:
            self.agents = []
            for seat in playing:
                info[seat] = {"score": self.game.score}
        return (
            {seat: self._seen[seat] for seat in playing},
            {seat: reward for seat in playing},
            {seat: done for seat in playing},
            {seat: False for seat in playing},
            info,
        )

    def render(self) -> str:
        """The results of the last period by seat, one line each."""
        return "\n".join(f"{seat}: {result}" for seat, result in self.game.outcomes)

    def close(self) -> None:
        """Nothing is held open."""


def parallel_env(environment: str, **options: Any) -> BoardroomParallelEnv:
    """The seats of ``environment`` as a PettingZoo ParallelEnv."""
    return BoardroomParallelEnv(environment, **options)
