/** What the fields of records are called and mean, in the reader's language. The names are the engine's. */
import { bytes, fill, gettext, number } from "./text.js";

/**
 * @import { NoBytes } from "./bytes.js"
 * @import { Values } from "./catalogue/types.js"
 */

/** @typedef {{ value: string } & Values} RecordField a field of a record, as the host takes it apart */

/**
 * Short name of a field.
 * @param {string} name
 */
export function fieldName(name) {
  return NAMES()[name]?.[0] ?? name;
}

/**
 * One sentence on what a field is for.
 * @param {string} name
 */
export function fieldMeaning(name) {
  return NAMES()[name]?.[1] ?? "";
}

/** @type {() => Record<string, [name: string, meaning: string]>} */
const NAMES = () => ({
  "kind and entry": [
    gettext("kind, entry"),
    gettext("Bit 15 says publish, bit 14 persistent; the other 14 bits are the entry's number in this segment."),
  ],
  "kind and seq_id": [
    gettext("kind, seq_id"),
    gettext("Two bits for the kind, then the whole seq_id in 62 bits: the journal serves all segments."),
  ],
  deliver: [
    gettext("deliver"),
    gettext("Written right after every publish record. It does not mean that a consumer got the message."),
  ],
  ack: [gettext("ack"), gettext("The second mark of an entry: the message is done, and its bytes may be dropped.")],
  "message id": [
    gettext("message id"),
    gettext("16 bytes, the same in the index and in the store: the only link between the two."),
  ],
  expiry: [gettext("expiry"), gettext("When the message dies, in microseconds since 1970; 0 for never.")],
  "body size": [
    gettext("body size"),
    gettext("Known here too, so that the queue can count bytes without reading the store."),
  ],
  "embedded length": [
    gettext("embedded"),
    gettext("Length of the message that follows here. 0 where the content is in a store."),
  ],
  size: [gettext("size"), gettext("Bytes of the id and the term; 9 less than the record takes.")],
  marker: [
    gettext("ok"),
    gettext("The last byte is always 255. Another value tells a broker that the record was not finished."),
  ],
  "external term": [gettext("term"), gettext("Erlang's external term format begins with 131.")],
  "message tuple": [
    "{basic_message, …}",
    gettext("Six elements: name, exchange, routing keys, content, id, persistent."),
  ],
  "record name": [gettext("atom"), gettext("The first element of an Erlang record names it.")],
  "exchange tuple": ["{resource, …}", gettext("Virtual host and exchange that the message was published to.")],
  resource: [gettext("atom"), gettext("Exchanges and queues are resources of a virtual host.")],
  "virtual host": [gettext("vhost"), gettext("The virtual host's name, a binary with its length in 4 bytes.")],
  "kind of resource": [gettext("atom"), gettext("The resource is an exchange.")],
  "exchange name": [gettext("exchange"), gettext("Empty for the default exchange.")],
  "routing keys": [gettext("keys"), gettext("The key of the publish, then those of CC and BCC.")],
  "routing key": [gettext("routing key"), gettext("One key, as the publisher gave it.")],
  "end of the list": ["[]", gettext("A list ends with the empty list.")],
  "content tuple": [
    "{content, …}",
    gettext("Class, properties decoded and encoded, protocol, and the body in fragments."),
  ],
  class: [gettext("class"), gettext("60 is AMQP's class basic.")],
  "decoded properties": [
    gettext("decoded"),
    gettext("The atom none if the encoded properties are stored; a message never has both."),
  ],
  binary: [gettext("binary"), gettext("Tag 109 and the length in 4 bytes; the bytes themselves follow.")],
  "property flags": [
    gettext("flags"),
    gettext("One bit for each of the 14 properties: which values follow, in this order."),
  ],
  properties: [gettext("properties"), gettext("AMQP properties, encoded as the publisher sent them.")],
  delivery_mode: ["delivery_mode", gettext("2 for persistent, 1 for transient.")],
  protocol: [gettext("protocol"), gettext("Which framing encoded the properties.")],
  "body fragments": [
    gettext("fragments"),
    gettext("The body's frames as they came, the last one first; more than one above 131 064 bytes."),
  ],
  body: [gettext("body"), gettext("What the publisher sent, untouched.")],
  persistent: [
    gettext("persistent"),
    gettext("The message's own delivery mode; whether it is kept also depends on the queue."),
  ],
  magic: [gettext("magic"), gettext("RCQI begins a .qi file, RCQS a .qs file.")],
  version: [gettext("version"), gettext("Of the format: 2.")],
  "first seq_id": [gettext("first"), gettext("The first seq_id of this segment.")],
  "seq_id behind the segment": [gettext("end"), gettext("The seq_id after the last one of this segment.")],
  "empty slot": [gettext("zeros"), gettext("A slot of zeros is no message: acknowledged, or never written.")],
  status: [gettext("status"), gettext("1 for a message. A start after a crash that drops the message overwrites only this byte, with 0.")],
  "slot flags": [gettext("flags"), gettext("Bit 0: persistent, as the queue counts it.")],
  location: [gettext("location"), gettext("Where the body is: 1 for the shared store, 2 for the queue's own .qs file.")],
  "offset in .qs": [gettext("offset"), gettext("Where in the .qs file of the same number the body's entry begins.")],
  "term size": [gettext("size"), gettext("Bytes of the stored term. Index and .qs must agree on it.")],
  unused: [gettext("unused"), gettext("Always zero.")],
  "entry flags": [gettext("flags"), gettext("Bit 0: the entry has a checksum.")],
  checksum: [gettext("checksum"), gettext("The lower 16 bits of the term's CRC-32. With another value, reading the term ends the queue's process.")],
  "container tuple": ["{mc, …}", gettext("The message container of 4.x: its kind, its content, its annotations.")],
  "kind of message": [gettext("kind"), gettext("mc_amqpl is a message of AMQP 0-9-1.")],
  annotations: [gettext("annotations"), gettext("What the broker notes about a message, by name; the running node decides the order of the names.")],
  annotation: [gettext("name"), gettext("The name of an annotation: id, x for the exchange, rk for routing keys, rts for the arrival, d for not durable.")],
  "arrival time": [gettext("arrival"), gettext("When the message came, in milliseconds since 1970.")],
  "durable mark": [gettext("durable"), gettext("Only there when delivery_mode is not 2.")],
  "rest of the term": [gettext("rest"), gettext("Not taken apart here.")],
});

