"""PPO of Stable-Baselines3 on the Beer Game (extra `sb3`; its torch is large).

    pip install 'boardroom-sim[sb3]'
    python train_ppo.py 17                 # CPU seconds after which no further round begins
"""

# %%
import sys
import time

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

import boardroom
from boardroom.sb3 import VecEnv

#: 256 games at once. Observations, actions and rewards are scaled, which PPO needs.
LANES = 256


class Until(BaseCallback):
    """Ends the training after some CPU seconds; the round of updates that has begun is finished."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds, self.begun = seconds, time.process_time()

    def _on_step(self) -> bool:
        return time.process_time() - self.begun < self.seconds


# %% A rollout is one game of every lane; rewards below -10 are clipped for the learner alone.
class Clipped(VecEnv):
    def step_wait(self):
        obs, rewards, dones, infos = super().step_wait()
        return obs, np.maximum(rewards, -10.0), dones, infos


def train(seconds: float) -> PPO:
    torch.set_num_threads(1)
    env = Clipped("beer-game", LANES, preset="random", seed=1_000)
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=25,
        batch_size=1_600,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=0.99,
        seed=1,
        device="cpu",
        policy_kwargs={"net_arch": [64, 64]},
    )
    model.learn(100_000_000, callback=Until(seconds))
    return model


# %% The thousand games of seed 7, which it has not seen, and what the adaptive rule pays in them.
def main(seconds: float) -> dict:
    begun = time.process_time()
    model = train(seconds)
    training = time.process_time() - begun
    lanes = boardroom.Lanes("beer-game", 1000, preset="random", autoreset="disabled")
    obs, ended = lanes.reset(7), np.zeros(1000, bool)
    while not ended.all():
        actions, _ = model.predict(obs, deterministic=True)
        obs, _, ended = lanes.step(actions)
    costs = lanes.finals()[0]
    rule = [lanes.policy_score("adaptive", 7, k) for k in range(1000)]
    told = boardroom.score.paired(costs, rule)
    low, high = told["interval"]["low"], told["interval"]["high"]
    print(f"{training:.1f} CPU s, {model.num_timesteps:,} steps: mean cost {costs.mean():,.0f}")
    print(f"adaptive {np.mean(rule):,.0f}; difference {told['mean']:,.1f} in {low:,.1f} to {high:,.1f}")
    return {"training": training, "cost": float(costs.mean()), "difference": told}


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 17.0)
