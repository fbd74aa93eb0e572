/** The keyboard map: which key asks which part of the page, and when a letter or a digit means something else. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { HTMLDialogElement, HTMLInputElement } from "./helpers/elements.js";
import { live } from "./feed.js";

const [letters, contrast, why] = [new HTMLInputElement(), new HTMLInputElement(), { focus: () => asked.push("why") }];
const help = Object.assign(new HTMLDialogElement(), {
  querySelector: (/** @type {string} */ name) => (name === "[data-keys-toggle]" ? letters : contrast),
});
const page = Object.assign(new EventTarget(), {
  activeElement: null,
  documentElement: { dataset: {} },
  querySelector: (/** @type {string} */ name) => (name === "#why" ? Object.assign(new HTMLInputElement(), why) : help),
});
globalThis.document = /** @type {any} */ (page);
const { bindKeys } = await import("../../static/js/view/page/keys.js");

/** @type {string[]} what was asked of the parts, in order */
let asked = [];
const note = (/** @type {string} */ name) => (/** @type {unknown[]} */ ...given) => asked.push([name, ...given].join(" "));

const session = live();
bindKeys(
  /** @type {any} */ ({
    stage: { twin: { enter: note("lane") }, zoom: { by: note("zoom"), set: note("fit"), pan: note("pan") } },
    time: { bar: { toggle: note("time"), step: note("step"), pick: note("speed") } },
    panels: { controls: { publish: note("publish") }, console: { toggle: note("console") } },
    page: { fork: note("fork"), undo: note("undo") },
  }),
  { playhead: { state: session.state, back: note("back"), event: note("event"), home: note("home"), now: note("now") }, session },
);

/** Press a key; return what that asked for, and whether the browser's own doing was prevented. */
function press(/** @type {string} */ key, given = {}) {
  asked = [];
  const event = Object.assign(new Event("keydown", { cancelable: true }), { key, ...given });
  page.dispatchEvent(event);
  return { asked, prevented: event.defaultPrevented };
}

test("q waits for the digit of a lane, however long the reader takes for it", () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  press("q");
  mock.timers.tick(3_600_000);
  assert.deepEqual(press("5").asked, ["lane q4"]);
  press("q");
  assert.deepEqual(press("1").asked, ["lane q1"]);
  mock.timers.reset();
});

test("any other key ends the wait, and a digit alone is a speed", () => {
  press("q");
  assert.deepEqual(press("w").asked, ["why"]);
  assert.deepEqual(press("5").asked, []);
  assert.deepEqual(press("4").asked, ["speed 4"]);
});

test("arrows go through the run, with Shift from event to event", () => {
  assert.deepEqual(press("ArrowLeft"), { asked: ["back"], prevented: true });
  assert.deepEqual(press("ArrowRight").asked, ["step"]);
  assert.deepEqual(press("ArrowLeft", { shiftKey: true }).asked, ["event -1"]);
  assert.deepEqual(press("ArrowRight", { shiftKey: true }).asked, ["event 1"]);
  assert.deepEqual([...press("Home").asked, ...press("End").asked, ...press(" ").asked], ["home", "now", "time"]);
});

test("what belongs to the browser stays with it", () => {
  for (const held of ["ctrlKey", "metaKey", "altKey"]) assert.deepEqual(press("f", { [held]: true }), { asked: [], prevented: false });
  assert.deepEqual(press("x"), { asked: [], prevented: false });
});

test("letters and digits can be switched off, other keys cannot", () => {
  letters.checked = false;
  assert.deepEqual([press("f").asked, press("p").asked, press("4").asked, press("+").asked], [[], [], [], ["zoom 0.5"]]);
  letters.checked = true;
  assert.deepEqual(press("F").asked, ["fork"]);
});
