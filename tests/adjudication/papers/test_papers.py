"""Papers of several annotators: the queue, versions taken, edits, acceptance, what counts, and who sees what."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from html import unescape

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.exporting.findings import find
from adjudication.exporting.options import make_options
from adjudication.papers.contexts import context_files, context_topic_records
from adjudication.papers.merging import (
    accept_majorities,
    accept_paper,
    begin_adjudication,
    save_adjudication,
    step_adjudication,
    take_everything,
    take_version,
    withdraw_acceptance,
)
from adjudication.papers.paper_view import fetch_paper_view
from adjudication.papers.papers import PaperCase, fetch_case, paper_rows
from adjudication.procedure import waiting_for
from annotation.assignment.annotators import add_members
from annotation.models import Assignment, Extraction, ExtractionSource, VotesSeen
from annotation.papers.extracting import reopen_extraction
from annotation.papers.extractions import content_of
from annotation.papers.gold import DISAGREED, context_figures, gold_of_papers
from corpus.models import Role
from engines.definitions.extractions import statements, write_content
from tests.factories.annotation import AT, add_person
from tests.factories.papers import PaperFactory, make_extraction
from tests.factories.versions import FIRST, SECOND, Finished, make_finished, references

pytestmark = pytest.mark.django_db

LATER = AT + timedelta(hours=1)


def case_of(built: Finished) -> PaperCase:
    return fetch_case(built.item)


def by(built: Finished, name: str = "ada"):
    return {"item": built.item, "by": built.material.people[name], "at": LATER}


def take(built: Finished, place: int, which: int, **more) -> Extraction:
    difference = case_of(built).comparison.differences[place]
    values = {"difference": difference.name, "variant": difference.variants[which].name, "seen": case_of(built).seen}
    return take_version(**by(built), **{**values, **more})


def accept(built: Finished, **more) -> Extraction:
    return accept_paper(**by(built), **{"seen": case_of(built).seen, **more})


def whose(built: Finished, name: str) -> str:
    """The letter of this annotator's version."""
    wanted = Assignment.objects.get(item=built.item, annotator__name__iexact=name).pk
    return next(side.letter for side in case_of(built).sides if side.assignment == wanted)


def test_what_differs_is_found_and_the_queue_says_how_much(built) -> None:
    assert [each.marks for each in case_of(built).comparison.differences] == [
        ("text", "anonymised"),
        ("section",),
        ("identifier",),
    ]
    (row,) = paper_rows(built.campaign)
    assert (row.people, row.count, row.state, row.waiting) == (2, 3, "open", 0)
    assert gold_of_papers([built.paper])[0].status == DISAGREED


def test_nothing_is_written_before_the_first_version_is_taken(built, client) -> None:
    client.force_login(built.material.people["ada"])
    assert client.get(address(built)).status_code == 200
    assert not Extraction.objects.filter(source=ExtractionSource.ADJUDICATED).exists()


def test_versions_are_taken_one_by_one_and_accepted_as_one(built) -> None:
    take(built, 0, 1)
    take(built, 1, 0)
    with pytest.raises(Refused, match="1 difference is undecided"):
        accept(built)
    take(built, 2, 1)
    chosen = [each.chosen(case_of(built).choices).says for each in case_of(built).comparison.differences]
    made = accept(built)
    content = content_of(made)
    assert content.contexts[0].sentences[1:] == chosen[0]
    assert content.contexts[1].section == chosen[1]
    assert content.references[0].value == chosen[2].value
    (gold,) = gold_of_papers([built.paper])
    assert gold.extraction == made
    assert (paper_rows(built.campaign)[0].state, made.campaign) == ("decided", built.campaign)
    events = AuditEvent.objects.filter(verb__in=["begin_adjudication", "accept_extraction"])
    assert [each.verb for each in events.order_by("pk")] == ["begin_adjudication", "accept_extraction"]


def test_annotators_work_is_never_changed(built) -> None:
    before = {each.pk: (each.current, each.state) for each in Extraction.objects.filter(assignment__isnull=False)}
    take_everything(**by(built), side="B", seen=None)
    accept(built)
    assert before == {
        each.pk: (each.current, each.state) for each in Extraction.objects.filter(assignment__isnull=False)
    }


@pytest.mark.parametrize(("name", "content"), [("ann", FIRST), ("bob", SECOND)])
def test_everything_of_one_is_what_they_said(built, name, content) -> None:
    take_everything(**by(built), side=whose(built, name), seen=case_of(built).seen)
    assert statements(content_of(accept(built))) == statements(content)
    withdraw_acceptance(**by(built), seen=None)
    with pytest.raises(Refused, match="no such version"):
        take_everything(**by(built), side="Q", seen=None)


