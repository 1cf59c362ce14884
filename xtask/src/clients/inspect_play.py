"""Plays a game with inspect_ai and its mock model, over standard input and output.

Usage: python3 inspect_play.py QUANTITY WEEKS PROGRAM ARGUMENT..

Prints one JSON object: the first message that the model was sent, the text of the last answer, the
score, and the errors. The rules come from `get_status`, as `boardroom serve` has them for every client.
"""

import json
import re
import sys
import tempfile

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver
from inspect_ai.tool import ToolDef, mcp_connection, mcp_server_stdio

QUANTITY, WEEKS, *SERVER = sys.argv[1:]


def text(content):
    return content if isinstance(content, str) else "".join(part.text for part in content)


@solver
def play():
    async def solve(state, generate):
        server = mcp_server_stdio(name="boardroom", command=SERVER[0], args=SERVER[1:])
        async with mcp_connection(server):
            tools = await server.tools()
            named = {name_of(tool): tool for tool in tools}
            rules = await named["get_status"]()
            state.messages.insert(0, ChatMessageSystem(content=text(rules)))
            state.tools = [tool for name, tool in named.items() if name != "get_status"]
            for _ in range(int(WEEKS)):
                state = await generate(state, tool_calls="single")
        return state

    return solve


def name_of(tool):
    return ToolDef(tool).name.removeprefix("boardroom_")


@scorer(metrics=[accuracy()])
def result():
    async def score(state, target):
        last = text(state.messages[-1].content)
        found = re.search(r"The result is ([\d.,]*\d)", last)
        value = float(found.group(1).replace(",", "")) if found else 0.0
        return Score(value=value, answer=last)

    return score


def main():
    call = ModelOutput.for_tool_call("mockllm", "place_order", {"quantity": int(QUANTITY)})
    # Without a count of its own, the mock model downloads a tokeniser.
    call.usage = ModelUsage()
    model = get_model("mockllm/model", custom_outputs=[call] * int(WEEKS))
    task = Task(dataset=[Sample(input="Play the game to its end.")], solver=play(), scorer=result())
    with tempfile.TemporaryDirectory() as logs:
        log = eval(task, model=model, log_dir=logs, display="none")[0]
        # The samples are read from the file of the log.
        sample = log.samples[0]
    print(
        json.dumps(
            {
                "status": log.status,
                "first": text(sample.messages[0].content),
                "last": text(sample.messages[-1].content),
                "score": sample.scores["result"].value if sample.scores else None,
                "error": sample.error.message if sample.error else None,
            }
        )
    )


main()
