/** Keys of the screen: which key does what, when they rest, and the labels on the buttons. */

import { digitOf } from "../../keys.js";
import { say } from "../../words.js";
import { anyDialogOpen, data, takesKeys } from "./page.js";

const NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": say("Space") };

export const keyName = (key) => NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);

/** Write the present keys on every button, or hide them while shortcuts are off. */
export function labelKeys(preferences) {
  for (const label of document.querySelectorAll("[data-key]")) writeKey(label, preferences);
  for (const template of document.querySelectorAll("template")) {
    for (const label of template.content.querySelectorAll("[data-key]")) writeKey(label, preferences);
  }
  document.body.classList.toggle("without-keys", !preferences.shortcuts);
}

function writeKey(label, preferences) {
  label.textContent = keyName(preferences.keys[label.dataset.key]);
}

/** Call `acts[action](event)` for keys; `acts.digit(value)` for digits. An act that returns false lets the key pass. */
export function listen(acts) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.repeat || anyDialogOpen()) return;
    if (event.key === "Escape") {
      acts.escape(event);
      return;
    }
    if (!data.preferences.shortcuts || takesKeys(event.target)) return;
    const act = actFor(event, acts);
    if (act && act() !== false) event.preventDefault();
  });
}

function actFor(event, acts) {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    return event.key.toLowerCase() === "z" ? () => acts.undo() : null;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const onControl = event.target.matches?.("a, button, summary");
  const onRadio = event.target.matches?.("input[type=radio]");
  if (event.key === "Tab" && !event.shiftKey && acts.tab && event.target.matches?.("body, [data-part=title]")) {
    return () => acts.tab();
  }
  const digit = digitOf(event);
  if (digit !== null) return () => acts.digit(digit);
  if (event.key.startsWith("Arrow")) {
    const upright = event.key === "ArrowUp" || event.key === "ArrowDown";
    if (onRadio && !(upright && data.byDocument)) return null; // arrows move within radio buttons, as everywhere
    if (upright) return () => acts.move(event.key === "ArrowUp" ? -1 : 1, { focus: onRadio });
  }
  const pressed = event.key.toLowerCase();
  const action = Object.keys(data.preferences.keys).find((name) => data.preferences.keys[name].toLowerCase() === pressed);
  if (!action || !acts[action] || (onControl && ["enter", " "].includes(pressed))) return null;
  return () => acts[action]();
}
