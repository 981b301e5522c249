/** Requests to the server. A network that fails is an Offline; everything else is an answer with its status. */

import { csrfToken } from "../../base.js";
import { data } from "./page.js";
import { say } from "../../words.js";

const PATIENCE = 30_000; // milliseconds until a request counts as lost

export class Offline extends Error {}

let token = csrfToken();

const headersFor = (method, isJson) => ({
  Accept: "application/json",
  "X-Requested-With": "XMLHttpRequest",
  ...(method === "POST" && { "X-CSRFToken": token }),
  ...(isJson && { "Content-Type": "application/json" }),
});

/** {status, body}: body is the JSON of the answer, or null when it is none. */
async function request(method, url, { json, form, keepalive } = {}) {
  const headers = headersFor(method, json);
  const body = json ? JSON.stringify(json) : form ? new URLSearchParams(form) : undefined;
  const signal = AbortSignal.timeout(PATIENCE);
  let response;
  try {
    const credentials = "same-origin";
    response = await fetch(url, { method, headers, body, signal, keepalive, redirect: "manual", credentials });
    const isJson = response.headers.get("Content-Type")?.includes("json");
    return { status: response.status, body: isJson ? await response.json() : null };
  } catch {
    throw new Offline();
  }
}

export const get = (url) => request("GET", url);
export const post = (url, json) => request("POST", url, { json });
/** A small request that arrives even when the page is left at once. */
export const postKept = (url, json) => request("POST", url, { json, keepalive: true });

/** The same while the page is being left, when a service worker must send it for the page. Nobody hears the answer. */
export function postOnLeaving(url, json) {
  const worker = navigator.serviceWorker?.controller;
  if (!worker) void postKept(url, json).catch(() => {});
  else worker.postMessage({ send: { url, request: { method: "POST", headers: headersFor("POST", true), body: JSON.stringify(json) } } });
}

let answered = Promise.resolve();

/** Send what a person wishes to be kept after their wish before it was answered: of two at once the first might stay. */
export function inTurn(send) {
  const answer = answered.then(send);
  answered = answer.catch(() => {});
  return answer;
}

export const postForm = (url, form) => request("POST", url, { form });

/** Who is signed in now, with a fresh token for what is sent next; null when nobody is. */
export async function refreshSession() {
  const { status, body } = await get(data.urls.label_session);
  if (status !== 200 || !body) return null;
  token = body.csrf;
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token; // of plain forms
  return body.user;
}

/** Sign in without leaving the page, as the form says: {ok, user} or {reason}. The password does not stay in it. */
export async function signInBy(form) {
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  const result = await signIn(form.login.value, form.password.value).catch(() => ({
    reason: say("The network is away. Try again when it is back."),
  }));
  button.disabled = false;
  form.password.value = "";
  if (!result.ok) form.password.focus();
  return result;
}

async function signIn(login, password) {
  await refreshSession(); // nobody's, but the cookie and the token must belong together
  const form = { login, password, csrfmiddlewaretoken: token };
  const { status, body } = await postForm(data.urls.account_login, form);
  if (status === 429) return { reason: say("Too many attempts. Wait a few minutes, then try again.") };
  if (status === 403) return { reason: say("The page is too old to sign in from. Use the sign-in page in a new tab.") };
  const user = await refreshSession();
  if (user !== null) return { ok: true, user };
  const errors = Object.values(body?.form?.fields ?? {}).flatMap((field) => field.errors ?? []);
  const all = [...(body?.form?.errors ?? []), ...errors];
  return { reason: all.join(" ") || say("One more step is needed: finish signing in on the sign-in page in a new tab.") };
}
