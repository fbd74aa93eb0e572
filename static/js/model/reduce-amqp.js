/** Exchanges, bindings and policies: the twin of engine/fold/topology_table.py. */

const FIELDS = ["exchange", "queue", "routing_key"];

/** Values compared whatever the order of their names. */
function same(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

function bindingOf([, , exchange, queue, routing_key, table]) {
  return { exchange, queue, routing_key, arguments: table };
}

function nothing() {}

export const AMQP_HANDLERS = {
  ExchangeDeclared: (state, [, , name, values]) => {
    state.node.exchanges[name] = values;
  },
  ExchangeDeleted: (state, [, , name]) => {
    delete state.node.exchanges[name];
  },
  QueueBound: (state, row) => {
    state.node.bindings = [...state.node.bindings, bindingOf(row)];
  },
  QueueUnbound: (state, row) => {
    const gone = bindingOf(row);
    const at = state.node.bindings.findIndex(
      (each) =>
        FIELDS.every((field) => each[field] === gone[field]) && same(each.arguments, gone.arguments),
    );
    state.node.bindings = state.node.bindings.filter((_, index) => index !== at);
  },
  PolicySet: (state, [, , name, values]) => {
    state.node.policies[name] = values;
  },
  PolicyCleared: (state, [, , name]) => {
    delete state.node.policies[name];
  },
  ChannelClosed: nothing,
  ConnectionClosed: nothing,
  ConsumerCancelled: nothing,
  Unroutable: nothing,
  GotEmpty: nothing,
  NacksSent: nothing,
  Committed: nothing,
  Rejected: nothing,
  DeadLettered: nothing,
};
