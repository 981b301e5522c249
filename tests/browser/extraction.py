"""The extraction screen for the tests: a campaign over papers, opening a paper, what is stored of it."""

from django.urls import reverse
from playwright.sync_api import expect

from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Extraction
from corpus.models import Document
from tests.factories.annotation import AT, make_campaign, make_material
from tests.factories.papers import assignment_of

HEAD, BODY = ("Helvetica-Bold", 12), ("Times-Roman", 10)


def paper_material():
    """A collection with an annotator and three documents that papers cite."""
    made = make_material(topics=1, annotators=("ann",))
    for docno, title, author, year in (
        ("10.1/water", "How long leaves should stay in water", "Potter, Ann", 2019),
        ("10.1/heat", "Temperature and taste", "Potter, Ann", 2019),
        ("10.1/tap", "Water From the Tap", "Sugar, Eve", 2021),
    ):
        Document.objects.create(collection=made.collection, docno=docno, title=title, authors=[author], year=year)
    return made


def open_extraction(material, new_page, name="ann", **options):
    campaign = material.collection.campaigns.get(slug="contexts")
    assignment = assignment_of(campaign, name, material.collection.papers.first())
    page = new_page(assignment.annotator.user, **options)
    page.goto(reverse("extraction_detail", args=[material.collection.slug, campaign.slug, assignment.pk]))
    return page, assignment


def extraction_campaign(material, **fields):
    campaign = make_campaign(material, name="Contexts", kind="extraction", **{"overlap": 1, **fields})
    assign_items(campaign=campaign, by=material.manager, at=AT)
    return open_campaign(campaign=campaign, by=material.manager, at=AT)


def saved(page) -> None:
    """Save now what would be saved within two minutes."""
    page.keyboard.press("Control+s")
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved")


def refreshed(work: Extraction) -> Extraction:
    work.refresh_from_db()
    return work
