/**
 * What must be so where the page gives a reason: by its English text, a condition on the transition and on the states before and
 * after it. `then` is {t, before, after, seen}: queues are of the transition's queue, `seen` counts the kinds of transitions so far.
 */
import { EXTENT as E, INDEXED, IN_RAM, IN_STORE } from "../../../static/js/model/catalogue/rows.js";
import { lengthOf, pendingOf, readyOf } from "../../../static/js/model/messages.js";

const has = (queue, lane) => lengthOf(queue, lane) > 0;
const every = (extents, flag) => extents.every((extent) => extent[E.flags] & flag);
const none = (extents, flag) => !extents.some((extent) => extent[E.flags] & flag);
const alarmed = ({ node }) => node.alarms.memory || node.alarms.disk || ["n1", "n2", "n3"].some((name) => node.cluster?.[`${name}_alarm`]);
const store = (state, t) => state.stores[t.store];
const file = (state, t) => store(state, t)?.files.find(([number]) => number === t.file);
const overlaps = (queue, first, end) => Object.values(queue?.lanes ?? {}).some((rows) => rows.some(([start, count]) => start < end && first < start + count));
const segmentOf = ({ t, after }) => {
  const count = after.state.node.settings.segment_entry_count;
  return [t.segment * count, (t.segment + 1) * count];
};
const caused = (...causes) => ({ t }) => causes.includes(t.why.cause);

