/** Small helpers for finding and making elements. Text is always text: nothing here takes markup. */

/** @import { Values } from "../../model/catalogue/types.js" */

/**
 * A listener of an element; it may take the kind of event that it listens to.
 * @typedef {{ call(event: Event): void }["call"]} Listener
 * @typedef {Record<string, string | number | boolean | null | undefined | Listener>} Attributes of an element; those that begin with "on" are listeners
 */
/** @typedef {Node | string | null | undefined | false} Child of an element; null and false are left out */

/**
 * The class of the element that a name makes: "button.small" makes a button, ".small" a division.
 * @template {string} N
 * @typedef {N extends `${infer Tag}.${string}` ? ElementOf<Tag> : N extends "" ? HTMLDivElement
 *   : N extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[N] : HTMLElement} ElementOf
 */

/**
 * An element: el("li.now", {title: ".."}, child, "text"). Attributes that are null or false are left out.
 * @template {string} N
 * @param {N} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {ElementOf<N>}
 */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
  return /** @type {ElementOf<N>} */ (element);
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * An icon of the sprite.
 * @param {string} name
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon-svg");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${document.documentElement.dataset.sprite}#${name}`);
  svg.append(use);
  return svg;
}

/**
 * Write text only where it differs, so that nothing is laid out or announced again for nothing.
 * @param {Element | null | undefined} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

/**
 * Set attributes, only those that differ.
 * @param {HTMLElement} element
 * @param {Values} values
 */
