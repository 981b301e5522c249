/** The labelling screen: everything is put together here. Without this script the page is a plain form that works. */

import { Clock } from "./clock.js";
import { LabellingSession } from "./session.js";
import * as dialogs from "./dialogs.js";
import { wireGestures } from "./gestures.js";
import { GuidelinePane } from "./guideline.js";
import { Hand, idsOf, keyOf } from "./hand.js";
import { labelKeys, listen } from "./keys.js";
import { Outbox } from "./outbox.js";
import { keepHand, keepPage, takeUp, Windows } from "./offline.js";
import { announce, anyDialogOpen, data, newUuid, notice, part, show } from "./page.js";
import * as screen from "./screen.js";
import { get, postOnLeaving, refreshSession } from "./server.js";
import { countFinished, showSaveState } from "./status.js";
import { openStore } from "./store.js";
import { say } from "../../words.js";

const FILL_AFTER = 1_000; // milliseconds after the page is there
const KEEP_AFTER = 50; // milliseconds
const UNITS_AT_MOST = 50; // that the server lets a page say it has
const LOOK_EVERY = 20_000; // milliseconds, while waiting for others
const NOT_NOW = new Set(["archived", "closed", "consent", "draft", "paused", "removed", "withdrew"]);

const store = await openStore(data.owner);
const windows = new Windows(data.owner, data.visit);
const hand = new Hand(data.hand);
const isKeptPage = await takeUp(store, hand);
const guideline = new GuidelinePane();
const clock = new Clock();
const outbox = new Outbox({
  store,
  url: data.urls.submission_create,
  user: data.user,
  context: (sending) => ({
    have: here(outbox.waiting.filter((entry) => entry.id !== sending.id)),
    visit: data.visit,
  }),
});
const session = new LabellingSession({ hand, outbox, clock, guideline });
const entryIds = (entry) => entry.submissions.map((submission) => submission.assignment);
/** Units in hand and of these entries, each once: a unit that was answered, taken back and answered has three entries. */
const here = (entries) => {
  const units = [...hand.held(), ...entries.map(entryIds)];
  return [...new Map(units.map((ids) => [ids.join("."), ids])).values()].slice(0, UNITS_AT_MOST);
};
/** What the server deals in addition to these units. In an open queue it notes that this browser holds them. */
const deal = (have = []) => {
  const query = new URLSearchParams({ have: have.map((ids) => ids.join(".")).join(","), visit: data.visit });
  return get(`${data.urls.label_next}?${query}`);
};
let lookTimer = null;

// --- what the server says ----------------------------------------------------------------------------------------------

outbox.addEventListener("changed", () => {
  showSaveState(outbox);
  if (outbox.trouble === "signed-out") dialogs.askSignIn();
});

outbox.addEventListener("settled", ({ detail }) => {
  hand.acknowledge(detail.entry.submissions);
  hand.add(detail.units);
  guideline.noteVersion(detail.guideline);
  detail.results.forEach((result, i) => {
    if (result.outcome === "counted" && !countedByServer(result)) countFinished(detail.finishes[i] ?? 0, outbox);
    if (result.outcome === "not-counted") notice(result.detail);
  });
  screen.showFeedback(detail.entry.title, detail.results.map((result) => result.feedback ?? ""));
  if (detail.refused) refused(detail.entry);
  keepSoon();
  if (!screen.currentUnit() && !session.inPast && hand.ahead.length) session.showPresent();
  else if (!screen.currentUnit()) showEmpty();
});

/** Whether it had arrived before this page was made: the answer was lost, and the server's count has it already. */
const countedByServer = (result) => new Date(result.at) < new Date(data.at);

/** An entry that the server did not take: shown again, or kept as a draft with the reason. */
async function refused(entry) {
  const { code, detail } = entry.failed;
  const isUndo = entry.submissions.every((submission) => submission.kind === "undo");
  if (code === "changed-elsewhere") {
    if (!anyDialogOpen()) await decide(entry);
  } else if (["invalid", "malformed"].includes(code) && !isUndo) {
    await outbox.drop(entry);
    session.bringBack(entry, detail);
  } else if (isUndo) {
    await outbox.drop(entry);
    notice(detail);
  } else if (NOT_NOW.has(code)) {
    notice(detail);
  }
}

async function decide(entry) {
  const choice = await dialogs.askWhichVersion(entry);
  if (choice === "theirs") await outbox.drop(entry);
  if (choice === "mine") {
    const [submission] = entry.submissions;
    Object.assign(submission, { uuid: newUuid(), base: entry.failed.current?.uuid ?? null });
    await outbox.retry(entry);
  }
}

// --- nothing to judge --------------------------------------------------------------------------------------------------

