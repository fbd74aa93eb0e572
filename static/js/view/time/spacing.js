/** Whether idle time is folded on the time line: "event spacing". Offered only where there is idle time. */
import { show } from "../base/dom.js";

const STORAGE = "waterline.spacing";

export class Spacing {
  /**
   * `button` switches; `changed()` is called then.
   * @param {HTMLElement} button
   * @param {() => void} changed
   */
  constructor(button, changed) {
    this.button = button;
    this.on = remembered();
    button.addEventListener("click", () => {
      this.on = !this.on;
      this.mark();
      try {
        localStorage.setItem(STORAGE, this.on ? "events" : "time");
      } catch {
        // Then the choice holds for this page only.
      }
      changed();
    });
    this.mark();
  }

  mark() {
    this.button.setAttribute("aria-pressed", String(this.on));
  }

  /**
   * There is idle time to fold, or not.
   * @param {boolean} any
   */
  offer(any) {
    show(this.button, any);
  }
}

function remembered() {
  try {
    return localStorage.getItem(STORAGE) !== "time";
  } catch {
    return true;
  }
}
