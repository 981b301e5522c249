/** The annotator at work: grading, submitting, going on, undoing, looking back. */

import { announce, data, newUuid, notice, part, show } from "./page.js";
import { dropDraft } from "./drafts.js";
import { keyOf } from "./hand.js";
import * as screen from "./screen.js";
import { showMissing } from "./status.js";
import { say } from "../../words.js";

const MODES = { PRESENT: "present", PAST: "past" };

export class LabellingSession extends EventTarget {
  constructor({ hand, outbox, clock, guideline }) {
    super();
    Object.assign(this, { hand, outbox, clock, guideline });
    this.mode = MODES.PRESENT;
    this.place = -1; // in the past: 0 is the newest
    this.timer = null; // of the short delay after a digit
    this.grades = []; // {element, key} of what was graded in this unit, oldest first: undo takes the newest back
    this.busy = false; // between a submit and its being safe
    this.sent = null; // resolves once the newest submit is safe
    this.device = "keyboard";
  }

  // --- what is on the screen -----------------------------------------------------------------------------------------

  /** Show the unit at work, going on to the next when there is none. */
  showPresent(words = "") {
    this.mode = MODES.PRESENT;
    this.place = -1;
    const unit = this.hand.current ?? this.hand.advance();
    this.showUnit(unit, words);
    if (!unit) this.dispatchEvent(new CustomEvent("empty"));
  }

  showUnit(unit, words) {
    this.cancelTimer();
    this.grades = [];
    screen.draw(unit);
    showMissing();
    this.clock.turnTo(unit ? `${this.mode}:${keyOf(unit)}` : null);
    show(part("past"), this.inPast);
    document.body.classList.toggle("in-past", this.inPast);
    part("submit-words").textContent = this.inPast ? say("Save the change") : say("Submit");
    show(part("empty"), !unit);
    if (!unit) return;
    if (this.inPast) part("past-text").textContent = say("From your history, {place} back", { place: this.place + 1 });
    part("title").focus({ preventScroll: true });
    if (words) announce(words);
    this.dispatchEvent(new CustomEvent("shown"));
  }

  get inPast() {
    return this.mode === MODES.PAST;
  }

  // --- grading -------------------------------------------------------------------------------------------------------

  /** A digit: grade the first open criterion of the chosen cell, or the one that has the focus. */
  digit(value) {
    const chosen = screen.chosenCell();
    if (!chosen || this.busy) return false;
    const { element } = chosen;
    this.device = "keyboard";
    const waiting = screen.wantedReason(element);
    if (waiting && screen.chooseReason(waiting, value)) return this.graded(element);
    const key = screen.activeCriterion(element) ?? data.criteria[0].key;
    if (!screen.grade(element, key, value)) {
      announce(say("{value} is not on the scale.", { value }));
      return true;
    }
    this.noteGrade(element, key);
    return this.graded(element);
  }

  noteGrade(element, key) {
    this.grades.push({ element, key });
  }

  /** After a grade was given by key or pointer: ask for its reason, go to the next cell, or submit after the delay. */
  graded(element) {
    this.cancelTimer();
    screen.noteLack(element);
    const reason = screen.wantedReason(element);
    if (reason) {
      reason.focus({ preventScroll: data.layout === "question" });
      announce(say("This grade needs a reason."));
    } else if (screen.openCriterion(element)) {
      screen.goToCriterion(element, screen.openCriterion(element));
    } else {
      if (data.byDocument) this.nextCell();
      else this.startTimer(element);
    }
    return true;
  }

  /** In a grid: on to the next cell without an answer; when there is none, the submit key sends all. */
  nextCell() {
    const count = screen.cellCount();
    const from = screen.indexOf(screen.chosenCell().element);
    for (let step = 1; step < count; step += 1) {
      const index = (from + step) % count;
      if (screen.lacking(screen.cellAt(index).element)) {
        screen.choose(index);
        announce(say("{number} of {count}: {aspect}", { number: index + 1, count, aspect: screen.cellAt(index).cell.aspect ?? "" }));
        return;
      }
    }
    announce(say("All aspects have an answer. Submit them."));
  }

