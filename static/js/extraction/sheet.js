/** The left pane: a page of the PDF with its blocks outlined, or the paper's text where there are no pages. */

import { data, part } from "../labelling/page.js";

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
    this.root.addEventListener("click", (event) => {
      const found = event.target.closest("[data-block]");
      if (found) this.select(Number(found.dataset.block), { focus: true });
    });
    this.root.addEventListener("focusin", (event) => {
      const found = event.target.closest("[data-block]");
      if (found) this.select(Number(found.dataset.block));
    });
  }

  start() {
    const first = this.blocks.find((block) => block.part && MAKES_CONTEXT.has(block.kind)) ?? this.blocks[0];
    if (this.pages.length) this.open(first?.boxes?.[0]?.page ?? 1);
    else this.showText();
    if (first) this.select(first.id);
  }

  onPage(page) {
    return this.blocks.filter((block) => block.boxes?.some((box) => box.page === page));
  }

  open(page) {
    if (page < 1 || page > this.pages.length || page === this.page) return;
    this.page = page;
    const picture = new Image();
    picture.src = pictureOf(page);
    picture.alt = `Page ${page}`;
    picture.decoding = "async";
    picture.addEventListener("error", () => this.root.classList.add("no-picture"), { once: true });
    const [width, height] = this.pages[page - 1];
    this.root.style.setProperty("aspect-ratio", `${width} / ${height}`);
    this.elements.clear();
    const outlines = this.onPage(page).flatMap((block) => this.outlines(block, page, width, height));
    this.root.classList.remove("no-picture");
    this.root.replaceChildren(picture, ...outlines);
    part("page-number").textContent = `Page ${page} of ${this.pages.length}`;
    part("page-before").disabled = page === 1;
    part("page-after").disabled = page === this.pages.length;
    if (page < this.pages.length) new Image().src = pictureOf(page + 1);
    this.mark();
  }

  outlines(block, page, width, height) {
    const boxes = block.boxes.filter((box) => box.page === page);
    return boxes.map((box, i) => {
      const element = document.createElement("button");
      element.type = "button";
      element.className = "extraction-outline";
      element.tabIndex = -1;
      place(element, { x: box.x / width, y: box.y / height, width: box.width / width, height: box.height / height });
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
    const parts = this.blocks.map((block) => {
      const element = document.createElement("button");
      element.type = "button";
      element.className = "extraction-text-block";
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
    const page = block.boxes?.[0]?.page;
    if (this.pages.length && page && !block.boxes.some((box) => box.page === this.page)) this.open(page);
    this.selected = block;
    this.mark();
    this.dispatchEvent(new CustomEvent("selected"));
    const element = this.elements.get(id);
    if (focus) element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
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

function place(element, { x, y, width, height }) {
  for (const [name, value] of Object.entries({ left: x, top: y, width, height })) {
    element.style.setProperty(name, `${(value * 100).toFixed(3)}%`);
  }
}