export function setAttributes(element, values) {
  for (const [name, value] of Object.entries(values))
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/**
 * Show or hide, only on change.
 * @param {HTMLElement | null | undefined} element
 * @param {boolean} visible
 */
export function show(element, visible) {
  if (element && element.hidden === visible) element.hidden = !visible;
}

/**
 * Where to search, and for what: find("#name"), find(".chip", panel), find("#speed", HTMLInputElement),
 * find("select", HTMLSelectElement, row). Without a class the element is an HTMLElement, without a root the page is searched.
 * @typedef {{
 *   (selector: string, root?: ParentNode): HTMLElement | null,
 *   <T extends Element>(selector: string, kind: new () => T, root?: ParentNode): T | null,
 * }} Find
 * @typedef {{
 *   (selector: string, root?: ParentNode): HTMLElement,
 *   <T extends Element>(selector: string, kind: new () => T, root?: ParentNode): T,
 * }} Need
 * @typedef {{
 *   (selector: string, root?: ParentNode): HTMLElement[],
 *   <T extends Element>(selector: string, kind: new () => T, root?: ParentNode): T[],
 * }} FindAll
 * @typedef {{
 *   (event: Event, selector: string): HTMLElement | null,
 *   <T extends Element>(event: Event, selector: string, kind: new () => T): T | null,
 * }} Around
 */

/** @typedef {(ParentNode | (new () => Element) | undefined)[]} Where the class that is requested, and the element or page to search */

/**
 * The class that is requested, and the element or page to search.
 * @param {Where} where
 * @returns {[kind: new () => Element, root: ParentNode]}
 */
const kindAndRoot = ([first, second]) =>
  typeof first === "function" ? [first, rootOf(second)] : [HTMLElement, rootOf(first)];

/** @param {Where[number]} place */
const rootOf = (place) => /** @type {ParentNode | undefined} */ (place) ?? document;

/**
 * An element as one of a class.
 * @template {Element} T
 * @param {Element} element
 * @param {new () => T} kind
 * @param {string} name what the error calls it
 * @throws {TypeError} if it is of another class
 */
function ofKind(element, kind, name) {
  if (element instanceof kind) return element;
  throw new TypeError(`${name} is of the class ${element.constructor.name}, not ${kind.name}`);
}

/** The first element of a selector, or null where there is none. */
export const find = /** @type {Find} */ (
  (/** @type {string} */ selector, /** @type {Where} */ ...where) => {
    const [kind, root] = kindAndRoot(where);
    const element = root.querySelector(selector);
    return element && ofKind(element, kind, selector);
  }
);

/** The first element of a selector, which the page cannot do without: the error names the selector where there is none. */
export const need = /** @type {Need} */ (
  (/** @type {string} */ selector, /** @type {[ParentNode?]} */ ...where) => required(find(selector, ...where), selector)
);

/** All elements of a selector. */
export const findAll = /** @type {FindAll} */ (
  (/** @type {string} */ selector, /** @type {Where} */ ...where) => {
    const [kind, root] = kindAndRoot(where);
    return [...root.querySelectorAll(selector)].map((element) => ofKind(element, kind, selector));
  }
);

/**
 * A value that is missing only if the page is broken: then the error names it.
 * @template T
 * @param {T} value
 * @param {string} what
 * @returns {NonNullable<T>}
 */
export function required(value, what) {
  if (value === null || value === undefined) throw new Error(`${what} is missing`);
  return value;
}

/**
 * What a template wrote into an attribute of an element: "seq" is that of data-seq.
 * @param {HTMLElement} element
 * @param {string} name
 */
export const dataOf = (element, name) => required(element.dataset[name], `data-${name}`);

/** The element that has the keyboard, or null. */
export const focused = () => /** @type {HTMLElement | null} */ (document.activeElement);

/** The element on which an event happened, or the nearest around it that a selector finds; null where there is none. */
export const around = /** @type {Around} */ (
  (/** @type {Event} */ { target }, /** @type {string} */ selector, /** @type {new () => Element} */ kind = HTMLElement) => {
    const element = target instanceof Element ? target.closest(selector) : null;
    return element && ofKind(element, kind, selector);
  }
);

/**
 * The element on which an event happened.
 * @template {Element} T
 * @param {Event} event
 * @param {new () => T} kind the class that it has
 * @returns {T}
 */
export const targetOf = (event, kind) => ofKind(/** @type {Element} */ (event.target), kind, event.type);

/**
 * The element whose listener is called.
 * @template {Element} T
 * @param {Event} event
 * @param {new () => T} kind the class that it has
 * @returns {T}
 */
export const listenerOf = (event, kind) => ofKind(/** @type {Element} */ (event.currentTarget), kind, event.type);

/**
 * Give a parent one child for each key, in this order. A child that stands there stays the same element, so that a press, a drag
 * or the focus on it goes on when another child comes or goes.
 * @param {Element} parent
 * @param {string[]} keys
 * @param {(key: string) => HTMLElement} make
 */
export function keepChildren(parent, keys, make) {
  const children = /** @type {HTMLElement[]} */ ([...parent.children]);
  const kept = new Map(children.map((child) => [child.dataset.key, child]));
  const wanted = new Set(keys);
  for (const [key, child] of kept) if (key === undefined || !wanted.has(key)) child.remove();
  for (const [at, key] of keys.entries()) {
    const child = kept.get(key) ?? make(key);
    child.dataset.key = key;
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  }
}

/**
 * Call at most once per `ms`, with the last arguments; the first call goes through at once.
 * @template {unknown[]} A
 * @param {number} ms
 * @param {(...args: A) => void} call
 */
export function throttle(ms, call) {
  let timer = 0;
  /** @type {A} the arguments of the last call that waits */
  let waiting;
  let last = -Infinity;
  const run = () => {
    timer = 0;
    last = performance.now();
    call(...waiting);
  };
  return (/** @type {A} */ ...args) => {
    waiting = args;
    if (timer) return;
    const wait = last + ms - performance.now();
    if (wait <= 0) run();
    else timer = setTimeout(run, wait);
  };
}

/** The token of Django's protection against forged requests. */
export function csrfToken() {
  return find("input[name=csrfmiddlewaretoken]", HTMLInputElement)?.value ?? "";
}

/**
 * What draws on a canvas.
 * @param {HTMLCanvasElement} canvas
 */
export function penOf(canvas) {
  return required(canvas.getContext("2d"), "what draws on a canvas");
}
