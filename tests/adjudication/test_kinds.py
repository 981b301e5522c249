"""Every campaign kind has its item view, and a kind may say how votes are shown and how they are decided."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from django.http import HttpRequest, HttpResponse
from django.template.loader import get_template

from adjudication.models import Method, Verdict
from adjudication.views import kinds
from adjudication.views.kinds import KINDS, relevance
from adjudication.views.scope import Scope
from annotation.models import CampaignKind
from tests.adjudication.test_pages import LABELS, address, client_of
from tests.adjudication.test_votes import vote
from tests.factories.adjudication import Built, build_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def built() -> Built:
    found = build_campaign(LABELS)
    vote(found)
    return found


def test_every_kind_is_shown_and_decided_somehow() -> None:
    assert set(KINDS) == set(CampaignKind.values)
    for kind in KINDS.values():
        for name in (kind.template, kind.ballot, kind.decision):
            assert get_template(name)
        assert "seen" in kind.form.base_fields


@pytest.mark.parametrize("kind", CampaignKind.values)
def test_the_screen_shows_an_item_of_each_kind(built: Built, kind: str) -> None:
    built.campaign.kind = kind
    built.campaign.save(update_fields=["kind"])
    verdict = Verdict.objects.select_related("item__topic").get(item=built.items[2])
    response = client_of(built, "adjudicator").get(address("adjudication_screen"), {"verdict": verdict.pk})
    assert response.status_code == 200
    if KINDS[kind].desk is None:
        assert verdict.item.topic is not None
        assert verdict.item.topic.text in response.content.decode()


def test_a_kind_hands_its_templates_what_votes_came_with(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[int]] = []

    def attach(submissions: Sequence[int]) -> Mapping[int, object]:
        asked.append(submissions)
        return {pk: f"rewrite {pk}" for pk in submissions}

    monkeypatch.setitem(kinds.KINDS, CampaignKind.RELEVANCE, replace(relevance.KIND, attach=attach))
    verdict = Verdict.objects.get(item=built.items[2])
    response = client_of(built, "adjudicator").get(address("adjudication_screen"), {"verdict": verdict.pk})
    assert len(asked) == 1
    assert len(asked[0]) == 3
    assert {ballot.more for ballot in response.context["ballots"].people} == {f"rewrite {pk}" for pk in asked[0]}


def test_a_kind_decides_by_its_own_action(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    def decide(*, verdict: Verdict, **given: object) -> Verdict:
        Verdict.objects.filter(pk=verdict.pk).update(comment=f"by its own rules: {given['value']}")
        return verdict

    monkeypatch.setitem(kinds.KINDS, CampaignKind.RELEVANCE, replace(relevance.KIND, decide=decide))
    verdict = Verdict.objects.get(item=built.items[2])
    sent = client_of(built, "adjudicator").post(address("verdict_decide", verdict.pk), {"value": "2", "seen": ""})
    assert sent.status_code == 302
    verdict.refresh_from_db()
    assert verdict.comment == "by its own rules: 2"
    assert verdict.method == Method.UNRESOLVED


def test_a_kind_may_have_a_screen_of_its_own(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    def desk(request: HttpRequest, scope: Scope) -> HttpResponse:
        return HttpResponse(f"the desk of {scope.campaign}")

    monkeypatch.setitem(kinds.KINDS, CampaignKind.RELEVANCE, replace(relevance.KIND, desk=desk))
    page = client_of(built, "adjudicator").get(address("adjudication_screen"))
    assert page.content.decode() == f"the desk of {built.campaign}"
    assert client_of(built, "ana").get(address("adjudication_screen")).status_code == 403
