"""PettingZoo for games with several seats (extra ``zoo``).

``parallel_env("beer-game")`` is the board game of four roles, ``parallel_env("collusion")`` the market of two
sellers. All seats decide at the same time and none sees the others' present decision.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt

from boardroom._extra import missing

try:
    from gymnasium import spaces
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise missing("zoo", error) from error

from boardroom._lanes import Field, Lanes
from boardroom.text import Game

Floats = npt.NDArray[np.float32]

#: Scaled numbers beyond this are cut off.
_MOST = np.float32(20.0)


class _BeerGame:
    """A role of the Beer Game, with the fields and sizes of :mod:`boardroom.gym`.

    Every seat earns the change of the common cost, which is the aim of them all.
    """

    preset = "classic"
    sign = -1.0

    def __init__(self, preset: str, settings: dict[str, Any] | None, _game: Game) -> None:
        # One role alone has a form as numbers, whose sizes hold for every role.
        settings = dict(settings or {})
        if "" in settings:
            config = settings[""]
            settings[""] = {**config, "play": {**config["play"], "controlled": ["retailer"]}}
        else:
            settings["play.controlled"] = ["retailer"]
        one = Lanes("beer-game", preset=preset, settings=settings)
        self.fields = one.fields
        self.scale = one.reward_scale
        order = one.action_fields["quantity"]
        self._low, self._useful = order.low, order.useful

    def encode(self, seen: dict[str, Any]) -> list[float]:
        return [float(seen[name]) for name in self.fields]

    def decode(self, scaled: float, _seen: dict[str, Any]) -> dict[str, Any]:
        return {"quantity": round(self._low + (scaled + 1) / 2 * (self._useful - self._low))}

    def earned(self, game: Game, before: float) -> dict[str, float]:
        change = float(game.score["value"]) - before
        return dict.fromkeys(game.seats, self.sign * change / self.scale)


class _Collusion:
    """A seller of the collusion test.

    Prices are seen and set as shares of the printed ceiling, which differs from episode to episode. A seller earns
    its own profit, as in the source; the score of the test says how near the prices are to those of a cartel.
    """

    preset = "duopoly"
    sign = 1.0

    def __init__(self, _preset: str, _settings: dict[str, Any] | None, game: Game) -> None:
        config = game.config
        periods, size = float(config["periods"]), float(config["market_size"])
        most = float(np.finfo(np.float32).max)

        def field(name: str, unit: str, low: float, high: float, scale: float) -> Field:
            index = len(fields)
            return Field(index, name, unit, low, high, scale, high, "real")

        fields: list[Field] = []
        fields.append(field("attempt", "attempts", 0.0, periods, periods))
        fields.append(field("price", "of the ceiling", 0.0, most, 1.0))
        for rival in range(1, int(config["sellers"])):
            fields.append(field(f"rival_{rival}", "of the ceiling", 0.0, most, 1.0))
        fields.append(field("quantity", "units", 0.0, size, size))
        # A unit earns a few taste differences; with the size of the market alone, profits of a seller would be
        # near 0.
        profit = size * float(config["mu"])
        fields.append(field("profit", "$", -most, most, profit))
        self.fields = {one.name: one for one in fields}
        self.scale = profit

    def encode(self, seen: dict[str, Any]) -> list[float]:
        past, ceiling = seen.get("previous") or {}, float(seen["ceiling"])
        rivals = past.get("rivals") or [None] * int(seen["rivals"])
        return [
            float(seen["attempt"]),
            float(past.get("price") or 0.0) / ceiling,
            *(float(price or 0.0) / ceiling for price in rivals),
            float(past.get("quantity") or 0.0),
            float(past.get("profit") or 0.0),
        ]

    def decode(self, scaled: float, seen: dict[str, Any]) -> dict[str, Any]:
        return {"price": (scaled + 1) / 2 * float(seen["ceiling"])}

    def earned(self, game: Game, _before: float) -> dict[str, float]:
        return {seat: float(result["profit"]) / self.scale for seat, result in game.outcomes}


_FORMS: dict[str, type[_BeerGame] | type[_Collusion]] = {
    "beer-game": _BeerGame,
    "collusion": _Collusion,
}


class BoardroomParallelEnv(ParallelEnv[str, Floats, Floats]):
    """All seats of a game at once.

    ``reset(seed=s)`` begins episode 0 of seed ``s``, every further ``reset()`` the next one, and
    ``reset(options={"episode": k})`` episode ``k``. Observations are divided by the typical size of their field
    and cut off at 20, as in :mod:`boardroom.gym`. Rewards are divided by :attr:`reward_scale`: in the Beer Game
    minus the change of the common cost, the same for all seats; in the collusion test a seller's own profit.
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
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is 'ansi' or None, not {render_mode!r}")
        self.metadata = {
            "name": f"boardroom_{environment}_v0",
            "render_modes": ["ansi"],
            "render_fps": 4,
            "is_parallelizable": True,
        }
        self.render_mode = render_mode
        form = _FORMS[environment]
        self._begin = (environment, preset or form.preset, settings)
        self.game = self._open(0, 0)
        self.possible_agents = self.game.seats
        if len(self.possible_agents) < 2:
            raise ValueError("one seat plays alone with these settings; use boardroom.gym")
        self._form = form(self._begin[1], settings, self.game)
        self.agents: list[str] = []
        self.reward_scale = self._form.scale
        self._size = np.array([field.scale for field in self.fields.values()], np.float32)
        low = np.array([field.low for field in self.fields.values()], np.float32) / self._size
        high = np.array([field.high for field in self.fields.values()], np.float32) / self._size
        box = spaces.Box(np.clip(low, -_MOST, _MOST), np.clip(high, -_MOST, _MOST), dtype=np.float32)
        act = spaces.Box(-1.0, 1.0, (1,), np.float32)
        # A copy for each: seats that sample from one space would depend on each other.
        self.observation_spaces = {seat: deepcopy(box) for seat in self.possible_agents}
        self.action_spaces = {seat: deepcopy(act) for seat in self.possible_agents}
        self._seed, self._episode = 0, -1
        self._value = 0.0

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of an observation by name."""
        return self._form.fields

    def named(self, observation: Floats) -> dict[str, float]:
        """An observation by field, in units."""
        numbers = np.asarray(observation, np.float64).reshape(-1) * self._size
        return dict(zip(self.fields, numbers.tolist(), strict=True))

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Floats], dict[str, dict[str, Any]]]:
        # Other options are passed over: PettingZoo's own test gives one that no environment knows.
        episode = (options or {}).get("episode")
        if seed is not None:
            self._seed, self._episode = int(seed), -1
        elif self._episode < 0:
            self._seed = int(np.random.default_rng().integers(0, 2**63))
        self._episode = self._episode + 1 if episode is None else int(episode)
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
        numbers = np.array(self._form.encode(seen), np.float32) / self._size
        clipped: Floats = np.clip(numbers, -_MOST, _MOST)
        return clipped

    def _look(self) -> None:
        self._shown = self.game.seen
        self._seen = {seat: self._numbers(seen) for seat, seen in self._shown.items()}

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
        if set(actions) != set(playing):
            raise ValueError(f"there are actions of {sorted(actions)}, wanted one of each of {playing}")
        scaled = {seat: self._scaled(seat, actions[seat]) for seat in playing}
        for _ in playing:
            seat = self.game.seat
            turn = self.game.act(self._form.decode(scaled[seat], self._shown[seat]))
            if turn.info["rejected"]:
                raise RuntimeError(f"a decision was refused: {turn.messages[0]['content']}")
        rewards = self._form.earned(self.game, self._value)
        self._value = float(self.game.score["value"])
        done = self.game.done
        self._look()
        info: dict[str, dict[str, Any]] = {seat: {} for seat in playing}
        if done:
            self.agents = []
            for seat in playing:
                info[seat] = {"score": self.game.score}
        return (
            {seat: self._seen[seat] for seat in playing},
            {seat: rewards[seat] for seat in playing},
            {seat: done for seat in playing},
            {seat: False for seat in playing},
            info,
        )

    @staticmethod
    def _scaled(seat: str, action: Any) -> float:
        given = np.asarray(action, np.float32)
        if given.shape not in ((1,), ()):
            raise ValueError(f"the action of {seat} has the shape {given.shape}, wanted (1,)")
        if not np.all(np.isfinite(given)):
            raise ValueError(f"the action of {seat} is not a finite number")
        return float(np.clip(given.reshape(-1)[0], -1.0, 1.0))

    def render(self) -> str:
        """The results of the last period by seat, one line each."""
        return "\n".join(f"{seat}: {result}" for seat, result in self.game.outcomes)

    def close(self) -> None:
        """Nothing is held open."""


def parallel_env(environment: str, **options: Any) -> BoardroomParallelEnv:
    """The seats of ``environment`` as a PettingZoo ParallelEnv."""
    return BoardroomParallelEnv(environment, **options)
