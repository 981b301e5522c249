/** The right pane: references with their identifiers and what they may be in the collection. */

import { data, part } from "../labelling/page.js";
import { arrange, Painted } from "./painting.js";
import { say } from "../../words.js";

const KINDS = {
  doi: "DOI", arxiv: "arXiv", pubmed: "PubMed", anthology: "anthology", pdf: "PDF", url: say("address"), other: say("other"), none: say("none"),
};

export class References extends EventTarget {
  constructor() {
    super();
    this.root = part("references");
    this.at = 0;
    this.content = null;
    this.inside = new Set();
    this.cited = new Set(); // numbers that the current sentence cites
    this.found = new Map(); // number → docnos and DOIs that a search found for it
    this.isEditing = false; // what is being typed is not painted over
    this.painted = new Painted();
    this.root.addEventListener("click", (event) => {
      const pick = event.target.closest("button[data-pick]");
      const row = event.target.closest("[data-row]");
      if (row) this.go(Number(row.dataset.row));
      if (pick) this.dispatchEvent(new CustomEvent("pick", { detail: Number(pick.dataset.pick) }));
    });
    this.root.addEventListener("focusin", (event) => {
      const row = event.target.closest("[data-row]");
      if (row) this.go(Number(row.dataset.row));
    });
  }

  get current() {
    return this.content?.references[this.at] ?? null;
  }

  /** What the reference may be, by the key that takes it: 1 to 3 candidates, 7 to 9 what registries found. */
  options(reference) {
    const found = this.found.get(reference.number);
    const [here, elsewhere] = found ? [true, false].map((inside) => found.filter((docno) => isDocument(docno) === inside)) : [reference.candidates, []];
    return new Map([...here.map((docno, i) => [i + 1, docno]), ...elsewhere.map((docno, i) => [i + 7, docno])]);
  }

  candidate(n) {
    return (this.current && this.options(this.current).get(n)) ?? null;
  }

  /** What a search found for a reference takes the place of its candidates. */
  take(number, found, documents) {
    Object.assign(data.paper.documents, documents);
    this.found.set(number, found);
    this.painted.forget(this.content.references.find((each) => each.number === number));
    this.show();
  }

  isInside(reference) {
    const known = data.paper.documents[reference.value];
    return Boolean(reference.value) && (known ? known.inside : this.inside.has(reference.value));
  }

  /** Go to the next unresolved reference, from the end on to the beginning; false where none is left. */
  goToUnresolved() {
    const all = this.content.references;
    const ahead = all.map((_, i) => (this.at + 1 + i) % all.length);
    const next = ahead.find((r) => isUnresolved(all[r]));
    if (next === undefined) return false;
    this.go(next, { focus: true });
    return true;
  }

