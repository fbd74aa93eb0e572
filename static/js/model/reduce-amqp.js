/** Exchanges, bindings and policies: the twin of engine/report/fold/topology_table.py. */

/** @import { Binding, Handlers, Values } from "./catalogue/types.js" */

/** @type {(keyof Binding)[]} */
const FIELDS = ["exchange", "queue", "routing_key", "to"];

/**
 * Values compared whatever the order of their names.
 * @param {Values} one
 * @param {Values} other
 */
function same(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** @param {Binding} t */
function bindingOf(t) {
  return { exchange: t.exchange, queue: t.queue, routing_key: t.routing_key, arguments: t.arguments, to: t.to };
}

/** @type {Handlers} */
export const AMQP_HANDLERS = {
  ExchangeDeclared: (state, { exchange, values }) => {
    state.node.exchanges[exchange] = values;
  },
  ExchangeDeleted: (state, { exchange }) => {
    delete state.node.exchanges[exchange];
  },
  QueueBound: (state, t) => {
    state.node.bindings = [...state.node.bindings, bindingOf(t)];
  },
  QueueUnbound: (state, t) => {
    const gone = bindingOf(t);
    const at = state.node.bindings.findIndex(
      (each) =>
        FIELDS.every((field) => each[field] === gone[field]) && same(each.arguments, gone.arguments),
    );
    state.node.bindings = state.node.bindings.filter((_, index) => index !== at);
  },
  PolicySet: (state, { policy, values }) => {
    state.node.policies[policy] = values;
  },
  PolicyCleared: (state, { policy }) => {
    delete state.node.policies[policy];
  },
};