export const PRECONDITIONS = {
  // What clients declare.
  "Routing key: %(key)s": ({ t, after }) => after.state.node.bindings.at(-1).routing_key === t.routing_key,
  // Version 1: where messages go.
  "Lazy mode: every publish goes to disk at once.": ({ before }) => before.queue.mode === "lazy",
  "q3 is not empty, so older messages are ahead: new ones go to the tail of q1.": ({ before }) => has(before.queue, "q3"),
  "New messages go straight to the tail of q4, because q3 is empty; nothing else matters.": ({ before }) => !has(before.queue, "q3"),
  "The head of the queue: q4 first, then q3.": ({ t, before }) => t.source === "q4" || !has(before.queue, "q4"),
  "q3 and delta ran out, so q1 is next in line: the whole of it becomes q4.": ({ before, after }) =>
    !has(before.queue, "q3") && !has(before.queue, "delta") && !has(after.queue, "q1"),
  "Delta ran out, so q2 joins the tail of q3.": ({ before, after }) => !has(before.queue, "delta") && !has(after.queue, "q2"),
  "Delta is not empty, and q3 ran empty or the queue leaves lazy mode: one read brings back at most the rest of one segment. The messages become gammas, because their index is on disk; bodies embedded in the index come back into RAM with it.":
    ({ before }) => has(before.queue, "delta") && (!has(before.queue, "q3") || before.queue.mode === "lazy"),
  "Reduction begins at the head of q1: everything in front of it is needed sooner.": ({ before }) => has(before.queue, "q1"),
  "Then the tail of q4 goes to the front of q3: newest first, so the next deliveries stay in RAM.": ({ before }) => has(before.queue, "q4"),
  "Unacked messages count as RAM too: the newest of them go to disk.": ({ before }) => pendingOf(before.queue) > 0,
  "q2 and q3 may keep only so many index entries. RAM keeps only four numbers for the rest: start, count, how many are transient, and end.":
    ({ before, after }) => (has(before.queue, "q2") || has(before.queue, "q3")) && has(after.queue, "delta"),
  "Everything in the files becomes delta; then one read fills q3.": ({ after }) => !has(after.queue, "q1") && !has(after.queue, "q2"),
  // Version 1: what an acknowledgement costs.
  "Only RAM held it: there is no index entry to mark and no stored content to give up.": ({ t }) => none(t.extents, INDEXED | IN_STORE),
  "Its index entry gets an ack mark, and its content in the store loses a reference.": ({ t }) => every(t.extents, INDEXED) && every(t.extents, IN_STORE),
  "Its index entry, which holds the body too, gets an ack mark.": ({ t }) => every(t.extents, INDEXED) && none(t.extents, IN_STORE),
  "Its content in the store loses a reference; it has no index entry.": ({ t }) => none(t.extents, INDEXED) && every(t.extents, IN_STORE),
  "Where there is an index entry, it gets an ack mark; where there is a content in the store, it loses a reference.": ({ t }) =>
    !none(t.extents, INDEXED) || !none(t.extents, IN_STORE),
  // Version 2.
  "The tail is empty, and the head lane had %(head_len)s of the %(window)s that one load may bring (L): the content stays in RAM.": ({ t, before }) =>
    !has(before.queue, "tail") && t.why.head_len < t.why.window,
  "The tail's length was %(tail_count)s, so everything after it goes to disk at once, persistent or not.": ({ before }) => has(before.queue, "tail"),
  "The head lane had %(head_len)s of the %(window)s that one load may bring (L): it is full, so the rest goes to disk at once, persistent or not.": ({ t, before }) =>
    !has(before.queue, "tail") && t.why.head_len >= t.why.window,
  "A load asks for messages within a window of %(window)s, and may end early at the end of a segment: it read from %(start)s to before %(end)s.": ({ t, before }) =>
    // A tail of which every message is gone still has its span, until a load finds nothing there (W45).
    before.queue.counted.tail[0] !== null && (!t.extents.length || has(before.queue, "tail")) && t.why.end - t.why.start <= Math.max(t.why.window, 2048),
  "The oldest message of the head lane. It needs no acknowledgement, so it is gone at once.": ({ before, after }) =>
    has(before.queue, "head") && pendingOf(after.queue) === pendingOf(before.queue),
  "The oldest message of the head lane. Its content was not in RAM: it was read for this delivery, and is not kept.": ({ t }) => !every(t.extents, IN_RAM),
  "The oldest message of the head lane. Its content stays in RAM until it is acknowledged: nothing pages it out.": ({ t }) => every(t.extents, IN_RAM),
  // Every queue.
  "A consumer was ready and the queue empty: no lane is entered, only the unacked list.": ({ before }) => readyOf(before.queue) === 0,
  "The consumer does not acknowledge, so the engine keeps nothing.": ({ before, after }) => pendingOf(after.queue) === pendingOf(before.queue),
  "They are transient, and a start does not keep what is transient.": caused("transient_lost"),
  "Their time to live was over. The content is not even read.": caused("expired", "ttl"),
  "They were ready, and the queue gives them up: a purge, its length limit or its end. The content is not even read.": ({ t, before }) =>
    (t.why.cause === undefined || t.why.cause === "purged") && (t.source === null || has(before.queue, t.source)),
  "The node's last check found memory past the paging line: each queue may keep as many contents as its rates justify.": ({ t }) => t.why.duration !== null && t.target !== null,
  "The node's last check wanted no limit: memory was under the paging line, no rate that queues reported asked for one, or the disk alarm had switched paging off.":
    ({ t }) => t.target === null,
  "Their index records are synced, or were erased before they were written: the last that they waited for.": ({ t, seen }) => t.by === "index" && (seen.JournalSynced || seen.SegmentWritten || seen.IndexFlushed || seen.Acked) > 0,
  "Their contents are synced in the store, the last that they waited for.": ({ t, seen }) => t.by === "store" && (seen.StoreSynced || seen.BufferWritten || seen.BodiesWritten) > 0,
  "They were removed before the store had written them, so nothing is written.": ({ t, seen }) => t.by === "ignored" && (t.rule === "W52" || seen.WriteIgnored > 0),
  // The node and its connections.
  "Memory is past the watermark. Consumers go on, and in 3.8 and 3.10 paging does, too.": ({ after }) => after.state.node.memory.process_memory > after.state.node.memory.limit,
  "Free disk space is under its limit. In 3.8 and 3.10 paging stops: the target is infinite.": ({ after }) => after.state.node.disk.free < after.state.node.disk.limit,
  "It published while an alarm was set: its socket is not read until the alarm is over.": ({ after }) => alarmed(after.state),
  "No alarm is set any more: its socket is read again.": ({ after }) => !alarmed(after.state),
  "basic.get found no message: the broker answers get-empty, and nothing changes.": ({ before }) => readyOf(before.queue) === 0,
  // Targets and reductions.
  "Set by hand: it stays whatever memory does.": ({ t }) => t.why.pinned === true,
  "The target set by hand is given up; the node's next check may set another one.": ({ t }) => t.why.pinned === false,
  "The queue becomes lazy: nothing may stay until all of it is in q3 or in delta.": ({ t, before }) => t.target === 0 && before.queue.mode === "default",
  "The conversion is over: the target is again what it was before.": ({ t }) => Boolean(t.why.restored),
  "RAM holds more content than the target allows. What is needed last leaves.": ({ t }) => t.why.ram_msg_count + t.why.ram_pending > t.why.target,
  "RAM holds no more than the target allows, so nothing had to move.": ({ t }) => t.why.target === null || t.why.ram_msg_count + t.why.ram_pending <= t.why.target,
  "q2 and q3 hold more index entries than may stay there. The rest rolls into delta.": ({ t }) => t.why.beta_surplus > 0,
  // Stops and starts.
  "After an orderly stop no segment is read: what was saved then says how many messages each one holds.": ({ t }) => t.clean,
  "Journal and segments are read; transient messages are forgotten.": ({ t }) => !t.clean,
  "After an orderly stop no segment is read: what was saved then says how many messages each one holds. Files of the index: %(files)s, live slots in them: %(live)s.":
    ({ t }) => t.clean,
  "Every slot is checked, and dropped if it does not agree with its content. Files of the index: %(files)s, live slots in them: %(live)s.": ({ t }) => !t.clean,
  "What the files hold becomes the tail, then one message is loaded, whatever the backlog.": ({ after }) => lengthOf(after.queue, "head") === 0,
  // Files of the index.
  "Every message of the segment is acknowledged.": (then) => !overlaps(then.after.queue, ...segmentOf(then)),
  "No message from %(start)s to before %(end)s is left, so the file, with its %(size)s, is deleted at once.": ({ t, after }) => !overlaps(after.queue, t.start, t.end),
  // Files of the store.
  "No live message was left in it.": ({ t, before }) => file(before.state, t) === undefined || file(before.state, t)[2] === 0,
  "The current file reached the size limit.": ({ t, before, after }) => store(before.state, t).current !== store(after.state, t).current,
  "More than half of the store is garbage, and both fit into one file.": ({ t, before }) => {
    const files = store(before.state, t).files;
    const [total, valid] = files.reduce(([all, live], each) => [all + each[1], live + each[2]], [0, 0]);
    return 2 * (total - valid) > total;
  },
};