def test_the_rest_of_one_leaves_what_was_decided(built) -> None:
    first = case_of(built).comparison.differences[1]
    take(built, 1, 0)
    take_everything(**by(built), side="B", seen=None, only_open=True)
    case = case_of(built)
    assert first.chosen(case.choices) == first.variants[0]
    assert case.comparison.undecided(case.choices) == []


def test_undo_and_redo_go_over_choices_and_edits(built) -> None:
    take(built, 0, 1)
    take(built, 1, 1)
    step_adjudication(**by(built), step="undo")
    assert len(case_of(built).comparison.undecided(case_of(built).choices)) == 2
    step_adjudication(**by(built), step="redo")
    assert len(case_of(built).comparison.undecided(case_of(built).choices)) == 1
    with pytest.raises(Refused, match="nothing to redo"):
        step_adjudication(**by(built), step="redo")
    for _ in range(2):
        step_adjudication(**by(built), step="undo")
    with pytest.raises(Refused, match="nothing to undo"):
        step_adjudication(**by(built), step="undo")


def test_what_is_edited_by_hand_stays_when_versions_are_taken(built) -> None:
    made = begin_adjudication(**by(built))
    content = content_of(made)
    edited = replace(
        content, references=(*content.references[:1], references("x", "10.9/found")[1], content.references[2])
    )
    save_adjudication(**by(built), steps=[write_content(edited)], base=made.current)
    assert case_of(built).by_hand == {"r:2"}
    take_everything(**by(built), side="A", seen=None, only_open=True)
    assert content_of(accept(built)).values["2"] == "10.9/found"
    view = fetch_paper_view(case_of(built))
    assert [each.by_hand for each in view.entries] == [None, "10.9/found", None]


def test_saving_refuses_old_bases_and_what_is_no_extraction(built) -> None:
    made = begin_adjudication(**by(built))
    with pytest.raises(Conflict):
        save_adjudication(**by(built), steps=[write_content(FIRST)], base=made.current + 1)
    with pytest.raises(Refused, match="cannot be stored"):
        save_adjudication(**by(built), steps=[{"contexts": "no"}], base=made.current)
    assert made.revisions.count() == 1


def test_a_page_that_is_behind_changes_nothing(built) -> None:
    seen = case_of(built).seen
    take(built, 0, 1)
    with pytest.raises(Conflict, match="decided or submitted again"):
        take(built, 1, 1, seen=seen)
    with pytest.raises(Conflict, match="decided or submitted again"):
        take(built, 1, 1, difference="0123456789ab")


def test_a_newer_version_reopens_visibly_and_leaves_decisions_that_still_apply(built) -> None:
    take_everything(**by(built), side=whose(built, "bob"), seen=None)
    made = accept(built)
    assert paper_rows(built.campaign)[0].state == "decided"
    newer = replace(SECOND, references=references("d0002", None, "10.9/elsewhere"))
    built.hand_in("bob", newer, at=LATER)
    assert paper_rows(built.campaign)[0].state == "reopened"
    case = case_of(built)
    assert case.is_reopened
    assert [each.marks for each in case.comparison.undecided(case.choices)] == [("identifier",)]
    assert gold_of_papers([built.paper])[0].extraction == made  # what was accepted stands meanwhile
    with pytest.raises(Refused, match="accepted"):
        take(built, 2, 1)
    withdraw_acceptance(**by(built), seen=None)
    assert gold_of_papers([built.paper])[0].status == DISAGREED
    take_everything(**by(built), side=whose(built, "bob"), seen=None, only_open=True)
    assert statements(content_of(accept(built))) == statements(newer)
    assert paper_rows(built.campaign)[0].state == "decided"


def test_who_takes_the_paper_up_again_without_change_reopens_nothing(built) -> None:
    take_everything(**by(built), side="A", seen=None)
    accept(built)
    ann = built.material.people["ann"]
    mine = Extraction.objects.get(assignment__annotator__user=ann)
    reopen_extraction(extraction=mine, by=ann, at=LATER)
    case = case_of(built)
    unfinished = [side.letter for side in case.sides if side.finished_at is None]
    assert unfinished == [whose(built, "ann")]
    assert (len(case.sides), case.is_reopened, paper_rows(built.campaign)[0].state) == (2, False, "decided")
    built.hand_in("ann", FIRST, at=LATER)
    assert paper_rows(built.campaign)[0].state == "decided"


