/**
 * A page in a platform's frame has no cookies where browsers keep those of other sites away. There the platform's own
 * window keeps a secret for us between the beginning of a log-in and the launch (LTI Client Side postMessages).
 */

const WAITS_MS = 2000;

/**
 * Ask the platform's window; null if it does not answer in time.
 * @param {DOMStringMap} data
 * @param {Record<string, string>} message
 * @returns {Promise<string | null>}
 */
export function askPlatform(data, message) {
  const platform = window.parent === window ? window.opener : window.parent;
  const { frame = "", origin = "" } = data;
  const asked = frame && frame !== "_parent" ? platform?.frames[frame] : platform;
  if (!asked || !origin) return Promise.resolve(null);
  const number = crypto.randomUUID();
  return new Promise((settle) => {
    /** @param {MessageEvent} event */
    const hear = (event) => {
      const answer = event.data;
      if (event.origin !== origin || answer?.message_id !== number || answer.subject !== `${message.subject}.response`) return;
      window.removeEventListener("message", hear);
      settle(typeof answer.value === "string" && !answer.error ? answer.value : null);
    };
    window.addEventListener("message", hear);
    setTimeout(() => settle(null), WAITS_MS);
    asked.postMessage({ ...message, message_id: number, key: data.key }, origin);
  });
}

const root = document.querySelector("[data-launching]");
if (root instanceof HTMLElement) {
  const onward = root.querySelector("[data-onward]");
  if (root.dataset.launching === "put" && onward instanceof HTMLAnchorElement) {
    await askPlatform(root.dataset, { subject: "lti.put_data", value: root.dataset.value ?? "" });
    location.replace(onward.href);
  } else if (onward instanceof HTMLFormElement) {
    const kept = onward.elements.namedItem("kept");
    if (kept instanceof HTMLInputElement) kept.value = (await askPlatform(root.dataset, { subject: "lti.get_data" })) ?? "";
    onward.submit();
  }
}
