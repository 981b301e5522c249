/** From paper to paper: the screen of the next one takes the place of this one, with its address. */

import { announce } from "../base.js";

const place = () => window.location.pathname + window.location.search;
let shown = place(); // of the paper that is on the page
let onTheWay = false;

export const isOnTheWay = () => onTheWay;

/** Get the screen at the address, or what a form is answered with, and show it; then `start`. Nothing is lost where that fails. */
export async function open(address, options, start) {
  if (onTheWay) return;
  onTheWay = true;
  const headers = { "X-Requested-With": "XMLHttpRequest" }; // a form is answered with the next paper, not with its address
  const answer = await fetch(address, { headers, ...options }).catch(() => null);
  const text = await answer?.text().catch(() => null);
  onTheWay = false;
  if (typeof text !== "string") return announce("The server cannot be reached. What is shown is as it was: try again in a moment.", "bad");
  const page = new DOMParser().parseFromString(text, "text/html");
  if (![200, 422].includes(answer.status) || !page.querySelector(".versions-screen #content")) return window.location.reload();
  const now = new URL(answer.headers.get("Content-Location") ?? answer.url, window.location).href; // not that of a form
  if (answer.ok && now !== window.location.href) window.history.pushState({}, "", now);
  shown = place();
  document.title = page.title;
  document.getElementById("messages").replaceChildren(...page.getElementById("messages").children);
  document.getElementById("content").replaceWith(page.getElementById("content"));
  document.getElementById("content").focus({ preventScroll: true });
  window.scrollTo(0, 0);
  start();
}

window.addEventListener("popstate", () => {
  if (place() !== shown) window.location.reload(); // else within the page
});
