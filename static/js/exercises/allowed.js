/** Which controls of the page give which commands, so that those that an exercise forbids can be greyed. */

/** What opens the dialog of the topology, in which one declares, binds and deletes. */
const TOPOLOGY = ["[data-act=topology]", "[data-open-topology]"];

/**
 * Selectors of controls by the verb that they send. Some send one of several verbs.
 * @type {Record<string, string[]>}
 */
export const VERBS = {
  publish: ["[data-form=publish] .burst [data-publish-label]", "[data-act=dock-publish]", "[data-act=first]"],
  set_publisher: ["[data-act=stream]", "[data-add=publisher]"],
  set_consumer: ["[data-act=consume]", "[data-act=dock-consume]", "[data-add=consumer]"],
  get: ["[data-act=get]"],
  ack: ["[data-act=ack]"],
  requeue: ["[data-act=requeue]"],
  purge: ["[data-act=purge]"],
  restart: ["[data-restart]"],
  set: ["[data-mode]", "#ram", "#watermark", "#ratio", "#strategy", ".target", "[name=work_profile]", "[data-fence]"],
  declare_queue: TOPOLOGY,
  declare_exchange: TOPOLOGY,
  bind: TOPOLOGY,
  unbind: TOPOLOGY,
  set_policy: TOPOLOGY,
  clear_policy: TOPOLOGY,
  delete_queue: TOPOLOGY,
  delete_exchange: TOPOLOGY,
};
/**
 * Selectors of controls by the setting that they change.
 * @type {Record<string, string[]>}
 */
export const SETTINGS = {
  queue_mode: ["[data-mode]"],
  ram_bytes: ["#ram"],
  vm_memory_high_watermark: ["#watermark"],
  vm_memory_high_watermark_paging_ratio: ["#ratio"],
  vm_memory_calculation_strategy: ["#strategy"],
  target_ram_count: [".target", "[data-fence]"],
  work_profile: ["[name=work_profile]"],
};

/**
 * The selectors of controls that may not be used.
 * @param {{verbs: string[], forbidden_settings: string[]}} allowed no verbs means all of them
 */
export function forbidden({ verbs, forbidden_settings: settings }) {
  const found = settings.flatMap((name) => SETTINGS[name] ?? []);
  if (!verbs.length) return found;
  const useful = new Set(verbs.flatMap((verb) => VERBS[verb] ?? []));
  found.push(...Object.values(VERBS).flat().filter((selector) => !useful.has(selector)));
  return [...new Set(found)];
}
