/** Lane borders slide with the messages: between two scenes, lanes, pills and the fence are part of the way there. */
import { ease } from "./tween.js";

/** @import { Lane, Scene } from "../../layout/stage.js" */

const SLIDE_MS = 320;

export class Slide {
  /**
   * From what is shown now (or null for no way to go) to a new scene.
   * @param {Scene | null} before
   * @param {Scene} scene
   * @param {number} now
   */
  constructor(before, scene, now) {
    this.before = before;
    this.scene = scene;
    this.start = now;
    this.until = before && differ(before, scene) ? now + SLIDE_MS : now;
  }

  /**
   * The scene as it is at `now`; marks are the tween's business.
   * @param {number} now
   */
  at(now) {
    if (now >= this.until) return this.scene;
    const t = ease((now - this.start) / SLIDE_MS);
    const { scene, before } = this;
    if (!before) return scene;
    const lanes = scene.lanes.map((lane, at) => between(before.lanes[at], lane, t));
    const moved = Object.fromEntries(
      lanes.map((lane, at) => [lane.name, middle(lane) - middle(scene.lanes[at])]),
    );
    return {
      ...scene,
      lanes,
      pills: scene.pills.map((pill) => ({ ...pill, u: pill.u + moved[pill.lane] })),
      term: scene.term && { ...scene.term, u: scene.term.u + moved.delta },
      fence: fenceBetween(before.fence, scene.fence, t),
    };
  }
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} t
 */
const mix = (from, to, t) => from + (to - from) * t;
/** @param {Lane} lane */
const middle = (lane) => (lane.u0 + lane.u1) / 2;

/**
 * @param {Lane} from
 * @param {Lane} to
 * @param {number} t
 */
function between(from, to, t) {
  return { ...to, u0: mix(from.u0, to.u0, t), u1: mix(from.u1, to.u1, t), head: mix(from.head, to.head, t) };
}

/**
 * @param {Scene["fence"]} from
 * @param {Scene["fence"]} to
 * @param {number} t
 */
function fenceBetween(from, to, t) {
  if (!from || !to || from.lane !== to.lane) return to;
  return { ...to, u: mix(from.u, to.u, t) };
}

/**
 * @param {Scene} before
 * @param {Scene} scene
 */
function differ(before, scene) {
  return (
    scene.lanes.some(
      (lane, at) =>
        Math.abs(lane.u0 - before.lanes[at].u0) > 0.5 || Math.abs(lane.u1 - before.lanes[at].u1) > 0.5,
    ) ||
    (before.fence && scene.fence && Math.abs(before.fence.u - scene.fence.u) > 0.5)
  );
}
