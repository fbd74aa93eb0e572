/**
 * A page in a platform's frame has no cookies where browsers keep those of other sites away. There the platform's own
 * window keeps a secret for us between the beginning of a log-in and the launch (LTI Client Side postMessages).
 */

const WAITS_MS = 2000;

/**
 * Send the platform's window a message, and await the answer; null if none comes in time.
 * @param {DOMStringMap} data
 * @param {Record<string, string>} message
 * @returns {Promise<string | null>}
 */
function exchange(data, message) {
  const platform = window.parent === window ? window.opener : window.parent;
  const { frame = "", origin = "" } = data;
  const target = frame && frame !== "_parent" ? platform?.frames[frame] : platform;
  if (!target || !origin) return Promise.resolve(null);
  const number = crypto.getRandomValues(new Uint32Array(4)).join("-");
  return new Promise((settle) => {
    /** @param {MessageEvent} event */
    const receive = (event) => {
      const answer = event.data;
      if (event.origin !== origin || answer?.message_id !== number || answer.subject !== `${message.subject}.response`) return;
      window.removeEventListener("message", receive);
      settle(typeof answer.value === "string" && !answer.error ? answer.value : null);
    };
    window.addEventListener("message", receive);
    setTimeout(() => settle(null), WAITS_MS);
    target.postMessage({ ...message, message_id: number, key: data.key }, origin);
  });
}

/**
 * Keep the secret there and go on, or have it from there and send the launch once more.
 * @param {HTMLElement} root
 */
async function proceed(root) {
  const onward = root.querySelector("[data-onward]");
  if (root.dataset.launching === "put" && onward instanceof HTMLAnchorElement) {
    await exchange(root.dataset, { subject: "lti.put_data", value: root.dataset.value ?? "" });
    location.replace(onward.href);
  } else if (onward instanceof HTMLFormElement) {
    const kept = onward.elements.namedItem("kept");
    if (kept instanceof HTMLInputElement) kept.value = (await exchange(root.dataset, { subject: "lti.get_data" })) ?? "";
    onward.submit();
  }
}

const root = document.querySelector("[data-launching]");
if (root instanceof HTMLElement) void proceed(root);
