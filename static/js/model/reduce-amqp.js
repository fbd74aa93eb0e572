/** Exchanges, bindings and policies: the twin of engine/report/fold/topology_table.py. */

import { FIRST_HOST, hostOf } from "./hosts.js";

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
  VhostAdded: ({ node }, { vhost }) => {
    node.vhosts = [...(node.vhosts ?? [FIRST_HOST]), vhost];
  },
  VhostDeleted: ({ node, stores }, { vhost }) => {
    const left = (node.vhosts ?? []).filter((each) => each !== vhost);
    if (left.length > 1) node.vhosts = left;
    else delete node.vhosts;
    for (const table of [node.exchanges, node.policies, stores]) {
      for (const name of Object.keys(table)) if (hostOf(name) === vhost) delete table[name];
    }
    node.bindings = node.bindings.filter((each) => hostOf(each.queue) !== vhost);
  },
};
