/** Sharing where no link leads to the run: then nothing is offered that makes one, as in what Inspect plays in a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import "./helpers/elements.js";

const classes = new Set();
globalThis.document = /** @type {any} */ ({
  addEventListener() {},
  documentElement: { classList: {} },
  body: { classList: { toggle: (name, on) => (on ? classes.add(name) : classes.delete(name)) } },
});
const { offerLinks } = await import("../../static/js/view/page/build.js");

test("links are offered where the host can make them, and only there", () => {
  const offered = (share) => {
    offerLinks({ share });
    return !classes.has("has-no-link");
  };
  assert.ok(offered(async () => ({ url: "/r/1/" })));
  assert.ok(!offered(null));
});
