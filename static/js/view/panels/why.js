/** The Why? panel: the latest reason that matters, or the one that the reader picked from the narrative. */
import { KINDS } from "../../model/catalogue/kinds.js";
import { governs } from "../../model/governs.js";
import { explainLine, narrate } from "../../model/why.js";
import { shownQueue } from "../../model/shown.js";
import { movedBy } from "../../model/timeline.js";
import { bytes, decimal, fill, gettext, number, seconds } from "../../model/text.js";
import { combineFigure } from "./combine.js";
import { el, find, findAll, need, setText, show, throttle } from "../base/dom.js";
import { ruleAddress } from "../base/rule-link.js";
import { act } from "../base/scheduler.js";

/**
 * @import { Step } from "../../model/why-sentence.js"
 * @import { Governing } from "../../model/governs.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Line } from "../../model/timeline.js"
 * @import { Explained } from "../../model/why.js"
 */

/** @typedef {Line} Reason a line of what happened */

const ANNOUNCE_MS = 1500;
/** The most significant reason of so much virtual time is the one that stands. */
const HOLDS_US = 1_500_000;
const MOST = 40;

export class WhyPanel {
  /**
   * @param {HTMLElement} root
   * @param {Playhead} session
   */
  constructor(root, session) {
    this.root = root;
    this.session = session;
    /** @type {Reason | null} */
    this.shown = null;
    this.pinned = false;
    /** @type {number | null} the run that is explained */
    this.epoch = null;
    this.announce = throttle(ANNOUNCE_MS, (/** @type {string} */ text) => act(this, () => setText(find("[data-why-live]", root), text)));
  }

  /** Follow the run: show the weightiest line that is new. */
  update() {
    const { epoch } = this.session.history;
    if (this.epoch !== epoch) this.pinned = false;
    if (this.pinned) return;
    const another = this.epoch !== epoch;
    this.epoch = epoch;
    const best = this.newest();
    if (!best) {
      if (this.session.behind || (another && this.shown)) this.showNothing();
      return;
    }
    if (another || best.number !== this.shown?.number || best.messages !== this.shown?.messages) this.show(best);
  }

  /** The weightiest of the last lines; null where nothing that is kept led to this moment. */
  newest() {
    const lines = this.session.reasons().lines.slice(-MOST);
    const last = lines[lines.length - 1];
    return last ? heaviest(lines.filter((line) => last.atUs - line.atUs <= HOLDS_US)) : null;
  }

  /** The target of the pass that is explained, which the queue that is shown may have no more; null where none is. */
  get target() {
    const { state, behind } = this.session;
    if (behind) return null;
    const line = this.pinned ? this.shown : this.newest();
    return line?.t.kind === "Reduced" && line.t.queue === shownQueue(state) ? (line.t.why?.target ?? null) : null;
  }

  /**
   * Hold one line, or follow again with null.
   * @param {Reason | null} line
   */
  pin(line) {
    this.pinned = line !== null;
    if (line) this.show(line);
    else this.update();
  }

  /** Show which step of a figure the present moment is. */
  mark() {
    const at = this.session.behind ? String(this.session.position) : "";
    for (const step of findAll("[data-at]", this.root)) {
      if (step.dataset.at === at) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    }
  }

  /** Nothing that is kept led to this moment: show why not. */
  showNothing() {
    this.shown = null;
    const skipped = this.session.gaps.before;
    this.head("", "", "");
    setText(
      find("[data-why-title]", this.root),
      skipped ? gettext("Too fast to tell one by one") : gettext("Nothing changed just before this moment"),
    );
    setText(
      find("[data-why-reason]", this.root),
      skipped
        ? gettext("Only the number of these transitions is known here. Choose a slower speed to see each of them.")
        : gettext("The picture is the state as it was then."),
    );
    need("[data-why-body]", this.root).replaceChildren();
  }

  /**
   * @param {string} name
   * @param {string} rule
   * @param {string} place
   */
  head(name, rule, place) {
    setText(find("[data-why-name]", this.root), name);
    const link = need("[data-why-rule]", HTMLAnchorElement, this.root);
    setText(link, rule);
    link.href = ruleAddress(rule);
    show(link, rule !== "");
    setText(find("[data-why-number]", this.root), place);
  }

  /** @param {Reason} line */
  show(line) {
    this.shown = { ...line };
    const held = this.session.heldAt(line);
    const explained = explainLine(line, held.target);
    this.head(explained.name, explained.rule, `${seconds(line.atUs)} \u00b7 #${number(line.number)}`);
    setText(find("[data-why-title]", this.root), explained.title);
    setText(find("[data-why-reason]", this.root), explained.reason || "");
    const several = line.times > 1 ? severalTimes(line) : [];
    const figure = combineFigure(this.session, line, (position) => this.session.go(position, { from: "why" }));
    need("[data-why-body]", this.root).replaceChildren(
      ...several,
      ...bodyOf(explained),
      ...[figure, settingNote(governs(line.t, held.moment))].filter((part) => part !== null),
    );
    if (this.session.speed <= 1 || !this.session.play) this.announce(`${explained.title} ${explained.reason || ""}`);
  }
}

/**
 * Among what came at once, the one that explains most.
 * @param {Line[]} lines
 */
function heaviest(lines) {
  /** @type {(Line & { weight: number }) | null} */
  let best = null;
  for (const line of lines) {
    const weight = weightOf(line);
    if (!best || weight >= best.weight) best = { ...line, weight };
  }
  return best;
}

