"""The overview: annotators, agreement and machines of a campaign, and the way from each number to its judgments."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from adjudication.agreement.actions import request_agreement
from adjudication.agreement.reads.agreement import show
from adjudication.agreement.reads.contributing_items import contributing_to_difference, contributing_to_figure
from adjudication.models import AgreementRun, Method, Verdict
from adjudication.verdicts.actions.verdicts import decide_verdict
from adjudication.verdicts.reads.judgments import Chosen, find_judged
from annotation.models import (
    Annotator,
    Assignment,
    AssignmentState,
    Campaign,
    Item,
    Judgment,
    MachineReply,
    MachineRun,
    Submission,
    SubmissionKind,
)
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_pages import address, client_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign, make_items

pytestmark = pytest.mark.django_db

LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
TAGS = re.compile(r"<[^>]+>")
END = "data-judgments"  # the list of items with their labels


def text_of(html: str) -> str:
    return " ".join(unescape(TAGS.sub(" ", html)).split())


def main_of(page: str) -> str:
    return page.split("<main")[1].split("</main>", maxsplit=1)[0]


def links_with_numbers(page: str) -> Iterator[tuple[str, str]]:
    """(address, text) of each link in the main part whose text has a digit."""
    for href, inner in LINK.findall(main_of(page)):
        if re.search(r"\d", text_of(inner)):
            yield unescape(href), text_of(inner)


@pytest.fixture
def built() -> Built:
    """Everything there is a number for: people, two machine runs, verdicts of all sorts, repeats, a skip, a tie."""
    labels: list[list[int | None]] = [list(row) for row in noisy_labels(24, 4)]
    labels[5] = [0, 1, 1, 1]
    found = build_campaign(labels, people=("ana", "ben"), topics=2, machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    for item in found.items[:3]:
        found.label(item, "ana", 1, repeat=1)
    skip(found, found.items[0], "ben", "no abstract")
    vote(found)
    Verdict.objects.filter(item=found.items[1]).update(
        method=Method.BY_HAND, value=1, decided_by=found.people["adjudicator"], decided_at=AT
    )
    agree(found)
    return found


def skip(built: Built, item: Item, name: str, reason: str) -> None:
    """Turn the annotator's finished assignment into a skipped one."""
    assignment = Assignment.objects.get(item=item, annotator=built.annotators[name], repeat=0)
    assignment.judgments.all().delete()
    Assignment.objects.filter(pk=assignment.pk).update(state=AssignmentState.SKIPPED, slot=None)
    Submission.objects.create(
        uuid="6f1c3a52-0a6c-4c53-9c8a-0d6f3f1f2a11",
        assignment=assignment,
        kind=SubmissionKind.SKIP,
        reason=reason,
        received_at=AT,
    )


@pytest.mark.slow
def test_every_number_leads_to_its_judgments_in_two_clicks(built: Built) -> None:
    client = client_of(built, "manager")
    seen: dict[str, str] = {}

    def fetch(href: str) -> str:
        path = href.split("#", maxsplit=1)[0]
        if path not in seen:
            answer = client.get(path)
            assert answer.status_code == 200, path
            seen[path] = answer.content.decode()
        return seen[path]

    start = address("collection_dashboard")
    walked = 0
    for href, text in links_with_numbers(fetch(start)):
        first = urljoin(start, href)
        if any(part in urlsplit(first).path for part in ("/pools/", "/runs/", "/members/", "/documents/", "/topics/")):
            continue  # what the collection holds, not what was judged
        page = fetch(first)
        if END not in page:
            further = [urljoin(first, unescape(link)) for link, _ in LINK.findall(main_of(page))]
            assert any(END in fetch(link) for link in further if "judgments" in link), f"{text!r} at {first} ends there"
        walked += 1
    assert walked > 40


