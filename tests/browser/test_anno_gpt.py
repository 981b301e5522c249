"""Anno-GPT in Chromium from beginning to end: a stub of a model, three annotators, a real worker."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts import jobs
from accounts.models import Job, JobState
from adjudication.agreement.requests import request_vote
from adjudication.models import AgreementRun
from annotation.models import AnnoCycle, Assignment, Campaign, MachineReply, MachineRun
from tests.adjudication.cycles.cycle_steps import judged, measured
from tests.browser.axe import assert_accessible, assert_accessible_everywhere
from tests.browser.settled import open_tab, reload
from tests.conftest import unserved
from tests.factories.annotation import annotator, give_labels, make_campaign, make_material
from tests.processes import start_celery_worker, wait_for
from tests.stubs.chat import Answer, Call, ChatStub

pytestmark = [pytest.mark.browser, pytest.mark.services, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
LONG = 60_000  # milliseconds
PROMPT = "answer YES = 2\nanswer PARTLY = 1\nanswer NO = 0\n---\nDoes it meet “{aspect}”?\n{title}\n{abstract}\n"


def answer(call: Call) -> Answer:
    """Sure of itself but for one document, about which it will not decide."""
    if "On tea 3" in call.prompt and "careful" not in call.prompt:
        return Answer("It could be YES, it could be NO.")
    word = ("NO", "PARTLY", "YES")[sum(map(ord, call.prompt)) % 3]
    return Answer(f"Let me see.\n{word}", usage=(120, 6))


@pytest.fixture
def model(own_queue: str, tmp_path: Path, settings: Any) -> Iterator[ChatStub]:
    """A stub of a model, known to the pages and to its own worker."""
    with ChatStub(answer) as stub:
        settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_RATE = stub.url, "stub", 0
        own = {"LITMUS_LLM_BASE_URL": stub.url, "LITMUS_LLM_MODEL": "stub", "LITMUS_LLM_RATE": "0"}
        worker = start_celery_worker(tmp_path / "worker.log", queue=own_queue, **own)
        yield stub
        worker.stop()


def write_prompt(page: Page, name: str, body: str) -> None:
    """Write a prompt with its preview and go on to trying it on the dev set."""
    page.get_by_role("link", name="Write a prompt").first.click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Text", exact=True).fill(body)
    expect(page.locator("#prompt-preview")).to_contain_text("Does it meet “Does thing")
    expect(page.locator("#prompt-preview")).to_contain_text("YES (2), PARTLY (1), NO (0)")
    page.get_by_role("button", name="Save the prompt").click()
    page.get_by_role("link", name="Let a model judge with it").click()
    page.get_by_role("button", name="Estimate first").click()
    expect(page.get_by_role("heading", name="Estimate")).to_be_visible()
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("[data-job-final=done]")).to_be_visible(timeout=LONG)


def test_from_a_dev_set_to_annotating_everything(new_page: NewPage, model: ChatStub, own_queue: str) -> None:
    made = make_material(topics=8, documents=4)
    judged(made, "Dev", "dev", sample=16)
    page = new_page(made.manager)

    page.goto("/c/teas/campaigns/")
    open_tab(page, "Collection", "Campaigns", "Anno-GPT")
    page.get_by_label("Margin of equivalence").fill("0.3")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", name="Cycle 1")).to_be_visible()

    # Two prompts on the dev set, with the agreement of each; one reply is invalid and a person decides it.
    write_prompt(page, "First", PROMPT)
    expect(page.get_by_text("holds two answers: YES and NO").first).to_be_visible()
    page.get_by_role("button", name="1 Partly").first.click()
    expect(page.get_by_text("states 1")).to_be_visible()
    page.goto("/c/teas/anno-gpt/1/")
    write_prompt(page, "Second", PROMPT + "Be careful.")
    page.goto("/c/teas/anno-gpt/1/")
    expect(page.get_by_role("rowheader", name="stub, First, version 1")).to_be_visible()
    expect(page.get_by_role("rowheader", name="stub, Second, version 1")).to_be_visible()

    # People judge the test set; nobody who tunes reads their labels before the machine is frozen.
    test = judged(made, "Test", "test", sample=32, labels=False)
    for name in ("ana", "ben", "cai"):
        give_labels(annotator(test, name), [number % 3 for number in range(32)], at=timezone.now())
    reload(page)
    page.get_by_role("button", name="Use as test set").click()
    expect(page.get_by_text("Nobody reads these labels until")).to_be_visible()
    page.goto("/c/teas/campaigns/test/agreement/")
    expect(page.get_by_text("are sealed until Anno-GPT cycle 1 freezes its machine")).to_be_visible()
    assert_accessible_everywhere(page, "/c/teas/anno-gpt/1/")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_label("stub, Second, version 1").check()
    page.get_by_role("button", name="Freeze it").click()
    page.locator("#confirm-dialog button[value=yes]").click()
    expect(page.get_by_role("button", name="Let the frozen machine judge the test set")).to_be_visible()
    frozen = AnnoCycle.objects.get()
    expect(page.get_by_text(frozen.frozen_hash, exact=True)).to_be_visible()

    # The test: two runs of the frozen machine, the votes of people, the table, the decision.
    page.get_by_role("button", name="Let the frozen machine judge the test set").click()
    expect(page.locator("#test").get_by_text("2 of 2 runs of the frozen machine")).to_be_visible()
    wait_for(lambda: ended(MachineRun, campaign=test), what="the runs on the test set")
    reload(page)
    jobs.carry_out(request_vote(campaign=test, by=made.manager, at=timezone.now(), send=False))
    # Here, without figures for papers; in test_road.py a worker computes after such a click, with all of them.
    with unserved(own_queue), page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_role("button", name="Compute the test").click()
    assert measured(AgreementRun.objects.get(campaign=test)).state == JobState.DONE
    reload(page)
    expect(page.locator("[data-cycle-result] tbody tr")).to_have_count(3)
    expect(page.locator("[data-cycle-result]").get_by_role("columnheader", name="Difference")).to_be_visible()
    page.get_by_label("Annotate everything with the frozen machine").check()
    page.get_by_label("Reason").fill("It agrees with us within the margin that we set.")
    override = page.get_by_label("Override the test")
    if override.count():  # offered only where the test is not passed
        override.check()
    page.get_by_role("button", name="Record the decision").click()
    page.locator("#confirm-dialog button[value=yes]").click()
    expect(page.locator("#decision").get_by_text("Decided", exact=False)).to_be_visible()

    # Everything: each pair once, in nobody's place.
    main = make_campaign(made)
    reload(page)
    page.get_by_role("button", name="Annotate Main round").click()
    wait_for(lambda: ended(MachineRun, campaign=main), what="the run over everything")
    reload(page)
    expect(page.locator("#everything").get_by_role("link", name="done, 100%")).to_be_visible()
    assert_accessible(page)
    run = MachineRun.objects.get(campaign=main)
    assert run.recipe_hash == frozen.frozen_hash
    assert MachineReply.objects.filter(run=run).values("item").distinct().count() == main.items.count() == 64
    assert not Assignment.objects.filter(annotator__kind="machine", slot__isnull=False).exists()
    assert Campaign.objects.filter(state="open").count() == 2


def ended(model: type[Job], **which: Any) -> bool:
    """Whether all these jobs have ended well; there must be some."""
    states = set(model._default_manager.filter(**which).values_list("state", flat=True))
    return states == {JobState.DONE}
