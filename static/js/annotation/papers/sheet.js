/** The left pane: a page of the PDF with its blocks outlined, or the paper's text where there are no pages. */

import { data, marked, part } from "../labelling/page.js";
import { placeOfSentence, rangeOfSentence } from "./lines.js";
import { Zoom } from "./zoom.js";
import { say } from "../../words.js";

const MAKES_CONTEXT = new Set(["paragraph", "footnote", "caption"]);

export class Sheet extends EventTarget {
  constructor() {
    super();
    this.root = part("sheet");
    this.blocks = data.paper.blocks;
    this.pages = data.paper.pages;
    this.page = 0;
    this.selected = null;
    this.used = new Set();
    this.elements = new Map();
    this.spots = []; // boxes of what is marked on the page: a sentence, or an entry of the bibliography
    this.zoom = new Zoom(part("view"), this.root, this.blocks);
    if (!this.pages.length) this.showText();
    this.root.addEventListener("click", (event) => {
      const found = event.target.closest("[data-block]");
      if (found) this.select(Number(found.dataset.block), { focus: true });
    });
    this.root.addEventListener("focusin", (event) => {
      const found = event.target.closest("[data-block]");
      if (found) this.select(Number(found.dataset.block));
    });
  }

  /** Select the first paragraph that is likely to make a context, unless another is selected. */
  start() {
    const first = this.blocks.find((block) => block.part && MAKES_CONTEXT.has(block.kind)) ?? this.blocks[0];
    if (this.pages.length && !this.page) this.open(first?.boxes?.[0]?.page ?? 1);
    if (first && !this.selected) this.select(first.id);
  }

  onPage(page) {
    return this.blocks.filter((block) => block.boxes?.some((box) => box.page === page));
  }

  open(page) {
    if (page < 1 || page > this.pages.length || page === this.page) return;
    this.page = page;
    const picture = new Image();
    picture.src = pictureOf(page);
    picture.alt = say("Page {page}", { page });
    picture.decoding = "async";
    picture.addEventListener("error", () => this.root.classList.add("no-picture"), { once: true });
    const [width, height] = this.pages[page - 1];
    this.elements.clear();
    const outlines = this.onPage(page).flatMap((block) => this.outlines(block, page, width, height));
    this.root.classList.remove("no-picture");
    this.root.replaceChildren(picture, ...outlines);
    part("page-number").textContent = say("Page {page} of {pages}", { page, pages: this.pages.length });
    part("page-before").disabled = page === 1;
    part("page-after").disabled = page === this.pages.length;
    if (page < this.pages.length) new Image().src = pictureOf(page + 1);
    this.mark();
    this.paintSpots();
    const first = this.onPage(page)[0]?.boxes.find((box) => box.page === page);
    this.zoom.open(page, this.pages[page - 1], first ?? { page, x: 0, y: 0, width, height });
  }

  outlines(block, page, width, height) {
    const boxes = block.boxes.filter((box) => box.page === page);
    return boxes.map((box, i) => {
      const element = document.createElement("button");
      element.type = "button";
      element.className = "extraction-outline";
      element.tabIndex = -1;
      place(element, box, [width, height]);
      this.name(element, block, i === 0);
      return element;
    });
  }

  name(element, block, isFirst) {
    element.dataset.block = block.id;
    element.dataset.kind = block.kind;
    element.setAttribute("aria-label", `${block.kind}: ${block.text.slice(0, 120)}`);
    if (isFirst) this.elements.set(block.id, element);
    else element.setAttribute("aria-hidden", "true");
  }

  showText() {
    this.root.classList.add("as-text");
    part("page-tools").hidden = true;
    part("zoom").hidden = true;
    const parts = this.blocks.map((block) => {
      const element = document.createElement("button");
      element.type = "button";
      element.className = "extraction-text-block";
      element.dir = "auto";
      element.tabIndex = -1;
      this.name(element, block, true);
      element.removeAttribute("aria-label");
      element.textContent = block.text;
      return element;
    });
    this.root.replaceChildren(...parts);
    this.mark();
  }