  move(step, { focus = false } = {}) {
    if (data.layout === "question") return screen.moveCriterion(step);
    if (!data.byDocument || screen.cellCount() < 2) return false;
    const index = screen.indexOf(screen.chosenCell().element) + step;
    if (!screen.cellAt(index)) return true;
    screen.choose(index, { focus });
    announce(screen.cellAt(index).cell.aspect ?? "");
    return true;
  }

  startTimer(element) {
    const { delay } = data.preferences;
    if (delay === null || this.inPast) {
      announce(this.inPast ? say("Changed. Submit to save it.") : say("Submit to go on."));
      return;
    }
    if (delay === 0) {
      void this.submit();
      return;
    }
    element.style.setProperty("--delay", `${delay}ms`);
    element.classList.add("is-going");
    this.timer = setTimeout(() => this.submit(), delay);
  }

  cancelTimer() {
    clearTimeout(this.timer);
    this.timer = null;
    for (const element of document.querySelectorAll(".is-going")) element.classList.remove("is-going");
  }

  // --- submitting ----------------------------------------------------------------------------------------------------

  /** Send what stands on the screen; the next unit comes as soon as it cannot be lost any more. */
  async submit() {
    this.cancelTimer();
    const unit = screen.currentUnit();
    if (!unit || this.busy) return;
    const lacking = this.firstLacking();
    if (lacking) {
      this.complain(lacking);
      return;
    }
    this.sent = this.send(unit);
    await this.sent;
  }

  async send(unit) {
    this.busy = true;
    try {
      const entry = this.entryFor(unit);
      if (entry.submissions.length) {
        if (!this.inPast) this.hand.finish(unit);
        await this.outbox.add(entry);
        this.dispatchEvent(new CustomEvent("submitted", { detail: entry }));
      }
    } finally {
      this.busy = false;
    }
    this.goOn(unit);
  }

  firstLacking() {
    for (let index = 0; index < screen.cellCount(); index += 1) {
      const { element } = screen.cellAt(index);
      const reason = screen.lacking(element);
      if (reason) return { index, element, reason };
    }
    return null;
  }

  complain({ index, element, reason }) {
    screen.choose(index);
    screen.fail(element, reason);
    (screen.wantedReason(element) ?? element.querySelector("input[type=radio]")).focus();
  }

  /** The submissions of a unit, and the unit changed into one of the past. */
  entryFor(unit) {
    const times = this.clock.read();
    this.clock.forget(`${this.mode}:${keyOf(unit)}`);
    const submissions = [];
    const finishes = [];
    unit.cells.forEach((cell, index) => {
      const entered = screen.read(screen.cellAt(index).element);
      dropDraft(cell.assignment);
      if (this.inPast && sameAnswer(entered, cell.answer)) return;
      submissions.push(this.submission(cell, { ...entered, ...shared(times, unit.cells.length) }));
      finishes.push(cell.done ? 0 : 1);
      Object.assign(cell, { answer: entered, draft: null, done: true, base: submissions.at(-1).uuid, error: "" });
    });
    return { id: newUuid(), title: unit.name, unit, submissions, finishes };
  }

  submission(cell, more) {
    return {
      uuid: newUuid(),
      assignment: cell.assignment,
      base: cell.base,
      guideline: this.guideline.version,
      device: this.device,
      client_at: new Date().toISOString(),
      ...more,
      ...(more.found && { found: more.found.map(({ docno }) => docno) }),
    };
  }

  goOn(unit) {
    const words = unit.cells.map((cell) => wordsFor(cell.answer)).join(", ");
    if (!this.inPast) {
      screen.showGiven(unit);
      this.showPresent(words);
      return;
    }
    announce(`Changed: ${words}.`);
    this.later();
  }

  // --- undoing -------------------------------------------------------------------------------------------------------

