/** Where answers wait until the server has them: IndexedDB, else localStorage, else memory alone. */

const DATABASE = "litmus-labelling";

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
  const run = async (mode, work) => {
    const transaction = database.transaction("outbox", mode, { durability: "strict" });
    const result = work(transaction.objectStore("outbox"));
    await finished(transaction);
    return result.result;
  };
  return {
    durable: true,
    all: async () => inOrder(await run("readonly", (rows) => rows.index("owner").getAll(owner))),
    put: (entry) => run("readwrite", (rows) => rows.put({ ...entry, owner })),
    remove: (id) => run("readwrite", (rows) => rows.delete(id)),
  };
}

function opening() {
  const request = indexedDB.open(DATABASE, 2);
  request.onupgradeneeded = () => {
    if (request.result.objectStoreNames.contains("outbox")) request.result.deleteObjectStore("outbox");
    request.result.createObjectStore("outbox", { keyPath: "id" }).createIndex("owner", "owner");
  };
  return request;
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
    durable: true,
    all: async () => inOrder(read()),
    put: async (entry) => write([...read().filter((other) => other.id !== entry.id), entry]),
    remove: async (id) => write(read().filter((other) => other.id !== id)),
  };
}

function openMemory() {
  const entries = new Map();
  return {
    durable: false,
    all: async () => inOrder([...entries.values()]),
    put: async (entry) => void entries.set(entry.id, entry),
    remove: async (id) => void entries.delete(id),
  };
}

const inOrder = (entries) => entries.sort((a, b) => a.seq - b.seq);