def test_no_number_of_the_tables_is_without_a_way_down(built: Built) -> None:
    page = main_of(client_of(built, "viewer").get(address("collection_dashboard")).content.decode())
    people = page.split('id="people"')[1].split("</section>")[0]
    matrix = page.split('id="pairs"')[1].split("<figure")[0]
    confusion = page.split('id="confusion"')[1].split("<tfoot>")[0]
    assert 'aria-label="ben: 23 done, 1 skipped"' in people
    for part in (people, matrix, confusion):
        for cell in re.findall(r"<td\b[^>]*>(.*?)</td>", part, re.DOTALL):
            text = text_of(cell)
            assert not re.search(r"\d", text) or "<a" in cell or text == "0" or text.endswith("0.0%"), text


@pytest.mark.slow
def test_the_lists_hold_what_the_numbers_say(built: Built) -> None:
    client = client_of(built, "viewer")
    ana, ben, machine = (built.annotators[name].pk for name in ("ana", "ben", "m-1"))

    def count(**asked: object) -> int:
        return int(client.get(address("judgment_list"), asked).context["page"].paginator.count)

    assert count() == 24
    assert count(annotator=ana, state="done") == 24
    assert count(annotator=ben, state="done") == 23
    assert count(annotator=ben, state="skipped") == 1
    assert count(annotator=ana, repeated=1) == 3
    assert count(item=built.items[7].pk) == 1
    assert count(topic=built.items[0].topic_id) == 12
    assert count(method="by-hand") == 1
    assert count(method="unresolved") == Verdict.objects.filter(method="unresolved").count()
    assert count(among="GG", model="m") == count(among="GH") == 24
    assert count(among="GA") == Verdict.objects.filter(value__isnull=False).count()
    page = client.get(address("disagreement_list"), {"pair": f"{machine},verdict", "all": 1})
    values = {row.item_id: row.value for row in Verdict.objects.filter(value__isnull=False)}
    own = dict(
        built.annotators["m-1"].assignments.filter(repeat=0).values_list("item_id", "judgments__value"),
    )
    assert page.context["page"].paginator.count == sum(own[item] != value for item, value in values.items())
    skipped = client.get(address("judgment_list"), {"annotator": ben, "state": "skipped"}).content.decode()
    assert "no abstract" in skipped
    asked = client.get(address("judgment_list"), {"annotator": ana, "repeated": 1}).content.decode()
    assert asked.count("asked again</span>") == 3


@pytest.mark.slow
@pytest.mark.parametrize("voters", ["humans", "machines", "all"])
def test_each_figure_opens_exactly_its_items(voters: str) -> None:
    labels: list[list[int | None]] = [list(row) for row in noisy_labels(60, 5)]
    rng = np.random.default_rng(5)
    holes = rng.random((60, 5)) < 0.3
    holes[8:, 2] = True  # few of cai: pairs with too few items stay out of means by name
    found = build_campaign(
        [
            [None if gone else value for value, gone in zip(*row, strict=True)]
            for row in zip(labels, holes, strict=True)
        ],
        topics=3,
        machines=[("m-1", "m", 1), ("m-2", "m", 2)],
    )
    vote(found, voters=voters, min_votes=1)
    run = agree(found)
    rows = list(run.results.select_related("run"))
    assert any("excluded_pairs" in row.extra for row in rows)
    for row in rows:
        items = find_judged(Chosen(found.criterion, contributing=contributing_to_figure(row, found.criterion)))
        assert items.count() == row.n_items, (row.statistic, row.scope, row.block, row.annotators)
    tests = run.detail["relevance"]["comparisons"]
    assert tests[0]["n_excluded"] > 0
    for test in tests:
        named = (run, found.criterion, test["statistic"], test["model"])
        assert (
            find_judged(Chosen(found.criterion, contributing=contributing_to_difference(*named))).count()
            == (test["difference"]["n_items"])
        )
        left_out = contributing_to_difference(*named, unfit=True)
        assert find_judged(Chosen(found.criterion, contributing=left_out)).count() == test["n_excluded"]


