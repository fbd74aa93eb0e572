/** The instruments: plots of the run on one shared time, what the disk has left, and who waits for whose credit. */
import { diskOf } from "../../model/facts.js";
import { columns, creditChains, plotsOf, thinned } from "../../model/instruments.js";
import { lanesOf } from "../../model/places.js";
import { shownState } from "../../model/shown.js";
import { bytes, decimal, fill, gettext, number } from "../../model/text.js";
import { onResize } from "../base/canvas.js";
import { el, find, need, required, setText, show, throttle } from "../base/dom.js";
import { colors, faded } from "../base/colors.js";
import { closesLikeAMenu } from "../base/popover.js";

/**
 * @import UPlot, { Options } from "../../../vendor/uplot/uplot.js"
 * @import { Plot } from "../../model/instruments.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Sample } from "../../model/samples.js"
 */

const HEIGHT = 150;
const DRAW_MS = 250;
const TABLE_MS = 1000;
const SYNC = "waterline";

export class Instruments {
  /**
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   */
  constructor(root, playhead) {
    this.root = root;
    this.playhead = playhead;
    /** @type {{ spec: Plot, plot: UPlot }[]} */
    this.plots = [];
    /** @type {typeof UPlot | null} the plotting library, once it was loaded */
    this.UPlot = null;
    this.loading = false;
    /** The lanes of which the plots were made. */
    this.drawn = "";
    this.box = need("[data-plots]", root);
    this.table = need("[data-plot-table]", root);
    this.draw = throttle(DRAW_MS, () => this.paint());
    this.fillTableSoon = throttle(TABLE_MS, () => this.fillTable());
    need("details", root).addEventListener("toggle", () => this.fillTable());
    closesLikeAMenu(need("details", HTMLDetailsElement, root));
    need("[data-act=close-instruments]", root).addEventListener("click", () => this.toggle(false));
  }

  get open() {
    return !this.root.hidden;
  }

  /** Open or close; the plotting library is loaded at the first opening. */
  async toggle(open = !this.open) {
    show(this.root, open);
    this.root.previousElementSibling?.classList.toggle("has-instruments", open);
    const button = find("[data-act=instruments]");
    button?.setAttribute("aria-expanded", String(open));
    if (!open) {
      button?.focus();
      return;
    }
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.root.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
    await this.load();
    this.update();
  }

  async load() {
    if (this.plots.length || this.loading) return;
    this.loading = true;
    setText(find("[data-plot-state]", this.root), gettext("The instruments are loaded …"));
    try {
      const { default: loaded } = await import("../../../vendor/uplot/uplot.js");
      this.UPlot = loaded;
      this.make();
      onResize(this.box, () => this.resize());
      setText(find("[data-plot-state]", this.root), "");
    } catch {
      setText(find("[data-plot-state]", this.root), gettext("The instruments could not be loaded. The table has the numbers."));
    }
    this.loading = false;
  }

  /** Names of the lanes of the queue that is shown. */
  get lanes() {
    return lanesOf(shownState(this.playhead.state)).join();
  }

  /** Make the plots of the queue that is shown, with the colours of the theme in force. */
  make() {
    const { UPlot: Plotter } = this;
    if (!Plotter) return;
    this.drawn = this.lanes;
    for (const { plot } of this.plots) plot.destroy();
    this.box.replaceChildren();
    this.plots = plotsOf(shownState(this.playhead.state)).map((spec) => {
      const place = el("figure.plot", { role: "img", "aria-label": spec.title() });
      this.box.append(place);
      return { spec, plot: new Plotter(this.options(spec, place), [[], ...spec.series.map(() => /** @type {number[]} */ ([]))], place) };
    });
  }

