/** Where answers wait until the server has them: IndexedDB, else localStorage, else memory alone.

IndexedDB also holds what each person has in hand in each campaign, for when the page is loaded without a network.
*/

const DATABASE = "litmus-labelling";
const NO_HAND = { keepHand: async () => {}, hand: async () => null };

/** The store of one person in one campaign. `durable` says whether it survives the page. */
export async function openStore(owner) {
  for (const open of [openIndexed, openLocal]) {
    try {
      const store = await open(owner);
      await store.all();
      return store;
    } catch {
      // Private windows and full disks refuse one or both; the next one is tried.
    }
  }
  return openMemory();
}

async function openIndexed(owner) {
  const database = await asked(opening());
  database.onversionchange = () => database.close(); // a newer page in another window
  const run = async (name, mode, work, durability = "strict") => {
    const transaction = database.transaction(name, mode, { durability });
    const result = work(transaction.objectStore(name));
    await finished(transaction);
    return result.result;
  };
  return {
    durable: true,
    all: async () => inOrder(await run("outbox", "readonly", (rows) => rows.index("owner").getAll(owner))),
    put: (entry) => run("outbox", "readwrite", (rows) => rows.put({ ...entry, owner })),
    remove: (id) => run("outbox", "readwrite", (rows) => rows.delete(id)),
    hand: async () => (await run("hand", "readonly", (rows) => rows.get(owner))) ?? null,
    keepHand: (hand) => run("hand", "readwrite", (rows) => rows.put({ ...hand, owner }), "relaxed"),
  };
}

function opening() {
  const request = indexedDB.open(DATABASE, 3);
  request.onupgradeneeded = () => {
    const { result } = request;
    const has = (name) => result.objectStoreNames.contains(name);
    if (!has("outbox")) result.createObjectStore("outbox", { keyPath: "id" }).createIndex("owner", "owner");
    if (!has("hand")) result.createObjectStore("hand", { keyPath: "owner" });
  };
  return request;
}

/** Forget what people had in hand, for when nobody is signed in; what waits to be sent stays. */
export async function forgetHands() {
  const database = await asked(opening());
  const transaction = database.transaction("hand", "readwrite");
  transaction.objectStore("hand").clear();
  await finished(transaction);
  database.close();
}

const asked = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = request.onblocked = () => reject(request.error);
  });

const finished = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });

async function openLocal(owner) {
  const key = `${DATABASE}:${owner}`;
  const read = () => JSON.parse(localStorage.getItem(key) ?? "[]");
  const write = (entries) => localStorage.setItem(key, JSON.stringify(entries));
  write(read());
  return {
    ...NO_HAND,
    durable: true,
    all: async () => inOrder(read()),
    put: async (entry) => write([...read().filter((other) => other.id !== entry.id), entry]),
    remove: async (id) => write(read().filter((other) => other.id !== id)),
  };
}

function openMemory() {
  const entries = new Map();
  return {
    ...NO_HAND,
    durable: false,
    all: async () => inOrder([...entries.values()]),
    put: async (entry) => void entries.set(entry.id, entry),
    remove: async (id) => void entries.delete(id),
  };
}

const inOrder = (entries) => entries.sort((a, b) => a.seq - b.seq);
