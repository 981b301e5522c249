/** The units of one annotator: the one at work, those ahead, and their own past, newest first. */

import { get } from "./server.js";
import { data } from "./page.js";
import { keptDraft } from "./drafts.js";
import { say } from "../../words.js";

export const keyOf = (unit) => unit.cells[0].assignment;
export const idsOf = (unit) => unit.cells.map((cell) => cell.assignment);

export class Hand {
  constructor(units) {
    this.ahead = [];
    this.current = null;
    this.past = []; // units that were submitted, each cell with the answer given and the uuid it has
    this.cursor = null; // where older history goes on; null: not asked yet
    this.exhausted = false;
    this.gone = new Set(); // assignments submitted here that the server has not acknowledged yet
    this.onchange = () => {};
    this.add(units);
  }

  /** Take units the server deals, leaving out what is here already. */
  add(units) {
    const here = new Set([...this.ahead, ...(this.current ? [this.current] : [])].flatMap(idsOf));
    for (const unit of units) {
      if (idsOf(unit).some((id) => here.has(id) || this.gone.has(id))) continue;
      for (const cell of unit.cells) restoreNote(cell);
      this.past = this.past.filter((other) => keyOf(other) !== keyOf(unit));
      this.ahead.push(unit);
    }
    this.onchange();
  }

  /** Take up what an earlier visit had in hand. */
  replace({ ahead, current, past }) {
    Object.assign(this, { ahead: current ? [current, ...ahead] : ahead, current: null, past });
  }

  /** Nothing is held any longer that was not looked at. */
  letGo() {
    this.ahead = this.ahead.filter((unit) => unit.seen);
    this.onchange();
  }

  /** Go on to the next unit; null when there is none here. */
  advance() {
    this.current = this.ahead.shift() ?? null;
    if (this.current) this.current.seen = true;
    this.onchange();
    return this.current;
  }

  /** Put a unit before all others; the one at work comes after it. */
  comeBackTo(unit) {
    if (this.current) this.ahead.unshift(this.current);
    for (const id of idsOf(unit)) this.gone.delete(id);
    this.past = this.past.filter((other) => keyOf(other) !== keyOf(unit));
    this.current = unit;
    this.onchange();
  }

  /** The unit at work has been submitted. */
  finish(unit) {
    for (const id of idsOf(unit)) this.gone.add(id);
    this.past = [unit, ...this.past.filter((other) => keyOf(other) !== keyOf(unit))];
    if (this.current === unit) this.current = null;
    this.onchange();
  }

  /** The server knows of these submissions: what it deals from now on takes them into account. */
  acknowledge(submissions) {
    for (const { assignment } of submissions) this.gone.delete(assignment);
  }

  /** Units as the server wants them: what is in hand and not yet submitted. */
  held() {
    return [...(this.current ? [this.current] : []), ...this.ahead].map(idsOf);
  }

  /** The unit of my past at this place (0: newest), asking the server for older ones; null when there is none. */
  async pastAt(index) {
    while (index >= this.past.length && !this.exhausted) await this.older();
    return this.past[index] ?? null;
  }

  async older() {
    const address = this.cursor ? `${data.urls.label_history}?before=${this.cursor}` : data.urls.label_history;
    const { status, body } = await get(address);
    if (status !== 200) throw new Error(body?.detail ?? say("The server answered {status}.", { status }));
    const known = new Set([...this.past, ...this.ahead, ...(this.current ? [this.current] : [])].flatMap(idsOf));
    this.past.push(...body.units.filter((unit) => !idsOf(unit).some((id) => known.has(id))));
    this.cursor = body.before;
    this.exhausted = !body.before;
  }
}

function restoreNote(cell) {
  const kept = keptDraft(cell.assignment);
  if (Object.keys(kept).length && !cell.draft) cell.draft = { kind: "answer", answers: {}, ...cell.answer, ...kept };
}
