"""Who gets the labelling screen, and what no answer of it ever reveals to an annotator."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from annotation.models import Annotator, AnnotatorKind, Campaign, CampaignState, Order, Strategy, Submission
from corpus.models import Collection, PoolEntry, PoolSource, Ranking, RetrievalRun
from tests.annotation.labelling.sending import address, page_data, post, submission
from tests.factories.accounts import make_token
from tests.factories.adjudication import AT, Built, add_labels
from tests.factories.labelling import assignment_of, build_work, given, send_one

pytestmark = pytest.mark.django_db


READS = ("label_next", "label_history", "label_guideline")


def test_who_is_signed_out_gets_401_and_no_page(client):
    built = build_work()
    answer = post(client, built, submission(assignment_of(built, "ana")))
    assert (answer.status_code, answer.json()["code"]) == (401, "signed-out")
    for name in READS:
        answer = client.get(address(built, name), headers={"Accept": "application/json"})
        assert answer.status_code == 401, name
    assert client.get(reverse("label_session")).status_code == 401
    page = client.get(address(built))
    assert (page.status_code, page["Location"].split("?")[0]) == (302, reverse("account_login"))
    form = client.post(address(built, "submission_create"), {"cells": "1"})
    assert form.status_code == 302


def test_a_post_needs_the_csrf_token():
    built = build_work()
    client = Client(enforce_csrf_checks=True)
    client.force_login(built.people["ana"])
    answer = post(client, built, submission(assignment_of(built, "ana")))
    assert answer.status_code == 403
    assert not Submission.objects.exists()


def test_outsiders_get_404_and_members_who_do_not_judge_the_reason(signed_in):
    built = build_work()
    outsider = build_work(slug="coffee", people=("eve",))
    client = signed_in(outsider, "eve")
    assert client.get(address(built)).status_code == 404
    assert post(client, built, submission(assignment_of(built, "ana"))).status_code == 404
    client = signed_in(built, "manager")
    page = client.get(address(built))
    assert page.status_code == 403
    assert b"not among the annotators" in page.content
    answer = post(client, built, submission(assignment_of(built, "ana")))
    assert (answer.status_code, answer.json()["code"]) == (403, "not-allowed")


@pytest.mark.parametrize(
    ("state", "annotator", "code"),
    [
        ("closed", "active", "closed"),
        ("draft", "active", "draft"),
        ("open", "paused", "paused"),
        ("open", "removed", "removed"),
    ],
)
def test_when_nobody_may_judge_the_page_and_the_answer_say_why(signed_in, state, annotator, code):
    built = build_work()
    mine = assignment_of(built, "ana")
    built.campaign.state = CampaignState(state)
    built.campaign.save()
    Annotator.objects.filter(pk=built.annotators["ana"].pk).update(state=annotator)
    client = signed_in(built)
    answer = post(client, built, submission(mine), have=[])
    assert (answer.status_code, answer.json()["code"], answer.json()["units"]) == (422, code, [])
    page = client.get(address(built))
    assert page.context["empty"] == code
    assert client.get(address(built, "label_next")).json() == {"units": [], "empty": code, "guideline": 1}


def test_an_archived_collection_takes_no_label_by_page_or_api(signed_in):
    """Its campaigns are closed, but what has no reason to be open must not depend on that."""
    built = build_work(strategy=Strategy.QUEUE)
    leased = signed_in(built).get(address(built, "label_next")).json()["units"][0]["cells"][0]["assignment"]
    mine = built.annotators["ana"].assignments.get(pk=leased)
    before = built.annotators["ana"].assignments.count()
    Collection.objects.filter(pk=built.collection.pk).update(archived_at=AT)
    assert Campaign.objects.get(pk=built.campaign.pk).state == CampaignState.OPEN
    client, sent = signed_in(built), submission(mine)
    answer = post(client, built, sent, have=[])
    assert (answer.status_code, answer.json()["code"], answer.json()["units"]) == (422, "archived", [])
    assert "archived, so it can be read but not changed" in answer.json()["detail"]
    form = client.post(
        address(built, "submission_create"),
        {"cells": f"{leased}", "kind": "answer", f"{leased}-uuid": sent["uuid"], f"{leased}-answer-relevance": "1"},
    )
    assert form.status_code == 422
    assert "archived, so it can be read but not changed" in form.text
    page = client.get(address(built))
    assert (page.status_code, page.context["empty"]) == (200, "archived")
    assert client.get(address(built, "label_next")).json()["empty"] == "archived"
    token = Client(headers={"Authorization": f"Bearer {make_token(built.people['ana'])[1]}"})
    for caller in (token, client):
        answer = caller.post(api(built, "api_submissions"), {"submissions": [sent]}, "application/json")
        (result,) = answer.json()["results"]
        assert (answer.status_code, result["outcome"]) == (422, "refused")
        assert "archived, so it can be read but not changed" in result["detail"]
        assert caller.get(api(built, "api_next")).json()["empty"] == "archived"
    assert not Submission.objects.exists()
    assert built.annotators["ana"].assignments.count() == before
    # The mark takes a view out of the general rule: each that has it is tried above.
    assert {name for name, view in views() if getattr(view, "checks_archive", False)} == {"submission_create"}


def views(patterns: Any = None) -> Iterator[tuple[str, Any]]:
    """Name and view of every address."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if hasattr(pattern, "url_patterns"):
            yield from views(pattern.url_patterns)
        else:
            yield pattern.name, pattern.callback


