/** Sends what is in the store, one entry after the other, until the server has acknowledged each.

An entry is one submit: {id, seq, title, submissions, finishes, failed}. `finishes` says for each submission by how many
the number of finished items grows. Sending again what arrived already changes nothing: each submission has its uuid.
*/

import { Offline, post, refreshSession } from "./server.js";
import { say } from "../../words.js";

const SLOWEST = 30_000; // milliseconds between two attempts
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

export class Outbox extends EventTarget {
  /** `context()` gives what goes with every request: the units in hand, and by which visit. */
  constructor({ store, url, user, context }) {
    super();
    Object.assign(this, { store, url, user, context });
    this.entries = [];
    this.sending = false;
    this.trouble = ""; // "", offline, signed-out, or what the server answered
    this.savedAt = null;
    this.attempts = 0;
    this.uncounted = new Set(); // ids of entries that may have arrived before this page was made, whose count has them then
    this.arrivals = new Map(); // entry id → resolve, for who waits for the acknowledgement
    window.addEventListener("online", () => {
      if (this.trouble === "offline") this.note("");
      this.flush();
    });
    window.addEventListener("offline", () => this.note("offline"));
    document.addEventListener("visibilitychange", () => document.hidden || this.flush());
  }

  get waiting() {
    return this.entries.filter((entry) => !entry.failed);
  }

  /** By how many what waits makes the number of finished items grow. */
  get finishing() {
    const counted = this.waiting.filter((entry) => !this.uncounted.has(entry.id));
    return counted.flatMap((entry) => entry.finishes).reduce((sum, by) => sum + by, 0);
  }

  get failed() {
    return this.entries.filter((entry) => entry.failed);
  }

  /** Take up what an earlier visit could not send. `counted`: the page's count is sure not to know of it. */
  async resume(counted) {
    this.entries = await this.store.all();
    // What waited for the person's consent: this page is only shown once they have given it.
    for (const entry of this.entries) if (entry.failed?.code === "consent") entry.failed = null;
    if (!counted) this.uncounted = new Set(this.entries.map((entry) => entry.id));
    this.changed();
    this.flush();
  }

  /** Resolves once the entry cannot be lost: it is in the durable store, or the server has it. */
  async add(entry) {
    entry.seq = Math.max(Date.now(), (this.entries.at(-1)?.seq ?? 0) + 1);
    const kept = await this.keep(entry);
    this.entries.push(entry);
    this.changed();
    const arrived = kept ? null : new Promise((resolve) => this.arrivals.set(entry.id, resolve));
    this.flush();
    await arrived;
  }

  async keep(entry) {
    try {
      await this.store.put(entry);
      return this.store.durable;
    } catch {
      return false;
    }
  }

  async drop(entry) {
    await this.store.remove(entry.id).catch(() => {});
    this.entries = this.entries.filter((other) => other.id !== entry.id);
    this.arrivals.get(entry.id)?.();
    this.arrivals.delete(entry.id);
    this.changed();
  }

  /** Try an entry again that was refused, perhaps changed. */
  async retry(entry) {
    entry.failed = null;
    await this.keep(entry);
    this.changed();
    return this.flush();
  }

  async flush() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.timer);
    try {
      for (let entry = this.waiting[0]; entry; entry = this.waiting[0]) {
        this.changed();
        if (!(await this.send(entry))) break;
      }
    } finally {
      this.sending = false;
      this.changed();
    }
  }

  /** Whether the entry is dealt with, one way or the other. */
  async send(entry) {
    let answer;
    try {
      answer = await post(this.url, { submissions: entry.submissions, ...this.context(entry) });
    } catch (error) {
      if (!(error instanceof Offline)) throw error;
      return this.later("offline");
    }
    const { status, body } = answer;
    if (status === 401 || (status === 403 && !body?.code)) return this.signedOut(status);
    if (status === 507) return this.later(say("the server's disk is full, trying again"));
    if (PASSING.has(status)) return this.later(say("the server cannot be reached ({status}), trying again", { status }));
    this.trouble = "";
    this.attempts = 0;
    this.refreshed = false;
    await this.settle(entry, status, body ?? {});
    return true;
  }

  /** Take the server's word on each submission of the entry. */
  async settle(entry, status, body) {
    const whole = { outcome: "refused", code: body.code, detail: body.detail ?? say("The server answered {status}.", { status }) };
    const results = body.results ?? entry.submissions.map(() => (status === 200 ? { outcome: "counted" } : whole));
    const refused = results.flatMap((result, i) => (result.outcome === "refused" ? [{ ...result, i }] : []));
    if (results.some((result) => result.outcome !== "refused")) this.savedAt = new Date();
    const settled = { entry: { ...entry }, finishes: entry.finishes, results, units: body.units ?? [], guideline: body.guideline };
    if (refused.length) {
      entry.failed = { code: refused[0].code, detail: refused[0].detail, current: refused[0].current ?? null };
      entry.submissions = refused.map(({ i }) => entry.submissions[i]);
      entry.finishes = refused.map(({ i }) => entry.finishes[i]);
      settled.entry = entry;
      await this.keep(entry);
      this.arrivals.get(entry.id)?.();
    } else {
      await this.drop(entry);
    }
    this.dispatchEvent(new CustomEvent("settled", { detail: { ...settled, refused: refused.length > 0 } }));
  }

  /** A page that was open too long has an old token: a fresh one may do. Else somebody must sign in. */
  async signedOut(status) {
    if (status === 403 && this.trouble !== "signed-out") {
      const user = await refreshSession().catch(() => undefined);
      if (user === this.user && !this.refreshed) {
        this.refreshed = true;
        return true;
      }
    }
    this.note("signed-out");
    return false;
  }

  later(trouble) {
    this.note(trouble);
    this.attempts += 1;
    this.timer = setTimeout(() => this.flush(), Math.min(SLOWEST, 1000 * 2 ** Math.min(this.attempts, 5)));
    return false;
  }

  note(trouble) {
    this.trouble = trouble;
    this.changed();
  }

  changed() {
    this.dispatchEvent(new CustomEvent("changed"));
  }
}
