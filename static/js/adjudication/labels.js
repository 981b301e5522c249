/** Keys of the list of machine labels. Everything they do is a button of the row; without a script the buttons work. */

import { digitOf } from "../keys.js";

const rows = () => [...document.querySelectorAll("[data-label][id]")];
const typing = (target) => target.matches?.("textarea, select, input");
const current = () => document.activeElement?.closest?.("[data-label][id]");

function move(step) {
  const all = rows();
  const place = all.indexOf(current());
  const next = all[place < 0 ? 0 : Math.min(Math.max(place + step, 0), all.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || typing(event.target)) return;
  const key = event.key.toLowerCase();
  if (key === "j" || key === "k") move(key === "j" ? 1 : -1);
  else {
    const wanted = key === "enter" ? "[data-accept]" : `[data-key="${CSS.escape(String(digitOf(event) ?? key))}"]`;
    const button = event.target.matches?.("a, button") && key === "enter" ? null : current()?.querySelector(wanted);
    if (!button) return;
    button.click();
  }
  event.preventDefault();
});

// The row that was corrected is replaced: its successor gets the focus, so that the next key is about the next label.
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  const row = document.getElementById(detail.target.id);
  const isCorrection = detail.requestConfig?.elt.closest?.("[data-label]") || detail.requestConfig?.path.includes("machine-labels");
  if (!isCorrection || !detail.target.matches("[data-label]")) return;
  const next = row?.querySelector('[data-key="u"]') ? row.nextElementSibling : row;
  (next ?? row)?.focus();
});
