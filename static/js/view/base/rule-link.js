/** A rule's id as a link to its text, in a tab of its own, so that the reader does not leave the run. */

import { el } from "./dom.js";

/** @import { Attributes } from "./dom.js" */

const ID = /[A-Z][1-9]\d*/;

/**
 * The address of a rule's text; of a span such as S60-S66, the list of its rules; empty where no rule is named, or its text is missing.
 * @param {string} cited
 */
export function ruleAddress(cited) {
  const base = document.documentElement.dataset.rules;
  const id = cited.match(ID)?.[0];
  if (!id || !base) return "";
  return cited.includes("-") ? `${base}?q=${encodeURIComponent(cited)}` : `${base}${id}`;
}

/**
 * The link itself; `attributes` as for any element.
 * @param {string} cited
 * @param {Attributes} [attributes]
 */
export function ruleLink(cited, attributes = {}) {
  const href = ruleAddress(cited);
  return href
    ? el("a.rule.mono", { href, target: "_blank", ...attributes }, cited)
    : el("span.rule.mono", attributes, cited);
}
