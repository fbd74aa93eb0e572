/** Ready kinds of messages for the form that publishes. Data. */
import { gettext } from "./text.js";

/** @type {Record<string, { text: () => string, values: Record<string, number | boolean> }>} */
export const PRESETS = {
  index: {
    text: () => gettext("small, outside the store"),
    values: { size_bytes: 1000, persistent: true, confirm: true, count: 24, rate: 20 },
  },
  store: {
    text: () => gettext("6 KiB, in the store"),
    values: { size_bytes: 6144, persistent: true, confirm: true, count: 24, rate: 20 },
  },
  transient: {
    text: () => gettext("transient telemetry"),
    values: { size_bytes: 6144, persistent: false, confirm: false, count: 60, rate: 60 },
  },
  edge: {
    text: () => gettext("just under the embed threshold"),
    values: { size_bytes: 4092, persistent: true, confirm: false, count: 12, rate: 10 },
  },
  large: {
    text: () => gettext("large bodies"),
    values: { size_bytes: 60000, persistent: true, confirm: true, count: 6, rate: 4 },
  },
};
