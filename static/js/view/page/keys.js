/** The keyboard map. Single letters are off in fields and can be switched off altogether. */
import { lanesOf } from "../../model/places.js";
import { shownState } from "../../model/shown.js";
import { need } from "../base/dom.js";
import { toggleContrast, toggleTheme } from "../base/theme.js";
import { fenceStep } from "../stage/fence.js";

/**
 * @import { Live } from "../base/live.js"
 * @import { AllRooms } from "./rooms.js"
 */

const STORAGE = "waterline.keys";

function lettersOn() {
  try {
    return localStorage.getItem(STORAGE) !== "off";
  } catch {
    return true;
  }
}

/**
 * Sliders and switches are no fields: nothing is typed there.
 * @param {EventTarget & { closest?: Element["closest"] }} target
 */
function inField(target) {
  return Boolean(target.closest?.("input:not([type=range], [type=checkbox]), select, textarea, [contenteditable], dialog"));
}

/** Where a press of the mouse left the focus, and no key has moved it since: Space is for the run, not for that button. */
class LeftByPointer {
  constructor() {
    /** @type {Element | null} */
    this.element = null;
    const left = () => (this.element = document.activeElement);
    // At once, as a key may follow before a timer; and when the click is over, which may move the focus.
    document.addEventListener("pointerup", () => (left(), setTimeout(left)), true);
    document.addEventListener("keydown", (event) => event.key === "Tab" && (this.element = null), true);
    // Firefox presses a button when Space comes up.
    document.addEventListener("keyup", (event) => event.key === " " && this.holds(event.target) && event.preventDefault(), true);
  }

  /** @param {EventTarget | null} target */
  holds(target) {
    return target !== null && target === this.element && !inField(target);
  }
}

/**
 * Listen for the whole page.
 * @param {AllRooms} rooms
 * @param {Live} live
 */
export function bindKeys({ stage, time, panels, page }, { playhead, session }) {
  /** Whether the last key was q, so that a digit chooses a lane and no speed: however long the reader takes for it. */
  let laneNext = false;
  const pointer = new LeftByPointer();
  const help = need("#help-dialog", HTMLDialogElement);
  const toggle = need("[data-keys-toggle]", HTMLInputElement, help);
  toggle.checked = lettersOn();
  toggle.addEventListener("change", () => {
    try {
      localStorage.setItem(STORAGE, toggle.checked ? "on" : "off");
    } catch {
      // Then the choice holds for this page only.
    }
  });
  const contrast = need("[data-contrast-toggle]", HTMLInputElement, help);
  contrast.checked = document.documentElement.dataset.contrast === "more";
  contrast.addEventListener("change", toggleContrast);
  /** @type {Record<string, () => unknown>} */
  const actions = {
    " ": () => time.bar.toggle(),
    ArrowLeft: () => playhead.back(),
    ArrowRight: () => time.bar.step(),
    "Shift+ArrowLeft": () => playhead.event(-1),
    "Shift+ArrowRight": () => playhead.event(1),
    Home: () => playhead.home(),
    End: () => playhead.now(),
    p: () => panels.controls.publish(),
    u: () => page.undo(),
    f: () => page.fork(),
    i: () => panels.instruments.toggle(),
    b: () => page.present(),
    t: toggleTheme,
    j: () => panels.narrative.walk(1),
    k: () => panels.narrative.walk(-1),
    w: () => need("#why").focus(),
    c: () => panels.console.toggle(),
    s: () => page.share(),
    q: () => {
      laneNext = true;
    },
    "/": () => panels.follow.focus(),
    "?": () => help.showModal(),
    "[": () => panels.controls.memory.nudge(-fenceStep(session.state)),
    "]": () => panels.controls.memory.nudge(fenceStep(session.state)),
    "+": () => stage.zoom.by(0.5),
    "-": () => stage.zoom.by(2),
    0: () => stage.zoom.set(null),
    ",": () => stage.zoom.pan(1),
    ".": () => stage.zoom.pan(-1),
    Escape: () => page.clear(),
  };
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Shift" || inField(target)) return;
    const inLane = laneNext;
    laneNext = false;
    if (event.key === " " && target.closest?.("button, a, summary, input") && !pointer.holds(target)) return;
    if (event.key >= "1" && event.key <= "5" && toggle.checked) {
      // Digits choose a lane, the newest messages first.
      if (inLane) stage.twin.enter(lanesOf(shownState(playhead.state))[Number(event.key) - 1]);
      else if (event.key <= "4") time.bar.pick(Number(event.key));
      return;
    }
    const name = event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
    const action = actions[name.length === 1 ? name.toLowerCase() : name];
    if (!action || (/^[a-z]$/i.test(event.key) && !toggle.checked)) return;
    event.preventDefault();
    action();
  });
}
