"""Stable-Baselines3's own vector environment (extra ``sb3``).

SB3 does not take Gymnasium's vector environments. This one steps all episodes natively, which is what makes
training fast: ``PPO("MlpPolicy", boardroom.sb3.VecEnv("beer-game", 128, preset="random"))``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from boardroom._extra import missing

try:
    from stable_baselines3.common.vec_env import VecEnv as _VecEnv
except ImportError as error:
    raise missing("sb3", error) from error

from boardroom._lanes import Lanes, RewardKind
from boardroom.gym import action_space, observation_space


class VecEnv(_VecEnv):
    """``num_envs`` episodes; each begins the next one in the step in which it ends, as SB3 expects.

    ``infos[k]["terminal_observation"]`` and ``infos[k]["episode"]`` (``r``: sum of rewards as given to the
    learner, ``l``: length, ``score``) tell of ended episodes.
    """

    def __init__(
        self,
        environment: str,
        num_envs: int,
        *,
        preset: str | None = None,
        settings: dict[str, Any] | None = None,
        scale: bool = True,
        reward: RewardKind = "scaled",
        seed: int = 0,
    ) -> None:
        self.lanes = Lanes(
            environment,
            num_envs,
            preset=preset,
            settings=settings,
            autoreset="same_step",
            scale=scale,
            reward=reward,
        )
        self.render_mode = None
        super().__init__(num_envs, observation_space(self.lanes), action_space(self.lanes))
        self._seed = seed
        self._actions: npt.NDArray[Any] = np.zeros(0)
        self._sums = np.zeros(num_envs)

    def reset(self) -> npt.NDArray[np.float32]:
        """Begins the episodes of the seed given last, or of the next one."""
        obs = self.lanes.reset(self._seed)
        self._seed += 1
        self._sums[:] = 0.0
        self._reset_seeds()
        self._reset_options()
        return obs

    def seed(self, seed: int | None = None) -> list[int | None]:
        """The seed of the next reset."""
        if seed is None:
            seed = int(np.random.default_rng().integers(0, 2**31))
        self._seed = seed
        return [seed] * self.num_envs

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        obs, rewards, ended = self.lanes.step(self._actions)
        self._sums += rewards
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            scores, lengths, _ = self.lanes.finals()
            final = self.lanes.final_observations()
            for lane in np.flatnonzero(ended):
                infos[lane] = {
                    "terminal_observation": final[lane],
                    "TimeLimit.truncated": False,
                    "episode": {
                        "r": float(self._sums[lane]),
                        "l": int(lengths[lane]),
                        "t": 0.0,
                        "score": float(scores[lane]),
                    },
                }
            self._sums[ended] = 0.0
        return obs, rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        """Nothing is held open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("the lanes have no attributes of their own")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        raise NotImplementedError("the lanes have no methods of their own")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False] * len(self._indices(indices))

    def _indices(self, indices: Any) -> Sequence[int]:
        chosen: Sequence[int] = self._get_indices(indices)
        return list(chosen)
