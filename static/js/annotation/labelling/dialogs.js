/** The dialogs: why I skip, my keys, signing in again, two versions of one answer, what was not saved. */

import { data, fromTemplate, part, setText } from "./page.js";
import { wordsFor } from "./session.js";
import { keyName, labelKeys } from "./keys.js";
import { inTurn, post, postKept, signInBy } from "./server.js";
import { dateLanguage, say } from "../../words.js";

export const dialog = (name) => document.querySelector(`[data-dialog="${name}"]`);
const formOf = (name) => document.querySelector(`[data-form="${name}"]`);

export function open(name) {
  const element = dialog(name);
  if (!element.open) element.showModal();
  return element;
}

/** The value of the button that ended the dialog; "" for Escape. */
const closed = (element) =>
  new Promise((resolve) => {
    element.returnValue = "";
    element.addEventListener("close", () => resolve(element.returnValue), { once: true });
  });

// --- skipping ----------------------------------------------------------------------------------------------------------

/** The reason somebody gives for skipping, or null when they think better of it. */
export async function askSkipReason() {
  const form = formOf("skip");
  form.reset();
  setText("skip-error", "");
  const answer = await closed(open("skip"));
  const reason = [form.reason.value, form.text.value.trim()].filter(Boolean).join(": ");
  return answer === "skip" ? reason : null;
}

function checkSkip(event) {
  const form = formOf("skip");
  if (event.submitter?.value !== "skip" || form.reason.value || form.text.value.trim()) return;
  event.preventDefault();
  part("skip-error").hidden = false;
  part("skip-error").textContent = say("Say in a few words why you skip it.");
  form.text.focus();
}

// --- keys and preferences ----------------------------------------------------------------------------------------------

export async function showPreferences(onChange) {
  const form = formOf("preferences");
  fillPreferences(data.preferences);
  form.shortcuts.checked = data.preferences.shortcuts;
  form.marks.checked = data.preferences.highlights;
  form.delay.value = data.preferences.delay ?? "";
  setText("preferences-error", "");
  const element = open("help");
  element.addEventListener("close", () => onChange(), { once: true });
}

function fillPreferences({ keys }) {
  for (const input of formOf("preferences").querySelectorAll("[data-key-input]")) {
    input.dataset.value = keys[input.name];
    input.value = keyName(keys[input.name]);
  }
}

function takeKey(event) {
  if (!event.target.matches("[data-key-input]") || ["Tab", "Escape", "Shift"].includes(event.key)) return;
  event.preventDefault();
  event.target.dataset.value = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  event.target.value = keyName(event.target.dataset.value);
}

async function savePreferences(event) {
  if (event.submitter?.value !== "save") return;
  event.preventDefault();
  const form = formOf("preferences");
  const inputs = [...form.querySelectorAll("[data-key-input]")];
  const wanted = {
    shortcuts: form.shortcuts.checked,
    highlights: form.marks.checked,
    delay: form.delay.value === "" ? null : Number(form.delay.value),
    keys: Object.fromEntries(inputs.map((input) => [input.name, input.dataset.value])),
  };
  const reason = await storePreferences(wanted);
  setText("preferences-error", reason);
  if (!reason) dialog("help").close("save");
}

/** Keep the preferences here and with the person; the reason why not, or "". */
export async function storePreferences(wanted) {
  try {
    const { status, body } = await inTurn(() => postKept(data.urls.label_preferences, wanted));
    if (status !== 200) return body?.detail ?? say("They could not be stored. Try again in a moment.");
  } catch {
    return say("The network is away. Try again when it is back.");
  }
  data.preferences = { ...wanted, keys: { ...data.preferences.keys, ...wanted.keys } };
  labelKeys(data.preferences);
  return "";
}

// --- signing in again --------------------------------------------------------------------------------------------------

export function askSignIn() {
  if (dialog("login").open) return;
  open("login").querySelector("[name=password]").focus();
}

async function trySignIn(event, onSignedIn) {
  event.preventDefault();
  const result = await signInBy(formOf("login"));
  setText("login-error", result.reason);
  if (!result.ok) return;
  dialog("login").close();
  onSignedIn(result.user);
}

// --- two versions of one answer ----------------------------------------------------------------------------------------

/** "theirs", "mine" or "later", for an entry that was refused because the answer was changed elsewhere. */
export async function askWhichVersion(entry) {
  const { current, detail } = entry.failed;
  setText("conflict-title", entry.title);
  setText("conflict-reason", detail);
  part("theirs").replaceChildren(...versionRows(current));
  part("mine").replaceChildren(...versionRows(entry.submissions[0]));
  return (await closed(open("conflict"))) || "later";
}

function versionRows(version) {
  if (!version) return rows([[say("Answer"), say("none")]]);
  const at = version.received_at ?? version.client_at;
  const answer = version.kind === "undo" ? "undone" : wordsFor(version);
  const reasons = Object.values(version.reasons ?? {}).join(", ");
  return rows([
    [say("Answer"), answer],
    [say("Reason"), reasons],
    [say("Rewrite"), version.rewrite],
    [say("Note"), version.note],
    [say("Flag"), version.flagged ? say("flagged") : ""],
    [say("Given"), at ? new Date(at).toLocaleString(dateLanguage, { dateStyle: "medium", timeStyle: "short" }) : ""],
  ]);
}

const rows = (pairs) =>
  pairs
    .filter(([, value]) => value)
    .flatMap(([name, value]) => {
      const term = document.createElement("dt");
      const text = document.createElement("dd");
      text.dir = "auto";
      term.textContent = name;
      text.textContent = value;
      return [term, text];
    });

// --- what was not saved ------------------------------------------------------------------------------------------------

export function showDrafts(entries) {
  part("draft-list").replaceChildren(
    ...entries.map((entry) => {
      const item = fromTemplate("draft");
      item.dataset.entry = entry.id;
      setText("draft-title", entry.title, item);
      const words = (each) => (each.kind === "undo" ? say("Undone") : wordsFor(each));
      setText("draft-answer", entry.submissions.map(words).join(", "), item);
      setText("draft-reason", entry.failed?.detail ?? say("Waiting for the network."), item);
      return item;
    }),
  );
  open("drafts");
}

// --- wiring ------------------------------------------------------------------------------------------------------------

export function wireDialogs({ onSignedIn }) {
  formOf("skip").addEventListener("submit", checkSkip);
  formOf("preferences").addEventListener("submit", savePreferences);
  formOf("preferences").addEventListener("keydown", takeKey);
  formOf("login").addEventListener("submit", (event) => trySignIn(event, onSignedIn));
  document.addEventListener("click", (event) => {
    const act = event.target.closest?.("[data-act]")?.dataset.act;
    if (act === "close-dialog") event.target.closest("dialog").close();
    if (act === "default-keys") fillPreferences({ keys: data.defaultKeys });
  });
}