@pytest.mark.slow
@pytest.mark.usefixtures("_free_address")
def test_a_third_version_may_decide_by_majority() -> None:
    built = make_finished(FIRST, SECOND, annotators=("ann", "bob", "cyd"))
    (row,) = paper_rows(built.campaign)
    assert (row.people, row.waiting) == (2, 1)
    take(built, 1, 0)
    section = case_of(built).comparison.differences[1]
    built.hand_in("cyd", replace(SECOND, contexts=SECOND.contexts[:1]))
    case = case_of(built)
    marks = {each.name: each.marks for each in case.comparison.differences}
    assert sorted(marks.values()) == [("identifier",), ("missing",), ("section",), ("text", "anonymised")]
    assert case.comparison.undecided(case.choices) == []
    assert section.name in marks
    assert statements(content_of(accept(built))) == statements(
        replace(SECOND, contexts=(SECOND.contexts[0], replace(SECOND.contexts[1], section=section.variants[0].says)))
    )


@pytest.mark.usefixtures("_free_address")
def test_dangling_citations_are_asked_about_once() -> None:
    content = replace(FIRST, references=FIRST.references[:2])
    built = make_finished(content, replace(content, contexts=content.contexts[1:]))
    take_everything(**by(built), side="A", seen=None)
    with pytest.raises(Refused, match="cites 3, not in the references"):
        accept(built)
    assert accept(built, despite=True).state == "finished"


@pytest.mark.usefixtures("_free_address")
def test_where_all_agree_there_is_nothing_to_decide() -> None:
    renumbered = replace(FIRST, contexts=(replace(FIRST.contexts[0], id="09"), FIRST.contexts[1]))
    built = make_finished(FIRST, renumbered)
    assert paper_rows(built.campaign)[0].state == "alike"
    assert gold_of_papers([built.paper])[0].is_confirmed


def address(built: Finished, name: str = "adjudication_screen", *more: object, **query: object) -> str:
    where = reverse(name, args=[built.material.collection.slug, built.campaign.slug, *more])
    return where + ("?" + "&".join(f"{key}={value}" for key, value in query.items()) if query else "")


# --- what counts ------------------------------------------------------------------------------------------------------


def findings(built: Finished, **options) -> dict[str, str]:
    wanted = make_options(built.material.collection, "topics", level="paragraph", **options)
    return {finding.code: finding.text for finding in find(wanted)}


def test_exports_and_figures_are_made_of_what_was_adjudicated_and_say_so(built) -> None:
    collection = built.material.collection
    assert "nothing-confirmed" in findings(built)
    take_everything(**by(built), side=whose(built, "bob"), seen=None)
    assert context_figures(collection)["sources"] == {"disagreed": 1}
    assert context_figures(collection, drafts=True)["sources"] == {"draft": 1}
    accept(built)
    assert context_figures(collection)["sources"] == {"adjudicated": 1}
    assert findings(built) == {"sources": "Papers finished by people: 1 adjudicated."}
    (paragraphs,) = [list(context_topic_records(make_options(collection, "qrels", level="paragraph")))]
    assert [row.docno for _, rows in paragraphs for row in rows] == ["d0001"]
    ((_, lines), *_) = context_files(make_options(collection, "acm-cr"))
    assert "[1, 2] measured it." in "".join(lines)
    built.hand_in("ann", SECOND, at=LATER)
    assert "1 paper that has been adjudicated has a newer version" in findings(built)["newer-versions"]
    alone = make_extraction(PaperFactory(collection=collection), ExtractionSource.IMPORTED, FIRST)
    assert findings(built)["sources"] == "Papers finished by people: 1 adjudicated, 1 as imported gold."
    assert alone.paper.collection == collection


def test_the_page_of_figures_says_what_they_are_made_of(built, client) -> None:
    take_everything(**by(built), side="A", seen=None)
    accept(built)
    client.force_login(built.material.people["vic"])
    page = client.get(reverse("context_report", args=[built.material.collection.slug])).text
    assert "Papers counted: 1 adjudicated." in page
    proposed = PaperFactory(collection=built.material.collection)
    make_extraction(proposed, ExtractionSource.MACHINE, FIRST)
    where = reverse("context_report", args=[built.material.collection.slug])
    assert "Papers counted: 1 adjudicated." in client.get(where).text, "a proposal is not counted"
    with_drafts = client.get(where, {"drafts": "1"}).text
    assert "Papers counted: 1 adjudicated, 1 as the machine proposes." in with_drafts


def test_agreement_of_grades_is_not_asked_of_papers(built, client) -> None:
    with pytest.raises(Refused, match="agreement on its papers is computed separately"):
        request_agreement(campaign=built.campaign, by=None, at=AT)
    client.force_login(built.material.people["vic"])
    assert client.get(address(built, "agreement_detail")).url == address(built, "extraction_agreement")


