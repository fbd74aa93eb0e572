/** Carrying something by the pointer: a press that moves far enough is a carry, any other stays a click. */
import { el, setText, show } from "./dom.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 */

/** A press that moves less is a click. */
const SLACK_PX = 6;

/**
 * Let things under `root` be carried. `pick(event)` gives what the press takes or null, `move(carried, event)` follows it,
 * `drop(carried, event)` ends it; without an event it was given up.
 * @template T
 * @param {HTMLElement} root
 * @param {{ pick: (event: PointerEvent) => T | null, move: (carried: T, event: PointerEvent, by: { dx: number, dy: number }) => void, drop: (carried: T, event: PointerEvent | null) => void }} by
 */
export function carry(root, { pick, move, drop }) {
  /** @type {{ carried: T, x: number, y: number, id: number, moved: boolean } | null} what is pressed */
  let held = null;
  /** @param {PointerEvent | null} event */
  const end = (event) => {
    const press = held;
    held = null;
    // Wherever the pointer goes, it is followed: what is pressed may be smaller than the slack.
    listen(removeEventListener);
    if (!press?.moved) return;
    // The click that follows the release belongs to the carry, not to what lies under it.
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    drop(press.carried, event);
  };
  /** @param {PointerEvent} event */
  const follow = (event) => {
    if (event.pointerId !== held?.id) return;
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.moved && Math.hypot(dx, dy) < SLACK_PX) return;
    held.moved = true;
    event.preventDefault();
    move(held.carried, event, { dx, dy });
  };
  /** @param {PointerEvent} event */
  const release = (event) => event.pointerId === held?.id && end(event);
  /** @param {PointerEvent} event */
  const cancel = (event) => event.pointerId === held?.id && end(null);
  /** @param {KeyboardEvent} event */
  const escape = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    end(null);
  };
  /** @param {typeof addEventListener} change adds or removes what listens from the press to its end */
  const listen = (change) => {
    change("pointermove", follow, true);
    change("pointerup", release, true);
    change("pointercancel", cancel, true);
    change("keydown", escape, true);
  };
  // A finger that carries does not scroll the page as well.
  root.addEventListener("touchmove", (event) => held && event.cancelable && event.preventDefault(), { passive: false });
  root.addEventListener("pointerdown", (event) => {
    if (held || event.button !== 0) return;
    const carried = pick(event);
    if (carried === null) return;
    held = { carried, x: event.clientX, y: event.clientY, id: event.pointerId, moved: false };
    listen(addEventListener);
  });
}

/** Words that go along with what is carried over `box`. */
export class Carried {
  /** @param {HTMLElement} box */
  constructor(box) {
    this.box = box;
    this.label = el("span.carried", { hidden: true });
    box.append(this.label);
  }

  /**
   * @param {string} text
   * @param {Values} given
   */
  show(text, { clientX, clientY }) {
    const box = this.box.getBoundingClientRect();
    setText(this.label, text);
    show(this.label, true);
    this.label.style.left = `${Math.max(4, Math.min(box.width - this.label.offsetWidth - 4, clientX - box.left + 10))}px`;
    this.label.style.top = `${Math.max(4, clientY - box.top + 12)}px`;
  }

  hide() {
    show(this.label, false);
  }
}

/** @param {Event} event */
function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}
