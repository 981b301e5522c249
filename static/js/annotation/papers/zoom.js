/** How large the page is shown: at first its column fills the pane, so that margins are out of sight; or all of it. */

import { part } from "../labelling/page.js";

const MARGIN = 6; // points on each side of the column
const ABOVE = 0.2; // of the pane's height, above what one goes to
const ROOM = 12; // pixels around the whole page

export class Zoom {
  constructor(view, sheet, blocks) {
    this.view = view;
    this.sheet = sheet;
    this.isWhole = false;
    this.size = null; // [width, height] of the page in points
    this.target = null; // the box that is to be seen
    this.texts = blocks.filter((block) => block.kind === "paragraph").flatMap((block) => block.boxes ?? []);
    this.column = usualWidth(this.texts);
    new ResizeObserver(() => this.draw(true)).observe(view);
  }

  open(page, size, first) {
    this.page = page;
    this.size = size;
    this.target = first;
    this.draw(true);
  }

  toggle() {
    if (!this.size) return;
    this.isWhole = !this.isWhole;
    part("zoom").setAttribute("aria-pressed", String(this.isWhole));
    this.draw(true);
  }

  goTo(box) {
    this.target = box;
    this.draw(false);
  }

  /** Show the target; `afresh` also where it is in sight already. */
  draw(afresh) {
    if (!this.size || !this.view.clientWidth) return;
    const [width, height] = this.size;
    const { clientWidth, clientHeight } = this.view;
    const column = this.columnOf(this.target);
    const scale = this.isWhole
      ? Math.min((clientWidth - ROOM) / width, (clientHeight - ROOM) / height)
      : clientWidth / (column.width + 2 * MARGIN);
    this.sheet.style.setProperty("width", `${width * scale}px`);
    this.sheet.style.setProperty("height", `${height * scale}px`);
    if (this.isWhole) return this.view.scrollTo(0, 0);
    const [top, bottom] = [this.target.y * scale, (this.target.y + this.target.height) * scale];
    const isSeen = !afresh && top >= this.view.scrollTop && bottom <= this.view.scrollTop + clientHeight;
    const above = Math.min(ABOVE * clientHeight, Math.max(ROOM, clientHeight - (bottom - top)));
    this.view.scrollTo((column.x - MARGIN) * scale, isSeen ? this.view.scrollTop : top - above);
  }

  /** The column that a box stands in: as wide as most text is, or as its widest text where that is wider. */
  columnOf(box) {
    const width = this.column || this.size[0];
    if (box.width > width * 1.1) return { x: box.x, width: box.width };
    const sharesColumn = (other) => other.page === this.page && other.width <= width * 1.1 && other.x < box.x + box.width && box.x < other.x + other.width;
    const boxes = [box, ...this.texts.filter(sharesColumn)];
    const x = Math.min(...boxes.map((other) => other.x));
    return { x, width: Math.max(width, ...boxes.map((other) => other.x + other.width - x)) };
  }
}

/** The width that half of the text, by its height, is not wider than: that of its columns. */
function usualWidth(boxes) {
  const sorted = [...boxes].sort((a, b) => a.width - b.width);
  let left = sorted.reduce((sum, box) => sum + box.height, 0) / 2;
  return sorted.find((box) => (left -= box.height) <= 0)?.width ?? 0;
}
