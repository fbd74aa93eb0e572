/** Sharing: a link to the moment that is shown, one that carries the run itself, a frame, and pictures. */
import { hostsOf, shownHost } from "../../model/hosts.js";
import { clock, fill, gettext } from "../../model/text.js";
import { cutToFit, penOf, sizeOf, write } from "../base/canvas.js";
import { find, findAll, need, required, setText, show } from "../base/dom.js";
import { colors, recipeOf } from "../base/colors.js";
import { save } from "../base/save.js";
import { SvgPen } from "../base/svg-pen.js";
import { Film } from "./film.js";

/**
 * @import { Live } from "../base/live.js"
 * @import { StageView } from "../stage/stage.js"
 */

/** @typedef {{ mark: string, url: string, stateless: string | null, embed: string }} Kept a run that was kept up to a moment (`mark`), and its addresses */

const COPIED_MS = 2500;
const PNG_SCALE = 2;
/** The line above the picture. */
const TITLE_PX = 54;

/**
 * An address with the place inside the run.
 * @param {string} address
 * @param {Record<string, string | number | null>} place
 */
function withPlace(address, place) {
  const url = new URL(address, location.href);
  for (const [name, value] of Object.entries(place))
    if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, String(value));
  return url.href;
}

export class Sharing {
  /**
   * `live` has the run and its addresses; `stage` is the picture that can be taken away.
   * @param {HTMLDialogElement} dialog
   * @param {Live} live
   * @param {StageView} stage
   */
  constructor(dialog, live, stage) {
    const { root, data, playhead, selection, alerts, host } = live;
    this.dialog = dialog;
    this.playhead = playhead;
    this.selection = selection;
    this.alerts = alerts;
    this.stage = stage;
    this.host = host;
    /** @type {Kept | null} */
    this.kept = null;
    this.version = data.engine;
    // Of a run that no link leads to only pictures can be taken away.
    document.body.classList.toggle("has-no-link", !host.share);
    const sharing = this;
    this.film = new Film(need("[data-film]", HTMLFormElement, dialog), live, {
      get width() {
        return sharing.scene.geo.width;
      },
      get height() {
        return sharing.scene.geo.height + TITLE_PX;
      },
      paint: (pen) => sharing.paint(pen),
    });
    for (const box of findAll("input, select", dialog)) box.addEventListener("change", () => this.write());
    find("[data-act=share]", root)?.addEventListener("click", () => this.open());
    need("[data-share=copy]", dialog).addEventListener("click", () => this.copyShown());
    need("[data-share=png]", dialog).addEventListener("click", () => this.png());
    need("[data-share=svg]", dialog).addEventListener("click", () => this.svg());
    document.addEventListener("click", (event) => {
      if (event.target instanceof Element && event.target.closest("[data-act=copy-moment]")) this.copyMoment();
    });
  }

  /** What the stage shows. */
  get scene() {
    return required(this.stage.shown, "a picture of the stage");
  }

  /** The reader's place: the time, the transition inside its instant, the chosen message, the virtual host. */
  place() {
    const { playhead } = this;
    const inside = playhead.behind && playhead.history.timeOf(playhead.position) === playhead.nowUs;
    return {
      at: playhead.nowUs,
      n: inside ? playhead.position : null,
      msg: this.selection.chosen,
      vhost: hostsOf(playhead.state).length > 1 ? shownHost() : null,
    };
  }

  /**
   * Keep the run up to now, and give its addresses; the same run is sent once.
   * @returns {Promise<Kept>}
   */
  async keep() {
    const { session } = this.playhead;
    const mark = `${session.next} ${session.nowUs}`;
    if (this.kept?.mark === mark) return this.kept;
    if (!this.host.share) throw new Error("no link leads to this run");
    const kept = { mark, ...(await this.host.share()) };
    this.kept = kept;
    return kept;
  }

  failed() {
    this.alerts.show("share", "error", gettext("The link could not be made. Try again in a moment."));
  }

  /** Copy the short link to exactly this moment, without opening the dialog. */
  async copyMoment() {
    try {
      const place = this.place();
      const { url } = await this.keep();
      const copied = await this.copy(withPlace(url, place));
      if (copied)
        this.alerts.flash(fill(gettext("Link to %(at)s copied."), { at: clock(place.at) }));
      else await this.open();
    } catch {
      this.failed();
    }
  }

  /** Show the dialog with every kind of link. */
  async open() {
    if (!this.host.share) {
      this.dialog.showModal();
      return;
    }
    const kept = await this.keep().catch(() => this.failed());
    if (!kept) return;
    const place = this.place();
    const page = need("[data-share=page]", HTMLAnchorElement, this.dialog);
    page.href = withPlace(page.href, place);
    setText(find("[data-share=moment-text]", this.dialog), fill(gettext("at this moment, %(at)s"), { at: clock(place.at) }));
    const message = need("[data-share=message]", HTMLInputElement, this.dialog);
    message.disabled = place.msg === null;
    message.checked = place.msg !== null;
    need("[data-share=kind][value=whole]", HTMLInputElement, this.dialog).disabled = !kept.stateless;
    this.write();
    this.dialog.showModal();
    need("[data-share=link]", HTMLInputElement, this.dialog).select();
  }

