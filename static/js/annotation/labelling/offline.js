/** Reloading without a network: the page is kept by a service worker, what is in hand and how far one is by the store. */

import { data } from "./page.js";

const PAST = 5; // units that can be undone after a reload without a network
const text = `<!doctype html>\n${document.documentElement.outerHTML}`; // before any script has changed the page

/** Let the service worker of this page keep it. Browsers offer it over HTTPS and on this machine only. */
export async function keepPage() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  const wasKept = Boolean(serviceWorker.controller);
  try {
    await serviceWorker.register(data.urls.label_worker, { scope: window.location.pathname });
    const { active } = await serviceWorker.ready;
    if (!wasKept) active.postMessage({ keep: { text, files: ownFiles() } });
  } catch {
    // Private windows refuse; offline work goes on, but for a reload.
  }
}

function ownFiles() {
  const names = performance.getEntriesByType("resource").map((entry) => entry.name);
  return names.filter((name) => name.startsWith(`${window.location.origin}/`) && /\.(js|css|woff2?|svg|png)$/.test(name));
}

/** What is in hand, as the store keeps it. A page that the server has just made has another `page`: see `takeUp`. */
export function keepHand(store, hand) {
  const { ahead, current, past } = hand;
  const { progress, page } = data;
  return store.keepHand({ page, ahead, current, past: past.slice(0, PAST), progress }).catch(() => {});
}

/** On a page that comes from the service worker, which the server made some time ago: go on from where it was left.
 *
 * Whether it is such a page: its count knows of nothing that waits to be sent.
 */
export async function takeUp(store, hand) {
  const kept = await store.hand().catch(() => null);
  if (kept?.page !== data.page) return false;
  hand.replace(kept);
  data.progress = kept.progress;
  return true;
}

/** Other windows of the same person in this browser: the last one that is left gives back what was not looked at. */
export class Windows {
  constructor(owner, visit) {
    this.visit = visit; // the newest of them all: it holds what each of them was dealt
    this.id = Math.random();
    this.others = new Set();
    if (!("BroadcastChannel" in window)) {
      this.visit = ""; // others are unknown: leases end in time
      return;
    }
    this.channel = new BroadcastChannel(`litmus-labelling:${owner}`);
    this.channel.onmessage = ({ data: heard }) => this.hear(heard);
    this.tell("who is there?");
  }

  tell(word) {
    this.channel?.postMessage({ word, id: this.id, visit: this.visit });
  }

  hear({ word, id, visit }) {
    if (word === "bye") this.others.delete(id);
    else this.others.add(id);
    if (word !== "who is there?") return;
    this.visit = visit;
    this.tell("me");
  }

  /** This window answers no more. The visit that ends with it, or "": others are there, or may be. A window with answers
   * that have not arrived stays in the minds of others, because they do not know to which units. */
  close(hasUnsent) {
    if (!hasUnsent) this.tell("bye");
    this.channel?.close();
    return this.others.size ? "" : this.visit;
  }
}
