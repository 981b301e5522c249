/** How long somebody looked at each unit: active while the page is in front and in use, away otherwise. */

const IDLE_AFTER = 90_000; // milliseconds without a move; reading a long abstract takes less
const ACTIVITY = ["pointermove", "pointerdown", "keydown", "wheel", "scroll", "touchstart"];

export class Clock {
  constructor() {
    this.spent = new Map(); // unit key → {active, away} in milliseconds
    this.key = null;
    this.last = performance.now();
    this.lastActivity = this.last;
    this.inFront = !document.hidden && document.hasFocus();
    for (const name of ACTIVITY) window.addEventListener(name, () => this.noteActivity(), { passive: true, capture: true });
    document.addEventListener("visibilitychange", () => this.look());
    window.addEventListener("focus", () => this.look());
    window.addEventListener("blur", () => this.look());
  }

  /** Go on counting for this unit. */
  turnTo(key) {
    this.count();
    this.key = key;
    this.lastActivity = performance.now();
    if (!this.spent.has(key)) this.spent.set(key, { active: 0, away: 0 });
  }

  /** Whole milliseconds spent on the present unit. */
  read() {
    this.count();
    const { active, away } = this.spent.get(this.key) ?? { active: 0, away: 0 };
    return { active_ms: Math.round(active), away_ms: Math.round(away) };
  }

  forget(key) {
    this.spent.delete(key);
  }

  noteActivity() {
    this.count();
    this.lastActivity = performance.now();
  }

  look() {
    this.count();
    this.inFront = !document.hidden && document.hasFocus();
    if (this.inFront) this.lastActivity = performance.now();
  }

  count() {
    const now = performance.now();
    const spent = this.spent.get(this.key);
    if (spent) {
      const until = this.inFront ? Math.min(now, Math.max(this.last, this.lastActivity + IDLE_AFTER)) : this.last;
      spent.active += until - this.last;
      spent.away += now - until;
    }
    this.last = now;
  }
}
