"""Pages of extraction campaigns: those of annotators, those of overseers, and who sees what."""

import re
from io import BytesIO

import pytest
from django.urls import reverse

from accounts.refusals import Refused
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.consent.consents import give_consent, set_consent_text, withdraw_consent
from annotation.models import Campaign, Extraction, ExtractionRevision, ExtractionSource
from annotation.papers.extracting import (
    begin_extraction,
    finish_extraction,
    reopen_extraction,
)
from annotation.papers.extractions import content_of
from annotation.papers.gold import gold_of
from corpus.models import Membership, Paper, Role
from engines.definitions.block_contexts import without_proposals
from tests.annotation.papers.test_extractions import campaign_of, finish_differing
from tests.factories.annotation import AT, add_topic, make_campaign
from tests.factories.papers import PaperFactory, assignment_of, make_content, make_extraction

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_an_annotator_goes_from_the_list_to_the_finished_paper(material, client) -> None:
    campaign = campaign_of(material, overlap=3)
    paper = campaign.items.order_by("pk")[0].paper
    make_extraction(paper, ExtractionSource.MACHINE, make_content())
    make_extraction(paper, ExtractionSource.IMPORTED, make_content(values=("10.9/secret", None)))
    client.force_login(material.people["ana"])
    assert reverse("extraction_queue", args=["teas", campaign.slug]) in client.get(reverse("home")).content.decode()
    queue = client.get(reverse("extraction_queue", args=["teas", campaign.slug])).content.decode()
    assignment = assignment_of(campaign, "ana", paper)
    here = ("teas", campaign.slug, assignment.pk)
    assert reverse("extraction_detail", args=here) in queue
    assert ">Start the next paper</a>" in queue
    page = client.get(reverse("extraction_detail", args=here)).content.decode()
    assert "Lee et al. [1, 2] measured it." in page
    assert "1 of 2 are in the collection" in page
    assert "secret" not in page  # the gold is not theirs to see
    written = client.get(reverse("extraction_download", args=here)).content.decode()
    corrected = BytesIO(written.replace("Tea is old.", "Tea is very old.").encode())
    corrected.name = "mine.xml"
    sent = client.post(reverse("extraction_revise", args=here), {"file": corrected, "base": 1}, follow=True)
    assert "Tea is very old." in sent.content.decode()
    mine = Extraction.objects.get(assignment=assignment)
    (context,) = content_of(mine).contexts
    assert context.blocks == (1,)  # what XML cannot carry is kept
    assert [sentence.text for sentence in context.sentences] == ["Tea is very old.", "Lee et al. [1, 2] measured it."]
    client.post(reverse("extraction_step", args=here), {"step": "undo"})
    client.post(reverse("extraction_finish", args=here))
    assert next(gold.status for gold in gold_of(material.collection)) == "confirmed"
    campaign.items.exclude(paper=paper).delete()
    done = client.get(reverse("extraction_queue", args=["teas", campaign.slug])).text
    assert "You have finished or skipped all of your papers." in done
    assert re.search(rf'class="button primary"\s+href="{reverse("home")}">My work<', done)
    Membership.objects.filter(user=material.people["ana"]).update(role=Role.MANAGER)
    led = client.get(reverse("extraction_queue", args=["teas", campaign.slug])).text
    assert "<strong>Next:</strong>" in led
    assert ">My work</a>" not in led.partition("<main")[2]
    assert content_of(Extraction.objects.get(pk=mine.pk)) == without_proposals(make_content())


