"""The screen where one extraction is made of several: who may see and decide, forms, what a script is sent."""

import re

import pytest

from accounts.models import AuditEvent
from accounts.refusals import NotAllowed, Refused
from adjudication.papers.merging import begin_adjudication, open_own_paper, take_everything
from adjudication.papers.papers import paper_rows
from annotation.assignment.annotators import add_members
from annotation.models import AnnotatorState, Assignment, AssignmentState
from corpus.models import Collection
from engines.definitions.extractions import Content, write_content
from tests.adjudication.papers.test_papers import accept, address, by, case_of, take
from tests.factories.annotation import AT
from tests.factories.versions import FIRST, SECOND, WATER, make_finished, references

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_names_are_hidden_and_annotators_see_nothing(built, client) -> None:
    client.force_login(built.material.people["ada"])
    page = client.get(address(built)).text
    assert "Tea has been studied" in page
    assert not re.search(r"\b(?:Ann|Bob)\b|ann@|bob@", page)
    for name, status in (("ann", 403), ("vic", 403), ("mia", 200)):
        client.force_login(built.material.people[name])
        assert client.get(address(built)).status_code == status
        for sent in ("paper_choose", "paper_step", "paper_accept", "paper_edit"):
            answer = client.post(address(built, sent, built.item.pk), {"everything": "A"})
            assert (answer.status_code == 403) == (status == 403), sent
    assert built.campaign.extractions.count() == 1  # mia's


def test_who_still_has_papers_to_do_sees_no_versions(built, client) -> None:
    add_members(campaign=built.campaign, users=[built.material.people["ada"]], by=built.material.manager, at=AT)
    judge = built.campaign.annotators.get(user=built.material.people["ada"])
    mine = Assignment.objects.create(item=built.item, annotator=judge, state=AssignmentState.PENDING, slot=3)
    client.force_login(built.material.people["ada"])
    assert client.get(address(built)).status_code == 403
    mine.state, mine.finished_at = AssignmentState.DONE, AT
    mine.save()
    assert judge.state == AnnotatorState.ACTIVE
    page = client.get(address(built)).text
    assert "You judged this item yourself" in page
    assert "Tea has been studied" not in page
    with pytest.raises(NotAllowed):
        take(built, 0, 0)
    with pytest.raises(NotAllowed):
        open_own_paper(**by(built))


def test_a_manager_may_override_and_the_log_says_so(built, client) -> None:
    mia = built.material.people["mia"]
    add_members(campaign=built.campaign, users=[mia], by=mia, at=AT)
    judge = built.campaign.annotators.get(user=mia)
    Assignment.objects.create(item=built.item, annotator=judge, state=AssignmentState.DONE, finished_at=AT, slot=3)
    client.force_login(mia)
    assert "Tea has been studied" not in client.get(address(built)).text
    refused = client.post(address(built, "paper_choose", built.item.pk), {"everything": "A"})
    assert refused.status_code == 302
    assert not built.campaign.extractions.exists()
    client.post(address(built, "paper_choose", built.item.pk), {"override": "1"})
    assert AuditEvent.objects.filter(verb="open_own_item").count() == 1
    assert "Tea has been studied" in client.get(address(built)).text
    client.post(address(built, "paper_choose", built.item.pk), {"everything": "A", "seen": case_of(built).seen})
    client.post(address(built, "paper_accept", built.item.pk), {"seen": case_of(built).seen})
    assert AuditEvent.objects.get(verb="accept_extraction").data["override"] is True


def test_an_archived_collection_offers_neither_override_nor_undo(built, client) -> None:
    mia = built.material.people["mia"]
    client.force_login(mia)
    client.post(address(built, "paper_choose", built.item.pk), {"everything": "A", "seen": case_of(built).seen})
    client.post(address(built, "paper_accept", built.item.pk), {"seen": case_of(built).seen})
    add_members(campaign=built.campaign, users=[mia], by=mia, at=AT)
    judge = built.campaign.annotators.get(user=mia)
    Assignment.objects.create(item=built.item, annotator=judge, state=AssignmentState.DONE, finished_at=AT, slot=3)
    asked = {"item": built.item.pk, "filter": "all", "last": built.item.pk}
    offered = ("Show the versions anyway", "Undo acceptance", "You judged this item yourself")
    for archived_at, seen in ((None, [True, True, True]), (AT, [False, False, True])):
        Collection.objects.update(archived_at=archived_at)
        page = client.get(address(built), asked).text
        assert [each in page for each in offered] == seen


@pytest.mark.usefixtures("_free_address")
def test_the_screen_asks_little_however_many_papers(client, django_assert_max_num_queries) -> None:
    built = make_finished(FIRST, SECOND, papers=4)
    for item in built.campaign.items.exclude(pk=built.item.pk).select_related("paper"):
        for name, content in (("ann", FIRST), ("bob", SECOND)):
            built.hand_in(name, content, paper=item.paper)
    client.force_login(built.material.people["ada"])
    with django_assert_max_num_queries(24):
        page = client.get(address(built))
    assert page.text.count("3 differences") == 4


