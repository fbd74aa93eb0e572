/** Sharing where no link leads to the run: then nothing is offered that makes one, as in what Inspect plays in a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HTMLElement, HTMLFormElement } from "./helpers/elements.js";

const made = (kind) => Object.assign(new kind(), { querySelector: (name) => made(name === "[data-film]" ? HTMLFormElement : HTMLElement), querySelectorAll: () => [] });
const element = () => made(HTMLElement);
const classes = new Set();
globalThis.document = /** @type {any} */ ({
  addEventListener() {},
  body: { classList: { toggle: (name, on) => (on ? classes.add(name) : classes.delete(name)) } },
});
const { Sharing } = await import("../../static/js/view/page/share.js");

test("links are offered where the host can make them, and only there", () => {
  const live = (share) => ({ root: element(), data: { engine: "0" }, host: { share } });
  const offered = (share) => {
    new Sharing(element(), live(share), {});
    return !classes.has("has-no-link");
  };
  assert.ok(offered(async () => ({ url: "/r/1/" })));
  assert.ok(!offered(null));
});