def test_a_paper_waits_for_consent_and_ends_with_it(material, client) -> None:
    campaign = campaign_of(material, overlap=3)
    ana = material.people["ana"]
    assignment = assignment_of(campaign, "ana", campaign.items.order_by("pk")[0].paper)
    text = {"text": "We store it.", "after_withdrawal": "leave-out", "asks_background": False}
    set_consent_text(collection=material.collection, by=None, at=AT, **text)
    client.force_login(ana)
    address = reverse("extraction_detail", args=["teas", campaign.slug, assignment.pk])
    assert client.get(address).url == reverse("consent_give", args=["teas"])
    with pytest.raises(Refused, match="have not agreed"):
        begin_extraction(assignment=assignment, by=ana, at=AT)
    give_consent(collection=material.collection, version=1, by=ana, at=AT)
    extraction = begin_extraction(assignment=assignment, by=ana, at=AT)
    finish_extraction(extraction=extraction, by=ana, at=AT)
    assert {gold.status for gold in gold_of(material.collection)} >= {"confirmed"}
    withdraw_consent(collection=material.collection, by=ana, at=AT)
    assert "confirmed" not in {gold.status for gold in gold_of(material.collection)}, "left out, as the text says"
    with pytest.raises(Refused, match="You have withdrawn"):
        reopen_extraction(extraction=extraction, by=ana, at=AT)


@pytest.mark.parametrize(
    ("sent", "reason", "in_german"),
    [
        (b"<doc><doi>a</doi>", "mine.xml, line 1: is not well-formed", "Auf Englisch: mine.xml, line 1: is not well"),
        (b"%PDF-1.7", "not well-formed", "Auf Englisch: mine.xml"),
        (
            b'<doc><doi>a</doi><contexts><context id="a b"><s>x</s></context></contexts></doc>',
            "context 1: &#x27;a b&#x27; cannot be a number",
            "Kontext 1: &#x27;a b&#x27; kann keine Nummer sein",
        ),
    ],
)
def test_a_bad_file_is_refused_with_the_reason_and_nothing_is_lost(material, client, sent, reason, in_german) -> None:
    campaign = campaign_of(material, overlap=3)
    assignment = assignment_of(campaign, "ana", campaign.items.order_by("pk")[0].paper)
    begin_extraction(assignment=assignment, by=material.people["ana"], at=AT)
    client.force_login(material.people["ana"])
    file = BytesIO(sent)
    file.name = "mine.xml"
    address = reverse("extraction_revise", args=["teas", campaign.slug, assignment.pk])
    for language, words in (("en", reason), ("de", in_german)):
        file.seek(0)
        answer = client.post(address, {"file": file, "base": 1}, headers={"Accept-Language": language})
        assert answer.status_code == 422
        assert words in answer.content.decode()
    assert ExtractionRevision.objects.filter(extraction__assignment=assignment).count() == 1


def test_the_labelling_screen_takes_no_papers(material, client) -> None:
    campaign = campaign_of(material)
    client.force_login(material.people["ana"])
    answer = client.get(reverse("labelling_screen", args=["teas", campaign.slug]))
    assert (answer.status_code, b"it takes no answers of this kind" in answer.content) == (422, True)
    add_topic(material, "9", ["It is green."])
    graded = make_campaign(material, name="Graded")
    answer = client.get(reverse("extraction_queue", args=["teas", graded.slug]))
    assert (answer.status_code, b"its items are graded" in answer.content) == (422, True)


@pytest.mark.slow
def test_overseers_see_papers_with_what_counts_in_few_queries(material, client, django_assert_max_num_queries) -> None:
    campaign = campaign_of(material)
    for paper in Paper.objects.all():
        make_extraction(paper, ExtractionSource.IMPORTED, make_content())
        make_extraction(paper, ExtractionSource.MACHINE, make_content(values=("10.9/m", None)))
    client.force_login(material.people["vic"])
    with django_assert_max_num_queries(12):
        page = client.get(reverse("paper_list", args=["teas"])).content.decode()
    assert page.count("imported gold") >= 3
    paper = Paper.objects.all()[0]
    with django_assert_max_num_queries(13):
        shown = client.get(reverse("paper_detail", args=["teas", paper.pk])).content.decode()
    assert "1 of 2 are in the collection" in shown
    machine = paper.extractions.get(source="machine")
    other = client.get(reverse("paper_detail", args=["teas", paper.pk]), {"extraction": machine.pk}).content.decode()
    assert "10.9/m" in other
    assert (
        client.get(reverse("paper_list", args=["teas"]), {"q": "no such"}).content.decode().count("No paper matches")
        == 1
    )
    for name in ("campaign_detail", "item_list", "annotator_list", "campaign_edit", "guideline_edit"):
        client.force_login(material.manager)
        assert client.get(reverse(name, args=["teas", campaign.slug])).status_code == 200
    managed = client.get(reverse("paper_detail", args=["teas", paper.pk])).text
    assert f"The key “<bdi>{paper.key}</bdi>” may be the DOI: confirm it or add another (optional)" in managed
    assert "No DOI is known" not in managed
    assert client.get(reverse("collection_dashboard", args=["teas"])).status_code == 200
    graded = client.get(reverse("agreement_detail", args=["teas", campaign.slug]))
    assert graded["Location"] == reverse("extraction_agreement", args=["teas", campaign.slug])


