/**
 * Marks travel: from the scene that is shown to the next one. A mark keeps its key; a part that has gone
 * from RAM while its twin came up on disk (or back) is carried over by `from`. It needs no page.
 */

import { ease } from "../base/scheduler.js";

/**
 * @import { Box } from "../../layout/geometry.js"
 * @import { Mark } from "../../layout/glyphs.js"
 * @import { Lane, Scene } from "../../layout/stage.js"
 * @import { Values } from "../../model/catalogue/types.js"
 */

const SINK_MS = 320;
const RISE_MS = 260;
const SLIDE_MS = 320;
const FADE_MS = 160;
/** A block that is new comes from so far, out of the direction in which publishers are. */
const COMES_PX = 46;
const COME_MS = 280;
const REDUCED_MS = 80;
const STAGGER_MS = 24;
const REDIRECT_MS = 140;
const SINGLY = 12;

/**
 * A mark on its way: where it was, where it goes, and how far it is.
 * @typedef {Values & Box & { mark: Mark, alpha: number, start: number, end: number }} Visual
 */

export class Tween {
  constructor() {
    /** @type {Map<string, Visual>} by the keys of their marks */
    this.visuals = new Map();
    /** @type {Visual[]} */
    this.leaving = [];
    this.until = 0;
    /** When marks were moved last. */
    this.movedAt = 0;
  }

  /**
   * Take a scene's marks as the goal. `how`: {moves: travel or cross-fade, instant, turned, slower: how many times longer what sinks may take}.
   * @param {Mark[]} marks
   * @param {number} now
   * @param {{ turned: boolean, instant: boolean, moves: boolean, slower?: number }} how
   */
  aim(marks, now, how) {
    const before = this.visuals;
    const next = new Map();
    let sinking = 0;
    const keys = new Set(marks.map((mark) => mark.key));
    for (const mark of marks) {
      const carried = this.origin(before, mark, keys);
      /** @type {Visual} */
      const visual = {
        mark,
        x: mark.x,
        y: mark.y,
        w: mark.w,
        h: mark.h,
        alpha: 1,
        from: null,
        start: now,
        end: now,
      };
      next.set(mark.key, visual);
      if (how.instant) continue;
      if (!carried) this.appear(visual, now, before.size > 0, how);
      else if (moved(carried, mark) || carried.alpha < 1) {
        const crossed = carried.mark.key !== mark.key;
        if (crossed) sinking += 1;
        this.travel(visual, carried, now, how, crossed ? Math.min(sinking, SINGLY) * STAGGER_MS : 0);
      }
    }
    this.visuals = next;
    if (!how.instant) this.retire(before, next, now);
    else this.leaving = [];
    this.until = Math.max(
      now,
      ...[...next.values()].map((each) => each.end),
      ...this.leaving.map((each) => each.end),
    );
  }

  /**
   * What a mark grows out of: itself, or its twin on the other side if that one has gone.
   * @param {Map<string, Visual>} before
   * @param {Mark} mark
   * @param {Set<string>} keys
   */
  origin(before, mark, keys) {
    const own = before.get(mark.key);
    if (own) return own;
    return mark.from && !keys.has(mark.from) ? before.get(mark.from) : undefined;
  }

  /**
   * @param {Visual} visual
   * @param {number} now
   * @param {boolean} animate
   * @param {{ turned: boolean, instant: boolean, moves: boolean }} how
   */
  appear(visual, now, animate, how) {
    if (!animate) return;
    const far = how.moves ? COMES_PX : 0;
    const [x, y] = how.turned ? [visual.x, visual.y - far] : [visual.x - far, visual.y];
    visual.from = { x, y, w: visual.w, h: visual.h, alpha: 0 };
    visual.end = now + (how.moves ? COME_MS : REDUCED_MS);
  }

  /**
   * @param {Visual} visual
   * @param {Visual} carried
   * @param {number} now
   * @param {{ turned: boolean, instant: boolean, moves: boolean, slower?: number }} how
   * @param {number} delay
   */
  travel(visual, carried, now, how, delay) {
    const { mark } = visual;
    if (!how.moves) {
      visual.from = { x: mark.x, y: mark.y, w: mark.w, h: mark.h, alpha: 0.3 };
      visual.end = now + REDUCED_MS;
      return;
    }
    if (carried.from && carried.mark.key === mark.key) {
      this.redirect(visual, carried, now);
      return;
    }
    const crossing = carried.mark.key !== mark.key;
    const down = mark.key.endsWith(":dc");
    visual.from = { x: carried.x, y: carried.y, w: carried.w, h: carried.h, alpha: carried.alpha };
    visual.ghost = crossing ? { x: carried.x, y: carried.y, w: carried.w, h: carried.h } : null;
    const { slower = 1 } = how;
    visual.start = now + slower * delay;
    visual.end = visual.start + slower * (crossing ? (down ? SINK_MS : RISE_MS) : SLIDE_MS);
  }

