/** Of each run [{messages, next, digest, state}]: takes a host's messages through socket and session, as the page does. */
import { differences } from "../../static/js/model/canonical.js";
import { Session } from "../../static/js/model/session.js";
import { Transport } from "../../static/js/net/transport.js";
import { eachRun, fail, same } from "./asking.mjs";

class Socket {
  readyState = 1;

  constructor() {
    Socket.last = this;
  }

  send() {}
}

eachRun(({ messages, next, digest, state }) => {
  const session = new Session();
  const listeners = {
    welcome: () => {},
    snapshot: (message) => session.snapshot(message),
    frame: (message) => session.frame(message),
    notice: ({ message }) => fail("notice", [message]),
    status: () => {},
  };
  new Transport("ws://here", listeners, Socket).connect();
  Socket.last.onopen();
  for (const message of messages) Socket.last.onmessage({ data: JSON.stringify(message) });
  same("the next number", session.next, next);
  same("the digest", session.digest, digest);
  fail("the state", differences(session.state, state));
});
