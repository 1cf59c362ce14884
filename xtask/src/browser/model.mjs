// A stand-in for a model, in the language of OpenAI: orders what was asked for and what is owed.
// node model.mjs; prints its port.
import { createServer } from "node:http";

let answered = 0;
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => { body += part; });
  request.on("end", () => {
    const { messages } = JSON.parse(body);
    const texts = messages.map((message) => (typeof message.content === "string" ? message.content : JSON.stringify(message.content ?? ""))).join("\n");
    const last = (pattern, otherwise) => Number([...texts.matchAll(pattern)].pop()?.[1] ?? otherwise);
    const asked = last(/(\d+) units were asked for/g, 100);
    const [stock, backlog] = [last(/[Ss]tock (\d+)/g, 0), last(/backlog (\d+)/g, 0)];
    const quantity = Math.min(5000, asked + backlog);
    answered += 1;
    const reply = {
      id: `stand-in-${answered}`, object: "chat.completion", model: "stand-in",
      choices: [{ index: 0, finish_reason: "tool_calls", message: {
        role: "assistant",
        reasoning_content: `My buyer asked for ${asked}. I have ${stock} units and owe ${backlog}. If I order what was asked for and what I owe, I should catch up.`,
        content: backlog > 0 ? `I owe ${backlog} units, so I order ${quantity}.` : `Demand was ${asked}; I order the same.`,
        tool_calls: [{ id: `call-${answered}`, type: "function", function: { name: "place_order", arguments: JSON.stringify({ quantity }) } }],
      } }],
      usage: { prompt_tokens: Math.round(body.length / 4), completion_tokens: 60, total_tokens: Math.round(body.length / 4) + 60 },
    };
    setTimeout(() => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(reply));
    }, 40 + (answered % 7) * 10);
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
