/**
 * What each kind of queue adds to the page: what it shows besides its lanes, and how that is folded, kept and read.
 *
 * Each kind is a folder below static/js/generations, and generations/all.js registers them; every page that has a state begins
 * with it. Common code finds a kind here, by the implementation that a queue names, and imports none.
 */
import { USUAL } from "./catalogue/places.js";
import { fill, gettext, number } from "./text.js";

/**
 * @import { Plan, SentRecord } from "./bytes.js"
 * @import { Handlers, Kind, QueueSnapshot, RunSnapshot, TransitionOf, Values } from "./catalogue/types.js"
 * @import { Lane } from "../layout/stage.js"
 * @import { Moves, Observers } from "./life.js"
 * @import { Figures } from "./facts.js"
 * @import { Reasons, Step, Words } from "./why-sentence.js"
 * @import { Step as TourStep } from "./tour-steps.js"
 * @import { Conditions } from "./until.js"
 * @import { Playhead } from "./playhead.js"
 * @import { Numbered } from "./stretches.js"
 */

/** @typedef {{ name: string, bytes: number | null }} QueueFile a file in a queue's directory */

/**
 * A first step for newcomers: done when one of some kinds of transitions was there, or when a state meets it; `goal` is what to press.
 * @typedef {{ id: string, text: () => string, goal: string, done?: string[], met?: (state: RunSnapshot) => boolean }} FirstStep
 */

/**
 * A number that decides how many messages wait in RAM: the lane that it is about, what feeds it, and all of it in one sentence.
 * @typedef {{ lane: string, name: string, value: number, most: number, formula: string, rate: string, text: string }} LoadGauge
 */

/** @typedef {"handlers" | "lives" | "moves" | "words" | "numbers" | "steps"} ByKind tables of a generation by the kinds of transitions */

/** @typedef {{ x: number, y: number, w: number, h: number }} MapBox */

/**
 * The map of the files that a queue has for itself: `paint` draws it and returns what is there in words; `at` gives the message at
 * a point of the scene, `spots` the boxes of a message.
 * @typedef {object} QueueMap
 * @property {() => string} [title] what the files are called, where they are more than an index
 * @property {boolean} [fsyncs] whether the store that these queues share calls fsync; yes where nothing is said
 * @property {(pen: CanvasRenderingContext2D, given: { width: number, height: number, queue: QueueSnapshot | null, session: Playhead, chosen: number | null }) => { scene: Values, note: string, label: string }} paint
 * @property {(scene: Values, queue: QueueSnapshot, x: number, y: number) => number | null} at
 * @property {(scene: Values, state: RunSnapshot, queue: QueueSnapshot, seq: number) => MapBox[]} spots
 */

/**
 * One kind of queue. `own` is its part of a queue's state.
 * @typedef {object} Generation
 * @property {Handlers} handlers folds of the transitions that only these queues have
 * @property {Observers} lives what such a transition adds to the life of a message
 * @property {Moves} moves what a message does that such a transition moves
 * @property {Words} words how such a transition is described
 * @property {{ [K in Kind]?: (t: TransitionOf<K>) => Values }} numbers those in the fields of such a transition that "Why?" lists
 * @property {{ [K in Kind]?: (why: Values) => Step[] }} steps for those that consist of several steps
 * @property {string} rules with what the ids of its own rules begin, where other kinds have places of the same names; else empty
 * @property {Reasons} reasons the general cause of what all queues do
 * @property {() => Record<string, string>} larger what larger values of its settings would mean, by their names
 * @property {(counts: Record<string, number>) => string | null} held in a few signs how many of the messages with consumers are where
 * @property {(values: Values) => Record<string, string>} questions what the printed status of such a queue makes one ask, by the codes of Inspect
 * @property {(now: Figures) => { text: string, tone: string }} situation the situation in one sentence, where messages are there
 * @property {(queue: QueueSnapshot, settings: Values, lanes: Lane[]) => Values | null} surplus what of its lanes is more than may stay
 * @property {() => Values} empty the own part of a queue that holds nothing
 * @property {(own: Values) => void} begin the queue begins; what its recovery has found stays
 * @property {(own: Values) => Values} copy
 * @property {(own: Values) => number} weight how much memory the own part takes, in rows
 * @property {(own: Values, start: number, count: number) => Numbered[]} live which of some seq_ids are there, by the own part
 * @property {(recovered: Numbered[]) => Numbered[]} survivors which messages a recovery found, given what it reported
 * @property {(own: Values, seq: number) => boolean} indexInFile whether a file of the queue is known to have a message's index entry
 * @property {(settings: Values) => number} perFile how many messages a file of the queue is for, at most
 * @property {(own: Values) => QueueFile[]} files what is in the queue's directory now
 * @property {(state: RunSnapshot, queue: QueueSnapshot | null | undefined, seq: number) => Plan} ownPlan where to read what a file of the queue has of a message
 * @property {(queue: QueueSnapshot, settings: Values) => LoadGauge | null} gauge how many messages wait in RAM, where a rate decides it
 * @property {FirstStep[]} firstSteps its own first steps for newcomers; none where those of the usual kind hold
 * @property {TourStep[]} tour its own guided tour; none where that of the usual kind holds
 * @property {Conditions} until conditions of "run until" that only it has; none where those of the usual kind hold
 * @property {(state: RunSnapshot, queue: QueueSnapshot | null | undefined, seq: number, record: SentRecord | null) => Plan | null} bodyPlan where to read a body that lies in a file of the queue; null where it does not, or nobody knows
 * @property {QueueMap} [map] of those files, registered by generations/views.js
 */

