/** The guideline next to the work: opened and folded by a key, fetched again when there is a newer version, announced once. */

import { announce, data, part, show, setText } from "./page.js";
import { get, inTurn, postForm } from "./server.js";
import { say } from "../../words.js";

export class GuidelinePane {
  /** `leave` gives the focus back to the work. */
  constructor(leave = () => part("title").focus({ preventScroll: true })) {
    this.leave = leave;
    this.version = data.guideline.version;
    this.folds = data.guideline.folded; // whether the person folds guidelines away once they have read them
    this.fetching = false;
    document.querySelector('[data-form="guideline-seen"]').addEventListener("submit", (event) => this.seen(event));
    part("guideline").querySelector("summary").addEventListener("click", (event) => {
      event.preventDefault();
      this.keep(!part("guideline").open);
    });
  }

  /** Open the guideline and go to it, or fold it away and go back to the work. */
  toggle() {
    this.keep(!part("guideline").open);
    if (this.folds) this.leave();
    else part("guideline-body").focus();
  }

  /** Keep the guideline open or folded, on every device. */
  keep(open) {
    part("guideline").open = open;
    this.folds = !open;
    const form = { version: this.version, folded: this.folds ? "yes" : "no" };
    void inTurn(() => postForm(data.urls.label_guideline, form)).catch(() => {}); // then it stays so on this page alone
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
    setText("guideline-version", say("version {version}", { version }));
    setText("guideline-news-version", say("version {version}", { version }));
    document.querySelector('[data-form="guideline-seen"] [name=version]').value = version;
    const form = document.querySelector("[data-label-form] [name=guideline]");
    if (form) form.value = version;
    show(part("guideline-news"));
    part("guideline").open = true; // once: read, it is folded again where it was
    announce(say("The guideline has changed: it is now version {version}.", { version }));
  }

  /** The key of the button, where it is there. */
  read() {
    if (!part("guideline-news").hidden) document.querySelector('[data-form="guideline-seen"]').requestSubmit();
  }

  async seen(event) {
    event.preventDefault();
    show(part("guideline-news"), false);
    if (this.folds) part("guideline").open = false;
    this.leave();
    const version = event.target.elements.version.value;
    await inTurn(() => postForm(data.urls.label_guideline, { version })).catch(() => {}); // then it is announced again
  }
}
