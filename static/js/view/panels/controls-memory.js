/** Sliders that set the node's memory, and the target: free, or pinned by hand. */
import { figures, strategyOf } from "../../model/facts.js";
import { goneIn } from "../../model/places.js";
import { bytes, decimal, number } from "../../model/text.js";
import { find, setText } from "../base/dom.js";

/**
 * @import { Figures } from "../../model/facts.js"
 * @import { Controls } from "./controls.js"
 */

export class MemoryControls {
  /** @param {Controls} controls */
  constructor(controls) {
    this.controls = controls;
    /** @type {number | null} the RAM with which the session began */
    this.base = null;
    /** The settings that the sliders showed last. */
    this.settingsMark = "";
    this.bind();
  }

  bind() {
    /**
     * @param {string} name
     * @param {string} setting
     * @param {(value: number) => number} read
     */
    const bind = (name, setting, read) => {
      const input = this.controls.field(name);
      input.addEventListener("input", () => this.labelMemory());
      input.addEventListener("change", () =>
        this.controls.send({ do: "set", name: setting, value: read(Number(input.value)) }, name),
      );
    };
    bind("ram", "ram_bytes", (value) => this.ramOf(value));
    bind("watermark", "vm_memory_high_watermark", (value) => value / 100);
    bind("ratio", "vm_memory_high_watermark_paging_ratio", (value) => value / 100);
    const strategy = this.controls.choice("strategy");
    strategy.addEventListener("change", () =>
      this.controls.send({ do: "set", name: "vm_memory_calculation_strategy", value: strategy.value }, "strategy"),
    );
    const target = this.controls.field("target");
    target.addEventListener("change", () => this.pinTarget());
    const pinned = this.controls.field("pinned");
    pinned.addEventListener("change", () => (pinned.checked ? this.pinTarget() : this.freeTarget()));
  }

  /**
   * The slider of the RAM is logarithmic: 0 is a quarter of what the session began with, 100 sixteen times that.
   * @param {number} position
   */
  ramOf(position) {
    const now = this.controls.session.state.node.settings.ram_bytes;
    if (now !== undefined && Math.abs(this.positionOf(now) - position) <= 0.5) return now;
    return Math.round((((this.base ?? 1048576) / 4) * 64 ** (position / 100)) / 16384) * 16384 || 65536;
  }

  /** @param {number} ram */
  positionOf(ram) {
    return (100 * Math.log(Math.max(1, (4 * ram) / (this.base ?? 1048576)))) / Math.log(64);
  }

  pinTarget() {
    const target = this.controls.whole("target", 0, this.controls.limits.max_messages ?? 1000000);
    if (target === null) return;
    this.controls.field("pinned").checked = true;
    this.controls.send({ do: "set", name: "target_ram_count", value: target }, "target");
  }

  freeTarget() {
    this.controls.send({ do: "set", name: "target_ram_count", value: null }, "target");
  }

  /**
   * Move the fence by a number of messages: pins it. Nothing happens where a release has none.
   * @param {number} by
   */
  nudge(by) {
    const { state } = this.controls.session;
    if (goneIn(state.node.settings).target_ram_count) return;
    const now = figures(state);
    const from = now.target ?? now.limited;
    this.controls.field("target").value = String(Math.max(0, from + by));
    this.pinTarget();
  }

  labelMemory() {
    const ram = this.ramOf(Number(this.controls.field("ram").value));
    const watermark = Number(this.controls.field("watermark").value) / 100;
    const ratio = Number(this.controls.field("ratio").value) / 100;
    this.label("ram", bytes(ram));
    this.label("watermark", `${decimal(watermark)} = ${bytes(ram * watermark)}`);
    this.label("ratio", `${decimal(ratio)} = ${bytes(ram * watermark * ratio)}`);
    for (const name of ["ram", "watermark", "ratio"]) {
      const input = this.controls.field(name);
      input.style.setProperty("--fill", `${(100 * (Number(input.value) - Number(input.min))) / (Number(input.max) - Number(input.min))}%`);
    }
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  label(name, text) {
    setText(find(`[data-output=${name}]`, this.controls.root), text);
    this.controls.field(name).setAttribute("aria-valuetext", text);
  }

  /**
   * @param {number | null} target
   * @param {boolean} pinned
   */
  followTarget(target, pinned) {
    const box = this.controls.field("pinned");
    if (document.activeElement !== box) box.checked = pinned;
    if (target !== null) this.controls.field("target").value = String(target);
    setText(find("[data-output=target]", this.controls.root), target === null ? "\u221e" : number(target));
  }

  followSettings() {
    const { settings } = this.controls.session.state.node;
    if (settings.ram_bytes === undefined) return;
    const mark = [
      settings.ram_bytes,
      settings.vm_memory_high_watermark,
      settings.vm_memory_high_watermark_paging_ratio,
      strategyOf(settings),
    ].join();
    if (mark === this.settingsMark) return;
    this.settingsMark = mark;
    this.base ??= settings.ram_bytes;
    /**
     * @param {HTMLInputElement | HTMLSelectElement} field
     * @param {number | string} value
     */
    const set = (field, value) => {
      if (document.activeElement !== field) field.value = String(value);
    };
    const ratio = this.controls.field("ratio");
    set(this.controls.field("ram"), this.positionOf(settings.ram_bytes));
    set(this.controls.field("watermark"), settings.vm_memory_high_watermark * 100);
    // The console and scenarios may set more than the slider offers; the text must show the real value.
    ratio.max = String(Math.max(110, settings.vm_memory_high_watermark_paging_ratio * 100));
    set(ratio, settings.vm_memory_high_watermark_paging_ratio * 100);
    set(this.controls.choice("strategy"), strategyOf(settings));
    this.labelMemory();
  }

  /**
   * Follow the values of the engine.
   * @param {Figures} now
   */
  update(now) {
    this.followSettings();
    const pinned = (this.controls.session.state.node.settings.target_ram_count ?? null) !== null;
    if (document.activeElement !== this.controls.field("target")) this.followTarget(now.target, pinned);
  }
}