  /**
   * Already on its way: the same goal keeps its course, another one is reached in what time was left, or a little. A goal that
   * moves with each frame is followed: the time since the frame before counts.
   * @param {Visual} visual
   * @param {Visual} carried
   * @param {number} now
   */
  redirect(visual, carried, now) {
    if (!moved(carried.mark, visual.mark)) {
      Object.assign(visual, { ...carried, mark: visual.mark });
      return;
    }
    visual.from = { x: carried.x, y: carried.y, w: carried.w, h: carried.h, alpha: carried.alpha };
    visual.start = this.movedAt;
    visual.end = Math.max(carried.end, now + REDIRECT_MS);
    visual.late = true;
  }

  /**
   * @param {Map<string, Visual>} before
   * @param {Map<string, Visual>} next
   * @param {number} now
   */
  retire(before, next, now) {
    const carried = new Set();
    for (const visual of next.values()) if (visual.ghost) carried.add(visual.mark.from);
    this.leaving = this.leaving.filter((each) => each.end > now);
    for (const [key, visual] of before) {
      if (next.has(key) || carried.has(key)) continue;
      this.leaving.push({ ...visual, from: { ...visual }, start: now, end: now + FADE_MS, gone: true });
    }
    if (this.leaving.length > 600) this.leaving = this.leaving.slice(-600);
  }

  /**
   * Move everything to where it is at `now`; returns whether anything still moves.
   * @param {number} now
   */
  at(now) {
    for (const visual of this.visuals.values()) if (visual.from) place(visual, now);
    this.leaving = this.leaving.filter((each) => each.end > now);
    for (const visual of this.leaving) visual.alpha = 1 - (now - visual.start) / FADE_MS;
    this.movedAt = now;
    return now < this.until;
  }
}

/**
 * @param {Box} visual
 * @param {Box} mark
 */
function moved(visual, mark) {
  return (
    Math.abs(visual.x - mark.x) > 0.3 ||
    Math.abs(visual.y - mark.y) > 0.3 ||
    Math.abs(visual.w - mark.w) > 0.3 ||
    Math.abs(visual.h - mark.h) > 0.3
  );
}

/**
 * @param {Visual} visual
 * @param {number} now
 */
function place(visual, now) {
  const { mark, from } = visual;
  const t = progress(visual, now);
  visual.x = from.x + (mark.x - from.x) * t;
  visual.y = from.y + (mark.y - from.y) * t;
  visual.w = from.w + (mark.w - from.w) * t;
  visual.h = from.h + (mark.h - from.h) * t;
  visual.alpha = from.alpha + (1 - from.alpha) * t;
  visual.progress = t;
  if (t >= 1) {
    visual.from = null;
    visual.ghost = null;
  }
}

/**
 * How far something is on its way; what was already moving does not begin from rest.
 * @param {{ start: number, end: number, late?: boolean }} way
 * @param {number} now
 */
function progress({ start, end, late }, now) {
  const share = (now - start) / Math.max(1, end - start);
  return late ? 1 - (1 - Math.min(1, Math.max(0, share))) ** 3 : ease(share);
}

/** Lane borders slide with the messages: between two scenes, lanes, pills and the fence are part of the way there. */
export class Slide {
  /**
   * From what is shown now (or null for no way to go) to a new scene. A slide that is `running` to the same lanes goes on; one to
   * others turns to them, so that scenes that come with every frame do not hold the borders where they are.
   * @param {Scene | null} before
   * @param {Scene} scene
   * @param {number} now
   * @param {Slide | null} [running]
   */
  constructor(before, scene, now, running = null) {
    this.scene = scene;
    this.before = before;
    /** @type {number} */
    this.start = now;
    /** @type {number} */
    this.end = before && differ(before, scene) ? now + SLIDE_MS : now;
    /** Whether it was on its way already, to other lanes. */
    this.late = false;
    if (before && running && now < running.end) this.goOn(running, now);
    /** When it was shown last. */
    this.shownAt = now;
  }

  /**
   * Go on where a slide is that has not arrived.
   * @param {Slide} running
   * @param {number} now
   */
  goOn(running, now) {
    const { before, start, end, late, shownAt } = running;
    if (differ(running.scene, this.scene)) Object.assign(this, { start: shownAt, end: Math.max(end, now + REDIRECT_MS), late: true });
    else Object.assign(this, { before, start, end, late });
  }

  /**
   * The scene as it is at `now`; marks are the tween's business.
   * @param {number} now
   */
  at(now) {
    this.shownAt = now;
    if (now >= this.end) return this.scene;
    const t = progress(this, now);
    const { scene, before } = this;
    if (!before) return scene;
    const lanes = scene.lanes.map((lane, at) => between(before.lanes[at], lane, t));
    const shifts = Object.fromEntries(
      lanes.map((lane, at) => [lane.name, middle(lane) - middle(scene.lanes[at])]),
    );
    return {
      ...scene,
      lanes,
      pills: scene.pills.map((pill) => ({ ...pill, u: pill.u + shifts[pill.lane] })),
      term: scene.term && { ...scene.term, u: scene.term.u + shifts[scene.term.lane] },
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
