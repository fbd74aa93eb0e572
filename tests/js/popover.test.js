/** A menu closes by Escape while it is seen; one in a hidden panel leaves the key to what is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HTMLElement } from "./helpers/elements.js";

globalThis.document = new EventTarget();
const { closesLikeAMenu } = await import("../../static/js/view/base/popover.js");

/** @param {boolean} seen */
function menu(seen) {
  const summary = Object.assign(new HTMLElement(), { focus() {} });
  return Object.assign(new HTMLElement(), {
    open: true,
    getClientRects: () => (seen ? [{}] : []),
    querySelector: () => summary,
    contains: () => false,
  });
}

function escape() {
  const event = Object.assign(new Event("keydown", { cancelable: true }), { key: "Escape" });
  globalThis.document.dispatchEvent(event);
  return event.defaultPrevented;
}

test("Escape closes the menu that is seen, and no other", () => {
  const [hidden, seen] = [menu(false), menu(true)];
  closesLikeAMenu(hidden);
  assert.equal(escape(), false, "nothing that is seen is open");
  closesLikeAMenu(seen);
  assert.equal(escape(), true);
  assert.deepEqual([hidden.open, seen.open], [true, false]);
});
