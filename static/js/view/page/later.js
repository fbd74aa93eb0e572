/** Parts of the page that are loaded when they are first used. */
import { gettext } from "../../model/text.js";

/** @import { Live } from "../base/live.js" */

/**
 * A part that is loaded at its first use: gives it, or null where it could not be loaded, and then the page says so.
 * @template Part
 * @param {Live["alerts"]} alerts
 * @param {() => Promise<Part>} load
 */
export function later(alerts, load) {
  /** @type {Promise<Part | null> | null} */
  let part = null;
  return () => {
    part ??= load().catch(() => {
      part = null;
      alerts.show("part", "error", gettext("This part of the page could not be loaded. Try again in a moment, or reload the page."));
      return null;
    });
    return part;
  };
}
