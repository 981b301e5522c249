"""The whole road, once on DORIS-MAE's real data and once on the demo: documents in, labels in a browser, qrels out."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from accounts.models import JobState, User
from adjudication.models import AgreementRun, Method, Verdict, VoteRun
from annotation.models import AnnotatorState, Assignment, AssignmentState, Campaign, Item, Judgment
from config.demo.people import EVERYBODY
from corpus.models import Collection, Membership, Role
from tests.factories.accounts import AT, UserFactory
from tests.processes import Child, wait_for
from tests.shared import shared_path

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOVING = {"reduced_motion": "no-preference"}  # the whole road, with all that moves on the way
BY_KEYS = 5  # labels each annotator gives in the browser
NAMES = ("ada", "ben", "cleo")
QUERIES = ("0", "3")  # 168 of the 1,589 judged pairs
Pair = tuple[str, str]  # topic, docno


def run_command(command: str, *arguments: str) -> dict[str, Any]:
    """The JSON a command prints."""
    out = io.StringIO()
    call_command(command, *arguments, "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def wait_for_job(page: Page, job: Callable[[], Any]) -> Any:
    """The finished job of the real worker; its page is open and polls."""
    wait_until(page, lambda: (found := job()) is not None and found.is_final)
    found = job()
    assert found.state == JobState.DONE, found.reason
    return found


def judge_by_keys(page: Page, address: str, name: str, right: Callable[[Assignment], int], most: int) -> int:
    """Label the next items by digits alone; every save must be acknowledged. Returns how many."""
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    mine = Assignment.objects.filter(annotator__user__email=f"{name}@example.org", annotator__campaign__slug="main")
    done = mine.filter(state=AssignmentState.DONE).count()
    for number in range(most):
        upcoming = (
            mine.filter(state=AssignmentState.PENDING)
            .select_related("item__topic", "item__aspect", "item__document")
            .order_by("position", "pk")
            .first()
        )
        assert upcoming is not None
        expect(page.locator("[data-part=docno]")).to_have_text(upcoming.item.document.docno)
        expect(page.locator("[data-part=breadcrumb] [data-part=aspect]")).to_have_text(upcoming.item.aspect.text)
        page.keyboard.press(str(right(upcoming)))
        wanted = done + number + 1
        wait_until(page, lambda wanted=wanted: mine.filter(state=AssignmentState.DONE).count() == wanted)
    return most


# --- DORIS-MAE -------------------------------------------------------------------------------------------------------


@pytest.fixture
def sums() -> dict[Pair, int]:
    """The published sum of item scores of each judged pair of two queries (all are in test_relevance.py)."""
    with shared_path("data", "doris-mae", "judged", "relevance.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return {(row["query-id"], row["corpus-id"]): int(row["sum"]) for row in rows if row["query-id"] in QUERIES}


def spread(total: int, items: list[int]) -> Iterator[tuple[int, int]]:
    """Grades 0 to 2 over the items of a pair that add up to the published sum."""
    for item in items:
        grade = min(2, total)
        total -= grade
        yield item, grade
    assert total == 0, "the sum is larger than its items can carry"


@pytest.mark.timeout(900)
def test_doris_mae_from_files_to_measures(
    sums: dict[Pair, int], new_page: Callable[..., Page], celery_worker: Child, tmp_path: Path
) -> None:
    judged = shared_path("data", "doris-mae", "judged")
    run_command("create_collection", "doris", "--title", "DORIS-MAE, judged part")
    documents = run_command("import_documents", "doris", str(judged / "corpus.jsonl"))
    assert (documents["created"], documents["errors"]) == (1540, [])
    topics = run_command("import_topics", "doris", str(shared_path("data", "doris-mae", "queries.txt")))
    assert (topics["created"], topics["errors"]) == (100, [])
    pool = tmp_path / "pool.txt"
    pool.write_text("".join(f"{topic} {docno}\n" for topic, docno in sums))
    assert run_command("import_pool", "doris", str(pool))["created"] == len(sums) == 168
    run_command(
        "create_campaign",
        "doris",
        "Main",
        "--kind",
        "relevance",
        "--overlap",
        "3",
        "--strategy",
        "planned",
        "--seed",
        "7",
    )
    collection = Collection.objects.get(slug="doris")
    campaign = Campaign.objects.get(collection=collection)
    people = {name: UserFactory(email=f"{name}@example.org", name=name) for name in (*NAMES, "mona")}
    for name, user in people.items():
        role = Role.MANAGER if name == "mona" else Role.ANNOTATOR
        Membership.objects.create(collection=collection, user=user, role=role, created_at=AT)

    manager = new_page(user=people["mona"], **MOVING)
    home = "/c/doris/campaigns/main/"
    for name in NAMES:
        campaign.annotators.create(name=name, user=people[name], created_at=AT, state=AnnotatorState.ACTIVE)
    plan = run_command("assign", "doris", "main", "--seed", "7")
    items = Item.objects.filter(campaign=campaign).count()
    assert plan["items"] == items
    assert set(plan["annotators"].values()) == {items}  # three people, overlap three: everybody has every item
    open_summary(manager, home)

    # What everybody should say: grades whose sums are the published ones. Cleo differs now and then.
    members: dict[Pair, list[int]] = {}
    for pk, topic, docno in (
        Item.objects.filter(campaign=campaign).order_by("pk").values_list("pk", "topic__number", "document__docno")
    ):
        members.setdefault((topic, docno), []).append(pk)
    right = dict(pair for key, total in sums.items() for pair in spread(total, members[key]))

    def grade(item: int, name: str) -> int:
        return (right[item] + 1) % 3 if name == "cleo" and item % 7 == 0 else right[item]

    for name in NAMES:
        page = new_page(user=people[name], **MOVING)
        judge_by_keys(page, f"{home}label/", name, lambda each, name=name: grade(each.item_id, name), BY_KEYS)
    assert Judgment.objects.count() == BY_KEYS * len(NAMES)

    rest = tmp_path / "rest.csv"
    with rest.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["annotator", "topic", "aspect", "docno", "criterion", "value"])
        waiting = Assignment.objects.filter(item__campaign=campaign, state=AssignmentState.PENDING).values_list(
            "annotator__name", "item__topic__number", "item__aspect__text", "item__document__docno", "item_id"
        )
        for name, topic, aspect, docno, item in waiting:
            writer.writerow([name, topic, aspect, docno, "relevance", grade(item, name)])
    imported = run_command("import_judgments", "doris", "main", str(rest))
    assert (imported["created"], imported["errors"]) == (3 * items - BY_KEYS * len(NAMES), [])
    assert run_command("import_judgments", "doris", "main", str(rest))["unchanged"] == imported["created"]

    compute(manager, f"{home}agreement/", "Compute", lambda: AgreementRun.objects.order_by("-pk").first())
    expect(manager.get_by_role("heading", name="Pair by pair")).to_be_visible()
    manager.select_option("#statistic", "spearman")
    expect(manager.locator(".headline")).to_contain_text("Spearman")
    compute(manager, f"{home}adjudication/", "Count the votes", lambda: VoteRun.objects.order_by("-pk").first())
    expect(manager.get_by_text("unanimous,")).to_be_visible()
    figures = agreement_summary(campaign)
    assert figures[("accuracy", ("ada", "ben"))] == 1
    assert 0.8 < figures[("accuracy", ("ada", "cleo"))] < 0.9

    out = tmp_path / "doris.qrels"
    call_command("export", "doris", "--format", "qrels", "--campaign", "main", "--out", str(out), stderr=io.StringIO())
    qrels = list(ir_measures.read_trec_qrels(str(out)))
    assert {(each.query_id, each.doc_id): each.relevance for each in qrels} == sums
    run = list(ir_measures.read_trec_run(str(shared_path("data", "doris-mae", "runs", "bm25.run"))))
    run = [line for line in run if line.query_id in QUERIES]
    own = [ir_measures.Qrel(topic, docno, total) for (topic, docno), total in sums.items()]
    measures = [ir_measures.nDCG @ 10, ir_measures.R(rel=10) @ 20, ir_measures.AP(rel=10)]
    ours = ir_measures.calc_aggregate(measures, qrels, run)
    assert ours == ir_measures.calc_aggregate(measures, own, run)
    assert 0 < ours[ir_measures.nDCG @ 10] < 1


def open_summary(page: Page, home: str) -> None:
    """Open the campaign by the manager's own button."""
    page.goto(home)
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("button", name="Close the campaign")).to_be_visible()
    assert Campaign.objects.get(slug="main").state == "open"


