/** A file that was given: its first bytes, and where the reader of files can send them, each of its records in hex with its fields. */
import { bytes, fill, gettext, number } from "../../model/text.js";
import { el } from "../base/dom.js";

/**
 * @import { FileRow } from "../../model/inspect-words.js"
 * @import { OwnReader, Reader, RecordAt, RecordBytes, Records } from "../../net/inspector.js"
 */

const WITH_RECORDS = /(\.idx|\.rdq|journal\.jif)$/;

/**
 * A file's line in the list. Its records are requested when it is opened.
 * @param {FileRow} file
 * @param {Reader} reader
 */
export function fileRow(file, reader) {
  const inside = el("div.stack");
  const details = el("details", { ontoggle: () => details.open && !inside.firstChild && fillIn(inside, file, reader) },
    el("summary", {}, el("code", {}, file.path), ` ${bytes(file.size)}`), inside);
  return el("li", {}, details);
}

/**
 * @param {HTMLElement} inside
 * @param {FileRow} file
 * @param {Reader} reader
 */
function fillIn(inside, file, reader) {
  inside.append(el("pre.mono.hex-dump", { tabindex: 0 }, file.hex));
  if (!WITH_RECORDS.test(file.path)) return;
  if (reader.own) more(inside, file.path, 0, reader);
  else inside.append(el("p.dim", {}, gettext("This server has already forgotten the files, so it cannot show single records. You see them if your own browser reads the files.")));
}

/**
 * What is shown where the records cannot be read.
 * @param {Error} error
 * @returns {Records & { problem?: string }}
 */
const unread = (error) => ({ records: [], next: null, problem: error.message });

/**
 * The next records of the file, as buttons.
 * @param {HTMLElement} inside
 * @param {string} path
 * @param {number} offset
 * @param {OwnReader} reader
 */
async function more(inside, path, offset, reader) {
  /** @type {Records & { problem?: string }} */
  const found = await reader.records(path, offset).catch(unread);
  if (found.problem) inside.append(el("p.error", {}, found.problem));
  const shown = el("div", { role: "status" });
  const list = el("div.record-chips", {}, ...found.records.map((record) => chip(path, record, reader, shown)));
  inside.append(list, shown);
  const { next } = found;
  if (next === null) return;
  const button = el("button.btn.small", { type: "button", onclick: () => (button.remove(), more(inside, path, next, reader)) },
    gettext("More records"));
  inside.append(button);
}

/**
 * @param {string} path
 * @param {RecordAt} record
 * @param {OwnReader} reader
 * @param {HTMLElement} shown
 */
function chip(path, [offset, size, kind, entry], reader, shown) {
  const words = entry === null ? `${number(offset)} ${kind}` : `${number(offset)} ${kind} ${entry}`;
  const open = async () => shown.replaceChildren(...fields(await reader.bytes(path, offset, size), offset, size));
  return el("button.chip.mono", { type: "button", onclick: open }, words);
}

/**
 * @param {RecordBytes} record
 * @param {number} offset
 * @param {number} size
 */
function fields(record, offset, size) {
  return [
    el("p.dim", {}, fill(gettext("%(size)s B from offset %(offset)s on"), { size: number(size), offset: number(offset) })),
    el("pre.mono.hex-dump", { tabindex: 0 }, record.hex),
    el("dl.record-fields", {}, ...record.fields.flatMap(([at, length, name, value]) => [
      el("dt.mono", {}, `${at}–${at + length - 1} ${name}`), el("dd", {}, value)])),
  ];
}
