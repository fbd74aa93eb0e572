/** The rehearsal of an upgrade, below the report on a broker's files: a section that can be printed alone. */
import { codedWords } from "../../model/inspect-words.js";
import { fill, gettext, number } from "../../model/text.js";
import { filesWords, gateWords, orderWords, targetName, targetNotes } from "../../model/upgrade-words.js";
import { el } from "../base/dom.js";
import { table } from "./tables.js";

/** @import { Upgrade, UpgradedQueue } from "../../model/upgrade-words.js" */

/** @param {number | null} value */
const counted = (value) => (value === null ? "?" : number(value));

/** Print this section and nothing else of the page. */
function printAlone() {
  document.body.dataset.prints = "upgrades";
  window.addEventListener("afterprint", () => delete document.body.dataset.prints, { once: true });
  window.print();
}

/** @param {UpgradedQueue[]} rows */
function queues(rows) {
  return table(
    gettext("Queues after a crash: in the release that wrote the files, and in the other one"),
    [[gettext("Queue")], [gettext("Messages before"), true], [gettext("Messages afterwards"), true], [gettext("Order")], [gettext("Redelivered"), true]],
    rows.map((each) => [each.name, counted(each.before), counted(each.after), orderWords(each.order), counted(each.redelivered)]),
  );
}

/**
 * One target: the gate, the queues, the files, and what is to be known besides.
 * @param {Upgrade} upgrade
 * @param {Record<string, string>} sentences
 */
function target({ target: name, gate, failure, queues: rows, files }, sentences) {
  const list = (/** @type {string[]} */ texts) => el("ul.damage", {}, ...texts.map((text) => el("li", {}, text)));
  return el("details", { "data-upgrade": name, open: true }, el("summary", {}, el("b", {}, targetName(name)), " ", gate.accepted ? gettext("(starts)") : gettext("(refuses to start as things are)")),
    list(gateWords(gate)),
    failure
      ? el("p.error", {}, fill(gettext("A start would fail: %(failure)s"), { failure: codedWords(failure, sentences) }))
      : queues(rows),
    list(files.map(filesWords)),
    list(targetNotes(name)));
}

/**
 * The whole section, nothing where no upgrade was rehearsed.
 * @param {Upgrade[]} upgrades
 * @param {Record<string, string>} sentences
 */
export function upgradesOf(upgrades, sentences) {
  if (!upgrades.length) return null;
  return el("section.upgrades", { "aria-labelledby": "upgrades-heading" },
    el("div.heading", {}, el("h3", { id: "upgrades-heading" }, gettext("What would an upgrade do to these queues?")), el("span.spacer"),
      el("button.btn.small", { type: "button", onclick: printAlone }, gettext("Print the rehearsal"))),
    el("p.mid", {}, gettext("Each release was started on a copy of the files, by the engine of this site. The gate comes first: where a node refuses to start, the tables show what the release would do behind it.")),
    ...upgrades.map((each) => target(each, sentences)));
}
