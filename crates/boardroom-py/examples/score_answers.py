"""Scores a file of answers: one JSON object a line with `prediction` and `reference`.

    python score_answers.py answers.jsonl
"""

# %%
import json
import sys
from pathlib import Path

from boardroom import score

SAMPLE = [
    {"prediction": "Answer: B", "reference": "B"},
    {"prediction": "I think A is wrong, so C", "reference": "B"},
    {"prediction": None, "reference": "D"},
    {"prediction": "The answer is (D).", "reference": "D"},
]
if len(sys.argv) > 1:
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
else:
    rows = SAMPLE
predictions = [row["prediction"] for row in rows]
references = [row["reference"] for row in rows]

# %% Letters of multiple-choice questions, with an interval of the mean.
right = score.choice(predictions, references)
told = score.bootstrap(right.astype(float), seed=1)
print(f"{right.sum()} of {len(rows)} right; mean {told['mean']:.2f}, interval {told['interval']}")

# %% Free text: ROUGE, with the numbers of the package rouge-score.
texts = score.rouge(
    ["Costs rose because orders were late."], ["Late orders made the costs rise."], ["rouge1", "rougeL"]
)
print({name: round(float(figure[0]), 3) for name, figure in texts.items()})