function showState(state) {
  turnAsking();
  show(part("unit"), false);
  show(part("empty"));
  for (const section of document.querySelectorAll("[data-empty]")) show(section, section.dataset.empty === state);
  document.querySelector(`[data-empty="${state}"] h2`)?.focus();
}

/** There is nothing here: wait for what is being sent, or ask the server what it has, or why it has nothing. */
async function showEmpty() {
  clearTimeout(lookTimer);
  if (outbox.trouble === "offline" || !navigator.onLine) {
    showState("offline");
    return;
  }
  if (outbox.waiting.length) {
    showState("loading");
    return;
  }
  await look();
}

async function look() {
  clearTimeout(lookTimer);
  const answer = await deal().catch(() => null);
  const { units = [], empty = "all-done", guideline: version } = answer?.body ?? {};
  hand.add(units);
  guideline.noteVersion(version);
  if (screen.currentUnit()) return; // meanwhile an answer was taken back, or the history opened
  if (!answer) {
    showState("offline");
    lookTimer = setTimeout(look, LOOK_EVERY);
    return;
  }
  if (answer.status === 401) {
    outbox.note("signed-out");
    return;
  }
  if (hand.ahead.length) {
    session.showPresent();
    return;
  }
  showState(empty);
  if (empty === "waiting") lookTimer = setTimeout(look, LOOK_EVERY);
}

session.addEventListener("empty", showEmpty);
session.addEventListener("shown", turnAsking);

// --- questions to the managers -----------------------------------------------------------------------------------------

let askingPanel = null;
let loading = null;

/** Load the panel once, at leisure as the rest of the hand; nothing happens without a network. */
function loadAsking() {
  loading ??= import("./asking.js")
    .then((panel) => {
      askingPanel = panel;
      panel.wireAsking(() => screen.chosenCell()?.cell.assignment, () => part("title").focus({ preventScroll: true }));
      turnAsking();
    })
    .catch(() => {
      loading = null;
    });
  return loading;
}

async function ask() {
  session.cancelTimer();
  await loadAsking();
  if (askingPanel) askingPanel.openAsking();
  else notice(say("The network is away. Ask when it is back."));
}

/** Until it is loaded, the panel knows only the item that the page came with: nothing may be sent about another. */
function turnAsking() {
  part("asking").inert = !askingPanel;
  const unit = screen.currentUnit();
  askingPanel?.turnTo(unit && { topic: unit.topic.number, docno: unit.document?.docno ?? null, cells: unit.cells });
}

// --- what the person does ----------------------------------------------------------------------------------------------

const isQuestion = data.layout === "question";
// Loaded only where questions are rated: others need not wait for it.
const question = isQuestion ? await import("./question.js") : null;
const search = isQuestion ? await import("./search.js") : null;

/** What only the rating of questions knows. */
const rating = {
  rewrite: () => whileThere(() => question.toggleRewrite()),
  "drop-rewrite": () => question.dropRewrite(),
  search: () => whileThere(() => search.openSearch()),
  too_many: () => whileThere(tooMany),
  tab: () => screen.enterCriteria(),
};

function whileThere(act) {
  if (!screen.chosenCell() || session.busy) return;
  session.cancelTimer();
  act();
}

/** More papers fit than may: discard with that reason, and say so in the note. */
function tooMany() {
  if (!data.tooMany) return;
  const { element } = screen.chosenCell();
  const note = element.querySelector("[data-note]");
  if (!note.value.includes(data.tooMany.note)) {
    note.value = [note.value.trim(), data.tooMany.note].filter(Boolean).join(" ");
    note.dispatchEvent(new Event("input", { bubbles: true }));
  }
  screen.gradeWithReason(element, data.tooMany);
  session.noteGrade(element, data.tooMany.criterion);
  announce(say("Discarded: {note}", { note: data.tooMany.note }));
  session.graded(element);
}

const acts = {
  ...(isQuestion && rating),
  submit: () => void session.submit(),
  undo: () => void session.undo(),
  earlier: () => void session.earlier(),
  later: () => session.later(),
  present: () => session.present(),
  skip: () => void skip(),
  flag: () => flag(),
  ask: () => void ask(),
  asking_close: () => askingPanel.closeAsking(),
  note: () => void screen.chosenCell()?.element.querySelector("[data-note]").focus(),
  guideline: () => guideline.toggle(),
  guideline_read: () => guideline.read(),
  highlights: () => toggleHighlights(),
  help: () => void dialogs.showPreferences(applyPreferences),
  look: () => void look(),
  drafts: () => dialogs.showDrafts(outbox.failed),
  digit: (value) => session.digit(value),
  move: (step, options) => session.move(step, options),
  escape,
};