def test_forms_work_without_a_script(built, client) -> None:
    client.force_login(built.material.people["ada"])
    where = address(built, "paper_choose", built.item.pk)
    first = case_of(built).comparison.differences[0]
    sent = {"take": f"{first.name} {first.variants[1].name}", "seen": case_of(built).seen}
    answer = client.post(where, sent)
    assert answer["Location"].endswith(f"#d-{first.name}")
    assert client.post(where, sent, follow=True).text.count("submitted again while you looked") == 1
    refused = client.post(address(built, "paper_accept", built.item.pk), {"seen": case_of(built).seen})
    assert refused.status_code == 422
    assert "2 differences are undecided" in refused.text
    client.post(where, {"rest": "A", "seen": case_of(built).seen})
    accepted = client.post(address(built, "paper_accept", built.item.pk), {"seen": case_of(built).seen}, follow=True)
    assert "is accepted" in accepted.text
    assert "Nothing needs a decision" in accepted.text
    scripted = {"X-Requested-With": "XMLHttpRequest"}
    withdrawn = client.post(address(built, "paper_accept", built.item.pk), {"withdraw": "yes"}, headers=scripted)
    assert (withdrawn.status_code, withdrawn["Content-Location"]) == (200, address(built) + f"?item={built.item.pk}")
    assert 'id="versions-heading"' in withdrawn.text, "the page's script gets the screen in one request"
    assert paper_rows(built.campaign)[0].state == "begun"


def test_a_script_is_sent_only_what_changed(built, client, django_assert_max_num_queries) -> None:
    client.force_login(built.material.people["ada"])
    where = address(built, "paper_choose", built.item.pk)
    section = case_of(built).comparison.differences[1]
    sent = {"take": f"{section.name} {section.variants[1].name}", "seen": case_of(built).seen}
    with django_assert_max_num_queries(40):
        answer = client.post(where, sent, headers={"X-Requested-With": "XMLHttpRequest"})
    assert answer.text.count("<article") == 1
    assert 'id="p-2"' in answer.text
    assert case_of(built).seen in answer.text
    again = client.post(where, sent, headers={"X-Requested-With": "XMLHttpRequest"})
    assert again.status_code == 409
    refused = client.post(
        address(built, "paper_step", built.item.pk), {"step": "redo"}, headers={"X-Requested-With": "XMLHttpRequest"}
    )
    assert (refused.status_code, refused.text) == (422, "There is nothing to redo.")


@pytest.mark.slow
def test_the_result_is_edited_on_the_extraction_screen(built, client) -> None:
    client.force_login(built.material.people["ada"])
    where = address(built, "paper_edit", built.item.pk)
    assert client.get(where).status_code == 302  # nothing begun yet
    assert client.post(where, follow=True).text.count('id="label-data"') == 1
    made = built.campaign.extractions.get()
    content = write_content(Content(FIRST.contexts, references("d0003", None, None)))

    def post(name: str, sent: object):
        return client.post(address(built, name, built.item.pk), sent, content_type="application/json")

    saved = post("paper_save", {"base": 1, "steps": [{**content, "change": "identifiers"}]})
    assert (saved.status_code, saved.json()["revision"]) == (200, 2)
    assert post("paper_save", {"base": 1, "steps": [content]}).status_code == 409
    assert post("paper_save", {"base": 2, "steps": [3]}).status_code == 422
    assert post("paper_save", {"base": "2"}).status_code == 400
    assert post("paper_move", {"step": "undo", "base": 1}).status_code == 409, "another window goes on from 2"
    assert post("paper_move", {"step": "undo", "base": 2}).json()["revision"] == 1
    assert post("paper_move", {"step": "undo"}).status_code == 422
    assert post("paper_move", {"step": "redo"}).json()["revision"] == 2
    assert post("paper_move", {"step": "sideways"}).status_code == 400
    assert post("paper_read", {"text": WATER.text}).json()["anonymised"] == ""
    assert post("paper_propose", {"blocks": [99]}).status_code == 422
    assert client.get(address(built, "paper_page", built.item.pk, 1)).status_code == 404
    assert "edited by hand" in client.get(address(built)).text
    take_everything(**by(built), side="A", seen=None)
    accept(built)
    assert made.revisions.count() == 3
    assert post("paper_save", {"base": 3, "steps": [content]}).status_code == 404
    assert client.get(where).status_code == 302


@pytest.mark.usefixtures("_free_address")
def test_an_extraction_campaign_without_two_accounts_says_what_to_do(client) -> None:
    built = make_finished(FIRST)
    client.force_login(built.material.people["ada"])
    assert "Nothing to compare yet" in client.get(address(built)).text
    with pytest.raises(Refused, match="Fewer than two"):
        begin_adjudication(**by(built))


def test_an_archived_collection_offers_no_version_to_take(built, client) -> None:
    client.force_login(built.material.people["ada"])
    offered = re.compile(r'name="take"|data-go="accept"|/adjudication/papers/\d+/')
    assert offered.search(client.get(address(built)).text)
    collection = built.campaign.collection
    collection.archived_at = AT
    collection.save(update_fields=["archived_at"])
    page = client.get(address(built)).text
    assert "Tea has been studied" in page
    assert not offered.search(page)
