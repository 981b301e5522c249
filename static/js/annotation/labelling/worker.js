/** The service worker of the labelling page: it keeps the page and its files, and answers with them when there is no
network. What is judged does not pass through here (see outbox.js). A page that the server can give is always the
server's; kept ones are forgotten when nobody is signed in (forget.js).
*/

const PAGES = "litmus-pages";
const FILES = "litmus-files";
const FILES_AT_MOST = 200; // those of earlier versions are left over
const KEPT = ["script", "style", "font", "image"]; // what a page is made of

self.addEventListener("install", (event) => {
  // What is judged need not wait until the browser has started this worker; where this is not known, it does.
  event.addRoutes?.([{ condition: { requestMethod: "POST" }, source: "network" }])?.catch?.(() => {});
  self.skipWaiting();
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  const isPage = request.mode === "navigate" && pathname === new URL(self.registration.scope).pathname;
  if (isPage) event.respondWith(networkFirst(request, PAGES, pathname, !search));
  else if (KEPT.includes(request.destination)) event.respondWith(networkFirst(request, FILES, request.url, true));
});

/** The server's answer, kept if `keep`; without a network what was kept last. */
async function networkFirst(request, name, key, keep) {
  const cache = await caches.open(name);
  let response;
  try {
    response = await fetch(request);
  } catch (error) {
    const kept = await cache.match(key);
    if (kept) return kept;
    throw error;
  }
  if (keep && response.ok && response.type === "basic" && !response.redirected) await cache.put(key, response.clone());
  return response;
}

/** What a page asks for. A request of a page that is being left is lost on its way through a worker: it is sent here. */
self.addEventListener("message", (event) => {
  const { keep, send } = event.data;
  if (keep) event.waitUntil(keepFirst(keep, new URL(event.source.url).pathname));
  if (send) event.waitUntil(fetch(send.url, { ...send.request, credentials: "same-origin" }).catch(() => {}));
});

/** The first page came before this worker was there: it sends its own text and the addresses of its files. */
async function keepFirst({ text, files }, pathname) {
  const own = await fetch(self.location.href); // for the rules that every answer of this server carries
  const headers = { "Content-Type": "text/html; charset=utf-8" };
  const policy = own.headers.get("Content-Security-Policy");
  if (policy) headers["Content-Security-Policy"] = policy;
  await (await caches.open(PAGES)).put(pathname, new Response(text, { headers }));
  const cache = await caches.open(FILES);
  await Promise.all(files.map((address) => cache.add(address).catch(() => {}))); // one that is gone stops no other
  const old = (await cache.keys()).slice(0, -FILES_AT_MOST);
  await Promise.all(old.map((request) => cache.delete(request)));
}
