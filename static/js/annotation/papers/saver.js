/** Saving: every edit is kept in the browser's own store at once and sent with others soon after, one request at a time,
 * so that a closed lid or a lost network loses nothing. Each edit is a separate revision on the server. */

import { Offline, post, postKept, refreshSession } from "../labelling/server.js";
import { data } from "../labelling/page.js";
import { sameContent, stepOf } from "./edits.js";
import { say, sayMany } from "../../words.js";

const LATEST = 120_000; // milliseconds after the first edit that waits
const MOST = 25; // edits that wait
const SOON = 400; // milliseconds, where this browser keeps nothing
const AGAIN = 4_000; // after a network failure
const MOST_KEPT = 60_000; // bytes of a request that a browser still sends when the page is left

export class Saver extends EventTarget {
  constructor(state) {
    super();
    this.base = state.revision;
    this.waiting = []; // edits that the server does not have, oldest first: {change, before, after}
    this.busy = false;
    this.timer = null;
    this.key = `litmus-extraction-${data.extraction}`;
    this.canKeep = true;
  }

  /** What this browser kept when it was closed before the server had it; null for nothing. */
  kept() {
    try {
      return JSON.parse(localStorage.getItem(this.key));
    } catch {
      return null;
    }
  }

  get isClean() {
    return !this.waiting.length && !this.busy;
  }

  save(change, before, after) {
    this.waiting.push({ change, before, after });
    this.wait();
  }

  /** Take the newest edit back that was not sent; null where all were. */
  takeBack() {
    const last = this.waiting.pop() ?? null;
    if (last) this.wait();
    return last;
  }

  wait() {
    this.keep();
    if (!this.waiting.length) return !this.busy && this.report("idle", say("Nothing to save"));
    const count = this.waiting.length;
    this.report("busy", this.canKeep ? sayMany("{count} edit kept here", "{count} edits kept here", count) : say("Saving…"));
    if (count >= MOST || !this.canKeep) this.later(SOON);
    else if (!this.timer) this.later(LATEST);
  }

  keep() {
    const last = this.waiting.at(-1);
    try {
      if (last) localStorage.setItem(this.key, JSON.stringify({ base: this.base, content: last.after, change: last.change }));
      else if (!this.busy) localStorage.removeItem(this.key);
      this.canKeep = true;
    } catch {
      this.canKeep = false; // a full or forbidden store: the server is the one that counts
    }
  }

  later(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), delay);
  }

  /** Send what waits; resolves to whether the server has everything. */
  async flush() {
    clearTimeout(this.timer);
    this.timer = null;
    while (this.busy) await new Promise((done) => setTimeout(done, 50));
    while (this.waiting.length) {
      const sending = this.waiting.splice(0);
      this.busy = true;
      this.report("busy", say("Saving…"));
      const outcome = await this.send(sending).finally(() => (this.busy = false));
      if (outcome === "kept") {
        this.waiting.unshift(...sending);
        this.keep();
      }
      if (outcome !== "settled") return false;
    }
    return true;
  }

  /** Send edits; resolves to settled, kept (they are to be sent again), or replaced (the server's state counts). */
  async send(edits) {
    const sent = { base: this.base, steps: edits.map(stepOf) };
    try {
      const ask = JSON.stringify(sent).length < MOST_KEPT ? postKept : post;
      const { status, body } = await ask(data.urls.save, sent);
      if (status === 200) return this.settle(body);
      if (status === 409) return this.clash(body, (this.waiting.at(-1) ?? edits.at(-1)).after);
      if (status === 422 || (status !== 507 && body?.reason)) return this.refuse(body);
      // Not signed out, another tab may have got another token: the next attempt has it.
      if (status === 401 || (status === 403 && (await refreshSession()) === null)) return this.signedOut();
      this.report("bad", status === 507 ? say("Not saved: the server's disk is full") : say("Not saved ({status})", { status }));
    } catch (error) {
      if (!(error instanceof Offline)) throw error;
      this.report("warn", say("Offline, kept in this browser"));
    }
    this.later(AGAIN);
    return "kept";
  }

  settle(body) {
    this.base = body.revision;
    this.busy = false;
    this.keep();
    if (!this.waiting.length) this.report("ok", say("Saved {time}", { time: new Date().toTimeString().slice(0, 5) }));
    this.dispatchEvent(new CustomEvent("settled", { detail: body }));
    return "settled";
  }

  /** Another window has saved: its state counts where it says the same as `mine`, else a person decides. */
  clash(body, mine) {
    if (mine && sameContent(body.content, mine)) {
      this.follow(body);
      this.report("ok", say("Saved in another window"));
      this.dispatchEvent(new CustomEvent("settled", { detail: body }));
      return "replaced";
    }
    this.report("bad", say("Changed in another window"));
    this.dispatchEvent(new CustomEvent("clash", { detail: { theirs: body, mine } }));
    return "kept";
  }

  signedOut() {
    this.report("bad", say("Not saved: signed out"));
    this.dispatchEvent(new CustomEvent("signedout"));
    return "kept";
  }

  refuse(body) {
    this.report("bad", say("Not saved"));
    this.dispatchEvent(new CustomEvent("refused", { detail: body.reason }));
    return "kept";
  }

  /** Take the server's state for ours (after undo, redo, or a clash that was decided). */
  follow(state) {
    clearTimeout(this.timer);
    this.timer = null;
    this.base = state.revision;
    this.waiting = [];
    this.busy = false;
    this.keep();
  }

  report(state, text) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, text } }));
  }
}
