"""Games with text and tools, as language models and people play them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from boardroom import _native
from boardroom._encode import dumps, whole
from boardroom._lanes import Reference, _reference

Message = dict[str, Any]

#: Seeds of training and evaluation: ``tasks`` takes them from ranges that do not meet.
_FIRST_SEED = {"train": 1_000_000_000, "eval": 2_000_000_000}
#: Length of either range.
_SEEDS = 1_000_000_000


@dataclass(frozen=True)
class Turn:
    """What a step of a :class:`Game` gave."""

    #: Tool messages, one for each call and with its id; after them the opening of the next turn.
    messages: list[Message]
    #: 0 until the game is over, then :attr:`Game.unit`, or the score where there is no reference or no baseline.
    reward: float
    done: bool
    #: ``rejected`` (number of refused calls), ``forfeited``, ``tools`` (offered now) and, at the end, ``score``.
    info: dict[str, Any] = field(default_factory=dict)


def tasks(
    environment: str,
    n: int,
    *,
    split: Literal["train", "eval"] = "train",
    preset: str | None = None,
) -> list[dict[str, Any]]:
    """``n`` games to train on or to evaluate with; the two splits share no seed."""
    if split not in _FIRST_SEED:
        raise ValueError(f"split is 'train' or 'eval', not {split!r}")
    if not 0 <= n <= _SEEDS:
        raise ValueError(f"n is between 0 and {_SEEDS}, not {n}")
    return [
        {"environment": environment, "preset": preset, "seed": _FIRST_SEED[split] + k, "split": split}
        for k in range(n)
    ]


def plots(
    record: Mapping[str, Any],
    *,
    preset: str | None = None,
    settings: dict[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """The pictures of the episode of a record as data, the main one first.

    Each has ``name``, ``title``, the axes ``x`` and ``y`` with label and unit, and ``shape``, whose ``form`` is
    ``lines``, ``stacked``, ``bars``, ``spans`` or ``grid``. ``preset`` and ``settings`` are those of the run; the
    whole configuration from the manifest of a run folder is ``settings={"": config}``.
    """
    environment = record["header"]["environment"]
    native = _native.Game(environment, preset, dumps(settings or {}), 0, 0, "plots")
    return list(json.loads(_native.plots(environment, native.config(), dumps(record))))


def draw(plots: Mapping[str, Any] | Sequence[Mapping[str, Any]], *, title: str = "") -> str:
    """One SVG of pictures that :func:`plots` gave, one below the other, with their titles and legends.

    ``title`` is the title of the file. A ``ValueError`` says which picture is not one, or that there is nothing to draw.
    """
    found = _native.draw(title, dumps([plots] if isinstance(plots, Mapping) else list(plots)))
    if found is None:
        raise ValueError("there is nothing to draw")
    return found


class Game:
    """One episode with messages and tools in the shape of OpenAI's chat interface.

    The same environment, limits and texts as ``boardroom run`` and ``boardroom serve``. A game with several
    seats asks them in turn: :attr:`seat` is the one in turn, and every seat has its own messages.

    >>> import boardroom
    >>> game = boardroom.Game("beer-game", preset="paper")
    >>> messages, tools = game.reset()
    >>> turn = game.step([{"id": "1", "name": "place_order", "arguments": {"quantity": 300}}])
    >>> turn.done, turn.info["rejected"]
    (False, 0)
    """

    def __init__(
        self,
        environment: str,
        *,
        preset: str | None = None,
        settings: dict[str, Any] | None = None,
        seed: int = 0,
        episode: int = 0,
        agent: str = "python",
    ) -> None:
        seed, episode = whole(seed, "seed", 0), whole(episode, "episode", 0)
        self._begin = (environment, preset, dumps(settings or {}), seed, episode, agent)
        self._native = _native.Game(*self._begin)
        self.seed, self.episode = seed, episode

    @property
    def environment(self) -> str:
        return self._native.environment()[0]

    @property
    def seats(self) -> list[str]:
        """All seats, in the order in which they act."""
        return self._native.seats()

    @property
    def seat(self) -> str:
        """The seat in turn."""
        return self._native.turn()

    @property
    def done(self) -> bool:
        return self._native.is_over()

    @property
    def period(self) -> tuple[int, int | None, str]:
        """Periods finished, their number in all (None if unknown), and their unit (``week``)."""
        return self._native.period()

    @property
    def config(self) -> dict[str, Any]:
        """The whole configuration."""
        return dict(json.loads(self._native.config()))

    @property
    def observation(self) -> dict[str, Any]:
        """What the seat in turn sees."""
        return dict(json.loads(self._native.observation()))

    @property
    def seen(self) -> dict[str, dict[str, Any]]:
        """What every seat sees before any of them decides in this period, or when the game is over."""
        return dict(json.loads(self._native.seen()))

    @property
    def outcomes(self) -> list[Any]:
        """Seats and their results of the last finished period."""
        return list(json.loads(self._native.outcomes()))

    @property
    def score(self) -> dict[str, Any]:
        """The score so far: ``value``, ``metrics``, ``incidents``."""
        return dict(json.loads(self._native.score()))

    def reference(self, *, search: bool = False) -> Reference:
        """The reference of this episode, and where the score so far lies."""
        value = float(self.score["value"])
        return _reference(
            self.environment, self._native.config(), self.seed, self.episode, value, search
        )

    @property
    def unit(self) -> float | None:
        """The score as a reward: 1 at the reference, 0.5 at the baseline, above 0 everywhere.

        Where the baseline is as good as the reference, it is 1 for both and 0 for what is worse.
        """
        return self.reference().placed.get("unit")

    def messages(self) -> list[Message]:
        """System prompt and opening of the present turn: a chat of a turn begins with them."""
        system, opening, _ = self._native.prompt()
        return [{"role": "system", "content": system}, {"role": "user", "content": opening}]

    @property
    def reminder(self) -> str:
        """What a model is told when its reply did not end the turn."""
        return self._native.prompt()[2]

    def tools(self) -> list[dict[str, Any]]:
        """The tools that can be called now."""
        return [
            {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool["description"],
                    "parameters": tool["arguments"],
                },
            }
            for tool in json.loads(self._native.tools(False))
        ]

    def reset(self) -> tuple[list[Message], list[dict[str, Any]]]:
        """Begins the episode (again); returns the first messages and the tools."""
        self._native = _native.Game(*self._begin)
        return self.messages(), self.tools()

    def step(self, said: str | Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Turn:
        """One reply of the seat in turn: a list of calls, a whole assistant message, or a text.

        A call is ``{"id", "name", "arguments"}`` or has the last two under ``"function"``; arguments are a
        dict or JSON text. Calls after the one that ends the turn are dropped. A refused call is told to the
        model and changes nothing.
        """
        if self.done:
            raise ValueError("the game is over; reset() begins it again")
        calls, text = _calls_of(said)
        spent = self._native.query()
        messages: list[Message] = []
        rejected, forfeited = 0, False
        ended = False
        if spent is not None:
            told = json.loads(spent)
            ended, forfeited = True, told["next"] in ("forfeited", "episode_over")
            messages.append({"role": "user", "content": told["text"]})
            calls, text = [], None
        for number, call in enumerate(calls):
            told = json.loads(self._native.call(call["name"], call["arguments"]))
            rejected += told["rejected"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": told["text"]})
            if told["next"] != "go_on":
                ended, forfeited = True, told["next"] == "forfeited"
                dropped = len(calls) - number - 1
                if dropped:
                    self._native.drop_calls(dropped)
                messages += [
                    {
                        "role": "tool",
                        "tool_call_id": later["id"],
                        "content": "not done: an earlier call of this reply ended the turn",
                    }
                    for later in calls[number + 1 :]
                ]
                break
        if text is not None:
            told = json.loads(self._native.say(text))
            rejected += told["rejected"]
            ended, forfeited = told["next"] != "go_on", told["next"] == "forfeited"
            messages.append({"role": "user", "content": told["text"]})
        if not self.done:
            opening = self._native.prompt()[1]
            messages.append({"role": "user", "content": opening if ended else self.reminder})
        return self._turn(messages, {"rejected": rejected, "forfeited": forfeited})

    def act(self, action: Any) -> Turn:
        """One typed action of the seat in turn, as policies take them."""
        if self.done:
            raise ValueError("the game is over; reset() begins it again")
        told = json.loads(self._native.act(dumps(action)))
        messages = [{"role": "user", "content": told["text"]}]
        return self._turn(
            messages, {"rejected": int(told["rejected"]), "forfeited": told["next"] == "forfeited"}
        )

    def forfeit(self) -> Turn:
        """The environment's own rule for a seat that does not act."""
        self._native.forfeit()
        messages = [] if self.done else [{"role": "user", "content": self._native.prompt()[1]}]
        return self._turn(messages, {"rejected": 0, "forfeited": True})

    def _turn(self, messages: list[Message], info: dict[str, Any]) -> Turn:
        if not self.done:
            return Turn(messages, 0.0, False, info | {"tools": self.tools()})
        score = self.score
        reward = self.unit
        if reward is None:
            reward = float(score["value"])
        return Turn(messages, reward, True, info | {"tools": [], "score": score})

    def record(self) -> dict[str, Any]:
        """The record of the episode so far, which ``boardroom verify`` accepts."""
        return dict(json.loads(self._native.record()))

    def plots(self) -> list[dict[str, Any]]:
        """The pictures of the episode so far; see :func:`boardroom.plots`."""
        record = dumps(self.record())
        return list(json.loads(_native.plots(self.environment, self._native.config(), record)))

    def state(self) -> str:
        """Everything, as JSON text: where the game began and what was done."""
        return self._native.state()

    @classmethod
    def restore(cls, state: str) -> Game:
        """The game of a state; it continues identically."""
        game = cls.__new__(cls)
        game.__setstate__(state)
        return game

    def copy(self) -> Game:
        """An independent copy that continues identically."""
        return Game.restore(self.state())

    def __deepcopy__(self, _memo: Any) -> Game:
        return self.copy()

    def __getstate__(self) -> str:
        return self.state()

    def __setstate__(self, state: str) -> None:
        self._native = _native.Game.restore(state)
        start = json.loads(state)["start"]
        self.seed, self.episode = start["seed"], start["episode"]
        settings = dumps({"": start["config"]})
        self._begin = (
            start["environment"],
            None,
            settings,
            start["seed"],
            start["episode"],
            start["agent"],
        )


def _calls_of(
    said: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
) -> tuple[list[dict[str, Any]], str | None]:
    """The calls of a reply, or its text."""
    if isinstance(said, str):
        return [], said
    if isinstance(said, Mapping):
        calls = said.get("tool_calls") or []
        if not calls:
            return [], str(said.get("content") or "")
        said = calls
    return [_call_of(call, number) for number, call in enumerate(said)], None


def _call_of(call: Mapping[str, Any], number: int) -> dict[str, Any]:
    function = call.get("function", call)
    arguments = function.get("arguments")
    if arguments is None:
        arguments = {}
    text = arguments if isinstance(arguments, str) else dumps(arguments)
    return {
        "id": call.get("id", f"call_{number}"),
        "name": str(function.get("name", "")),
        "arguments": text,
    }
