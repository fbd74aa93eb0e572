/** The rehearsal of an upgrade, below the report on a broker's files: a section that can be printed alone. */
import { codedWords } from "../../model/inspect-words.js";
import { fill, gettext, number } from "../../model/text.js";
import { filesWords, gateWords, orderWords, redeliveredWords, releaseWords, targetName, targetNotes, workWords } from "../../model/upgrade-words.js";
import { el } from "../base/dom.js";
import { table } from "./tables.js";

/**
 * @import { Upgrade, UpgradedQueue } from "../../model/upgrade-words.js"
 */

/**
 * What the section knows besides: who wrote the files, the engine's sentences by code, and how a start is stepped through.
 * @typedef {{ source: string, sentences: Record<string, string>, step: (target: string) => void }} About
 */

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
    rows.map((each) => [each.name, counted(each.before), counted(each.after), orderWords(each.order), redeliveredWords(each)]),
  );
}

/**
 * One target: the gate, the queues, the files, and what is to be known besides.
 * @param {Upgrade} upgrade
 * @param {About} about
 */
function target(upgrade, { source, sentences, step }) {
  const { target: name, is_back: isBack, gate, failure, queues: rows, files, work } = upgrade;
  const result = () => (failure ? el("p.error", {}, fill(gettext("A start would fail: %(failure)s"), { failure: codedWords(failure, sentences) })) : queues(rows));
  const outcome = isBack ? gettext("(no way back)") : gate.accepted ? gettext("(starts)") : gettext("(refuses to start as things are)");
  const list = (/** @type {string[]} */ texts) => el("ul.damage", {}, ...texts.map((text) => el("li", {}, text)));
  return el("details", { "data-upgrade": name, open: true }, el("summary", {}, el("b", {}, targetName(name)), " ", outcome),
    list(gateWords(upgrade)),
    isBack ? null : result(),
    isBack ? null : list([...workWords(work), ...files.map(filesWords)]),
    list(targetNotes(source, upgrade)),
    isBack ? null : el("button.btn.small", { type: "button", onclick: () => step(name), title: gettext("Opens in a tab of its own; this report stays") }, gettext("Step through this start")));
}

/**
 * The whole section, nothing where no upgrade was rehearsed.
 * @param {Upgrade[]} upgrades
 * @param {About} about
 */
export function upgradesOf(upgrades, about) {
  if (!upgrades.length) return null;
  return el("section.upgrades", { "aria-labelledby": "upgrades-heading" },
    el("div.heading", {}, el("h3", { id: "upgrades-heading" }, gettext("What would an upgrade do to these queues?")), el("span.spacer"),
      el("button.btn.small", { type: "button", onclick: printAlone }, gettext("Print the rehearsal"))),
    el("p.mid", {}, fill(gettext("%(release)s wrote the files. Each release below was started on a copy of them, by the engine of this site. The gate comes first: where a node refuses to start, the tables show what the release would do behind it."), { release: releaseWords(about.source) })),
    ...upgrades.map((each) => target(each, about)));
}
