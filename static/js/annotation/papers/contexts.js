/** The middle pane: contexts with their sentences; one sentence is current and has a caret between two words. */

import { data, part } from "../labelling/page.js";
import { places } from "./edits.js";
import { arrange, Painted } from "./painting.js";
import { say } from "../../words.js";

const MARKER = /\[\d+[a-z]?(?:\s*[,;–-]\s*\d+[a-z]?)*\]/g;
// Names with a year in round brackets: looked for only in papers that cite that way.
const NAMED = /\((?:[^()]*\p{Lu}[^()]*[,\s])(?:1[89]|20)\d\d[a-z]?\)/gu;
const SECTIONS = ["introduction", "related work", ""];
const NAMES = { introduction: say("introduction"), "related work": say("related work"), "": say("no section") }; // as they are read

export class Contexts extends EventTarget {
  constructor() {
    super();
    this.root = part("contexts");
    this.at = { c: 0, s: 0 };
    this.caret = 0; // index into places(text): where a split would fall
    this.content = null;
    this.known = new Set();
    this.citing = null; // the number of the reference whose citing sentences are marked
    this.isEditing = false; // what is being typed is not painted over
    this.proposals = new Map(); // "text" → {anonymised, cuts} or null: what A would do
    this.painted = new Painted();
    this.none = part("no-contexts").content.firstElementChild;
    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("focusin", (event) => {
      const row = event.target.closest("[data-sentence]");
      if (row && !event.target.matches("textarea")) this.go(Number(row.dataset.context), Number(row.dataset.sentence));
    });
    this.root.addEventListener("change", (event) => {
      if (event.target.matches("select[data-section]")) this.emit("section", { context: this.content.contexts[Number(event.target.dataset.section)], section: event.target.value });
    });
  }

