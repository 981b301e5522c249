"""Extraction campaigns: papers as items, an annotator's extraction with its revisions, and who may see what."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.assignment.assignments import assign_items
from annotation.campaigns.campaigns import drafts_of
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import close_campaign, create_campaign, open_campaign, update_campaign
from annotation.models import Assignment, Campaign, Extraction, ExtractionRevision, ExtractionSource, Item
from annotation.papers.extracting import (
    begin_extraction,
    finish_extraction,
    redo_extraction,
    reopen_extraction,
    save_extraction,
    skip_paper,
    take_up_paper,
    undo_extraction,
)
from annotation.papers.extractions import content_of
from annotation.papers.gold import gold_of
from corpus.models import Paper
from engines.definitions.block_contexts import without_proposals
from engines.definitions.extractions import Content, write_content
from tests.factories.annotation import AT, Material, make_campaign
from tests.factories.papers import PaperFactory, assignment_of, make_content, make_extraction

pytestmark = pytest.mark.django_db


def campaign_of(material: Material, **fields: object) -> Campaign:
    campaign = make_campaign(material, name="Contexts", kind="extraction", **{"overlap": 2, **fields})
    assign_items(campaign=campaign, by=material.manager, at=AT)
    return open_campaign(campaign=campaign, by=material.manager, at=AT)


def test_the_items_of_an_extraction_are_papers_each_once(material) -> None:
    campaign = make_campaign(material, name="Contexts", kind="extraction")
    assert [item.paper for item in campaign.items.order_by("pk")] == list(Paper.objects.all())
    assert not campaign.criteria.exists()
    with pytest.raises(Refused, match="No papers are left"):
        build_items(campaign=campaign, by=material.manager, at=AT)
    held = make_campaign(material, name="Held", kind="extraction", split="test", items=False)
    assert build_items(campaign=held, by=material.manager, at=AT, sample=2).created == 2
    other = make_campaign(material, name="Other", kind="extraction", split="dev")
    assert other.items.count() == 1
    with pytest.raises(Refused, match="3 of its papers are in another"):
        update_campaign(campaign=campaign, by=material.manager, at=AT, split="dev")
    with pytest.raises(IntegrityError), transaction.atomic():
        Item.objects.create(campaign=campaign, split="main", paper=Paper.objects.all()[0])


@pytest.mark.parametrize("both", [True, False])
def test_an_item_has_a_topic_or_a_paper(material, both) -> None:
    campaign = make_campaign(material, name="Contexts", kind="extraction", items=False)
    given = {"topic": material.topics[0], "paper": Paper.objects.all()[0]} if both else {}
    with pytest.raises(IntegrityError, match="item_topic_or_paper"), transaction.atomic():
        Item.objects.create(campaign=campaign, split="main", **given)


def test_an_extraction_without_papers_and_as_a_queue_is_refused(material) -> None:
    Paper.objects.all().delete()
    campaign = make_campaign(material, name="Contexts", kind="extraction", items=False)
    with pytest.raises(Refused, match="no papers yet"):
        build_items(campaign=campaign, by=material.manager, at=AT)
    with pytest.raises(Refused, match="not taken from an open queue"):
        update_campaign(campaign=campaign, by=material.manager, at=AT, strategy="queue")
    PaperFactory(collection=material.collection)
    build_items(campaign=campaign, by=material.manager, at=AT)
    with pytest.raises(Refused, match="not taken from an open queue"):
        assign_items(campaign=campaign, by=material.manager, at=AT, strategy="queue")
    other = make_campaign(material, name="Graded", items=False)
    with pytest.raises(Refused, match="has no criteria"):
        create_campaign(
            collection=material.collection,
            by=material.manager,
            at=AT,
            name="No",
            kind="extraction",
            criteria=drafts_of(other),
        )


def test_an_annotator_begins_with_the_proposal_and_every_state_is_kept(material) -> None:
    campaign = campaign_of(material)
    paper = campaign.items.order_by("pk")[0].paper
    made = make_content()
    make_extraction(paper, ExtractionSource.MACHINE, made)
    proposal = without_proposals(made)  # what takes names out is offered, not applied
    assignment = assignment_of(campaign, "ana", paper) if has_paper(campaign, "ana", paper) else None
    name = "ana" if assignment else "ben"
    assignment = assignment or assignment_of(campaign, "ben", paper)
    by = material.people[name]
    mine = begin_extraction(assignment=assignment, by=by, at=AT)
    assert content_of(mine) == proposal
    assert begin_extraction(assignment=assignment, by=by, at=AT) == mine

    def save(content: Content, base: int) -> Extraction:
        return save_extraction(extraction=mine, content=write_content(content), base=base, by=by, at=AT, change="cut")

    fewer, other = Content((), proposal.references), make_content(cites=("1",))
    assert save(proposal, 1).current == 1  # nothing has changed
    assert [save(fewer, 1).current, undo_extraction(extraction=mine, by=by, at=AT).current] == [2, 1]
    assert redo_extraction(extraction=mine, by=by, at=AT).current == 2
    undo_extraction(extraction=mine, by=by, at=AT)
    assert save(other, 1).current == 3  # another way on from the first state; redo follows the newest
    with pytest.raises(Refused, match="nothing to redo"):
        redo_extraction(extraction=mine, by=by, at=AT)
    undo_extraction(extraction=mine, by=by, at=AT)
    assert redo_extraction(extraction=mine, by=by, at=AT).current == 3
    with pytest.raises(Conflict, match="another window"):
        save(fewer, 1)
    undo_extraction(extraction=mine, by=by, at=AT)
    with pytest.raises(Refused, match="nothing to undo"):
        undo_extraction(extraction=mine, by=by, at=AT)
    assert [each.parent for each in mine.revisions.all()] == [None, 1, 1]
    with pytest.raises(Refused, match="two references have the same number"):
        save(Content((), proposal.references * 2), 1)


def has_paper(campaign: Campaign, name: str, paper: Paper) -> bool:
    return campaign.items.filter(paper=paper, assignments__annotator__user__email=f"{name}@example.org").exists()


def finish_differing(material: Material, campaign: Campaign, paper: Paper) -> None:
    """Both judges of the paper finish their extractions of it, in one of which a citation is missing."""
    judges = [name for name in ("ana", "ben", "cai") if has_paper(campaign, name, paper)]
    for name, content in zip(judges, (make_content(), make_content(cites=("2",))), strict=True):
        by = material.people[name]
        mine = begin_extraction(assignment=assignment_of(campaign, name, paper), by=by, at=AT)
        save_extraction(extraction=mine, content=write_content(content), base=1, by=by, at=AT)
        finish_extraction(extraction=mine, by=by, at=AT)


def test_finishing_asks_about_dangling_citations_and_can_be_taken_back(material) -> None:
    campaign = campaign_of(material, overlap=3)
    paper = campaign.items.order_by("pk")[0].paper
    make_extraction(paper, ExtractionSource.MACHINE, make_content(cites=("1", "9")))
    assignment, by = assignment_of(campaign, "ana", paper), material.people["ana"]
    mine = begin_extraction(assignment=assignment, by=by, at=AT)
    with pytest.raises(Refused, match="Context 01, sentence 2 cites 9, not in the references"):
        finish_extraction(extraction=mine, by=by, at=AT)
    finish_extraction(extraction=mine, by=by, at=AT, despite=True)
    assignment.refresh_from_db()
    assert (assignment.state, assignment.finished_at) == ("done", AT)
    with pytest.raises(Refused, match="is finished"):
        undo_extraction(extraction=mine, by=by, at=AT)
    (gold, *_) = gold_of(material.collection)
    assert (gold.paper, gold.status, gold.content) == (
        paper,
        "confirmed",
        without_proposals(make_content(cites=("1", "9"))),
    )
    reopen_extraction(extraction=mine, by=by, at=AT)
    assignment.refresh_from_db()
    assert (assignment.state, assignment.slot is not None) == ("pending", True)
    assert [gold.status for gold in gold_of(material.collection)] == ["draft", "nothing", "nothing"]
    assert [gold.status for gold in gold_of(material.collection, drafts=True)] == ["draft", "nothing", "nothing"]
    verbs = list(AuditEvent.objects.filter(verb__contains="extraction").values_list("verb", flat=True).order_by("pk"))
    assert verbs == ["begin_extraction", "finish_extraction", "reopen_extraction"]


def test_annotators_who_differ_wait_for_adjudication(material) -> None:
    campaign = campaign_of(material, overlap=2)
    paper = campaign.items.order_by("pk")[0].paper
    finish_differing(material, campaign, paper)
    assert next(gold_of(material.collection)).status == "disagreed"
    make_extraction(paper, ExtractionSource.ADJUDICATED, make_content(), campaign=campaign)
    gold = next(gold_of(material.collection))
    assert (gold.status, gold.extraction.source) == ("confirmed", "adjudicated")


def test_nobody_else_works_on_a_paper_and_not_in_a_closed_campaign(material) -> None:
    campaign = campaign_of(material, overlap=3)
    assignment = assignment_of(campaign, "ana", campaign.items.order_by("pk")[0].paper)
    with pytest.raises(NotAllowed, match="somebody else"):
        begin_extraction(assignment=assignment, by=material.people["ben"], at=AT)
    close_campaign(campaign=campaign, by=material.manager, at=AT)
    with pytest.raises(Refused, match="is closed"):
        begin_extraction(assignment=assignment, by=material.people["ana"], at=AT)


@pytest.mark.slow
def test_a_paper_is_skipped_with_a_reason_and_taken_up_again(material, client) -> None:
    campaign = campaign_of(material, overlap=3)
    paper = campaign.items.order_by("pk")[0].paper
    make_extraction(paper, ExtractionSource.MACHINE, make_content())
    assignment = assignment_of(campaign, "ana", paper)
    here, queue = ("teas", campaign.slug, assignment.pk), reverse("extraction_queue", args=["teas", campaign.slug])
    client.force_login(material.people["ana"])
    assert "Skip this paper?" in client.get(reverse("extraction_detail", args=here)).content.decode()
    for words, refusal in ((" ", "Say in a few words"), ("x" * 501, "more than 500")):
        refused = client.post(reverse("extraction_skip", args=here), {"text": words}, follow=True)
        assert refusal in refused.content.decode()
    skipped = client.post(reverse("extraction_skip", args=here), {"reason": "The file is broken"}, follow=True)
    assert "2 of 3 are left" in skipped.content.decode()
    assignment.refresh_from_db()
    assert (assignment.state, assignment.slot) == ("skipped", None)
    mine = Extraction.objects.get(assignment=assignment)
    with pytest.raises(Refused, match="You have skipped this paper"):
        save_extraction(extraction=mine, content=write_content(Content()), base=1, by=material.people["ana"], at=AT)
    client.force_login(material.manager)
    assert "The file is broken" in client.get(reverse("campaign_detail", args=here[:2])).content.decode()
    client.force_login(material.people["ana"])
    assert "Reopen" in client.get(queue).content.decode()
    client.post(reverse("extraction_skip", args=here), {"again": "yes"})
    assignment.refresh_from_db()
    assert (assignment.state, assignment.finished_at) == ("pending", None)
    assert assignment.slot is not None
    assert client.get(reverse("extraction_detail", args=here)).status_code == 200
    assert list(assignment.submissions.order_by("id").values_list("kind", "reason")) == [
        ("skip", "The file is broken"),
        ("undo", ""),
    ]


def test_a_skipped_paper_that_somebody_else_has_is_not_taken_up_again(material) -> None:
    campaign = campaign_of(material, overlap=1)
    who = {"by": material.people["ana"], "at": AT}
    assignment = Assignment.objects.filter(annotator__user=material.people["ana"])[0]
    with pytest.raises(Refused, match="You have not skipped"):
        take_up_paper(assignment=assignment, **who)
    with pytest.raises(NotAllowed, match="somebody else"):
        skip_paper(assignment=assignment, reason="Mine.", by=material.people["ben"], at=AT)
    skip_paper(assignment=assignment, reason="Not my field.", **who)
    assign_items(campaign=campaign, by=material.manager, at=AT)
    with pytest.raises(Conflict, match="somebody else has taken it"):
        take_up_paper(assignment=assignment, **who)
    assert Assignment.objects.filter(item=assignment.item, slot__isnull=False).count() == 1


def test_a_finished_paper_is_not_skipped(material) -> None:
    campaign = campaign_of(material, overlap=3)
    who = {"by": material.people["ana"], "at": AT}
    assignment = assignment_of(campaign, "ana", campaign.items.order_by("pk")[0].paper)
    finish_extraction(extraction=begin_extraction(assignment=assignment, **who), **who)
    with pytest.raises(Refused, match="is finished"):
        skip_paper(assignment=assignment, reason="Late.", **who)


def test_the_database_keeps_revisions_and_their_order(material) -> None:
    paper = PaperFactory(collection=material.collection)
    proposal = make_extraction(paper, ExtractionSource.MACHINE, make_content())
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        ExtractionRevision.objects.filter(extraction=proposal).update(change="rewritten")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS extraction_current_is_own IMMEDIATE")
    with pytest.raises(IntegrityError, match="extraction_current_is_own"), transaction.atomic():
        Extraction.objects.filter(pk=proposal.pk).update(current=7)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS extraction_current_is_own DEFERRED")
    for content in ({}, {"contexts": {}, "references": []}, {"contexts": []}):
        with pytest.raises(IntegrityError, match="is_a_list"), transaction.atomic():
            ExtractionRevision.objects.create(extraction=proposal, number=2, parent=1, content=content, made_at=AT)
    with pytest.raises(IntegrityError, match="one_machine_one_imported"), transaction.atomic():
        make_extraction(paper, ExtractionSource.MACHINE, make_content())
    paper.delete()  # nobody has worked on it: the proposal goes with it
    assert not Extraction.objects.filter(pk=proposal.pk).exists()
