/** Where a link leads inside a run: the page goes there as soon as the run has the moment. */
import { hostsOf, shownHost } from "../../model/hosts.js";
import { gettext } from "../../model/text.js";
import { LastSeconds } from "../time/last-seconds.js";
import { spotlight } from "../base/spotlight.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Selection } from "../../model/selection.js"
 */

/** @typedef {{ at_us: number | null, number: number | null, msg: number | null, view: string }} Place inside a run */

/** @typedef {{ ready: (then: () => void) => void }} BeforePage what was before the page came */

const FAST = 100;
/**
 * On a page without a past this is so at once.
 * @type {BeforePage}
 */
const NO_PAST = { ready: (then) => then() };

/**
 * Where the reader is now: the time, the transition inside its instant, the chosen message, the virtual host.
 * @param {{ playhead: Playhead, selection: Selection }} live
 */
export function placeNow({ playhead, selection }) {
  const inside = playhead.behind && playhead.history.timeOf(playhead.position) === playhead.nowUs;
  return {
    at: playhead.nowUs,
    n: inside ? playhead.position : null,
    msg: selection.chosen,
    vhost: hostsOf(playhead.state).length > 1 ? shownHost() : null,
  };
}

export class PlaceOfLink {
  /**
   * `place` is {at_us, number, msg, view}; `past` gets what was before the page; `control(pace)` reaches the engine; `flash(text)` shows a message.
   * @param {Place} place
   * @param {boolean} owner
   * @param {{ playhead: Playhead, selection: Selection, past?: BeforePage, control: (pace: Values) => unknown, flash: (text: string) => void }} live
   */
  constructor(place, owner, { playhead, selection, past = NO_PAST, control, flash }) {
    this.place = place;
    this.owner = owner;
    this.playhead = playhead;
    this.selection = selection;
    this.past = past;
    this.control = control;
    this.flash = flash;
    this.session = playhead.session;
    this.done = place.at_us === null && place.number === null && place.msg === null && !place.view;
    this.requested = false;
    this.session.listen(() => this.follow());
  }

  follow() {
    if (this.done || !this.session.version) return;
    const { at_us: atUs, number } = this.place;
    if (atUs !== null && this.session.knownUs < atUs) this.goOn(atUs);
    else if (number !== null && this.session.next < number) this.done = this.session.play === false && this.requested;
    else this.wait();
  }

  /**
   * The moment is still to come: let time pass up to it.
   * @param {number} atUs
   */
  goOn(atUs) {
    if (this.requested || !this.owner) return;
    this.requested = true;
    this.speed = this.session.speed;
    this.control({ play: true, speed: FAST, until_us: atUs });
  }

  /** The moment is there; what led to it may still be on its way from the host. */
  wait() {
    this.done = true;
    this.past.ready(() => this.arrive());
  }

  arrive() {
    if (this.requested) this.control({ speed: this.speed || 1 });
    const { at_us: atUs, number, msg, view } = this.place;
    const { playhead, session } = this;
    let there = true;
    if (number !== null && number < session.next) there = playhead.go(number);
    else if (atUs !== null && atUs < session.knownUs) there = playhead.toTime(atUs);
    if (!there) this.flash(gettext("That moment is no longer kept; this is the present."));
    if (msg !== null) this.selection.choose(msg);
    if (view) spotlight(view);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (there && !calm && (number !== null || atUs !== null)) new LastSeconds(playhead).play();
  }
}