@pytest.mark.slow
def test_every_number_of_the_agreement_page_opens_its_items(built: Built) -> None:
    Judgment.objects.filter(assignment__annotator=built.annotators["m-2"], assignment__item=built.items[3]).delete()
    run = agree(built)
    client = client_of(built, "viewer")
    page = main_of(client.get(address("agreement_detail")).content.decode())
    tables = (
        page.split('id="whole"')[1].split("</table>")[0],
        page.split('id="blocks-heading"')[1].split("</section>")[0],
    )
    shown_elsewhere = {
        "Interval",
        "Pairs",
        "Note",
        "Detectable",
        "p, Holm",
        "Machine",
        "Equivalence",
    }  # a number that leads on
    for label, cell in re.findall(r'<td\b(?:[^>]*data-label="([^"]*)")?[^>]*>(.*?)</td>', "".join(tables), re.DOTALL):
        assert label in shown_elsewhere or not re.search(r"\d", text_of(cell)) or "<a" in cell, (label, cell)
    links = [unescape(href) for href, _ in LINK.findall("".join(tables))]
    assert {"figure", "run"} == {name for link in links for name in ("figure", "run") if f"&{name}=" in link}
    distinct = list(dict.fromkeys(links))
    differences, figures = ([link for link in distinct if (f"&{name}=" in link)] for name in ("run", "figure"))
    # Each figure's items are counted in test_each_figure_opens_exactly_its_items; here it is the links that count.
    opened = {link: client.get(link) for link in [*differences, *figures[::5]]}
    assert all(END in answer.content.decode() for answer in opened.values())
    test = run.detail["relevance"]["comparisons"][0]
    fit = next(answer for link, answer in opened.items() if "difference=" in link and "unfit" not in link)
    unfit = next(answer for link, answer in opened.items() if "unfit=1" in link)
    counts = [answer.context["page"].paginator.count for answer in (fit, unfit)]
    assert counts == [test["difference"]["n_items"], test["n_excluded"]] == [22, 2]
    assert "two labels of people and one of each of its runs" in text_of(fit.content.decode())
    narrowed = client.get(address("judgment_list"), {"run": run.pk, "difference": "accuracy", "model": "m", "topic": 0})
    assert 'type="hidden" name="difference" value="accuracy"' in narrowed.content.decode()


def test_people_are_measured_by_people_and_the_overview_opens_on_figures(built: Built) -> None:
    other = Campaign.objects.create(
        collection=built.collection, slug="later", name="Later", kind="relevance", state="open", seed=1, created_at=AT
    )
    (item,) = make_items(other, [("later", None, "later")])
    dee = Annotator.objects.create(campaign=other, name="dee", user=built.people["adjudicator"], created_at=AT)
    Assignment.objects.create(item=item, annotator=dee, state=AssignmentState.PENDING, slot=1)
    client = client_of(built, "viewer")
    page = client.get(address("collection_dashboard"))
    assert page.context["shown"].campaign == built.campaign  # the newer one has no figures yet
    run = AgreementRun.objects.get()
    card = next(card for card, _ in page.context["campaigns"] if card.campaign == built.campaign)
    people = run.results.get(scope="block", block="HH", statistic="accuracy")
    assert card.headline[-1] == show(people, "Agreement, people")
    ana = next(row.figures for row in page.context["people"] if row.work.annotator.name == "ana")
    assert ana.agreement == show(people).value  # ana and ben are the only pair of people
    differs = client.get(address("judgment_list"), {"annotator": built.annotators["ana"].pk, "differs": 1})
    found = differs.context["page"].paginator.count
    assert found == round((1 - people.value) * people.n_items)


def test_blocks_say_once_what_holds_for_all_of_them() -> None:
    found = build_campaign(noisy_labels(40, 4), topics=40, machines=[("m-1", "m", 1)])
    vote(found)
    agree(found)
    page = main_of(client_of(found, "viewer").get(address("agreement_detail")).content.decode())
    blocks = text_of(page.split('id="blocks-heading"')[1].split("</section>")[0])
    assert "People with the vote of the others" in blocks
    assert "Machine runs with each other: undefined, there is only one." in blocks
    assert "voters are compared" not in blocks
    assert "fewer than two annotators" not in blocks
    report = text_of(client_of(found, "viewer").get(address("agreement_report")).content.decode())
    assert "voters are compared with the vote of the others" in report