/** Reasons that need no more than the kind of their transition, or the cause that it names. */
export const GENERAL = new Set([
  "It applies to every queue whose name fits; a queue's own arguments are weighed against it.",
  "The write buffer was full or a sync was due.",
  "Its time to live was over when it was the head of the queue.",
  "A consumer rejected it without requeue.",
  "The queue was at its length limit.",
  "What the journal holds is on disk for good. Confirms that waited for it may leave.",
  "The disk is an assumption; only measured-vm was measured.",
  "Measured on a real node; single steps are off by up to a factor of two.",
  "A segment's file has its header at once.",
  "A full buffer, or a sync, writes them to the segment's file.",
  "Written: entries %(entries)s, acknowledgements %(acks)s; a buffer of %(limit)s is written whole. Handed to the operating system without fsync: it outlives a killed node, not a power cut.",
  "It has not been blocked for one second.",
  "It used up its credit. Until the receiver has handled more, it holds back its own grants, so the process before it starves too.",
  "Requeued messages return to their old places in the order.",
  "The entries from %(start)s to before %(end)s were neither in the buffer nor in the cache.",
  "It does not expire yet, and is put back with the mark that a take gives it.",
  "An index entry that still waits in RAM is erased, one in the file becomes a slot of zeros; the content is no longer needed.",
  "What still waits in RAM is never written; the others will be slots of zeros.",
  "A message was removed from %(files)s. In fifteen seconds the store looks at it; a file that is touched by then waits for the next time.",
  "All messages that come back join the head lane, in the order of their numbers, even if it then holds more than one load may bring (L). Nothing is read or written for this; with content in RAM: %(in_ram)s.",
  "Everything in RAM is gone.",
  "Pending entries of this segment were appended and synced.",
  "Each segment gets its entries, segments without live messages are deleted.",
  "After every fetch the head is checked for expiry: it is taken and put back.",
  "Delta knows only its bounds: the entries come from the segment file.",
  "Its content is in this file alone, so it is read from there.",
  "The client asked for it (basic.cancel). It may still acknowledge what it holds.",
  "Nobody has it open any more.",
  "No binding of %(exchange)s fits the routing key %(key)s, so the node drops them.",
  "They were mandatory, and no binding of %(exchange)s fits the routing key %(key)s.",
  "Its queue was deleted.",
  "Its queue expired: nobody used it for as long as x-expires says.",
  "Its queue was auto-delete and lost its last consumer.",
  "Its queue was exclusive and went with its connection.",
  "The process of its queue crashed.",
  "Its queue was not durable and did not survive the restart.",
  "The queue process crashed before it could confirm them.",
  "The queue is full and its overflow is reject-publish.",
  "The channel of %(actor)s closed while it waited for them. The messages may be in their queues or not; to be sure, publish them again.",
  "All queues have confirmed everything, on disk where required. Only now does commit-ok go out, and the client goes on.",
  "The queue is at its length limit and its overflow is reject-publish.",
  "Its node stays up; queues and connections are gone until it starts again.",
  "All that is written of them is on disk.",
  "Transient messages are forgotten, and so is what had not been written to the files.",
  "Its policy does not want it there any more; what it had is deleted.",
  "Its queue ended all mirrors.",
  "Its process crashed; it begins again, empty.",
  "It may not be promoted without being synchronised (ha-promote-on-failure).",
  "Its node is lost.",
  "Its node stopped in order; nobody will read what it saved.",
  "Its mirrors have everything now.",
  "Its mirrors threw away what they had got, and nobody knows how much they lack.",
  "No mirror needed it, or none is left.",
  "The master is gone, so its mirrors threw away what they had got.",
  "Its connections are gone; queues whose master it had are taken over or wait for it.",
  "Its copies of queues that live elsewhere are wiped; its mirrors begin empty.",
  "It is empty and lacks %(lacks)s message that the master has.",
  "The master is empty too, so it lacks nothing.",
  "It has as many messages as the master, ready and unacknowledged together.",
  "It lacked %(lost)s message, which is lost. What was unacknowledged is delivered again.",
  "It lacked nothing. What was unacknowledged is delivered again.",
  "From %(node)s over %(hops)s members, each in the same order.",
  "They throw away what they have. Until that is over, the queue takes and delivers nothing.",
  "It is empty and lacks %(lacks)s messages that the master has.",
  "It lacked %(lost)s messages, which are lost. What was unacknowledged is delivered again.",
  "%(left)s message is neither in q3 nor in delta. Of q2 and q3 together (%(q2)s + %(q3)s) all but %(permitted)s may go to delta: %(surplus)s, fewer than a batch of %(io_batch_size)s, so none goes. The queue process tries for ever, and answers nobody.",
  "%(left)s messages are neither in q3 nor in delta. Of q2 and q3 together (%(q2)s + %(q3)s) all but %(permitted)s may go to delta: %(surplus)s, fewer than a batch of %(io_batch_size)s, so none goes. The queue process tries for ever, and answers nobody.",
  "A 3.8 goes on with the index as it was before it collected expired messages; the files keep what was written.",
  "Small contents go to the queue's own file, these from byte %(offset)s on. A full buffer, or a sync, writes them.",
  "Removed before it was written: %(size)s never reach the disk. Its place in the file stays empty.",
  "An orderly stop makes them durable.",
  "Handed to the operating system without fsync: it outlives a killed node, not a power cut.",
  "Messages %(first)s to %(last)s came from the file. The newest of them is neither in the write buffer nor among the last ones written, so all older ones of the load come from the file as well.",
  "It is deleted with its index segment, and never earlier: one live message keeps all others in it.",
  "The fifteen seconds are over for %(files)s. A file is compacted if less than half of it is valid; one that was touched again meanwhile waits for the next time.",
  "%(valid)s of %(size)s were valid, less than half. Records that moved from its end into its gaps: %(moved)s.",
  "After its last record, as soon as nobody reads it.",
  "Memory is under the paging line, so any number may stay.",
  "No queue reports a rate, so the node wants no limit: any number may stay.",
  "The node wants no limit, so any number may stay.",
  "Pinned by hand.",
  "No longer pinned by hand.",
  "The queue becomes lazy, so nothing may stay.",
  "The target from before the conversion.",
]);
