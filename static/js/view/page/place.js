/** Where a link leads inside a run: the page goes there as soon as the run has the moment. */
import { gettext } from "../../model/text.js";

const FAST = 100;
const SPOTLIGHT_MS = 2500;
const VIEWS = {
  stage: "#stage, .stage",
  files: "#files",
  why: "#why",
  narrative: ".recent",
  controls: "#controls",
  dock: "#dock",
  story: "#story",
};

/** Point at a part of the page, and bring it into view where it is not. */
export function spotlight(view) {
  const part = VIEWS[view] && document.querySelector(VIEWS[view]);
  if (!part) return;
  const box = part.getBoundingClientRect();
  if (box.top < 0 || box.bottom > innerHeight) part.scrollIntoView({ block: "nearest" });
  part.classList.add("spotlight");
  setTimeout(() => part.classList.remove("spotlight"), SPOTLIGHT_MS);
}

export class PlaceOfLink {
  /** `place` is {at_us, number, msg, view}; `control(message)` reaches the engine; `choose(seq)` selects a message. */
  constructor(place, playhead, owner, { control, choose, alerts }) {
    Object.assign(this, { place, playhead, owner, control, choose, alerts });
    this.session = playhead.session;
    this.done = place.at_us === null && place.number === null && place.msg === null && !place.view;
    this.asked = false;
    this.session.listen(() => this.look());
  }

  look() {
    if (this.done || !this.session.version) return;
    const { at_us: atUs, number } = this.place;
    if (atUs !== null && this.session.nowUs < atUs) this.goOn(atUs);
    else if (number !== null && this.session.next < number) this.done = this.session.play === false && this.asked;
    else this.arrive();
  }

  /** The moment is still to come: let time pass up to it. */
  goOn(atUs) {
    if (this.asked || !this.owner) return;
    this.asked = true;
    this.speed = this.session.speed;
    this.control({ t: "control", play: true, speed: FAST, until_us: atUs });
  }

  arrive() {
    this.done = true;
    if (this.asked) this.control({ t: "control", speed: this.speed || 1 });
    const { at_us: atUs, number, msg, view } = this.place;
    const { playhead, session } = this;
    let there = true;
    if (number !== null && number < session.next) there = playhead.go(number);
    else if (atUs !== null && atUs < session.nowUs) there = playhead.toTime(atUs);
    if (!there) this.alerts.flash(gettext("That moment is not kept any more; this is the present."));
    if (msg !== null) this.choose(msg);
    if (view) spotlight(view);
  }
}