@pytest.mark.slow
def test_papers_to_decide_wait_on_the_first_page_and_are_linked_from_agreement(built, client) -> None:
    ada = built.material.people["ada"]
    assert [(each.campaign, each.count) for each in waiting_for(ada)] == [(built.campaign, 1)]
    client.force_login(ada)
    assert "Annotators differ on 1 paper" in client.get(reverse("home")).text
    agreement = reverse("extraction_agreement", args=[built.material.collection.slug, built.campaign.slug])
    assert f"{address(built)}?item={built.item.pk}" in client.get(agreement).text
    client.force_login(built.material.people["vic"])
    assert "Side by side" not in client.get(agreement).text
    assert waiting_for(built.material.people["vic"]) == waiting_for(built.material.people["ann"]) == []
    take_everything(**by(built), side="A", seen=None)
    assert len(waiting_for(ada)) == 1
    accept(built)
    assert waiting_for(ada) == []


@pytest.mark.slow
def test_the_overview_counts_papers_instead_of_votes(built, client) -> None:
    client.force_login(built.material.people["vic"])
    where = reverse("collection_dashboard", args=[built.material.collection.slug])
    page = " ".join(client.get(where).text.split())
    assert ">0 of 1</a>" in page
    links = {unescape(link) for link in re.findall(r'href="(/[^"#]+)', page.partition('id="content"')[2])}
    assert {link: client.get(link).status_code for link in links} == dict.fromkeys(links, 200)


@pytest.mark.slow
@pytest.mark.usefixtures("_free_address")
def test_the_command_accepts_what_majorities_decide(capsys) -> None:
    built = make_finished(FIRST, SECOND, FIRST, annotators=("ann", "bob", "cyd"), papers=3)
    two, three = (each.paper for each in built.campaign.items.exclude(pk=built.item.pk).select_related("paper"))
    for name, contents in (("ann", (FIRST, FIRST)), ("bob", (SECOND, FIRST))):
        for paper, content in zip((two, three), contents, strict=True):
            built.hand_in(name, content, paper=paper)
    call_command("adjudicate", "teas", "contexts", "--json")
    result = json.loads(capsys.readouterr().out)
    assert result == {
        "unanimous": 1,
        "single": 0,
        "majority": 1,
        "tie_resolved": 0,
        "excluded": 0,
        "by_hand": 0,
        "unresolved": 1,
    }
    (accepted,) = built.campaign.extractions.all()
    assert accepted.paper == built.paper
    assert statements(content_of(accepted)) == statements(FIRST)
    assert accepted.revisions.get().made_by is None
    with pytest.raises(Refused, match="has no votes"):
        request_vote(campaign=built.campaign, by=None, at=LATER, send=False)
    with pytest.raises(NotAllowed):
        accept_majorities(campaign=built.campaign, by=built.material.people["vic"], at=LATER)


def test_a_paper_is_sent_back_for_one_more_annotator(built, client) -> None:
    cyd = add_person(built.material, "cyd", Role.ANNOTATOR)
    add_members(campaign=built.campaign, users=[cyd], by=built.material.manager, at=AT)
    client.force_login(built.material.people["ada"])
    where = address(built, "paper_send_back", built.item.pk)
    assert "Sent back to one more annotator" in client.post(where, follow=True).text
    assert "1 more person still works on this paper" in " ".join(client.get(address(built)).text.split())
    refused = client.post(where)
    assert refused.status_code == 422
    assert "Another judge has already been asked" in refused.text
    built.hand_in("cyd", SECOND, at=LATER)
    assert (paper_rows(built.campaign)[0].people, paper_rows(built.campaign)[0].waiting) == (3, 0)
    assert case_of(built).comparison.undecided({}) == []
    assert AuditEvent.objects.filter(verb="send_back_item").count() == 1
    assert VotesSeen.objects.filter(item=built.item, user=built.material.people["ada"]).exists()


@pytest.mark.usefixtures("_free_address")
def test_identifiers_are_called_as_on_the_extraction_screen() -> None:
    values = ("10.1145/1", "d0000", "https://arxiv.org/abs/1", None)
    built = make_finished(replace(FIRST, references=references(*values)), replace(FIRST, references=()))
    listed = [entry.difference.choices for entry in fetch_paper_view(case_of(built)).entries if entry.difference]
    kinds = [next(choice.kind for choice in choices if choice.reference) for choices in listed]
    assert kinds == ["DOI", "document", "arXiv", "none"]
