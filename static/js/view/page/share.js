/** Sharing: a link to the moment that is shown, one that carries the run itself, a frame, and pictures. */
import { clock, fill, gettext } from "../../model/text.js";
import { find, findAll, need, setText, show } from "../base/dom.js";
import { Film } from "./film.js";
import { savePicture } from "./picture-file.js";
import { StageSheet } from "./stage-sheet.js";

/**
 * @import { Live } from "../base/live.js"
 * @import { StageView } from "../stage/stage.js"
 * @import { placeNow } from "./place.js"
 */

/** @typedef {{ mark: string, url: string, stateless: string | null, embed: string }} Kept a run that was kept up to a moment (`mark`), and its addresses */

const COPIED_MS = 2500;

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
   * `live` has the run and its addresses; `stage` is the picture that can be taken away; `place()` is where the reader is.
   * @param {HTMLDialogElement} dialog
   * @param {Live} live
   * @param {StageView} stage
   * @param {() => ReturnType<typeof placeNow>} place
   */
  constructor(dialog, live, stage, place) {
    const { data, playhead, alerts, host } = live;
    this.dialog = dialog;
    this.playhead = playhead;
    this.place = place;
    this.alerts = alerts;
    this.stage = stage;
    this.host = host;
    /** @type {Kept | null} */
    this.kept = null;
    this.versions = { engine: data.engine, releases: data.releases };
    /** Whether the dialog holds the present moment, which the run leaves behind. */
    this.holds = false;
    this.film = new Film(need("[data-film]", HTMLFormElement, dialog), live, () => this.sheet());
    dialog.addEventListener("close", () => this.letGo());
    for (const box of findAll("input, select", dialog)) box.addEventListener("change", () => this.write());
    need("[data-share=copy]", dialog).addEventListener("click", () => this.copyShown());
    need("[data-share=png]", dialog).addEventListener("click", () => this.picture("png"));
    need("[data-share=svg]", dialog).addEventListener("click", () => this.picture("svg"));
  }

  /** Stay at the moment of a run that goes on, so that links and pictures are of the same one; the run goes on behind it. */
  hold() {
    const { playhead } = this;
    this.holds = playhead.play && playhead.go(playhead.position, { us: playhead.nowUs });
  }

  letGo() {
    if (this.holds) this.playhead.now();
    this.holds = false;
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
    this.hold();
    if (!this.host.share) {
      this.dialog.showModal();
      return;
    }
    const kept = await this.keep().catch(() => this.failed());
    if (!kept) {
      this.letGo();
      return;
    }
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

  /** The picture of what is shown. */
  sheet() {
    return new StageSheet(this.stage, this.playhead, this.versions);
  }

  /** @param {"png" | "svg"} kind */
  picture(kind) {
    return savePicture(this.sheet(), kind, `waterline-${(this.playhead.nowUs / 1e6).toFixed(2)}s`);
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
