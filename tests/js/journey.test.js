/** Following a message to its end: the start that lost it says what it lost. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Playhead } from "../../static/js/model/playhead.js";
import { total } from "../../static/js/model/stretches.js";
import { Journey } from "../../static/js/view/page/journey.js";
import { feed, live, published } from "./feed.js";

/** What the Why? panel is given to explain at each transition of a run that ends in a power cut. */
function explained() {
  const session = live();
  const started = ["QueueStarted", "Q62", "orders", "default", true, [null, 0, 0, null], { len: 0 }];
  feed(session, published(0, 3), 1_000_000);
  feed(session, [["QueueStopped", "S234", "orders", "power"], started], 2_000_000);
  const pinned = [];
  const journey = { playhead: new Playhead(session), panels: { why: { pin: (reason) => pinned.push(reason) } } };
  for (let number = 0; number < session.next; number += 1) Journey.prototype.explain.call(journey, { number, us: 0 });
  return pinned;
}

test("a start is explained with what it lost, a publish with what it brought", () => {
  const [publish, , start] = explained();
  assert.equal(publish.t.kind, "Published");
  assert.equal(publish.messages, 3);
  assert.equal(start.t.kind, "QueueStarted");
  assert.equal(start.messages, 3);
  assert.equal(total(start.fate.lost), 3);
});
