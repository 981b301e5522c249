/** Small hands for the page: its parts by name, its data, what is said to screen readers. */

export const data = JSON.parse(document.getElementById("label-data").textContent);

/** The element marked data-part="name", within `root`. */
export function part(name, root = document) {
  return root.querySelector(`[data-part="${name}"]`);
}

export function show(element, visible = true) {
  if (element) element.hidden = !visible;
}

/** Show `text` in a part, and hide the part when there is none. */
export function setText(name, text, root = document) {
  const element = part(name, root);
  if (!element) return;
  element.textContent = text ?? "";
  element.hidden = !text;
}

/** Say something to people who cannot see the screen; the same text twice is said twice. */
export function announce(text) {
  const announcer = part("announcer");
  announcer.textContent = announcer.textContent === text ? `${text}\u00a0` : text;
}

/** A notice above the unit that stays until it is dismissed. */
export function notice(text) {
  setText("notice-text", text);
  show(part("notice"), Boolean(text));
}

/** A copy of a <template>'s one element. */
export function fromTemplate(name) {
  return document.querySelector(`[data-template="${name}"]`).content.firstElementChild.cloneNode(true);
}

/** Text with <mark> around its spans (start, end, start, end …), as nodes. */
export function marked(text, spans = []) {
  const nodes = [];
  let at = 0;
  for (let i = 0; i < spans.length; i += 2) {
    nodes.push(text.slice(at, spans[i]));
    const mark = document.createElement("mark");
    mark.textContent = text.slice(spans[i], spans[i + 1]);
    nodes.push(mark);
    at = spans[i + 1];
  }
  nodes.push(text.slice(at));
  return nodes;
}

/** Whether keys typed here are text, or choose something, and so are none of the screen's. */
export function takesKeys(element) {
  if (!(element instanceof Element)) return false;
  if (element.closest("dialog, [contenteditable], textarea, select, .menu")) return true;
  return element.matches("input:not([type=radio], [type=checkbox], [type=button], [type=submit])");
}

export const anyDialogOpen = () => Boolean(document.querySelector("dialog[open]"));

/** A UUID also where crypto.randomUUID is missing (plain HTTP on another host). */
export function newUuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