  /**
   * @param {Plot} spec
   * @param {HTMLElement} place
   * @returns {Options}
   */
  options(spec, place) {
    /** @type {(value: number) => string} */
    const value = spec.unit === "bytes" ? bytes : (each) => (each >= 10 || each === 0 ? number(each) : decimal(each, 1));
    const axis = {
      stroke: colors.ink3,
      font: `12px ${colors.sans}`,
      grid: { stroke: faded(colors.line2, 0.45), width: 1 },
      ticks: { show: false },
    };
    return {
      width: Math.max(220, place.clientWidth),
      height: HEIGHT,
      title: spec.title(),
      cursor: { sync: { key: SYNC }, drag: { setScale: false, x: false, y: false }, points: { size: 6 } },
      legend: { live: true },
      scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(1, (high ?? 1) * 1.05)] } },
      axes: [
        { ...axis, size: 26, values: (_, ticks) => ticks.map((tick) => `${decimal(tick, 3)} s`) },
        { ...axis, size: 58, values: (_, ticks) => ticks.map((tick) => value(tick)) },
      ],
      series: [
        { label: gettext("Time"), value: (_, each) => (each === null || each === undefined ? "" : `${decimal(each, 3)} s`) },
        ...spec.series.map(/** @returns {Options["series"][number]} */ (series) => ({
          label: series.label(),
          stroke: colors[series.tone],
          width: 1.6,
          dash: series.dash ?? undefined,
          points: { show: false },
          paths: spec.rate ? undefined : this.UPlot?.paths.stepped({ align: 1 }),
          value: (_, each) => (each !== null && each !== undefined ? value(each) : series.key === "target" ? "\u221e" : ""),
        })),
      ],
      hooks: { draw: [(plot) => this.mark(plot)], init: [(plot) => this.listen(plot)] },
    };
  }

  /**
   * A press on a plot shows that moment.
   * @param {UPlot} plot
   */
  listen(plot) {
    plot.over.addEventListener("click", (event) => this.playhead.toTime(plot.posToVal(event.offsetX, "x") * 1e6));
  }

  /**
   * The moment that is shown, on every plot at the same place.
   * @param {UPlot} plot
   */
  mark(plot) {
    const at = Math.round(plot.valToPos(this.playhead.nowUs / 1e6, "x", true));
    const { left, top, width, height } = plot.bbox;
    if (at < left || at > left + width) return;
    plot.ctx.fillStyle = this.playhead.behind ? colors.sel : colors.ink;
    plot.ctx.fillRect(at - 1, top, 2, height);
  }

  resize() {
    for (const { plot } of this.plots) {
      const width = Math.max(220, required(plot.root.parentElement, "the box of a plot").clientWidth);
      if (width !== plot.width) plot.setSize({ width, height: HEIGHT });
    }
  }

  /** The theme changed: plots keep the colours with which they were made. */
  repaint() {
    if (!this.plots.length) return;
    this.make();
    this.update();
  }

  update() {
    if (!this.open) return;
    this.draw();
    this.fillTableSoon();
  }

  paint() {
    if (this.drawn !== this.lanes) this.make();
    const { samples } = this.playhead.timeline;
    for (const { spec, plot } of this.plots) {
      plot.setData(columns(samples, spec, this.playhead.session.nowUs));
      // Without a pointer on the plots, the numbers are those of the moment that is shown.
      if ((plot.cursor.left ?? -1) < 0 && samples.length) plot.setLegend({ idx: this.indexNow(samples) }, false);
    }
    this.showDisk();
    this.showCredit();
  }

  /** @param {Sample[]} samples */
  indexNow(samples) {
    const at = samples.findLastIndex((sample) => sample.us <= this.playhead.nowUs);
    return Math.max(0, at);
  }

  showDisk() {
    const { free, limit, total, alarm } = diskOf(this.playhead.state);
    const known = free !== null && limit !== null && total !== null;
    show(find("[data-disk]", this.root), known);
    if (!known) return;
    const bar = need("[data-disk-bar]", this.root);
    bar.style.setProperty("--used", `${100 - (100 * free) / total}%`);
    bar.style.setProperty("--limit", `${100 - (100 * Math.min(limit, total)) / total}%`);
    bar.classList.toggle("is-alarm", Boolean(alarm));
    setText(
      find("[data-disk-text]", this.root),
      fill(gettext("%(free)s free of %(total)s; alarm under %(limit)s"), {
        free: bytes(free),
        total: bytes(total),
        limit: bytes(limit),
      }),
    );
  }

  showCredit() {
    const chains = creditChains(this.playhead.state.node.processes);
    show(find("[data-credit-none]", this.root), chains.length === 0);
    const rows = chains.map((chain) =>
      el(
        "li",
        {},
        el("b", {}, chain.name),
        el(
          "ol.chain",
          {},
          ...chain.links.map((link) =>
            el(
              `li${link.starved ? ".starved" : ""}`,
              {},
              el("span", {}, `${link.from.split(":")[0]} \u2192 ${link.to.split(":")[0]}`),
              el("i.meter", { "aria-hidden": "true", "data-share": Math.round((10 * Math.max(0, link.left)) / Math.max(1, link.initial)) }),
              el(
                "span.num",
                {},
                link.starved
                  ? fill(gettext("%(left)s of %(all)s: starved"), { left: number(link.left), all: number(link.initial) })
                  : fill(gettext("%(left)s of %(all)s"), { left: number(link.left), all: number(link.initial) }),
              ),
            ),
          ),
        ),
      ),
    );
    need("[data-credit]", this.root).replaceChildren(...rows);
  }

  /** The same numbers as a table, at most two dozen rows. */
  fillTable() {
    if (!need("details", HTMLDetailsElement, this.root).open) return;
    const samples = this.playhead.timeline.samples;
    const picked = new Set(thinned(samples));
    const all = plotsOf(shownState(this.playhead.state)).map((spec) => ({ spec, found: columns(samples, spec, this.playhead.session.nowUs) }));
    const head = all.flatMap(({ spec }) => spec.series.map((series) => el("th.num", { scope: "col" }, spec.rate ? `${series.label()}/s` : series.label())));
    const rows = samples.flatMap((sample, at) =>
      picked.has(sample)
        ? [
            el(
              "tr",
              {},
              el("th", { scope: "row" }, `${decimal(sample.us / 1e6, 2)} s`),
              ...all.flatMap(({ spec, found }) =>
                spec.series.map((_, column) => {
                  const value = found[column + 1][at];
                  return el("td.num", {}, spec.unit === "bytes" ? bytes(value) : number(value));
                }),
              ),
            ),
          ]
        : [],
    );
    this.table.replaceChildren(
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, gettext("Time")), ...head)),
      el("tbody", {}, ...rows),
    );
  }
}
