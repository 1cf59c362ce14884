"""PPO of Stable-Baselines3 on the Beer Game (extra `sb3`; its torch is large).

    pip install 'boardroom-sim[sb3]'
    python train_ppo.py 480000
"""

# %%
import sys

import numpy as np
from stable_baselines3 import PPO

import boardroom
from boardroom.sb3 import VecEnv

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 96_000

# %% 128 games at once; observations and actions are scaled, which PPO needs.
env = VecEnv("beer-game", 128, preset="random", seed=1)
model = PPO("MlpPolicy", env, n_steps=25, batch_size=800, gamma=0.99, verbose=0, seed=1)
model.learn(steps)

# %% The thousand games of seed 7, which it has not seen.
lanes = boardroom.Lanes("beer-game", 1000, preset="random", autoreset="disabled")
obs, ended = lanes.reset(7), np.zeros(1000, bool)
while not ended.all():
    actions, _ = model.predict(obs, deterministic=True)
    obs, _, ended = lanes.step(actions)
costs = lanes.finals()[0]
rule = [lanes.policy_score("order-up-to", 7, k) for k in range(1000)]
told = boardroom.score.paired(costs, rule)
print(f"{steps:,} steps: mean cost {costs.mean():,.0f}, order-up-to {np.mean(rule):,.0f}")
print(f"difference {told['mean']:,.1f} in {told['interval']['low']:,.1f} to {told['interval']['high']:,.1f}")