  /** Write the link of the chosen kind. */
  write() {
    if (!this.kept) return;
    const field = need("[data-share=link]", HTMLInputElement, this.dialog);
    field.value = this.shown(this.kept);
    show(find("[data-share=copied]", this.dialog), false);
  }

  /**
   * The link of the chosen kind.
   * @param {Kept} kept
   */
  shown(kept) {
    const { dialog } = this;
    const chosen = (/** @type {string} */ name) => need(`[data-share=${name}]`, HTMLInputElement, dialog);
    const place = this.place();
    const parts = {
      at: chosen("moment").checked ? place.at : null,
      n: chosen("moment").checked ? place.n : null,
      msg: chosen("message").checked ? place.msg : null,
      vhost: place.vhost,
      lang: need("[data-share=lang]", HTMLSelectElement, dialog).value,
    };
    const kind = find("[data-share=kind]:checked", HTMLInputElement, dialog)?.value ?? "short";
    if (kind === "whole" && kept.stateless) return withPlace(kept.stateless, parts);
    if (kind === "frame") return frameOf(withPlace(kept.embed, parts));
    return withPlace(kept.url, parts);
  }

  async copyShown() {
    if (!this.kept) return;
    const copied = await this.copy(this.shown(this.kept));
    const chip = find("[data-share=copied]", this.dialog);
    show(chip, copied);
    if (copied) setTimeout(() => show(chip, false), COPIED_MS);
    else need("[data-share=link]", HTMLInputElement, this.dialog).select();
  }

  /** @param {string} text */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false; // without permission the selected text can still be copied by hand
    }
  }

  // --- pictures of the moment ---

  get fileName() {
    return `waterline-${(this.playhead.nowUs / 1e6).toFixed(2)}s`;
  }

  /** The stage at twice its size, below a line with its title and time. */
  png() {
    const { width, height } = this.scene.geo;
    const sheet = document.createElement("canvas");
    sheet.width = Math.round(width * PNG_SCALE);
    sheet.height = Math.round((height + TITLE_PX) * PNG_SCALE);
    const pen = penOf(sheet);
    pen.scale(PNG_SCALE, PNG_SCALE);
    this.paint(pen);
    sheet.toBlob((blob) => blob && save(blob, `${this.fileName}.png`), "image/png");
  }

  /**
   * The title, and the stage as it is shown now below it.
   * @param {CanvasRenderingContext2D} pen
   */
  paint(pen) {
    const { scene } = this;
    const { width, height } = scene.geo;
    pen.fillStyle = colors.card;
    pen.fillRect(0, 0, width, height + TITLE_PX);
    this.paintTitle(pen, width);
    pen.translate(0, TITLE_PX);
    this.stage.paintOn(pen, scene, performance.now());
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {number} width
   */
  paintTitle(pen, width) {
    const at = `Waterline ${this.version} \u00b7 ${clock(this.playhead.nowUs)}`;
    write(pen, at, width - 12, 25, { size: 14, weight: 650, family: colors.sans, color: colors.ink, align: "right" });
    const room = width - 36 - pen.measureText(at).width;
    const title = { size: 14, weight: 650, family: colors.sans, color: colors.ink };
    pen.font = `650 14px ${colors.sans}`;
    write(pen, cutToFit(pen, document.title.split(" \u00b7 ")[0], room), 12, 25, title);
    const about = find("#situation")?.textContent ?? "";
    pen.font = `450 12px ${colors.sans}`;
    write(pen, cutToFit(pen, about, width - 24), 12, 44, { size: 12, family: colors.sans, color: colors.ink2 });
  }

  svg() {
    const { stage, playhead } = this;
    const box = sizeOf(stage.canvas);
    const measure = penOf(document.createElement("canvas"));
    const pen = new SvgPen(box.width, box.height, { recipeOf, measure });
    pen.fillStyle = colors.card;
    pen.fillRect(0, 0, box.width, box.height);
    stage.paintOn(pen.forCanvas, this.scene, performance.now());
    const about = find("#situation")?.textContent ?? "";
    const text = pen.text(`${document.title} ${clock(playhead.nowUs)}`, about);
    save(new Blob([text], { type: "image/svg+xml" }), `${this.fileName}.svg`);
  }
}

/**
 * What another site writes to show the run in a frame.
 * @param {string} address
 */
function frameOf(address) {
  const safe = address.replace(/&/g, "&amp;").replace(/"/g, "&quot;");
  return `<iframe src="${safe}" width="960" height="520" loading="lazy" title="Waterline"></iframe>`;
}