def test_a_manager_adds_the_papers_that_came_in_later(material, client) -> None:
    """Its page has no choice of items, as papers are only counted; it failed once a paper was left."""
    campaign = campaign_of(material)
    PaperFactory(collection=material.collection)
    client.force_login(material.manager)
    address = reverse("item_build", args=["teas", campaign.slug])
    assert ">Add items</button>" in client.get(address).content.decode()
    assert client.post(address, {"seed": "1"}).status_code == 302
    assert campaign.items.count() == 4


def test_an_overseer_who_has_the_paper_to_do_sees_no_others_work_and_no_gold(material, client) -> None:
    make_campaign(material, name="Contexts", kind="extraction", overlap=1, annotators=False)
    campaign = Campaign.objects.get(slug="contexts")
    add_members(campaign=campaign, users=[material.people["ada"]], by=material.manager, at=AT)
    assign_items(campaign=campaign, by=material.manager, at=AT)
    paper = campaign.items.order_by("pk")[0].paper
    make_extraction(paper, ExtractionSource.IMPORTED, make_content(values=("10.9/secret", None)))
    make_extraction(paper, ExtractionSource.MACHINE, make_content())
    for name, seen in (("ada", False), ("vic", True)):
        client.force_login(material.people[name])
        page = client.get(reverse("paper_detail", args=["teas", paper.pk])).content.decode()
        assert ("secret" in page) is seen


def test_agreement_of_those_who_finished_is_shown_with_the_papers_they_differ_on(material, client) -> None:
    campaign = campaign_of(material, overlap=2)
    paper = campaign.items.order_by("pk")[0].paper
    address = reverse("extraction_agreement", args=["teas", campaign.slug])
    client.force_login(material.people["vic"])
    empty = client.get(address).text
    assert "Nothing to compare yet" in empty
    assert "<strong>Next:</strong>" in empty
    finish_differing(material, campaign, paper)
    page = " ".join(client.get(address).content.decode().split())
    assert "0.667" in page  # citations: one in common of two and one
    assert "nothing to compare" in page  # the paper has no blocks, so there is no kappa of paragraphs
    assert reverse("paper_detail", args=["teas", paper.pk]) in page


def test_the_guideline_is_folded_after_the_first_paper_until_it_is_opened(material, client) -> None:
    campaign = campaign_of(material, overlap=3)
    client.force_login(material.people["ana"])
    papers = [item.paper for item in campaign.items.order_by("pk")]

    def is_open(paper: Paper) -> bool:
        here = ("teas", campaign.slug, assignment_of(campaign, "ana", paper).pk)
        return client.get(reverse("extraction_detail", args=here)).context["guideline_open"]

    def finish(paper: Paper) -> None:
        here = ("teas", campaign.slug, assignment_of(campaign, "ana", paper).pk)
        client.post(reverse("extraction_finish", args=here), {"despite": "yes"})

    assert is_open(papers[0])
    assert is_open(papers[1]), "one that is only looked at has not been worked through"
    finish(papers[0])
    assert not is_open(papers[1])
    client.post(reverse("label_guideline", args=["teas", campaign.slug]), {"version": 1, "folded": "no"})
    finish(papers[1])
    assert is_open(papers[2]), "who opened it again wants it open"