/** @param {Line} line */
function weightOf({ t, messages, fate }) {
  const { kind, why, target } = t;
  if (kind === "Reduced" && !movedBy(why ?? {})) return 1;
  // A new queue begins with nothing, and has nothing to explain.
  if (kind === "QueueStarted" && !messages && !fate && !t.values?.len) return 1;
  if (kind === "TargetChanged" && target === null) return 2;
  return KINDS[kind].weight ?? 0;
}

/**
 * Of a line that stands for several: when, and that the numbers below are those of the last; the last passes of a reduction one by one.
 * @param {Line} line
 */
function severalTimes({ t: { kind }, times, sinceUs, atUs, passes }) {
  const values = { times: number(times), from: seconds(sinceUs), to: seconds(atUs) };
  if (kind !== "Reduced") {
    const several = values.from === values.to ? gettext("%(times)s times at %(to)s s. The numbers below are of the last time.") : gettext("%(times)s times, from %(from)s s to %(to)s s. The numbers below are of the last time.");
    return [el("p.dim", {}, fill(several, values))];
  }
  const when = values.from === values.to ? gettext("In %(times)s passes at %(to)s s:") : gettext("In %(times)s passes from %(from)s s to %(to)s s:");
  const items = passes.map(({ atUs: us, t }) => el("li", {}, el("span.num", {}, seconds(us)), " ", narrate(t, undefined, null, us).text));
  const omitted = times > passes.length ? [el("li.dim", {}, "\u2026")] : [];
  return [el("p.dim", {}, fill(when, values)), el("ol.passes", {}, ...omitted, ...items), el("p.dim", {}, gettext("The last pass:"))];
}

/** @param {Explained} explained */
function bodyOf(explained) {
  const parts = [];
  if (explained.bar) parts.push(ramBar(explained.bar));
  if (explained.steps.length) parts.push(stepList(explained.steps));
  if (explained.numbers.length) parts.push(numberList(explained.numbers));
  if (explained.origin) parts.push(origin(explained.origin));
  return parts;
}

/**
 * RAM contents against the target, as a bar.
 * @param {NonNullable<Explained["bar"]>} bar
 */
function ramBar(bar) {
  const total = bar.ready + bar.pending;
  const target = bar.target ?? total;
  const top = Math.max(total, target, 1);
  /**
   * @param {string} name
   * @param {number} from
   * @param {number} to
   */
  const fillOf = (name, from, to) => {
    const part = el(`i.${name}`);
    part.style.left = `${(100 * from) / top}%`;
    part.style.width = `${(100 * Math.max(0, to - from)) / top}%`;
    return part;
  };
  const mark = el("i.mark");
  mark.style.left = `${(100 * target) / top}%`;
  const inside = Math.min(total, target);
  return el(
    "div.inequality",
    {},
    el(
      "div.row",
      {},
      el("span.dim", {}, gettext("In RAM")),
      el(
        "b",
        {},
        fill(gettext("%(ready)s ready + %(pending)s unacked"), {
          ready: number(bar.ready),
          pending: number(bar.pending),
        }),
      ),
    ),
    el(
      "div.inequality-bar",
      { "aria-hidden": "true" },
      fillOf("kept", 0, inside),
      fillOf("over", inside, total),
      mark,
    ),
    el(
      "div.row",
      {},
      el("span.target", {}, fill(gettext("target %(target)s"), { target: number(bar.target) })),
      el("span.spacer"),
      bar.surplus > 0
        ? el("b.over-text", {}, `+${number(bar.surplus)}`)
        : el("span.dim", {}, gettext("not over")),
    ),
  );
}

/**
 * Which setting governs this, and what would be otherwise if it were larger.
 * @param {Governing | null} found
 */
function settingNote(found) {
  if (!found) return null;
  const value = found.value === undefined || found.value === null ? "" : ` = ${valueText(found)}`;
  return el(
    "p.governs",
    {},
    el("span.dim", {}, gettext("Governed by")),
    " ",
    el("code", {}, found.name),
    el("b", {}, value),
    el("span", {}, found.larger),
  );
}

/** @param {Governing} found */
function valueText({ name, value }) {
  if (typeof value !== "number") return typeof value === "object" ? JSON.stringify(value) : String(value);
  if (/bytes|limit|below/.test(name)) return bytes(value);
  return Number.isInteger(value) ? number(value) : decimal(value, 3);
}

/** @param {Step[]} steps */
function stepList(steps) {
  return el(
    "ol.steps",
    {},
    ...steps.map((step, at) =>
      el(
        step.off ? "li.off" : "li.now",
        {},
        el("span.no", { "aria-hidden": "true" }, String(at + 1)),
        el("div", {}, el("b", {}, step.title), el("small", {}, step.detail)),
        el("span.value", {}, number(step.value)),
      ),
    ),
  );
}

/** @param {Explained["numbers"]} numbers */
function numberList(numbers) {
  return el(
    "dl.reason-numbers",
    {},
    ...numbers.slice(0, 10).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );
}

/** @param {NonNullable<Explained["origin"]>} given */
function origin({ target, lines }) {
  const title =
    target === null
      ? gettext("Where the target comes from")
      : fill(gettext("Where %(target)s comes from"), { target: number(target) });
  return el("div.origin", {}, el("b", {}, title), ...lines.map((line) => el("p.mono", {}, line)));
}
