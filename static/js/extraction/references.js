/** The right pane: references with their identifiers and what they may be in the collection. */

import { data, part } from "../labelling/page.js";
import { arrange, Painted } from "./painting.js";

const KINDS = {
  doi: "DOI", arxiv: "arXiv", pubmed: "PubMed", anthology: "anthology", pdf: "PDF", url: "address", other: "other", none: "none",
};

export class References extends EventTarget {
  constructor() {
    super();
    this.root = part("references");
    this.at = 0;
    this.content = null;
    this.inside = new Set();
    this.cited = new Set(); // numbers that the current sentence cites
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

  candidate(n) {
    return this.current?.candidates[n - 1] ?? null;
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
    const hadFocus = this.root.contains(document.activeElement);
    const seen = new Map();
    for (const each of this.content.references) if (each.value) seen.set(each.value, (seen.get(each.value) ?? 0) + 1);
    const items = this.content.references.map((each, r) => {
      const isDouble = seen.get(each.value) > 1;
      const looks = [r, r === this.at, isDouble, this.inside.has(each.value), this.cited.has(each.number)].join();
      return this.painted.of(each, looks, () => this.item(each, r, isDouble));
    });
    if (arrange(this.root, items) && hadFocus) this.focus();
  }

  item(reference, r, isDouble) {
    const isCurrent = r === this.at;
    const item = make("li", "extraction-reference");
    item.dataset.row = r;
    item.classList.toggle("is-cited", this.cited.has(reference.number));
    item.tabIndex = isCurrent ? 0 : -1;
    if (isCurrent) item.setAttribute("aria-current", "true");
    item.append(make("p", "extraction-raw", `[${reference.number}] ${reference.raw}`), this.value(reference, isDouble));
    if (isCurrent) item.append(...this.candidates(reference));
    return item;
  }

  value(reference, isDouble) {
    const line = make("p", "row small");
    const isInside = Boolean(reference.value) && this.inside.has(reference.value);
    const kind = isInside && reference.kind === "other" ? "document" : (KINDS[reference.kind] ?? reference.kind);
    line.append(make("span", "badge", kind));
    if (reference.value) line.append(make("span", "mono break", reference.value));
    if (isInside) line.append(make("span", "badge ok", "in the collection"));
    if (isDouble) line.append(make("span", "badge warn", "twice"));
    const isPicked = reference.candidates.includes(reference.value);
    if (reference.refereed && !isPicked) line.append(make("span", "badge warn", "a preprint that has a refereed version"));
    if (reference.ambiguous && !isPicked) line.append(make("span", "badge warn", "several fit: pick one"));
    return line;
  }

  candidates(reference) {
    if (!reference.candidates.length) return [make("p", "small muted", "No candidate in the collection. P pastes an identifier.")];
    const list = make("ol", "extraction-candidates");
    reference.candidates.forEach((docno, i) => list.append(this.choice(reference, docno, i + 1)));
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
    button.append(make("kbd", "", String(n)), title, make("span", "small muted", more), make("span", "small mono break", docno));
    if (docno === reference.refereed) button.append(make("span", "badge info", "refereed version"));
    if (known.inside === false) button.append(make("span", "badge", "outside the collection"));
    const item = make("li");
    item.append(button);
    return item;
  }
}

function make(name, kind = "", text = null) {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (text !== null) element.textContent = text;
  return element;
}
