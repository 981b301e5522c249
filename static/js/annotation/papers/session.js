/** Signing in again without leaving the paper: what was typed stays on the screen and in the browser's own store. */

import { data, part, setText } from "../labelling/page.js";
import { signInBy } from "../labelling/server.js";
import { say } from "../../words.js";

const dialog = document.querySelector('[data-dialog="login"]');
const form = document.querySelector('[data-form="login"]');

export function askSignIn() {
  if (dialog.open) return;
  dialog.showModal();
  form.password.focus();
}

/** Call `go` when the same person has signed in again. For another person the page loads again. */
export function onSignedIn(go) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const result = await signInBy(form);
    setText("login-error", result.reason, part("login"));
    if (!result.ok) return;
    dialog.close();
    if (result.user === data.user) go();
    else location.reload();
  });
  dialog.querySelector('[data-act="close-dialog"]').addEventListener("click", () => dialog.close());
}