def compute(page: Page, address: str, button: str, job: Callable[[], Any]) -> None:
    page.goto(address)
    page.get_by_role("button", name=button).first.click()
    wait_for_job(page, job)


def agreement_summary(campaign: Campaign) -> dict[tuple[str, tuple[str, ...]], float | None]:
    run = AgreementRun.objects.filter(campaign=campaign).latest("pk")
    return {
        (result.statistic, tuple(result.annotators)): result.value
        for result in run.results.filter(scope="pair", criterion="relevance")
    }


# --- the demo --------------------------------------------------------------------------------------------------------


@pytest.mark.timeout(600)
def test_the_demo_from_a_label_to_qrels(new_page: Callable[..., Page], celery_worker: Child, tmp_path: Path) -> None:
    call_command("load_demo", stdout=io.StringIO())
    people = {person.name: User.objects.get(email=person.email) for person in EVERYBODY}
    trial = "/c/demo/campaigns/trial-round/"
    given = Judgment.objects.count()

    ada = new_page(user=people["Ada"], **MOVING)
    ada.goto("/")
    ada.get_by_role("link", name="Continue").first.click()
    ada.wait_for_selector("body[data-ready]")
    for number in range(1, 6):
        shown = ada.locator("[data-part=title]").inner_text() + ada.locator("[data-part=breadcrumb]").inner_text()
        ada.keyboard.press("1")
        wait_until(ada, lambda number=number: Judgment.objects.count() == given + number)
        ada.wait_for_function(
            "before => document.querySelector('[data-part=title]').innerText"
            " + document.querySelector('[data-part=breadcrumb]').innerText !== before",
            arg=shown,
        )
    ada.keyboard.press("u")
    wait_until(ada, lambda: Judgment.objects.count() == given + 4)

    adam = new_page(user=people["Adam Adjudicator"], **MOVING)
    adam.goto(f"{trial}adjudication/")
    ties = Verdict.objects.filter(method=Method.UNRESOLVED)
    open_ones = ties.count()
    assert open_ones >= 3  # the demo has something to settle
    for left in range(open_ones, 0, -1):
        adam.keyboard.press("1")
        with adam.expect_navigation():  # until the next page listens to keys
            adam.keyboard.press("Enter")
        assert ties.count() == left - 1
    expect(adam.get_by_text("Nothing needs a decision")).to_be_visible()

    first = AgreementRun.objects.get()  # asked for with the demo, computed by the worker
    wait_until(adam, lambda: AgreementRun.objects.get(pk=first.pk).state == JobState.DONE)
    maria = new_page(user=people["Maria Manager"], **MOVING)
    maria.goto(f"{trial}agreement/")
    expect(maria.locator(".headline")).to_contain_text("Cohen’s κ")

    out = tmp_path / "demo.qrels"
    words = ["--format", "qrels", "--campaign", "trial-round", "--level", "aspect", "--out", str(out)]
    call_command("export", "demo", *words, stderr=io.StringIO())
    assert len(out.read_text("utf-8").splitlines()) == Item.objects.filter(campaign__slug="trial-round").count()
    maria.goto("/c/demo/exports/")
    maria.locator("summary", has_text="Collection and judgments").click()
    with maria.expect_download() as download:
        maria.get_by_role("link", name="Download").first.click()
    assert download.value.path().stat().st_size > 0


def wait_until(page: Page, check: Callable[[], bool]) -> None:
    """Let the page work until the database says so."""
    wait_for(lambda: page.wait_for_timeout(20) or check(), what="what the page does")