@pytest.mark.slow
def test_what_makes_no_sense_is_as_if_it_were_not_asked(built: Built) -> None:
    client = client_of(built, "viewer")
    run = agree(built)
    for asked in (
        *({"annotator": "x"}, {"annotator": "99999999"}, {"state": "?"}, {"method": "?"}, {"among": "?"}),
        *({"figure": "x"}, {"figure": "99999999"}, {"run": "x"}, {"run": run.pk, "difference": "?", "model": "m"}),
        {"run": run.pk, "difference": "accuracy", "model": "?"},
    ):
        answer = client.get(address("judgment_list"), asked)
        assert answer.context["page"].paginator.count == 24, asked
    assert "Nothing matches" in client.get(address("judgment_list"), {"item": 10**15}).content.decode()


def test_annotators_see_nothing_of_it(built: Built) -> None:
    ana = client_of(built, "ana")
    assert ana.get(address("judgment_list")).status_code == 403
    overview = ana.get(address("collection_dashboard"), {"campaign": "main", "statistic": "accuracy"}).content.decode()
    for words in ("m-1", "Pair by pair", "Annotator by annotator", "Machine annotators", "unanimous"):
        assert words not in overview


def test_judgments_of_items_still_to_judge_are_kept_from_the_reader(built: Built) -> None:
    built.collection.memberships.filter(user=built.people["ana"]).update(role="adjudicator")
    pending = Assignment.objects.filter(annotator=built.annotators["ana"], item=built.items[4], repeat=0)
    pending.update(state=AssignmentState.PENDING, finished_at=None)
    assert client_of(built, "ana").get(address("judgment_list")).status_code == 403
    Campaign.objects.update(state="closed")  # it may be opened again
    page = client_of(built, "ana").get(address("judgment_list"), {"item": built.items[4].pk}).content.decode()
    assert "its labels are kept from you" in page
    assert "data-grade" not in page


def test_metric_and_pair_can_be_switched_on_the_overview(built: Built) -> None:
    client = client_of(built, "viewer")
    plain = client.get(address("collection_dashboard"))
    assert plain.context["statistic"] == "cohen_kappa"
    asked = {"statistic": "spearman", "pair": f"{built.annotators['m-1'].pk},verdict", "campaign": "main"}
    other = client.get(address("collection_dashboard"), asked)
    assert other.context["statistic_label"] == "Spearman’s ρ"
    assert other.context["confusion"].second["name"] == "verdict"
    assert ("statistic", "spearman") in other.context["kept"]
    machines = other.context["machines"]
    assert [machine.model for machine in machines] == ["m"]
    assert {test.label for test in machines[0].tests} == {"Macro F1", "Agreement", "Spearman’s ρ"}


def test_machine_runs_show_their_prompt_and_what_could_not_be_read(built: Built) -> None:
    run = MachineRun.objects.create(
        campaign=built.campaign,
        criterion=built.criterion,
        annotator=built.annotators["m-1"],
        kind="lexical",
        recipe={"model": "m", "temperature": 0},
        recipe_hash="ab" * 32,
        requested_at=AT,
    )
    replies = [
        MachineReply(run=run, item=item, state="invalid", problem="no grade", received_at=AT)
        for item in built.items[:2]
    ]
    MachineReply.objects.bulk_create(replies)
    page = main_of(client_of(built, "viewer").get(address("collection_dashboard")).content.decode())
    text = text_of(page.split("What each run was asked with")[1].split("</table>")[0])
    assert "m-1 none: words shared, no model asked" in text
    assert "0 of 24 2 0" in text


def test_managers_pause_from_the_overview_and_viewers_do_not(built: Built) -> None:
    manager, viewer = (client_of(built, name) for name in ("manager", "viewer"))
    pause = address("annotator_state", built.annotators["ana"].pk)
    assert f'action="{pause}"' in manager.get(address("collection_dashboard")).content.decode()
    assert pause not in viewer.get(address("collection_dashboard")).content.decode()


