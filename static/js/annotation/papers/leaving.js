/** Links and forms of the page lead to what the server has: they wait until it has everything. */

import { notice } from "../labelling/page.js";
import { saver } from "./work.js";
import { say } from "../../words.js";

const KEPT = say("Your last edits could not be saved. They are kept in this browser; try again to go on without them.");

let goesAnyway = false; // what was tried again

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (link && isPlain) afterSaving(event, () => link.click());
});

document.addEventListener("submit", (event) => {
  if (event.target.method === "post" && !event.target.dataset.form) afterSaving(event, () => event.target.requestSubmit(event.submitter));
});

async function afterSaving(event, go) {
  if (saver.isClean || goesAnyway) return;
  event.preventDefault();
  if (!(await saver.flush())) {
    goesAnyway = true;
    return notice(KEPT);
  }
  go();
}

window.addEventListener("beforeunload", (event) => {
  if (!saver.isClean && !saver.canKeep) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") saver.flush();
});
