"""Every item is shown and decided somehow: a kind says how votes are shown, its procedure how they are decided."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from django.http import HttpRequest, HttpResponse
from django.template.loader import get_template

from accounts.extensions import extensions
from adjudication.labels.pages import Scope
from adjudication.models import Method, Verdict
from adjudication.procedure import procedure_of, procedures
from annotation.kind import kind_by_name
from annotation.models.campaigns import KIND_CHOICES
from tests.adjudication.verdicts.test_pages import address, client_of
from tests.factories.adjudication import Built

pytestmark = pytest.mark.django_db

LABELS = [[0, 0, 0], [1, 1, 2], [0, 1, 2], [2, 0, None]]


def test_every_procedure_has_its_own_screen_or_all_parts_of_the_usual_one() -> None:
    for procedure in procedures().values():
        if procedure.screen is None:
            assert get_template(procedure.ballot)
            assert get_template(procedure.decision)
            assert "seen" in procedure.form.base_fields


@pytest.mark.parametrize("kind", [name for name, _ in KIND_CHOICES])
def test_the_screen_shows_an_item_of_each_kind(built: Built, kind: str) -> None:
    built.campaign.kind = kind
    built.campaign.save(update_fields=["kind"])
    verdict = Verdict.objects.select_related("item__topic").get(item=built.items[2])
    response = client_of(built, "adjudicator").get(address("adjudication_screen"), {"verdict": verdict.pk})
    assert response.status_code == 200
    if procedure_of(built.campaign).screen is None:
        assert verdict.item.topic is not None
        assert verdict.item.topic.text in response.content.decode()


def test_a_kind_hands_its_templates_what_votes_came_with(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[int]] = []

    def attach(submissions: Sequence[int]) -> Mapping[int, object]:
        asked.append(submissions)
        return {pk: f"rewrite {pk}" for pk in submissions}

    kind = kind_by_name("relevance")
    other = replace(kind, item_view=replace(kind.shown, attach=attach))
    monkeypatch.setitem(extensions("campaign_kinds"), "relevance", other)
    verdict = Verdict.objects.get(item=built.items[2])
    response = client_of(built, "adjudicator").get(address("adjudication_screen"), {"verdict": verdict.pk})
    assert len(asked) == 1
    assert len(asked[0]) == 3
    assert {ballot.more for ballot in response.context["ballots"].people} == {f"rewrite {pk}" for pk in asked[0]}


def test_a_procedure_decides_by_its_own_action(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    def decide(*, verdict: Verdict, **given: object) -> Verdict:
        Verdict.objects.filter(pk=verdict.pk).update(comment=f"by its own rules: {given['value']}")
        return verdict

    monkeypatch.setitem(procedures(), "votes", replace(procedures()["votes"], decide=decide))
    verdict = Verdict.objects.get(item=built.items[2])
    sent = client_of(built, "adjudicator").post(address("verdict_decide", verdict.pk), {"value": "2", "seen": ""})
    assert sent.status_code == 302
    verdict.refresh_from_db()
    assert verdict.comment == "by its own rules: 2"
    assert verdict.method == Method.UNRESOLVED


def test_a_procedure_may_have_a_screen_of_its_own(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    def screen(request: HttpRequest, scope: Scope) -> HttpResponse:
        return HttpResponse(f"the screen of {scope.campaign}")

    monkeypatch.setitem(procedures(), "votes", replace(procedures()["votes"], screen=screen))
    page = client_of(built, "adjudicator").get(address("adjudication_screen"))
    assert page.content.decode() == f"the screen of {built.campaign}"
    assert client_of(built, "ana").get(address("adjudication_screen")).status_code == 403