/** @type {Generation} */
const NOTHING = {
  handlers: {},
  lives: {},
  moves: {},
  words: {},
  numbers: {},
  steps: {},
  rules: "",
  reasons: {},
  larger: () => ({}),
  questions: () => ({}),
  held: () => null,
  situation: ({ ready, unacked }) => ({
    tone: "alpha",
    text: fill(gettext("Ready: %(ready)s. With consumers: %(unacked)s."), { ready: number(ready), unacked: number(unacked) }),
  }),
  surplus: () => null,
  empty: () => ({}),
  begin: () => {},
  copy: (own) => ({ ...own }),
  weight: () => 0,
  live: () => [],
  survivors: () => [],
  indexInFile: () => false,
  perFile: () => Infinity,
  files: () => [],
  gauge: () => null,
  firstSteps: [],
  tour: [],
  until: {},
  ownPlan: (_, queue) => ({ why: queue ? "ram" : "gone" }),
  bodyPlan: () => null,
};

/** @type {Record<string, Generation>} */
const known = {};
/** @type {{ [T in ByKind]: Generation[T] }} what all kinds of queues have for transitions: each transition belongs to one of them */
const byKind = { handlers: {}, lives: {}, moves: {}, words: {}, numbers: {}, steps: {} };

/**
 * Make a kind of queue known, by the name of its implementation.
 * @param {string} name
 * @param {Partial<Generation>} generation
 */
export function register(name, generation) {
  known[name] = { ...NOTHING, ...known[name], ...generation };
  for (const table of /** @type {ByKind[]} */ (Object.keys(byKind))) Object.assign(byKind[table], generation[table]);
}

/**
 * What a table of the generations has for a transition that only queues of one kind have; undefined where it has nothing.
 * @param {ByKind} table
 * @param {Kind} kind
 * @returns {Function | undefined}
 */
export function ofTransition(table, kind) {
  return byKind[table][kind];
}

/**
 * What a larger value of a setting would mean that queues of one kind have; undefined for other settings.
 * @param {string} name
 * @param {string} rule of a transition: kinds of queues that have rules of their own speak of their own files first
 */
export function largerOf(name, rule = "") {
  /** @param {Generation} generation */
  const isOther = ({ rules }) => Number(!rules || !rule.startsWith(rules));
  return Object.values(known)
    .sort((a, b) => isOther(a) - isOther(b))
    .map((generation) => generation.larger()[name])
    .find((text) => text !== undefined);
}

/**
 * What a kind of queue asks about its printed status under a code; undefined where none does.
 * @param {string} code
 * @param {Values} values of the question
 */
export function ownQuestion(code, values) {
  return Object.values(known)
    .map((generation) => generation.questions(values)[code])
    .find((text) => text !== undefined);
}

/**
 * The kind of a queue, given what is shown of it; of the usual one where it names none.
 * @param {Values | null | undefined} queue
 */
export function generationOf(queue) {
  if (!known[USUAL]) throw new Error("a page that has a state begins with generations/all.js");
  return known[queue?.backing_queue ?? USUAL] ?? NOTHING;
}

/**
 * What a queue's kind has of its own for newcomers, or to wait for; what the usual kind has, where it has nothing.
 * @template {"tour" | "firstSteps" | "until"} Part
 * @param {Values | null | undefined} queue
 * @param {Part} part
 * @returns {Generation[Part]}
 */
export function ownOrUsual(queue, part) {
  const own = generationOf(queue)[part];
  return Object.keys(own).length ? own : generationOf(null)[part];
}

/**
 * The kind of queue whose own rules a rule is of; undefined where several kinds share it.
 * @param {string} rule
 */
export const generationOfRule = (rule) => Object.values(known).find(({ rules }) => rules && rule.startsWith(rules));

/**
 * How many messages a file of the queue is for, at most.
 * @param {RunSnapshot} state
 * @param {QueueSnapshot | null} queue
 */
export function perFile(state, queue) {
  return generationOf(queue).perFile(state.node.settings);
}
