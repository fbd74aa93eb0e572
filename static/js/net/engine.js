/** The requests of the page to a session's engine. A change moves the view to the present, where its effect is visible. */
import { commandHere } from "../model/hosts.js";
import { following } from "./transport.js";
import { Transport } from "./transport.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { Playhead } from "../model/playhead.js"
 * @import { Host } from "./server.js"
 * @import { Listeners } from "./transport.js"
 */

export class Engine {
  /**
   * `host` is where the session is played (server.js); `playhead` shows it; `listeners` are notified of it:
   * welcome(message), notice(message), status(name, retryMs).
   * @param {Host} host
   * @param {Playhead} playhead
   * @param {Pick<Listeners, "welcome" | "notice" | "status">} listeners
   */
  constructor(host, playhead, listeners) {
    this.playhead = playhead;
    /** @type {(message: Values) => Values | null} what a message becomes before it is sent, or null where it may not be sent now */
    this.mend = (message) => message;
    this.transport = new Transport(host.address, following(playhead.session, listeners), host.Socket);
  }

  connect() {
    this.transport.connect();
  }

  close() {
    this.transport.close();
  }

  get live() {
    return this.transport.live;
  }

  get full() {
    return this.transport.full;
  }

  /**
   * Request a change; resolves when the engine accepts it, rejects with its reason.
   * @param {Values} command
   */
  command(command) {
    this.playhead.now();
    return this.transport.command(commandHere(command));
  }

  /**
   * Lock a prediction, for which the run waits: an option's number, or null to go on without one.
   * @param {number | null} option
   */
  predict(option) {
    return this.transport.predict(option);
  }

  /** Take the last command back. */
  undo() {
    this.playhead.now();
    return this.transport.undo();
  }

  /**
   * Run a line of the console; resolves with {text, error}.
   * @param {string} line
   */
  runLine(line) {
    this.playhead.now();
    return this.transport.runLine(line);
  }

  /**
   * Set the pace: {play, speed, until_us}. Returns whether it was sent.
   * @param {Values} pace
   */
  control(pace) {
    return this.send({ t: "control", ...pace });
  }

  /**
   * Go to a time that is still to come, at once; a story may stop the run before it.
   * @param {number} untilUs
   */
  rush(untilUs) {
    return this.send({ t: "control", play: true, until_us: Math.round(untilUs), at_once: true });
  }

  /** One transition on. */
  step() {
    return this.send({ t: "step" });
  }

  /** @param {Values} message */
  send(message) {
    const mended = this.mend(message);
    return mended ? this.transport.send(mended) : false;
  }
}