  /** Type in the line of the current reference's identifier; `done` takes the text, or null where Escape was pressed. */
  edit(done) {
    const field = document.createElement("input");
    Object.assign(field, { dir: "auto", value: this.current.value ?? "", autocomplete: "off", spellcheck: false, className: "extraction-identifier" });
    field.placeholder = say("DOI, address, or words of the title");
    field.setAttribute("aria-label", say("Identifier of reference {number}, or words to search for; Enter keeps it, Escape leaves it as it was", { number: this.current.number }));
    this.row().querySelector(".extraction-value").replaceChildren(field);
    field.select();
    this.isEditing = true;
    const end = (typed) => {
      field.removeEventListener("blur", keep);
      this.isEditing = false;
      this.painted.forget(this.current);
      done(typed);
    };
    const keep = () => end(field.value);
    field.addEventListener("blur", keep);
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.isComposing || (event.key !== "Escape" && event.key !== "Enter")) return;
      event.preventDefault();
      end(event.key === "Enter" ? field.value : null);
    });
  }

  go(at, { focus = false } = {}) {
    if (at !== this.at) {
      this.at = at;
      this.show();
      this.dispatchEvent(new CustomEvent("moved"));
    }
    if (focus) this.focus();
  }

  goTo(number, { focus = false } = {}) {
    const at = this.content.references.findIndex((each) => each.number === number);
    if (at < 0) return;
    this.go(at, { focus });
    this.row()?.scrollIntoView({ block: "nearest" });
  }

  /** Mark the entries that a sentence cites, and show the first of them unless one is current already. */
  showCited(numbers) {
    this.cited = new Set(numbers);
    if (!numbers.length || this.cited.has(this.current?.number)) return this.show();
    this.goTo(numbers.find((number) => this.content.references.some((each) => each.number === number)));
    this.show();
  }

  move(steps) {
    this.go(Math.max(0, Math.min(this.content.references.length - 1, this.at + steps)), { focus: true });
  }

  row() {
    return this.root.querySelector("[data-row][aria-current]");
  }

  focus() {
    this.row()?.focus({ preventScroll: true });
    this.row()?.scrollIntoView({ block: "nearest" });
  }

  render(content, inside) {
    this.content = content;
    this.inside = inside;
    this.at = Math.max(0, Math.min(this.at, content.references.length - 1));
    this.show();
  }

  show() {
    if (this.isEditing) return;
    const hadFocus = this.root.contains(document.activeElement);
    const seen = new Map();
    for (const each of this.content.references) if (each.value) seen.set(each.value, (seen.get(each.value) ?? 0) + 1);
    const items = this.content.references.map((each, r) => {
      const isDouble = seen.get(each.value) > 1;
      const looks = [r, r === this.at, isDouble, this.isInside(each), this.cited.has(each.number)].join();
      return this.painted.of(each, looks, () => this.item(each, r, isDouble));
    });
    if (arrange(this.root, items) && hadFocus) this.focus();
  }

  item(reference, r, isDouble) {
    const isCurrent = r === this.at;
    const item = make("li", "extraction-reference text-s break");
    item.dataset.row = r;
    item.classList.toggle("is-cited", this.cited.has(reference.number));
    item.tabIndex = isCurrent ? 0 : -1;
    if (isCurrent) item.setAttribute("aria-current", "true");
    item.append(make("p", "extraction-raw", `[${reference.number}] ${reference.raw}`), this.value(reference, isDouble));
    if (isCurrent) item.append(...this.candidates(reference));
    return item;
  }

  value(reference, isDouble) {
    const line = make("p", "row small extraction-value");
    const isInside = this.isInside(reference);
    const kind = isInside && reference.kind === "other" ? say("document") : (KINDS[reference.kind] ?? reference.kind);
    if (!isUnresolved(reference) || reference.value) line.append(make("span", "badge", kind));
    if (reference.value) line.append(make("span", "mono break", reference.value));
    if (isInside) line.append(make("span", "badge ok", say("in the collection")));
    if (isDouble) line.append(make("span", "badge warn", say("twice")));
    if (isUnresolved(reference)) line.append(make("span", "badge warn", say("unresolved")));
    const isPicked = reference.settled || reference.candidates.includes(reference.value);
    if (reference.refereed && !isPicked) line.append(make("span", "badge warn", say("a preprint that has a refereed version")));
    if (reference.ambiguous && !isPicked) line.append(make("span", "badge warn", say("several fit: pick one")));
    return line;
  }

  candidates(reference) {
    const options = this.options(reference);
    if (!options.size) return [make("p", "small muted", this.found.has(reference.number) ? say("Nothing similar was found. P takes an identifier or other words.") : say("No candidate. S searches, P takes an identifier."))];
    const list = make("ol", "extraction-candidates stack gap-1");
    for (const [n, docno] of options) list.append(this.choice(reference, docno, n));
    return [list];
  }

  choice(reference, docno, n) {
    const known = data.paper.documents[docno] ?? { title: docno, authors: [] };
    const button = make("button", "extraction-candidate");
    button.type = "button";
    button.dataset.pick = n;
    button.setAttribute("aria-pressed", String(docno === reference.value));
    const title = make("span", "extraction-candidate-title");
    for (const [text, differs] of known.pieces?.[reference.number] ?? [[known.title, false]]) {
      title.append(differs ? make("mark", "", text) : text);
    }
    const more = [known.authors.join("; "), known.venue, known.year].filter(Boolean).join(" · ");
    const about = make("span", "small");
    about.append(make("span", "muted", more), more ? " · " : "", make("span", "mono break", docno));
    button.append(make("kbd", "", String(n)), title, about);
    if (docno === reference.refereed) button.append(make("span", "badge info", say("refereed version")));
    if (known.inside === false) button.append(make("span", "badge", say("outside the collection")));
    const item = make("li");
    item.append(button);
    return item;
  }
}

const isDocument = (docno) => data.paper.documents[docno]?.source !== "registry";

/** Whether nobody has said what the reference is and its proposal leaves it open: no identifier, or several to pick. */
export function isUnresolved({ settled, value, candidates, ambiguous, refereed }) {
  if (settled) return false;
  return !value || Boolean((ambiguous || refereed) && !candidates.includes(value));
}

function make(name, kind = "", text = null) {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (text !== null) Object.assign(element, { dir: "auto", textContent: text });
  return element;
}
