/** Whether another page is on its way: what is pressed now would be meant for what that page shows. */

const PATIENCE = 20_000; // milliseconds; by then the page was stopped, or something was downloaded
let since = -Infinity;

export const isLeaving = () => performance.now() - since < PATIENCE;

// At the window, after all that the page's scripts do themselves: what they send without leaving is prevented by then.
window.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method === "dialog") return;
  if (isLeaving()) event.preventDefault(); // a second click, or Enter in a radio button, which sends by itself
  else since = performance.now();
});
window.addEventListener("beforeunload", () => {
  since = performance.now(); // links, and what scripts load
});
window.addEventListener("pageshow", () => {
  since = -Infinity; // also back from the browser's memory
});
window.addEventListener("keydown", (event) => {
  if (event.key === "Escape") since = -Infinity; // the browser stops loading
}, true);
