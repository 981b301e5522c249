/** One thing after the other. While a step of undo or a question to the server is on its way, what is asked for next
 * waits for the state that it leads to: so nothing is done to a state about to be replaced, and no key is lost. */

const waiting = [];
let isBusy = false;

/** Do it now, or as soon as what was asked for before is done. */
export function inTurn(act) {
  waiting.push(act);
  run();
}

export const mustWait = () => isBusy;

function run() {
  while (waiting.length && !isBusy) {
    try {
      const going = waiting.shift()();
      if (going instanceof Promise) follow(going);
    } catch (error) {
      reportError(error);
    }
  }
}

function follow(going) {
  isBusy = true;
  going.catch(reportError).finally(() => {
    isBusy = false;
    run();
  });
}

/** Do in a field what a key would have done, had the field been open when it was pressed. */
export function typeInto(field, key) {
  if (!field.matches("textarea, input")) return; // a dialog of buttons: not answered by who had not seen it yet
  const [from, to] = [field.selectionStart, field.selectionEnd];
  if (key.length === 1) field.setRangeText(key, from, to, "end");
  else if (key === "Backspace") field.setRangeText("", from === to ? Math.max(0, from - 1) : from, to, "end");
  else if (key === "Enter" && field.form) field.form.requestSubmit(field.form.querySelector("[type=submit]"));
  else if (key === "Escape" && field.form) field.closest("dialog").close("");
  else field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}
