/**
 * The socket of one session: hello and acknowledgements, commands with answers, reconnecting where the link breaks.
 * What arrives is handed on as it is; numbering is checked here, so that listeners never get rows with a gap.
 */

/**
 * @import { Session } from "../model/session.js"
 * @import { AnswerMessage, FrameMessage, HostMessage, MovedMessage, NoticeMessage, RefusedMessage, SnapshotMessage, Values, WelcomeMessage } from "../model/catalogue/types.js"
 */

/**
 * What is called with the host's messages, and with the link's status.
 * @typedef {{
 *   snapshot: (message: SnapshotMessage) => void,
 *   frame: (message: FrameMessage) => void,
 *   welcome?: (message: WelcomeMessage) => void,
 *   notice: (message: NoticeMessage) => void,
 *   status: (name: string, retryMs: number) => void,
 *   sent?: (message: Values) => void,
 * }} Listeners
 */

/**
 * The end of a connection: a WebSocket, or another object as far as the transport uses one.
 * @typedef {{
 *   readyState: number,
 *   opening?: boolean,
 *   onopen: ((event: Event) => void) | null,
 *   onmessage: ((event: MessageEvent) => void) | null,
 *   onclose: ((event: CloseEvent) => void) | null,
 *   send: (text: string) => void,
 *   close: () => void,
 * }} SocketEnd
 * @typedef {new (url: string) => SocketEnd} SocketClass
 */

/** @typedef {{ accept: (answer: AnswerMessage | undefined) => void, refuse: (error: Error) => void, timer: ReturnType<typeof setTimeout> }} Waiting for the answer to a message */

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 8000;
const COMMAND_TIMEOUT_MS = 10000;
/** Close codes with which the host ends a session for good: trying again is of no use. */
const FINAL_CODES = new Set([4003, 4004, 4010]);
/** The server has no place for another session now. */
const FULL = 4013;
/** Another process has the session; the message before gave its address. */
const MOVED = 4015;

export class Transport {
  /**
   * `listeners`: snapshot(message), frame(message), welcome(message), notice(message), status(name, retryMs), sent(message).
   * `Socket` is WebSocket, or a double in tests.
   * @param {string} url
   * @param {Listeners} listeners
   * @param {SocketClass} [Socket]
   */
  constructor(url, listeners, Socket = globalThis.WebSocket) {
    this.url = url;
    this.listeners = listeners;
    this.Socket = Socket;
    /** @type {number | null} the number of the next transition; null before the first snapshot */
    this.next = null;
    /** @type {string | null} which life of the session was connected last */
    this.life = null;
    this.retryMs = FIRST_RETRY_MS;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.retryTimer = undefined;
    this.commandId = 0;
    /** @type {Map<number | string | null, Waiting>} by the number of the message */
    this.waiting = new Map();
    this.ended = false;
    /** Whether the server had no place when the link was lost. */
    this.full = false;
    this.moves = 0;
    this.page = globalThis.document;
    this.page?.addEventListener("visibilitychange", () => this.show());
  }

  /** Connect now, without waiting for a retry timer. */
  connect() {
    clearTimeout(this.retryTimer);
    this.listeners.status("connecting", 0);
    const socket = new this.Socket(this.url);
    this.socket = socket;
    socket.onopen = () => this.opened(socket);
    socket.onmessage = (event) => this.received(socket, JSON.parse(event.data));
    socket.onclose = (event) => this.closed(socket, event);
  }

  /** Report to the host whether the page is visible: one in the background needs no frames. */
  show() {
    this.send({ t: "show", seen: !this.page.hidden });
  }

  /** Leave for good. */
  close() {
    this.ended = true;
    clearTimeout(this.retryTimer);
    this.socket?.close();
  }

  get live() {
    return this.socket?.readyState === 1;
  }

  /**
   * Send a message if the socket is open. Returns whether it was sent.
   * @param {Values} message
   */
  send(message) {
    if (!this.socket || !this.live) return false;
    this.socket.send(JSON.stringify(message));
    this.listeners.sent?.(message);
    return true;
  }

  /**
   * Send a command; resolves when the engine accepts it, rejects with its message when it refuses; the error's cause has the numbers.
   * @param {Values} command
   */
  command(command) {
    return this.awaited((id) => ({ t: "command", id, command }));
  }

  /**
   * Run a line of the console; resolves with {text, error}, rejects without an answer.
   * @param {string} line
   * @returns {Promise<AnswerMessage>}
   */
  runLine(line) {
    return /** @type {Promise<AnswerMessage>} */ (this.awaited((id) => ({ t: "ask", id, line })));
  }

  /** Take the last command back; resolves and rejects as a command does. */
  undo() {
    return this.awaited((id) => ({ t: "undo", id }));
  }

  /**
   * Lock a prediction: an option's number, or null for none; resolves and rejects as a command does.
   * @param {number | null} option
   */
  predict(option) {
    return this.awaited((id) => ({ t: "predict", id, option }));
  }

  /**
   * @param {(id: number) => Values} message
   * @returns {Promise<AnswerMessage | undefined>}
   */
  awaited(message) {
    this.commandId += 1;
    const id = this.commandId;
    return new Promise((accept, refuse) => {
      const timer = setTimeout(() => this.settle(id, "timeout"), COMMAND_TIMEOUT_MS);
      this.waiting.set(id, { accept, refuse, timer });
      if (!this.send(message(id))) this.settle(id, "offline");
    });
  }

