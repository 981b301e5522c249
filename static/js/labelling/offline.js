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
  const { progress, recentMs, page } = data;
  return store.keepHand({ page, ahead, current, past: past.slice(0, PAST), progress, recentMs }).catch(() => {});
}

/** On a page that comes from the service worker, which the server made some time ago: go on from where it was left. */
export async function takeUp(store, hand) {
  const kept = await store.hand().catch(() => null);
  if (kept?.page !== data.page) return;
  hand.replace(kept);
  data.progress = kept.progress;
  data.recentMs = kept.recentMs;
}

/** Other windows of the same person: while there are any, nothing is given back, for they may show the same units. */
export class Windows {
  constructor(owner) {
    this.areOthers = false;
    if (!("BroadcastChannel" in window)) {
      this.areOthers = true; // unknown: leases end in time
      return;
    }
    this.channel = new BroadcastChannel(`litmus-labelling:${owner}`);
    this.channel.onmessage = ({ data: word }) => {
      this.areOthers = true;
      if (word === "who is there?") this.channel.postMessage("me");
    };
    this.channel.postMessage("who is there?");
  }

  /** This window answers no more. */
  close() {
    this.channel?.close();
  }
}
