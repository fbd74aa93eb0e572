/** Small confirmations go by themselves, each after its own time. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";

/** As much of an element as a message needs. */
function element() {
  const made = { dataset: {}, children: [], append: (...all) => made.children.push(...all), remove: () => (made.gone = true) };
  const setAttribute = (name, value) => {
    if (name.startsWith("data-")) made.dataset[name.slice(5)] = value;
  };
  return Object.assign(made, { setAttribute, addEventListener() {} });
}

globalThis.document = /** @type {any} */ ({ createElement: element, createElementNS: element, documentElement: element() });
const { Alerts } = await import("../../static/js/view/base/alerts.js");

test("a confirmation that comes later stays its whole time", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const alerts = new Alerts(element());
  alerts.flash("one");
  mock.timers.tick(3000);
  alerts.flash("two");
  const two = alerts.shown.get("flash");
  mock.timers.tick(3000);
  assert.equal(alerts.shown.get("flash"), two);
  alerts.flash("two"); // said again: as long again
  mock.timers.tick(3000);
  assert.equal(alerts.shown.get("flash"), two);
  mock.timers.tick(1000);
  assert.equal(alerts.shown.size, 0);
  assert.ok(two.gone);
  mock.timers.reset();
});

test("what is closed by hand takes nothing with it that comes under its name after it", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const alerts = new Alerts(element());
  alerts.show("notice", "info", "one");
  alerts.clear("notice");
  alerts.show("notice", "limit", "two");
  mock.timers.tick(60_000);
  assert.equal(alerts.shown.get("notice").dataset.text, "two");
  mock.timers.reset();
});