function escape(event) {
  if (anyDialogOpen()) return;
  if (event.target.matches?.("textarea, input:not([type=radio], [type=checkbox]), select")) {
    if (isQuestion) question.leaveRewrite();
    part("title").focus({ preventScroll: true });
  } else if (session.timer) {
    session.undo();
  } else {
    session.present();
  }
}

async function skip() {
  if (!screen.chosenCell() || session.busy) return;
  session.cancelTimer();
  session.busy = true; // nothing is submitted between the question and its answer
  const reason = await dialogs.askSkipReason();
  session.busy = false;
  if (reason) session.skip(reason);
}

function flag() {
  const box = screen.chosenCell()?.element.querySelector("[data-flag]");
  if (!box) return;
  box.checked = !box.checked;
  announce(box.checked ? say("Flagged.") : say("No longer flagged."));
}

function toggleHighlights() {
  data.preferences.highlights = !data.preferences.highlights;
  applyPreferences();
  announce(data.preferences.highlights ? say("Highlights on.") : say("Highlights off."));
  dialogs.storePreferences(data.preferences);
}

function applyPreferences() {
  const { highlights, delay } = data.preferences;
  document.body.classList.toggle("plain-text", !highlights);
  document.body.classList.toggle("digit-submits", delay !== null && !data.byDocument);
  document.querySelector('[data-act="highlights"]').setAttribute("aria-pressed", String(highlights));
}

listen(acts);
labelKeys(data.preferences);
wireGestures({ session, acts, outbox, decide });
if (isQuestion) {
  search.wireSearch();
  part("rewrite-text").addEventListener("input", () => {
    session.cancelTimer();
    question.noteRewrite();
  });
  part("rewrite-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) session.submit();
  });
}

/** The page comes with a few units; the rest are fetched at leisure, for when the network goes away.
 *
 * Not while an answer is being stored: neither hand nor outbox names its unit then, and the server would deal it again.
 */
async function fillHand() {
  if (session.busy) {
    setTimeout(fillHand, FILL_AFTER);
    return;
  }
  const answer = await deal(here(outbox.waiting)).catch(() => null);
  hand.add(answer?.body?.units ?? []);
}
setTimeout(loadAsking, data.asked.length ? 0 : FILL_AFTER);
if (hand.ahead.length) setTimeout(fillHand, FILL_AFTER);

let keeping = null;
/** Keep what is in hand and the count for a page that is loaded without a network, some moments after they change. */
function keepSoon() {
  clearTimeout(keeping);
  keeping = setTimeout(() => keepHand(store, hand), KEEP_AFTER);
}
hand.onchange = keepSoon;

/** Units of an open queue that were not looked at are for others, once the page is left. Those whose answers have not
 * arrived yet stay. */
window.addEventListener("pagehide", () => {
  const visit = windows.close(outbox.entries.length > 0);
  if (!visit || !navigator.onLine) return;
  hand.letGo();
  keepHand(store, hand);
  postOnLeaving(data.urls.label_leave, { visit, seen: here(outbox.entries) }); // if it is lost, leases end in time
});

// A page from the browser's back-forward cache has an old hand.
window.addEventListener("pageshow", (event) => event.persisted && window.location.reload());

document.addEventListener("visibilitychange", async () => {
  if (document.hidden || outbox.trouble !== "signed-out") return;
  const user = await refreshSession().catch(() => null);
  if (user !== null) signedIn(user);
});

/** The person who signs in again must be the one whose answers are waiting. */
function signedIn(user) {
  if (user !== data.user) {
    notice(say("You signed in as somebody else. What waits here belongs to {email}: sign in as them to send it.", { email: data.email }));
    return;
  }
  dialogs.dialog("login").close();
  outbox.note("");
  outbox.flush();
  if (!screen.currentUnit()) showEmpty();
}

dialogs.wireDialogs({ onSignedIn: signedIn });

// --- beginning ---------------------------------------------------------------------------------------------------------

/** Begin with the unit that the address asks for, in my past or to be judged; else with the present. */
function begin() {
  const { opened } = data;
  if (opened) window.history.replaceState(null, "", window.location.pathname);
  if (opened?.cells.every((cell) => cell.done)) {
    hand.past.unshift(opened);
    hand.current = hand.ahead.shift() ?? null;
    session.earlier();
    return;
  }
  if (opened) {
    hand.ahead = [opened, ...hand.ahead.filter((unit) => keyOf(unit) !== keyOf(opened))];
  }
  session.showPresent();
}

if (!outbox.store.durable) notice(say("This browser keeps nothing for later, so stay online: each answer waits for the server."));
await outbox.resume(isKeptPage);
const unsent = new Set(outbox.entries.flatMap(entryIds));
hand.ahead = hand.ahead.filter((unit) => !idsOf(unit).some((id) => unsent.has(id)));
begin();
void keepPage();

document.body.dataset.ready = "true"; // for tests: keys work from now on