def api(built: Built, name: str) -> str:
    return reverse(name, args=[built.collection.slug, built.campaign.slug])


SECRETS = ("zz-machine", "zz-run", "zz-method", "zz-note", "zz-other", "8.13579", "97531", "ben", "cai")


def with_secrets(order: Order) -> Built:
    """A campaign with labels of others and of a machine, runs, ranks and pool sources, all with recognisable names."""
    triples = [("1", f"Aspect {a}.", f"doc{d}") for d in range(4) for a in range(3)]
    built = build_work(order=order, triples=triples)
    machine = Annotator.objects.create(
        campaign=built.campaign, name="zz-machine", kind=AnnotatorKind.MACHINE, model="zz-machine", created_at=AT
    )
    add_labels(built, [(item, machine, 2) for item in built.items])
    for number, item in enumerate(built.items):
        send_one(built, "ben", given(assignment_of(built, "ben", number), 2, note="zz-note", flagged=True))
        entry, _ = PoolEntry.objects.get_or_create(topic=item.topic, document=item.document)
        PoolSource.objects.get_or_create(entry=entry, method="zz-method", rank=97531)
    run = RetrievalRun.objects.create(collection=built.collection, name="zz-run", created_at=AT)
    topic = built.items[0].topic
    Ranking.objects.create(run=run, topic=topic, docnos=["doc0"], scores=[8.13579])
    return built


@pytest.mark.slow
@pytest.mark.parametrize("order", list(Order))
def test_no_answer_of_any_kind_reveals_what_annotators_must_not_know(signed_in, order):
    built = with_secrets(order)
    client = signed_in(built)
    units = page_data(client.get(address(built)))["hand"]
    first = [cell["assignment"] for cell in units[0]["cells"]]
    mine = built.annotators["ana"].assignments.in_bulk(first)
    responses = [
        client.get(address(built)),
        client.get(address(built, "label_next")),
        post(client, built, *(submission(mine[id_]) for id_ in first), have=[]),
        post(client, built, submission(mine[first[0]])),
        client.get(address(built, "label_history")),
        client.get(address(built, "label_history"), headers={"Accept": "application/json"}),
        client.get(address(built, "label_guideline")),
        client.get(reverse("label_session")),
        client.get(f"{address(built)}?item={first[0]}"),
        client.get(f"{address(built)}?item={assignment_of(built, 'ben').pk}"),
        client.get(f"{address(built, 'label_history')}?before={assignment_of(built, 'ben', 3).pk}"),
        client.post(address(built, "submission_create"), {"cells": str(assignment_of(built, "ben").pk)}),
    ]
    for response in responses:
        assert response.status_code < 500
        text = response.content.decode() + json.dumps(dict(response.headers))
        found = [secret for secret in SECRETS if secret in text]
        assert not found, f"{response.request['PATH_INFO']} reveals {found}"


def test_others_work_changes_nothing_in_what_i_see(signed_in):
    built = build_work(items=4)
    client = signed_in(built)

    def answers() -> list[object]:
        data = page_data(client.get(address(built)))
        for unit in data["hand"]:
            for cell in unit["cells"]:
                cell.pop("uuid", None)
        history = client.get(address(built, "label_history"), headers={"Accept": "application/json"}).json()
        return [
            data["hand"],
            data["progress"],
            client.get(address(built, "label_next")).json(),
            history,
        ]

    send_one(built, "ana", given(assignment_of(built, "ana"), 1))
    before = answers()
    for person in ("ben", "cai"):
        for number in range(4):
            send_one(built, person, given(assignment_of(built, person, number), 2, note="zz"))
    assert answers() == before
