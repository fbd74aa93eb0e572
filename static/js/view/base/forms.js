/** Dialogs that make commands: fields become values, and what is wrong is written beside the field. */
import { fill, gettext, number } from "../../model/text.js";
import { dataOf, find, findAll, setText } from "./dom.js";

/** @import { Values } from "../../model/catalogue/types.js" */

const NAME = /^[a-z][a-z0-9_.-]{0,31}$/;
const MOST_NAME_BYTES = 255;

/**
 * Write beside a field what is wrong with it; an empty text marks it as correct.
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {string} text
 */
export function complain(form, name, text) {
  const input = find(`[name=${name}]`, form);
  input?.setAttribute("aria-invalid", String(Boolean(text)));
  input?.closest(".input")?.classList.toggle("invalid", Boolean(text));
  setText(find(`[data-error=${name}]`, form), text);
}

/** @param {HTMLFormElement} form */
export function forgive(form) {
  for (const place of findAll("[data-error]", form)) complain(form, dataOf(place, "error"), "");
}

/**
 * The fields of a form that have a name, in its order.
 * @param {HTMLFormElement} form
 */
export const namedFields = (form) =>
  [...form.elements].flatMap((field) => ((field instanceof HTMLInputElement || field instanceof HTMLSelectElement) && field.name ? [field] : []));

/**
 * The value of one field, or undefined with a complaint beside it. An empty optional field is null.
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement | HTMLSelectElement} input
 */
function valueOf(form, input) {
  const { name, type, value, dataset } = input;
  if (input instanceof HTMLSelectElement) return value;
  if (type === "checkbox") return input.checked;
  const text = value.trim();
  if (dataset.kind === "name") {
    if (NAME.test(text)) return text;
    complain(form, name, gettext("Begin with a letter; then a-z, 0-9, dot, - and _, at most 32."));
    return undefined;
  }
  if (dataset.kind === "broker-name") {
    const bytes = new TextEncoder().encode(text).length;
    if (bytes >= 1 && bytes <= MOST_NAME_BYTES) return text;
    complain(form, name, fill(gettext("A name has 1 to %(most)s bytes of UTF-8."), { most: MOST_NAME_BYTES }));
    return undefined;
  }
  if (type !== "number") return text;
  if (text === "" && dataset.optional !== undefined) return null;
  const found = Number(text);
  const low = Number(input.min);
  const high = Number(input.max);
  if (text !== "" && Number.isInteger(found) && found >= low && found <= high) return found;
  const texts = { low: number(low), high: number(high) };
  complain(form, name, fill(gettext("A whole number from %(low)s to %(high)s."), texts));
  return undefined;
}

/**
 * All values of the visible fields, or null if one of them is wrong; the first of those gets the focus.
 * @param {HTMLFormElement} form
 */
export function read(form) {
  forgive(form);
  /** @type {Values} */
  const values = {};
  let wrong = null;
  for (const input of namedFields(form)) {
    if (input.closest("[hidden]") || input.disabled) continue;
    const value = valueOf(form, input);
    if (value === undefined) wrong ??= input;
    else values[input.name] = value;
  }
  wrong?.focus();
  return wrong ? null : values;
}

/**
 * Fill the fields with known values.
 * @param {HTMLFormElement} form
 * @param {Values} values
 */
export function write(form, values) {
  for (const input of namedFields(form)) {
    const value = values[input.name];
    const isInput = input instanceof HTMLInputElement;
    if (isInput && input.type === "checkbox") input.checked = Boolean(value);
    else if (value !== undefined && value !== null) input.value = String(value);
    else if (isInput) input.value = input.defaultValue;
  }
}
