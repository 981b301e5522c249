/** Saving: every edit goes to the server soon after it was made, one request at a time, and to the browser's own store
 * at once, so that a closed lid or a lost network loses nothing. */

import { Offline, post, refreshSession } from "../labelling/server.js";
import { data } from "../labelling/page.js";

const SOON = 400; // milliseconds after an edit
const AGAIN = 4_000; // after a network failure

export class Saver extends EventTarget {
  constructor(state) {
    super();
    this.base = state.revision;
    this.waiting = null; // {content, change}: the newest content that the server does not have
    this.busy = false;
    this.timer = null;
    this.key = `litmus-extraction-${data.extraction}`;
  }

  /** What this browser kept when it was closed before the server had it; null where the server has gone on since. */
  kept() {
    try {
      const found = JSON.parse(localStorage.getItem(this.key));
      return found?.base === this.base ? found : null;
    } catch {
      return null;
    }
  }

  get isClean() {
    return !this.waiting && !this.busy;
  }

  save(content, change) {
    this.waiting = { content, change };
    this.keep();
    this.report("busy", "Saving…");
    this.later(SOON);
  }

  keep() {
    try {
      if (this.waiting) localStorage.setItem(this.key, JSON.stringify({ base: this.base, ...this.waiting }));
      else localStorage.removeItem(this.key);
    } catch {
      // A full or forbidden store: the server is the one that counts.
    }
  }

  later(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), delay);
  }

  /** Send what waits; resolves to whether the server has everything. */
  async flush() {
    clearTimeout(this.timer);
    while (this.busy) await new Promise((done) => setTimeout(done, 50));
    while (this.waiting) {
      const sending = this.waiting;
      this.waiting = null;
      this.busy = true;
      const settled = await this.send(sending).finally(() => (this.busy = false));
      if (!settled) {
        this.waiting ??= sending;
        return false;
      }
    }
    return true;
  }

  async send({ content, change }) {
    try {
      const { status, body } = await post(data.urls.save, { base: this.base, content, change });
      if (status === 200) return this.settle(body);
      if (status === 409) return this.clash(body);
      if (status === 422 || (status !== 507 && body?.reason)) return this.refuse(body);
      // Not signed out, another tab may have got another token: the next attempt has it.
      if (status === 401 || (status === 403 && (await refreshSession()) === null)) return this.signedOut();
      this.report("bad", status === 507 ? "Not saved: the server’s disk is full" : `Not saved (${status})`);
    } catch (error) {
      if (!(error instanceof Offline)) throw error;
      this.report("warn", "Offline, kept in this browser");
    }
    this.later(AGAIN);
    return false;
  }

  settle(body) {
    this.base = body.revision;
    this.keep();
    if (!this.waiting) this.report("ok", `Saved ${new Date().toTimeString().slice(0, 5)}`);
    this.dispatchEvent(new CustomEvent("settled", { detail: body }));
    return true;
  }

  clash(body) {
    this.report("bad", "Changed in another window");
    this.dispatchEvent(new CustomEvent("clash", { detail: body }));
    return false;
  }

  signedOut() {
    this.report("bad", "Not saved: signed out");
    this.dispatchEvent(new CustomEvent("signedout"));
    return false;
  }

  refuse(body) {
    this.report("bad", "Not saved");
    this.dispatchEvent(new CustomEvent("refused", { detail: body.reason }));
    return false;
  }

  /** Take the server's state for ours (after undo, redo, or a clash that was decided). */
  follow(state) {
    clearTimeout(this.timer);
    this.base = state.revision;
    this.waiting = null;
    this.keep();
  }

  report(state, text) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, text } }));
  }
}
