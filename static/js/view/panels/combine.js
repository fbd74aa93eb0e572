/** The combination of two store files as a figure: both before, what is copied and what is dropped, and the steps. */
import { combinationAt, fileAt } from "../../model/combining.js";
import { bytes, fill, gettext } from "../../model/text.js";
import { el } from "../base/dom.js";

/**
 * @import { Combination, FileThen } from "../../model/combining.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Reason } from "./why.js"
 */

const PARTS = 60;

/** @type {() => Record<string, string>} */
const STEPS = () => ({
  destination_scanned: gettext("%(destination)s is read: %(bytes)s"),
  tmp_written: gettext("live records after the first gap go to a temporary file: %(bytes)s"),
  truncated: gettext("%(destination)s is cut at its first gap and made %(bytes)s long"),
  copied_back: gettext("the temporary file is copied back: %(bytes)s"),
  tmp_deleted: gettext("the temporary file is deleted"),
  source_scanned: gettext("%(source)s is read: %(bytes)s"),
  source_copied: gettext("its live records are appended: %(bytes)s"),
  synced: gettext("%(destination)s is synced: %(bytes)s"),
});

/**
 * The figure for a line of what happened, or null; `go(position)` shows a moment.
 * @param {Playhead} playhead
 * @param {Reason} line
 * @param {(position: number) => unknown} go
 */
export function combineFigure(playhead, line, go) {
  const { history } = playhead;
  const found = combinationAt(history, line.number, line.t);
  const before = found && history.stateAt(found.started);
  if (!found || !before) return null;
  const files = [found.destination, found.source].map((number) => fileAt(before, found.store, number)).filter((file) => file !== null);
  if (files.length < 2) return null;
  const limit = Math.max(before.node.settings.msg_store_file_size_limit || 0, ...files.map((file) => file.size));
  const then = found.done && history.has(found.done.number + 1) ? history.stateAt(found.done.number + 1) : null;
  const after = then && fileAt(then, found.store, found.destination);
  return el(
    "div.combine",
    {},
    el("b", {}, gettext("Before")),
    ...files.map((file) => fileBar(file, limit)),
    el("ol.combine-steps", {}, ...found.steps.map((step) => stepItem(step, found, go))),
    after && el("b", {}, gettext("After")),
    after && fileBar(after, limit),
    found.done &&
      el("p.dim", {}, fill(gettext("%(bytes)s of garbage dropped, %(source)s deleted"), {
        bytes: bytes(found.done.reclaimed),
        source: `${found.source}.rdq`,
      })),
  );
}

/**
 * @param {Combination["steps"][number]} step
 * @param {Combination} found
 * @param {(position: number) => unknown} go
 */
function stepItem({ step, bytes: size, number }, found, go) {
  const text = fill(STEPS()[step] ?? step, {
    destination: `${found.destination}.rdq`,
    source: `${found.source}.rdq`,
    bytes: bytes(size),
  });
  const attributes = { type: "button", "data-at": number + 1, title: gettext("jump to that moment") };
  return el("li", {}, el("button", { ...attributes, onclick: () => go(number + 1) }, text));
}

/**
 * A file as a bar: live records solid, garbage hatched, nothing behind its end.
 * @param {FileThen} file
 * @param {number} limit
 */
function fileBar({ number, size, valid, live }, limit) {
  const bar = el("div.combine-bar", { "aria-hidden": "true" });
  /**
   * @param {string} name
   * @param {number} from
   * @param {number} length
   */
  const put = (name, from, length) => {
    const part = el(`i.${name}`);
    part.style.left = `${(100 * from) / limit}%`;
    part.style.width = `${(100 * length) / limit}%`;
    bar.append(part);
  };
  put("waste", 0, size);
  for (const [offset, length] of live.slice(0, PARTS)) put("kept", offset, length);
  const text = fill(gettext("%(valid)s live of %(size)s"), { valid: bytes(valid), size: bytes(size) });
  return el("div.combine-file", {}, el("code", {}, `${number}.rdq`), bar, el("small", {}, text));
}
