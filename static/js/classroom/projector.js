/** The projector: loads again when the vote goes on, and counts. */
import { find, need, show } from "../view/base/dom.js";
import { countDown } from "./countdown.js";
import { follow } from "./link.js";

/** @import { GridMessage } from "./link.js" */

const data = JSON.parse(need("#class-data").textContent);
const board = find("[data-stage]");
const shown = board ? `${board.dataset.vote} ${board.dataset.stage}` : null;
let online = 0;
/** @type {Map<number, boolean>} who is there, by the students' numbers */
const people = new Map();

follow(data.websocket, (/** @type {GridMessage} */ message) => {
  if (message.t !== "grid") return;
  if ((message.vote ? `${message.vote.id} ${message.vote.stage}` : null) !== shown) {
    location.reload();
    return;
  }
  show(find("[data-lesson-over]"), message.ended);
  show(find("[data-closed]"), !message.joining);
  if (message.whole) people.clear();
  for (const student of message.changed) people.set(student.id, student.online);
  for (const id of message.gone) people.delete(id);
  online = [...people.values()].filter(Boolean).length;
  const counter = find("[data-online]");
  if (counter) counter.textContent = String(online);
  const votes = find("[data-votes]");
  if (votes && message.vote) {
    votes.textContent = `${message.vote.votes} / ${people.size}`;
  }
}, (status) => show(find("[data-class-gone]"), status === "ended"));

countDown(() => {});