def test_a_running_job_has_its_bar_and_its_button_on_the_overview(built: Built) -> None:
    run = request_agreement(campaign=built.campaign, by=built.people["manager"], at=AT)
    page = client_of(built, "manager").get(address("collection_dashboard")).content.decode()
    assert 'class="progress"' in page
    cancel = reverse("job_cancel", args=["agreement", run.pk])
    assert f'action="{cancel}"' in page
    assert cancel not in (client_of(built, "viewer").get(address("collection_dashboard")).content.decode())


def test_the_chosen_campaign_is_the_one_shown(built: Built) -> None:
    other = build_campaign([[0, 1, 2]] * 3, slug="coffee")
    page = client_of(other, "manager").get(reverse("collection_dashboard", args=["coffee"]), {"campaign": "nothing"})
    assert page.context["shown"].campaign == other.campaign
    assert "Not computed yet" in page.content.decode()


def test_open_verdicts_are_counted_as_they_are_now(built: Built) -> None:
    """Not as the last count of votes left them: what was decided since is not open."""
    client = client_of(built, "manager")
    was = client.get(address("collection_dashboard")).context["campaigns"][0][0].undecided
    verdict = Verdict.objects.filter(method=Method.UNRESOLVED).first()
    decide_verdict(verdict=verdict, value=0, by=built.people["manager"], at=timezone.now(), comment="Read again.")
    page = client.get(address("collection_dashboard"))
    assert (was, page.context["campaigns"][0][0].undecided) == (was, was - 1)
    listed = client.get(address("judgment_list"), {"method": "unresolved"})
    assert listed.context["page"].paginator.count == was - 1


def test_the_overview_and_the_lists_ask_a_bounded_number_of_questions(
    built: Built, django_assert_max_num_queries: Any
) -> None:
    client = client_of(built, "manager")
    for name, most in (("collection_dashboard", 62), ("judgment_list", 22), ("agreement_detail", 38)):
        client.get(address(name))
        with django_assert_max_num_queries(most):
            client.get(address(name))


def test_client_is_logged_in(built: Built) -> None:
    assert Client().get(address("judgment_list")).status_code == 302


def test_a_campaign_just_begun_lacks_nothing_yet() -> None:
    begun = build_campaign([[0, 1], [None, None]], people=("ana", "ben"))
    Assignment.objects.create(
        item=begun.items[1], annotator=begun.annotators["ana"], state=AssignmentState.PENDING, slot=1
    )
    page = client_of(begun, "manager").get(reverse("collection_dashboard", args=["tea"])).content.decode()
    assert "not yet" in main_of(page)
    assert ">blocks<" not in main_of(page)
    Assignment.objects.filter(state=AssignmentState.PENDING).delete()
    Campaign.objects.update(state="closed")
    page = client_of(begun, "manager").get(reverse("collection_dashboard", args=["tea"])).content.decode()
    assert ">blocks<" in main_of(page)


def test_ties_wait_on_the_first_page_of_those_who_decide() -> None:
    found = build_campaign([[0, 2], [1, 1], [0, 1]], people=("ana", "ben"))
    vote(found)
    page = main_of(client_of(found, "adjudicator").get(reverse("home")).content.decode())
    assert "2 to decide" in text_of(page)
    assert address("adjudication_screen") in page
    assert page.count("<h1") == 1
    for other in ("viewer", "ana"):
        assert "to decide" not in client_of(found, other).get(reverse("home")).content.decode()
    Assignment.objects.create(item=found.items[1], annotator=add_judge(found), state=AssignmentState.PENDING, slot=3)
    assert "to decide" not in client_of(found, "adjudicator").get(reverse("home")).content.decode()


def add_judge(built: Built) -> Annotator:
    """The adjudicator judges as well."""
    user = built.people["adjudicator"]
    return Annotator.objects.create(campaign=built.campaign, name="ada", user=user, created_at=AT)
