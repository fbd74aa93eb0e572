/** Names that the page gives besides those of declared queues: a member on another node is `orders@n2`. */

/** Whether a name is that of a member on another node. @param {string} label */
export const isMember = (label) => /@n[1-9]$/.test(label);

/** The label of a queue's member on a node. @param {string} queue @param {string} node */
export const memberOf = (queue, node) => `${queue}@${node}`;
