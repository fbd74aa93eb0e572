/** The projector: loads again when the vote goes on, and counts. */
import { find } from "../view/base/dom.js";
import { follow } from "./link.js";

const data = JSON.parse(find("#class-data").textContent);
const shown = find("[data-stage]")?.dataset.stage ?? null;
let online = 0;
const people = new Map();

follow(data.websocket, (message) => {
  if (message.t !== "grid") return;
  if ((message.vote?.stage ?? null) !== shown) {
    location.reload();
    return;
  }
  if (message.whole) people.clear();
  for (const student of message.changed) people.set(student.id, student.online);
  for (const id of message.gone) people.delete(id);
  online = [...people.values()].filter(Boolean).length;
  const counter = find("[data-online]");
  if (counter) counter.textContent = String(online);
  const votes = find("[data-votes]");
  if (votes && message.vote) {
    const count = message.vote.stage === "second" ? message.vote.second : message.vote.first;
    votes.textContent = `${count} / ${people.size}`;
  }
});
