/** Command logs of sessions that the reader's browser plays, in IndexedDB; where that is forbidden nothing is remembered. */

const NAME = "waterline";
const STORE = "logs";

function asked(request) {
  return new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
}

async function opened() {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return asked(request);
}

/** The log of a session: {commands, until_us}, or null. */
export async function kept(session) {
  try {
    const database = await opened();
    return (await asked(database.transaction(STORE).objectStore(STORE).get(session))) ?? null;
  } catch {
    return null;
  }
}

/** What remembers the log of a session. */
export function keeper(session) {
  return async (log) => {
    try {
      const database = await opened();
      await asked(database.transaction(STORE, "readwrite").objectStore(STORE).put(log, session));
    } catch {
      // The session goes on; a reload begins it anew.
    }
  };
}