  /** Take the newest grade of this unit back. Without any: take the last submit back and show it again. */
  async undo() {
    if (this.busy) await this.sent; // a digit that has just gone is taken back too
    if (this.busy) return;
    const newest = this.grades.pop();
    if (newest) {
      this.cancelTimer();
      screen.choose(screen.indexOf(newest.element));
      screen.takeBack(newest.element, newest.key);
      announce(say("Grade undone."));
      return;
    }
    const unit = await this.fetchPast(0);
    if (!unit) return;
    const refused = this.outbox.failed.find((entry) => entry.unit === unit);
    if (refused) {
      await this.outbox.drop(refused);
      this.bringBack(refused, "", say("Undone. The server had not saved it."));
      return;
    }
    this.busy = true;
    try {
      screen.keepDrafts();
      const entry = this.undoEntry(unit);
      await this.outbox.add(entry);
      this.dispatchEvent(new CustomEvent("submitted", { detail: entry }));
      show(part("gave"), false);
      this.hand.comeBackTo(unit);
    } finally {
      this.busy = false;
    }
    this.showPresent(say("Undone: {name}. Judge it again.", { name: unit.name }));
  }

  undoEntry(unit) {
    const cells = unit.cells.filter((cell) => cell.done);
    const submissions = cells.map((cell) => this.submission(cell, { kind: "undo" }));
    cells.forEach((cell, index) => {
      Object.assign(cell, { draft: cell.answer, answer: null, done: false, base: submissions[index].uuid });
    });
    return { id: newUuid(), title: unit.name, unit, submissions, finishes: cells.map(() => -1) };
  }

  // --- my own history ------------------------------------------------------------------------------------------------

  async earlier() {
    if (this.busy) return;
    const unit = await this.fetchPast(this.place + 1);
    if (!unit) return;
    screen.keepDrafts();
    this.mode = MODES.PAST;
    this.place += 1;
    this.showUnit(unit, "");
  }

  later() {
    if (!this.inPast) {
      announce(say("This is the newest item."));
      return;
    }
    screen.keepDrafts();
    if (this.place === 0) {
      this.showPresent(say("Back to the present."));
      return;
    }
    this.place -= 1;
    this.showUnit(this.hand.past[this.place], "");
  }

  present() {
    if (!this.inPast) return;
    screen.keepDrafts();
    this.showPresent(say("Back to the present."));
  }

  /** A unit of my past, or null after saying why there is none. */
  async fetchPast(index) {
    try {
      const unit = await this.hand.pastAt(index);
      if (!unit) announce(say("There is nothing earlier."));
      return unit;
    } catch (error) {
      notice(error.message || say("Your older history is not loaded, and the network is away."));
      return null;
    }
  }

  // --- the rest ------------------------------------------------------------------------------------------------------

  /** Skip the chosen cell: in a grid it is marked, else it is sent at once. */
  skip(reason) {
    const { element } = screen.chosenCell();
    screen.markSkipped(element, reason);
    if (data.byDocument) this.nextCell();
    else this.submit();
  }

  /** A submission was refused: its unit comes back to the front with what was entered and why. */
  bringBack(entry, detail, words = say("Not saved. What you entered is shown again.")) {
    const { unit } = entry;
    for (const { assignment, base } of entry.submissions) {
      const cell = unit.cells.find((each) => each.assignment === assignment);
      Object.assign(cell, { draft: cell.answer, answer: null, done: false, error: detail, base });
    }
    screen.keepDrafts();
    this.hand.comeBackTo(unit);
    this.showPresent(words);
  }
}

export const wordsFor = (answer) =>
  !answer
    ? say("No answer")
    : answer.kind === "skip"
      ? say("Skipped: {reason}", { reason: screen.reasonWords(answer.reason) })
      : say("Graded {words}", { words: screen.gradeWords(answer) });

/** Time of a unit spread evenly over its cells, so that sums stay true. */
const shared = (times, count) => ({
  active_ms: Math.round(times.active_ms / count),
  away_ms: Math.round(times.away_ms / count),
});

const COMPARED = ["kind", "answers", "reasons", "reason", "note", "flagged", "rewrite", "found"];
const sameAnswer = (a, b) =>
  b !== null && COMPARED.every((name) => same(a[name], b[name]));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