  /**
   * @param {string | number | null} id
   * @param {string | null} reason
   * @param {AnswerMessage} [answer]
   * @param {Values} [values] the numbers of the reason
   */
  settle(id, reason, answer, values) {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    this.waiting.delete(id);
    clearTimeout(waiting.timer);
    if (reason === null) waiting.accept(answer);
    else waiting.refuse(new Error(reason, { cause: values }));
  }

  /** @param {SocketEnd} socket */
  opened(socket) {
    if (socket !== this.socket) return;
    this.send({ t: "hello", have: this.next, life: this.life });
    if (this.page?.hidden) this.show();
    // A server that had no place opens a socket before it says so again: only its welcome shows that it has one.
    if (!this.full) this.listeners.status(socket.opening ? "opening" : "live", 0);
  }

  /**
   * @param {SocketEnd} socket
   * @param {CloseEvent} [event]
   */
  closed(socket, event) {
    if (socket !== this.socket) return;
    for (const id of [...this.waiting.keys()]) this.settle(id, "offline");
    if (this.ended) return;
    if (event && FINAL_CODES.has(event.code)) {
      this.ended = true;
      this.listeners.status("ended", 0);
      return;
    }
    if (event?.code === MOVED && this.moves === 1) {
      this.connect();
      return;
    }
    this.full = event?.code === FULL;
    this.listeners.status("lost", this.retryMs);
    this.retryTimer = setTimeout(() => this.connect(), this.retryMs);
    this.retryMs = Math.min(LAST_RETRY_MS, this.retryMs * 2);
  }

  /**
   * @param {SocketEnd} socket
   * @param {HostMessage} message
   */
  received(socket, message) {
    if (socket !== this.socket) return;
    if (message.t === "frame") this.frame(message);
    else if (message.t === "snapshot") this.snapshot(message);
    else if (message.t === "accepted") this.settle(message.id, null);
    else if (message.t === "answer") this.settle(message.id, null, message);
    else if (message.t === "refused") this.refused(message);
    else if (message.t === "welcome") this.welcomed(message);
    else if (message.t === "notice") this.listeners.notice(message);
    else if (message.t === "moved") this.moved(message);
  }

  /** @param {RefusedMessage} message */
  refused(message) {
    if (this.waiting.has(message.id)) this.settle(message.id, message.message, undefined, message.values);
    else this.listeners.notice({ t: "notice", level: "error", message: message.message });
  }

  /**
   * The session is there: only now does a link that breaks begin with the shortest wait again.
   * @param {WelcomeMessage} message
   */
  welcomed(message) {
    this.life = message.life ?? null;
    this.moves = 0;
    this.retryMs = FIRST_RETRY_MS;
    if (this.full) this.listeners.status("live", 0);
    this.full = false;
    this.listeners.welcome?.(message);
  }

  /**
   * Connect elsewhere from now on; at once only the first time, as two processes may send a page to each other.
   * @param {MovedMessage} message
   */
  moved(message) {
    this.url = new URL(message.websocket, this.url).href;
    this.moves += 1;
  }

  /** @param {SnapshotMessage} message */
  snapshot(message) {
    this.next = message.next;
    this.listeners.snapshot(message);
    this.acknowledge();
  }

  /**
   * Take a frame if it continues what is here; request a snapshot if one is missing.
   * @param {FrameMessage} message
   */
  frame(message) {
    if (this.next === null || message.first > this.next) {
      this.next = null;
      this.send({ t: "hello", have: null, life: this.life });
      return;
    }
    const known = this.next - message.first;
    if (known > 0) {
      message = {
        ...message,
        first: this.next,
        rows: message.rows.slice(known),
        at_us: message.at_us.slice(known),
      };
    }
    this.next = message.first + message.rows.length;
    this.listeners.frame(message);
    if (message.ack !== false) this.acknowledge();
  }

  acknowledge() {
    this.send({ t: "ack", through: this.next });
  }
}

/**
 * The address of a socket on the host that the page came from.
 * @param {string} path
 */
export function socketAddress(path) {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
}

/** The time between two steps of the clock that is shown. */
const STEP_MS = 80;

/**
 * Listeners for a transport with which a session follows a run: between two messages its time passes by itself; `more` are those for everything else.
 * @param {Session} session
 * @param {Pick<Listeners, "welcome" | "notice" | "status">} more
 * @returns {Listeners}
 */
export function following(session, more, now = () => performance.now()) {
  /** @type {ReturnType<typeof setTimeout> | null} */
  let timer = null;
  const later = () => {
    if (timer === null && session.clock.runs) timer = setTimeout(step, STEP_MS);
  };
  const step = () => {
    timer = null;
    session.pass(now());
    later();
  };
  return {
    ...more,
    snapshot: (message) => {
      session.snapshot(message, now());
      later();
    },
    frame: (message) => {
      session.frame(message, now());
      later();
    },
    // A run that is stopped stays at the moment that is shown; without a connection no time passes.
    sent: (message) => {
      if (message.t === "control" || message.t === "step") session.hold(now());
    },
    status: (name, retryMs) => {
      if (name !== "live") session.hold(now());
      more.status(name, retryMs);
    },
  };
}
