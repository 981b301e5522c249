/** The sections of the paper that cite: what each was decided to be and why, and the citing paragraphs that are in no
 * context, folded away below the contexts. */

import { data, part } from "../labelling/page.js";
import { say, sayMany } from "../../words.js";

const LONGEST = 180; // characters of a paragraph in the list

export class Sections extends EventTarget {
  constructor() {
    super();
    this.all = data.paper.sections;
    this.blocks = new Map(data.paper.blocks.map((block) => [block.id, block]));
    this.used = null;
    this.root = part("sections");
    this.root.addEventListener("click", (event) => {
      const whole = event.target.closest("[data-whole]");
      const block = event.target.closest("[data-outside]");
      if (whole) this.dispatchEvent(new CustomEvent("change", { detail: this.all[Number(whole.dataset.whole)] }));
      if (block) this.dispatchEvent(new CustomEvent("block", { detail: Number(block.dataset.outside) }));
    });
  }

  /** The section that a block stands in, if it cites anywhere. */
  of(id) {
    const block = this.blocks.get(id);
    if (!block) return undefined;
    const top = block.top || block.section || "";
    const same = this.all.filter((each) => each.top === top);
    return same.find((each) => each.part === (block.part ?? "")) ?? same[0];
  }

  /** Ids of the section's citing paragraphs that no context was made of. */
  outside(section) {
    return section.blocks.filter((id) => !this.used?.has(id));
  }

  /** What the section of a block was decided to be, in a line. */
  words(id) {
    const section = this.of(id);
    const name = this.blocks.get(id)?.section ?? "";
    if (!section) return name ? say("{name}: nothing is cited in this section", { name }) : "";
    const taken = say("{taken} of {all} citing paragraphs in contexts", { taken: section.blocks.length - this.outside(section).length, all: section.blocks.length });
    return `${name || say("Before the first heading")}: ${decided(section)}, ${taken}. ${section.reason}`;
  }

  use(contexts) {
    const used = new Set(contexts.flatMap((context) => context.blocks));
    if (this.used && used.size === this.used.size && [...used].every((id) => this.used.has(id))) return;
    this.used = used;
    const outside = this.all.reduce((sum, each) => sum + this.outside(each).length, 0);
    part("sections-outside").textContent = sayMany("{count} citing paragraph outside the contexts", "{count} citing paragraphs outside the contexts", outside);
    this.root.hidden = this.all.length === 0;
    part("section-list").replaceChildren(...this.all.map((each, n) => this.row(each, n)));
  }

  row(section, n) {
    const outside = this.outside(section);
    const row = element("li", "extraction-citing");
    const head = element("div", "row");
    const button = element("button", "button quiet end", outside.length ? say("Include") : say("Leave out"));
    button.type = "button";
    button.dataset.whole = n;
    button.setAttribute("aria-label", say("{verb} section {heading}", { verb: button.textContent, heading: section.heading }));
    const taken = say("{taken} of {all}", { taken: section.blocks.length - outside.length, all: section.blocks.length });
    head.append(element("h4", "text-s", section.heading || say("Before the first heading")), element("span", section.part ? "badge ok" : "badge", decided(section)), element("span", "small num", taken), button);
    row.append(head);
    if (section.reason) row.append(element("p", "small muted", section.reason));
    if (outside.length) row.append(this.paragraphs(outside));
    return row;
  }

  paragraphs(ids) {
    const list = element("ul", "");
    for (const id of ids) {
      const text = this.blocks.get(id).text;
      const button = element("button", "extraction-outside", text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
      button.type = "button";
      button.dataset.outside = id;
      const item = element("li", "");
      item.append(button);
      list.append(item);
    }
    return list;
  }
}

const decided = (section) => (section.part ? say("proposed as {part}", { part: say(section.part) }) : say("not proposed"));

function element(tag, name, text = "") {
  const made = document.createElement(tag);
  if (name) made.className = name;
  Object.assign(made, { dir: "auto", textContent: text });
  return made;
}
