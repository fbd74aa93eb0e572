/** The queues of the session as buttons with their lengths: one is shown by the stage, the files and the charts. */
import { pendingOf, readyOf } from "../../model/messages.js";
import { queueNames, showQueue, shownQueue } from "../../model/shown.js";
import { idOf } from "../../model/routes.js";
import { fill, gettext, number } from "../../model/text.js";
import { around, dataOf, el, find, findAll, keepChildren, setAttributes, setText, show } from "../base/dom.js";

/**
 * @import { Playhead } from "../../model/playhead.js"
 */

export class Queues {
  /**
   * `changed()` is called when another queue is shown.
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   * @param {() => void} changed
   */
  constructor(root, playhead, changed) {
    this.root = root;
    this.playhead = playhead;
    this.changed = changed;
    this.names = "";
    this.only = find("[data-only-queue]");
    root.addEventListener("click", (event) => {
      const button = around(event, "[data-queue]");
      if (button) this.choose(dataOf(button, "queue"));
    });
  }

  /** @param {string} name */
  choose(name) {
    if (name === shownQueue(this.playhead.state)) return;
    showQueue(name);
    this.playhead.timeline.show(name);
    this.changed();
    this.update();
  }

  update() {
    const { state } = this.playhead;
    const names = queueNames(state);
    show(this.only, names.length > 1);
    if (this.names !== names.join()) this.build(names);
    const shown = shownQueue(state);
    for (const button of findAll("[data-queue]", this.root)) {
      const queue = state.queues[dataOf(button, "queue")];
      const ready = readyOf(queue);
      const held = pendingOf(queue);
      setText(button.lastElementChild, held ? `${number(ready)} + ${number(held)}` : number(ready));
      setAttributes(button, {
        "aria-pressed": button.dataset.queue === shown,
        title: fill(gettext("%(queue)s: %(ready)s ready, %(held)s unacked"), {
          queue: button.dataset.queue,
          ready: number(ready),
          held: number(held),
        }),
      });
    }
  }

  /** @param {string[]} names */
  build(names) {
    this.names = names.join();
    this.root.classList.toggle("is-many", names.length > 3);
    keepChildren(this.root, names, (name) =>
      el(
        "button",
        { type: "button", "data-queue": name, "data-object": idOf("queue", name), "aria-pressed": "false" },
        el("b", {}, name),
        el("span"),
      ),
    );
  }
}
