/** The guideline next to the work: opened by a key, fetched again when there is a newer version, announced once. */

import { announce, data, part, show, setText } from "./page.js";
import { get, postForm } from "./server.js";

export class GuidelinePane {
  /** `leave` gives the focus back to the work. */
  constructor(leave = () => part("title").focus({ preventScroll: true })) {
    this.leave = leave;
    this.version = data.guideline.version;
    this.fetching = false;
    document.querySelector('[data-form="guideline-seen"]').addEventListener("submit", (event) => this.seen(event));
  }

  /** Go to the guideline, or back from it. */
  toggle() {
    const pane = part("guideline");
    if (pane.contains(document.activeElement) && pane.open) {
      pane.open = !window.matchMedia("(max-width: 52rem)").matches;
      this.leave();
      return;
    }
    pane.open = true;
    part("guideline-body").focus();
  }

  /** A request has reported the newest version; fetch and announce it if it is new. */
  async noteVersion(version) {
    if (!version || version <= this.version || this.fetching) return;
    this.fetching = true;
    try {
      const { status, body } = await get(data.urls.label_guideline);
      if (status === 200) this.showVersion(body);
    } catch {
      // The next answer of the server sends the version again.
    } finally {
      this.fetching = false;
    }
  }

  showVersion({ version, html, changes }) {
    this.version = version;
    part("guideline-changes").innerHTML = changes; // escaped by the server
    show(part("guideline-changes"), Boolean(changes));
    part("guideline-body").innerHTML = html; // sanitised by the server, which is the only source
    setText("guideline-version", `version ${version}`);
    setText("guideline-news-version", `version ${version}`);
    document.querySelector('[data-form="guideline-seen"] [name=version]').value = version;
    const form = document.querySelector("[data-label-form] [name=guideline]");
    if (form) form.value = version;
    show(part("guideline-news"));
    announce(`The guideline has changed: it is now version ${version}.`);
  }

  /** The key of the button, where it is there. */
  read() {
    if (!part("guideline-news").hidden) document.querySelector('[data-form="guideline-seen"]').requestSubmit();
  }

  async seen(event) {
    event.preventDefault();
    show(part("guideline-news"), false);
    this.leave();
    const version = event.target.elements.version.value;
    await postForm(data.urls.label_guideline, { version }).catch(() => {}); // then it is announced again
  }
}