  emit(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  clicked(event) {
    const word = event.target.closest("[data-place]");
    const reference = event.target.closest("[data-reference]");
    if (reference) this.emit("reference", { number: reference.dataset.reference });
    if (word) this.caret = Number(word.dataset.place);
    const button = event.target.closest("button[data-do]");
    if (button) this.emit("do", { action: button.dataset.do, context: this.content.contexts[Number(button.dataset.context)] });
    else if (word) this.repaint(this.at);
    if (word) this.emit("caret");
  }

  get sentence() {
    return this.content?.contexts[this.at.c]?.sentences[this.at.s] ?? null;
  }

  get offset() {
    return places(this.sentence?.text ?? "")[this.caret] ?? 0;
  }

  go(c, s, { focus = false } = {}) {
    if (c !== this.at.c || s !== this.at.s) {
      const hadFocus = this.root.contains(document.activeElement) && !document.activeElement.matches("textarea, select");
      const before = this.at;
      this.at = { c, s };
      this.caret = 0;
      this.repaint(before);
      this.repaint(this.at);
      if (hadFocus) this.focus();
      this.emit("moved");
    }
    if (focus) this.focus();
  }

  /** Mark the sentences that cite a reference, and go to the first of them unless the current one does. */
  showCiting(number) {
    const isCiting = ({ cites }) => cites.includes(number);
    this.citing = number;
    this.markCiting();
    if (this.sentence && isCiting(this.sentence)) return this.scrollHere();
    const c = this.content.contexts.findIndex((context) => context.sentences.some(isCiting));
    if (c >= 0) this.go(c, this.content.contexts[c].sentences.findIndex(isCiting));
    this.scrollHere();
  }

  /** Go to the first sentence taken from a block, unless the current one is. */
  showBlock(id) {
    if (this.content.contexts[this.at.c]?.blocks.includes(id)) return;
    const c = this.content.contexts.findIndex((context) => context.blocks.includes(id));
    if (c >= 0) this.go(c, 0);
    this.scrollHere();
  }

  markCiting() {
    for (const row of this.root.querySelectorAll("[data-sentence]")) {
      const sentence = this.content.contexts[row.dataset.context]?.sentences[row.dataset.sentence];
      row.classList.toggle("is-citing", this.citing !== null && Boolean(sentence?.cites.includes(this.citing)));
    }
  }

  /** Keep the place within the content, after an edit or an undo. */
  settle() {
    const contexts = this.content.contexts;
    const c = Math.max(0, Math.min(this.at.c, contexts.length - 1));
    const s = Math.max(0, Math.min(this.at.s, (contexts[c]?.sentences.length ?? 1) - 1));
    this.at = { c, s };
    this.caret = Math.max(0, Math.min(this.caret, places(this.sentence?.text ?? "").length - 1));
  }

  move(steps) {
    const rows = this.content.contexts.flatMap((context, c) => context.sentences.map((_, s) => ({ c, s })));
    const now = rows.findIndex(({ c, s }) => c === this.at.c && s === this.at.s);
    const next = rows[Math.max(0, Math.min(rows.length - 1, now + steps))];
    if (next) this.go(next.c, next.s, { focus: true });
  }

  moveCaret(steps) {
    const most = places(this.sentence?.text ?? "").length - 1;
    this.caret = Math.max(0, Math.min(most, this.caret + steps));
    this.repaint(this.at);
    this.focus();
    this.emit("caret");
  }

  focus() {
    const row = this.root.querySelector("[data-sentence][aria-current]");
    row?.focus({ preventScroll: true });
    this.scrollHere();
  }

  scrollHere() {
    this.root.querySelector("[data-sentence][aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  render(content, known) {
    this.content = content;
    this.known = known;
    this.knownNumbers = [...known].join();
    this.settle();
    this.show();
  }

  show() {
    if (this.isEditing) return;
    const focused = document.activeElement;
    const hadFocus = this.root.contains(focused) && !focused.matches("textarea, select");
    const section = focused.matches("select[data-section]") ? focused.dataset.section : null;
    const articles = this.content.contexts.map((context, c) => this.painted.of(context, this.looks(c), () => this.article(context, c)));
    const isChanged = arrange(this.root, articles.length ? articles : [this.none]);
    articles.forEach((article, c) => place(article, c));
    if (isChanged && hadFocus) this.focus();
    if (isChanged && section !== null) this.root.querySelector(`select[data-section="${section}"]`)?.focus();
  }

  /** All that the look of a context depends on in addition to its own words and its place. */
  looks(c) {
    const named = this.content.contexts[c].sentences.map((sentence) => Number(this.isNaming(sentence))).join("");
    if (c !== this.at.c) return `${this.knownNumbers} ${named}`;
    return JSON.stringify([this.knownNumbers, named, this.at.s, this.caret, this.proposals.get(this.sentence?.text) ?? null]);
  }

  /** Paint one sentence again, without focus: moving about in a long paper must not paint all of it. */
  repaint({ c, s }) {
    if (this.isEditing) return;
    const row = this.root.querySelector(`[data-context="${c}"][data-sentence="${s}"]`);
    const context = this.content.contexts[c];
    if (!row || !context?.sentences[s]) return;
    const hadFocus = row.contains(document.activeElement);
    row.replaceWith(this.row(context.sentences[s], c, s));
    this.painted.look(context, this.looks(c));
    if (hadFocus) this.focus();
  }

  article(context, c) {
    const article = document.createElement("article");
    article.className = "extraction-context card";
    article.dataset.at = c;
    article.setAttribute("aria-label", say("Context {id}", { id: context.id }));
    const head = document.createElement("header");
    head.className = "line tight";
    head.append(label(say("Context {id}", { id: context.id })), this.sections(context, c), button("remove-context", say("Remove"), c, say("Remove context {id}", { id: context.id })));
    const list = document.createElement("ol");
    list.className = "extraction-sentences";
    list.append(...context.sentences.map((sentence, s) => this.row(sentence, c, s)));
    article.append(head, list);
    return article;
  }

  sections(context, c) {
    const select = document.createElement("select");
    select.dataset.section = c;
    select.setAttribute("aria-label", say("Section of context {id}", { id: context.id }));
    const names = SECTIONS.includes(context.section) ? SECTIONS : [...SECTIONS, context.section];
    for (const name of names) select.append(new Option(NAMES[name] ?? name, name, false, name === context.section));
    return select;
  }

  row(sentence, c, s) {
    const isCurrent = c === this.at.c && s === this.at.s;
    const row = document.createElement("li");
    row.className = "extraction-sentence";
    Object.assign(row.dataset, { sentence: s, context: c });
    row.tabIndex = isCurrent ? 0 : -1;
    if (isCurrent) row.setAttribute("aria-current", "true");
    row.classList.toggle("is-citing", this.citing !== null && sentence.cites.includes(this.citing));
    const text = document.createElement("p");
    text.dir = "auto";
    text.append(...this.words(sentence, isCurrent));
    if (!sentence.text.trim()) text.append(note(say("Empty sentence"), "bad"));
    row.append(text);
    const notes = this.notes(sentence, isCurrent);
    if (notes.length) row.append(line(notes));
    return row;
  }

  /** The text with its markers as links, and the caret before the word where a split would fall. */
  words(sentence, isCurrent) {
    const at = isCurrent ? places(sentence.text) : [];
    const marks = this.marks(sentence.text);
    const cuts = new Set([0, sentence.text.length, ...marks.flatMap(({ start, end }) => [start, end]), ...at]);
    const edges = [...cuts].sort((a, b) => a - b);
    return edges.slice(0, -1).flatMap((from, i) => {
      const piece = sentence.text.slice(from, edges[i + 1]);
      const place = at.indexOf(from);
      const mark = marks.find(({ start, end }) => from >= start && from < end);
      const element = mark ? this.marker(piece, mark.numbers) : document.createElement("span");
      if (!mark) element.textContent = piece;
      if (place >= 0) element.dataset.place = place;
      return place >= 0 && place === this.caret ? [caretSign(), element] : [element];
    });
  }

  /** Where the markers of a text stand; `numbers` of those that name authors, null for those that show them. */
  marks(text) {
    const found = [...text.matchAll(MARKER)].map((match) => ({ start: match.index, end: match.index + match[0].length, numbers: null }));
    const isFree = (start, end) => !found.some((mark) => mark.start < end && start < mark.end);
    const add = (start, end, numbers) => isFree(start, end) && found.push({ start, end, numbers });
    const named = Object.entries(data.paper.markers).sort(([one], [other]) => other.length - one.length);
    for (const [marker, numbers] of named) {
      for (let at = text.indexOf(marker); at >= 0; at = text.indexOf(marker, at + marker.length)) add(at, at + marker.length, numbers);
    }
    if (named.length) for (const match of text.matchAll(NAMED)) add(match.index, match.index + match[0].length, []);
    return found;
  }

  marker(text, named) {
    const element = document.createElement("span");
    const numbers = named ?? [...text.matchAll(/\d+[a-z]?/g)].map(([number]) => number);
    const isKnown = (named === null || numbers.length > 0) && numbers.every((number) => this.known.has(number));
    element.className = isKnown ? "extraction-marker" : "extraction-marker is-dangling";
    element.dataset.reference = numbers[0] ?? "";
    element.textContent = text;
    if (!isKnown) element.title = say("Not in the list of references");
    return element;
  }

  notes(sentence, isCurrent) {
    const notes = [];
    if (sentence.cites.length) notes.push(note(say("cites {numbers}", { numbers: sentence.cites.join(", ") }), this.dangling(sentence).length ? "bad" : ""));
    if (sentence.anonymised) notes.push(note(say("anonymised"), "info"));
    if (sentence.original) notes.push(aside(say("before: {text}", { text: sentence.original })));
    const proposal = this.isNaming(sentence) && this.proposals.get(sentence.text);
    if (proposal) notes.push(note(say("names an author"), "warn"));
    if (proposal && isCurrent) {
      notes.push(aside(say("A takes out: {names}", { names: proposal.cuts.map((cut) => say("“{name}”", { name: cut.text.trim() })).join(", ") })));
    }
    return notes;
  }

  /** Whether Anonymise would take names of cited authors out of it. */
  isNaming(sentence) {
    return !sentence.anonymised && Boolean(this.proposals.get(sentence.text));
  }

  dangling(sentence) {
    return sentence.cites.filter((number) => !this.known.has(number));
  }

  /** Type in the current sentence; `done` takes the new text, or null where Escape was pressed first. */
  edit(done) {
    const row = this.root.querySelector("[data-sentence][aria-current]");
    const old = this.sentence.text;
    const field = document.createElement("textarea");
    field.dir = "auto";
    field.value = old;
    field.rows = Math.max(2, Math.ceil(old.length / 55));
    field.setAttribute("aria-label", say("Text of the sentence; Enter keeps it, Escape leaves it as it was"));
    row.querySelector("p").replaceChildren(field);
    field.focus();
    this.isEditing = true;
    const end = (value) => {
      field.removeEventListener("blur", keep);
      this.isEditing = false;
      done(value === null || value === old ? null : value.replace(/\s+/g, " ").trim());
    };
    const keep = () => end(field.value);
    field.addEventListener("blur", keep);
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.isComposing) return;
      if (event.key === "Escape") end(null);
      else if (event.key === "Enter" && !event.shiftKey) end(field.value);
      else return;
      event.preventDefault();
    });
  }
}

/** Say in the article that it is the context at place `c`: those before it may have come or gone. */
function place(article, c) {
  if (article.dataset.at === String(c)) return;
  article.dataset.at = c;
  for (const element of article.querySelectorAll("[data-context]")) element.dataset.context = c;
  article.querySelector("[data-section]").dataset.section = c;
}

function caretSign() {
  const caret = document.createElement("span");
  caret.className = "extraction-caret";
  caret.setAttribute("aria-hidden", "true");
  return caret;
}

function label(text) {
  const heading = document.createElement("h3");
  heading.className = "overline";
  heading.textContent = text;
  return heading;
}

function button(action, text, c, name) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "button quiet";
  Object.assign(element.dataset, { do: action, context: c });
  element.textContent = text;
  element.setAttribute("aria-label", name);
  return element;
}

function note(text, kind) {
  const element = document.createElement("span");
  element.className = `badge ${kind}`;
  element.textContent = text;
  return element;
}

function aside(text) {
  const element = document.createElement("span");
  element.className = "small muted";
  element.dir = "auto";
  element.textContent = text;
  return element;
}

function line(children) {
  const element = document.createElement("p");
  element.className = "row small";
  element.append(...children);
  return element;
}