/** @type {() => [pattern: RegExp, text: string][]} */
const VALUES = () => [
  [/^publish, persistent, entry (?<n>\d+)$/, gettext("publish, persistent, entry %(n)s")],
  [/^publish, transient, entry (?<n>\d+)$/, gettext("publish, transient, entry %(n)s")],
  [/^publish, persistent, message (?<n>\d+)$/, gettext("publish, persistent, seq_id %(n)s")],
  [/^publish, transient, message (?<n>\d+)$/, gettext("publish, transient, seq_id %(n)s")],
  [/^deliver, (entry|message) (?<n>\d+)$/, gettext("deliver of %(n)s")],
  [/^ack, (entry|message) (?<n>\d+)$/, gettext("ack of %(n)s")],
  [/^none$/, gettext("none")],
  [/^1 bytes$/, gettext("1 byte")],
  [/^1 bytes follow.*$/, gettext("1 byte follows")],
  [/^(?<n>\d+) bytes$/, gettext("%(n)s bytes")],
  [/^(?<n>\d+) bytes follow.*$/, gettext("%(n)s bytes follow")],
  [/^32 zero bytes$/, gettext("32 zero bytes")],
  [/^1: a message$/, gettext("1: a message")],
  [/^0: none$/, gettext("0: none")],
  [/^persistent$/, gettext("persistent")],
  [/^transient$/, gettext("transient")],
  [/^1: the body is in the shared store$/, gettext("1: the body is in the shared store")],
  [/^2: the body is in the queue's \.qs file$/, gettext("2: the body is in the queue's .qs file")],
  [/^0: no body on disk$/, gettext("0: no body on disk")],
  [/^with a checksum$/, gettext("with a checksum")],
  [/^without a checksum$/, gettext("without a checksum")],
  [/^map of (?<n>\d+)$/, gettext("map of %(n)s")],
  [/^0: the content is in a store$/, gettext("0: the content is in a store")],
  [/^(?<n>\d+) = 16 of the id \+ (?<m>\d+) of the term$/, gettext("%(n)s = 16 of the id + %(m)s of the term")],
  [/^255: the record is whole$/, gettext("255: the record is whole")],
  [/^tuple of (?<n>\d+)$/, gettext("tuple of %(n)s")],
  [/^list of (?<n>\d+)$/, gettext("list of %(n)s")],
  [/^the empty list$/, gettext("the empty list")],
];

/**
 * A field's value in words.
 * @param {RecordField} field
 */
export function fieldValue(field) {
  for (const [pattern, text] of VALUES()) {
    const found = pattern.exec(field.value);
    if (found)
      return fill(text, Object.fromEntries(Object.entries(found.groups || {}).map(([k, v]) => [k, number(Number(v))])));
  }
  return field.value.replace(/^atom /, "");
}

/**
 * Why there is nothing to read.
 * @param {string} side
 * @param {NoBytes} plan
 */
export function whyNoBytes(side, plan) {
  const buffered = bytes(plan.buffered ?? 0);
  /** @type {Record<string, string>} */
  const texts = {
    gone: gettext("This message is over: it was acknowledged, and nothing refers to its bytes any more."),
    journal: fill(
      gettext("Still in the journal's buffer (%(buffered)s): written at the next sync, at most 200 ms later."),
      { buffered },
    ),
    buffer: fill(
      gettext("Still in the store's 1 MiB write buffer (%(buffered)s): no byte of it is in the file yet."),
      { buffered },
    ),
    embedded: gettext(
      "No record in a store: the message is small enough to be embedded. Its content is inside the index record.",
    ),
    unknown: gettext("Delta keeps no number of this message: its index record tells where the content is."),
    ram:
      side === "index"
        ? gettext("No index record: only RAM knows this message. One is made when it is paged out, if at all.")
        : gettext("No record in a store: the content is in RAM only."),
    garbage: gettext("Garbage: the record is whole, but no message refers to it any more."),
  };
  return plan.text ?? texts[plan.why ?? ""] ?? "";
}
