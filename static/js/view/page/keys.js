/** The keyboard map. Single letters are off in fields and can be switched off altogether. */
import { find } from "../base/dom.js";
import { toggleContrast, toggleTheme } from "../base/theme.js";

const STORAGE = "waterline.keys";
const LANES = { 1: "q1", 2: "q2", 3: "delta", 4: "q3", 5: "q4" };
const LANE_MS = 1200;

function lettersOn() {
  try {
    return localStorage.getItem(STORAGE) !== "off";
  } catch {
    return true;
  }
}

function inField(target) {
  return Boolean(target.closest?.("input, select, textarea, [contenteditable], dialog"));
}

/** Listen for the whole page. `parts`: bar, playhead, controls, narrative, twin, clear(). */
export function bindKeys(parts) {
  let laneUntil = 0;
  const help = document.getElementById("help-dialog");
  const toggle = find("[data-keys-toggle]", help);
  toggle.checked = lettersOn();
  toggle.addEventListener("change", () => {
    try {
      localStorage.setItem(STORAGE, toggle.checked ? "on" : "off");
    } catch {
      // Then the choice holds for this page only.
    }
  });
  const contrast = find("[data-contrast-toggle]", help);
  contrast.checked = document.documentElement.dataset.contrast === "more";
  contrast.addEventListener("change", toggleContrast);
  const actions = {
    " ": () => parts.bar.toggle(),
    ArrowLeft: () => parts.playhead.back(),
    ArrowRight: () => parts.bar.step(),
    "Shift+ArrowLeft": () => parts.playhead.event(-1),
    "Shift+ArrowRight": () => parts.playhead.event(1),
    Home: () => parts.playhead.home(),
    End: () => parts.playhead.now(),
    p: () => parts.controls.publish(),
    u: () => parts.page.undo(),
    f: () => parts.page.fork(),
    i: () => parts.instruments.toggle(),
    b: () => parts.page.present(),
    t: toggleTheme,
    j: () => parts.narrative.walk(1),
    k: () => parts.narrative.walk(-1),
    w: () => find("#why").focus(),
    c: () => parts.console.toggle(),
    s: () => parts.bar.share(),
    q: () => {
      laneUntil = performance.now() + LANE_MS;
    },
    "/": () => parts.follow.focus(),
    "?": () => help.showModal(),
    "[": () => parts.controls.memory.nudge(-parts.stepSize()),
    "]": () => parts.controls.memory.nudge(parts.stepSize()),
    "+": () => parts.zoom.by(0.5),
    "-": () => parts.zoom.by(2),
    0: () => parts.zoom.set(null),
    ",": () => parts.zoom.pan(1),
    ".": () => parts.zoom.pan(-1),
    Escape: () => parts.clear(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || inField(event.target)) return;
    if (event.key === " " && event.target.closest?.("button, a, summary")) return;
    if (event.key >= "1" && event.key <= "5" && toggle.checked) {
      if (performance.now() < laneUntil) parts.twin.enter(LANES[event.key]);
      else if (event.key <= "4") parts.bar.pick(Number(event.key));
      return;
    }
    const name = event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
    const action = actions[name.length === 1 ? name.toLowerCase() : name];
    if (!action || (/^[a-z]$/i.test(event.key) && !toggle.checked)) return;
    event.preventDefault();
    action();
  });
}
