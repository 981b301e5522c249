"""The overview and the agreement page: people first, machines apart, and the way from each number to its judgments."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from adjudication.agreement.requests import request_agreement
from adjudication.agreement.results import show
from adjudication.guide.guide import guide_for, guides_of
from adjudication.labels.rules import why_labels_are_hidden
from adjudication.models import AgreementRun, Method, Verdict
from adjudication.verdicts.dashboard import CampaignRow, fetch_rows
from adjudication.verdicts.decisions import decide_verdict
from annotation.models import Annotator, Assignment, AssignmentState, Campaign, MachineReply, MachineRun
from corpus.models import Membership
from tests.adjudication.agreement.dashboards import main_of, text_of
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_pages import address, client_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign
from tests.pages import of_cards

pytestmark = pytest.mark.django_db


def test_people_are_measured_by_people_and_come_first(built: Built) -> None:
    client = client_of(built, "viewer")
    page = client.get(address("agreement_detail"))
    run = AgreementRun.objects.get()
    people = {name: run.results.get(scope="block", block="HH", statistic=name) for name in ("cohen_kappa", "accuracy")}
    assert page.context["headline"] == [show(each) for each in people.values()]
    assert {row.name for row in page.context["people_pairs"].rows} == {"ben", "verdict"}
    assert "m-1" in {row.name for row in page.context["all_pairs"].rows}
    ana = next(row.figures for row in page.context["people"] if row.work.annotator.name == "ana")
    assert ana.agreement == show(people["accuracy"]).value  # ana and ben are the only pair of people
    differs = client.get(address("judgment_list"), {"annotator": built.annotators["ana"].pk, "differs": 1})
    found = differs.context["page"].paginator.count
    assert found == round((1 - people["accuracy"].value) * people["accuracy"].n_items)


def test_each_campaign_is_a_row_with_what_is_judged_and_decided(built: Built) -> None:
    """What was decided since the last count of votes is decided; the figures themselves are on their own pages."""
    client = client_of(built, "manager")
    ((row, _),) = of_cards(client.get(address("collection_dashboard")), "campaigns")
    decided, verdicts = row.decided
    verdict = Verdict.objects.filter(method=Method.UNRESOLVED).first()
    decide_verdict(verdict=verdict, value=0, by=built.people["manager"], at=timezone.now(), comment="Read again.")
    page = client.get(address("collection_dashboard"))
    assert of_cards(page, "campaigns")[0][0].decided == (decided + 1, verdicts)
    assert f"{decided + 1} of {verdicts}" in text_of(main_of(page.text))
    listed = client.get(address("judgment_list"), {"method": "unresolved"})
    assert listed.context["page"].paginator.count == verdicts - decided - 1


def test_a_campaign_without_items_or_votes_says_so() -> None:
    begun = build_campaign([[0, 1], [None, None]], people=("ana", "ben"), slug="coffee")
    Campaign.objects.create(
        collection=begun.collection, slug="later", name="Later", kind="relevance", state="draft", seed=1, created_at=AT
    )
    page = client_of(begun, "manager").get(address("collection_dashboard", slug="coffee"))
    assert [row.decided for row, _ in of_cards(page, "campaigns")] == [(0, 0), None]
    assert "no items yet" in page.text


def test_blocks_say_once_what_holds_for_all_of_them() -> None:
    found = build_campaign(noisy_labels(40, 4), topics=40, machines=[("m-1", "m", 1)], slug="coffee")
    vote(found)
    agree(found)
    client = client_of(found, "viewer")
    page = main_of(client.get(address("agreement_detail", slug="coffee")).content.decode())
    blocks = text_of(page.split('id="blocks-heading"')[1].split("</details>")[0])
    assert "People with the vote of the other voters" in blocks
    assert "Machine runs with each other: undefined, there is only one." in blocks
    assert "who voted is compared" not in blocks
    assert "fewer than two annotators" not in blocks
    report = text_of(client.get(address("agreement_report", slug="coffee")).content.decode())
    assert "who voted is compared with the vote of the other voters" in report


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


def test_metric_and_pair_can_be_switched_on_the_agreement_page(built: Built) -> None:
    client = client_of(built, "viewer")
    plain = client.get(address("agreement_detail"))
    assert plain.context["statistic"] == "cohen_kappa"
    asked = {"statistic": "spearman", "pair": f"{built.annotators['m-1'].pk},verdict"}
    other = client.get(address("agreement_detail"), asked)
    assert other.context["statistic_label"] == "Spearman’s ρ"
    assert other.context["confusion"].second["name"] == "verdict"
    assert ("statistic", "spearman") in other.context["kept"]
    machines = other.context["machines"]
    assert [machine.model for machine in machines] == ["m"]
    assert {test.label for test in machines[0].tests} == {"Macro F1", "Agreement", "Spearman’s ρ"}


def test_machine_runs_show_their_prompt_and_what_could_not_be_read(built: Built) -> None:
    run = MachineRun.objects.create(
        campaign=built.campaign,
        annotator=built.annotators["m-1"],
        kind="lexical",
        recipe={"model": "m", "temperature": 0},
        recipe_hash="ab" * 32,
        requested_at=AT,
    )
    run.criteria.set([built.criterion], through_defaults={"recipe_hash": run.recipe_hash, "run_number": 1})
    replies = [
        MachineReply(run=run, item=item, state="invalid", problem="no grade", received_at=AT)
        for item in built.items[:2]
    ]
    MachineReply.objects.bulk_create(replies)
    page = main_of(client_of(built, "viewer").get(address("agreement_detail")).content.decode())
    text = text_of(page.split("What each run was asked with")[1].split("</table>")[0])
    assert "m-1 none: words shared, no model asked" in text
    assert "0 of 24 2 0" in text


def test_a_running_job_has_its_bar_and_its_button_on_the_overview(built: Built) -> None:
    run = request_agreement(campaign=built.campaign, by=built.people["manager"], at=AT)
    page = client_of(built, "manager").get(address("collection_dashboard")).content.decode()
    assert 'class="progress"' in page
    cancel = reverse("job_cancel", args=["agreement", run.pk])
    assert f'action="{cancel}"' in page
    assert cancel not in (client_of(built, "viewer").get(address("collection_dashboard")).content.decode())


def test_many_campaigns_take_as_many_queries_as_one(built: Built, django_assert_max_num_queries: Any) -> None:
    """Rows with the next step: open, closed and draft ones, held-out ones, with votes and with items left to judge."""
    membership = built.collection.memberships.select_related("collection", "user").get(user=built.people["manager"])
    membership.collection.memberships.filter(user=built.people["ana"]).update(role="adjudicator")
    judge = membership.collection.memberships.select_related("collection", "user").get(user=built.people["ana"])
    Assignment.objects.filter(annotator=built.annotators["ana"], item=built.items[4], repeat=0).update(
        state=AssignmentState.PENDING, finished_at=None
    )

    def add(name: str, **fields: str) -> None:
        labels = [[0, 2, 1], [1, 1, 1], [0, 1, 0]]
        more = build_campaign(labels, people=("cem", "dia"), slug=name, machines=[("m-1", "m", 1)])
        vote(more)
        fields |= {"slug": name, "name": name}
        Campaign.objects.filter(pk=more.campaign.pk).update(collection=membership.collection, **fields)

    def shown(reader: Membership, most: int) -> tuple[int, list[tuple[CampaignRow, str]]]:
        with django_assert_max_num_queries(most) as captured:
            rows = fetch_rows(reader, AT)
            found = [(row, guide.words) for row, guide in zip(rows, guides_of(reader, rows), strict=True)]
        return len(captured), found

    add("second")
    few = {reader: shown(reader, 35)[0] for reader in (membership, judge)}
    for name, state in (("third", "open"), ("fourth", "closed"), ("fifth", "draft")):
        add(name, state=state)
    empty = {"kind": "relevance", "state": "draft", "seed": 1, "created_at": AT}
    for split in ("main", "test"):
        Campaign.objects.create(collection=membership.collection, slug=split + "-2", name=split, split=split, **empty)
    most = 1  # the cycles, which only campaigns for tests ask for
    rows = shown(membership, few[membership] + most)[1]
    hidden = {row.campaign.slug: row.hidden for row, _ in shown(judge, few[judge] + most)[1]}
    assert len(rows) == len(hidden) == 7
    for row, words in rows:
        alone = guide_for(membership, row.campaign)
        assert (words, row.hidden) == (alone.words, alone.facts.hidden)
        assert hidden[row.campaign.slug] == why_labels_are_hidden(row.campaign, judge.user)
    assert "main" in {slug for slug, reason in hidden.items() if reason}


@pytest.mark.slow
def test_the_overview_and_the_lists_ask_a_bounded_number_of_questions(
    built: Built, django_assert_max_num_queries: Any
) -> None:
    client = client_of(built, "manager")
    for name, most in (("collection_dashboard", 47), ("judgment_list", 22), ("agreement_detail", 46)):
        client.get(address(name))
        with django_assert_max_num_queries(most):
            client.get(address(name))


def test_client_is_logged_in(built: Built) -> None:
    assert Client().get(address("judgment_list")).status_code == 302


def test_ties_wait_on_the_first_page_of_those_who_decide() -> None:
    Membership.objects.all().delete()  # of the collection that has other ties
    found = build_campaign([[0, 2], [1, 1], [0, 1]], people=("ana", "ben"), slug="coffee")
    vote(found)
    page = main_of(client_of(found, "adjudicator").get(reverse("home")).content.decode())
    assert "2 to decide" in text_of(page)
    assert address("adjudication_screen", slug="coffee") in page
    assert page.count("<h1") == 1
    for other in ("viewer", "ana"):
        assert "to decide" not in client_of(found, other).get(reverse("home")).content.decode()
    Assignment.objects.create(item=found.items[1], annotator=add_judge(found), state=AssignmentState.PENDING, slot=3)
    assert "to decide" not in client_of(found, "adjudicator").get(reverse("home")).content.decode()


def add_judge(built: Built) -> Annotator:
    """The adjudicator judges as well."""
    user = built.people["adjudicator"]
    return Annotator.objects.create(campaign=built.campaign, name="ada", user=user, created_at=AT)


def test_managers_find_the_import_of_judgments_where_the_judgments_are(built: Built) -> None:
    link = reverse("judgment_import", args=["tea", "main"])
    assert link in client_of(built, "manager").get(address("judgment_list")).text
    assert link not in client_of(built, "adjudicator").get(address("judgment_list")).text