  select(id, { focus = false } = {}) {
    const block = this.blocks.find((each) => each.id === id);
    if (!block) return;
    const isOther = block !== this.selected;
    this.selected = block;
    if (isOther) this.markSpots([]);
    this.turnTo(block.boxes);
    this.mark();
    if (isOther) this.dispatchEvent(new CustomEvent("selected"));
    const element = this.elements.get(id);
    if (focus) element?.focus({ preventScroll: true });
    if (this.pages.length) this.goTo(this.spots.length ? this.spots : (block.boxes ?? []));
    else element?.scrollIntoView({ block: "nearest" });
  }

  /** Make the first of these blocks the selected one, without showing it. */
  choose(ids) {
    this.selected = this.blocks.find((block) => ids.includes(block.id)) ?? this.selected;
    this.mark();
  }

  /** Open the page of the first of these boxes, unless one of them is in sight already. */
  turnTo(boxes = []) {
    if (this.pages.length && boxes.length && !boxes.some((box) => box.page === this.page)) this.open(boxes[0].page);
  }

  goTo(boxes) {
    const here = boxes.find((box) => box.page === this.page);
    if (here) this.zoom.goTo(here);
  }

  /** Select the block that a sentence was taken from, and mark the sentence in it. */
  showSentence(ids, text) {
    const among = this.blocks.filter((block) => ids.includes(block.id));
    const block = among.find((each) => rangeOfSentence(each.text, text)) ?? among[0];
    if (!block) return this.markSpots([]);
    if (block !== this.selected) this.select(block.id);
    if (!this.pages.length) return this.markText(block, rangeOfSentence(block.text, text));
    this.showBoxes(placeOfSentence(block, text), block.boxes);
  }

  /** Mark where the bibliography prints an entry. */
  showEntry(boxes = []) {
    if (this.pages.length) this.showBoxes(boxes);
  }

  showBoxes(spots, around = spots) {
    this.turnTo(spots.length ? spots : around);
    this.markSpots(spots);
    this.goTo(spots.length ? spots : around);
  }

  markSpots(spots) {
    this.spots = spots;
    this.paintSpots();
  }

  paintSpots() {
    for (const old of this.root.querySelectorAll(".extraction-spot")) old.remove();
    const size = this.pages[this.page - 1];
    if (!size) return;
    const here = this.spots.filter((spot) => spot.page === this.page);
    this.root.append(...here.map((spot) => {
      const element = document.createElement("span");
      element.className = "extraction-spot";
      place(element, spot, size);
      return element;
    }));
  }

  markText(block, range) {
    for (const [id, element] of this.elements) {
      if (element.firstElementChild) element.textContent = this.blocks.find((each) => each.id === id).text;
    }
    const element = this.elements.get(block.id);
    element?.replaceChildren(...marked(block.text, range ?? []));
    element?.querySelector("mark")?.scrollIntoView({ block: "nearest" });
  }

  move(steps) {
    const at = this.blocks.findIndex((each) => each.id === this.selected?.id);
    const next = this.blocks[Math.max(0, Math.min(this.blocks.length - 1, at + steps))];
    if (next) this.select(next.id, { focus: true });
  }

  /** Which blocks are contexts already. */
  use(contexts) {
    const used = new Set(contexts.flatMap((context) => context.blocks));
    if (used.size === this.used.size && [...used].every((block) => this.used.has(block))) return;
    this.used = used;
    this.mark();
  }

  mark() {
    for (const element of this.root.querySelectorAll("[data-block]")) {
      const id = Number(element.dataset.block);
      const isSelected = id === this.selected?.id;
      element.classList.toggle("is-used", this.used.has(id));
      element.setAttribute("aria-pressed", String(isSelected));
      if (!element.hasAttribute("aria-hidden")) element.tabIndex = isSelected ? 0 : -1;
    }
    const any = this.root.querySelector("[data-block]:not([aria-hidden])");
    if (any && !this.root.querySelector("[data-block][tabindex='0']")) any.tabIndex = 0;
  }
}

const pictureOf = (page) => data.urls.page.replace("/0/", `/${page}/`);

/** Put an element over a box of a page of that size. */
function place(element, box, [width, height]) {
  const shares = { left: box.x / width, top: box.y / height, width: box.width / width, height: box.height / height };
  for (const [name, share] of Object.entries(shares)) {
    element.style.setProperty(name, `${(share * 100).toFixed(3)}%`);
  }
}
