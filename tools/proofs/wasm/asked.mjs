/**
 * One Python that a test asks again and again, as starting it takes most of the time: node tools/proofs/wasm/asked.mjs dist/wasm.
 * A line of JSON in, {play: [NAME...]} or {ask: question}; a line out, {result} or {error}.
 */
import { createInterface } from "node:readline";
import { start } from "./python.mjs";

const python = await start(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const { play, ask } = JSON.parse(line);
  let answer;
  try {
    answer = { result: play ? python.play(play) : python.ask(ask) };
  } catch (error) {
    answer = { error: String(error.message).slice(-3000) };
  }
  console.log(JSON.stringify(answer));
}
