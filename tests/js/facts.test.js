/** What the chip, the headline and the offer of a next step hang on: facts of a moment, and none of the moment before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { figures, toPagingLine } from "../../static/js/model/facts.js";
import { situation } from "../../static/js/model/situation.js";
import { fold } from "../../static/js/model/reduce.js";
import { paged, published, stateOf } from "./feed.js";

/** The node counts its memory anew. */
function counted(state, process_memory) {
  state.node.memory = { process_memory, limit: 400_000, paging_at: 200_000 };
  return state;
}

test("a queue is paging while contents must leave RAM or memory is past the line, and no longer", () => {
  const state = counted(stateOf(published(0, 40), paged(0, 40, 10)), 250_000);
  state.queues.orders.counters.ram_msg_count = 40;
  assert.deepEqual([figures(state).over, figures(state).paging], [30, true]);
  state.queues.orders.counters.ram_msg_count = 10;
  assert.deepEqual([figures(state).over, figures(state).paging], [0, true], "memory is past the line: no more may come in");
  counted(state, 191_000);
  assert.deepEqual([figures(state).over, figures(state).paging, figures(state).target], [0, false, 10], "under the line a target is all that stays");
});

test("past the line without a target: a queue that sleeps says that the next message wakes it, one that is awake does not", () => {
  const state = counted(stateOf(published(0, 40)), 250_000);
  assert.equal(toPagingLine(state, 6144), 0);
  assert.deepEqual([figures(state).target, figures(state).asleep], [null, false]);
  assert.match(situation(state).text, /it gets one when it reports its rates/);
  fold(state, { kind: "QueueChanged", rule: "P5", queue: "orders", values: { queue_process: "hibernating" } });
  assert.equal(figures(state).asleep, true);
  assert.match(situation(state).text, /the queue sleeps and reports no rates, so nothing is paged out: the next message wakes it/);
});
