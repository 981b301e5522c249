"""Pages of papers and citation contexts in Chromium: accessible in every way of showing them."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import ExtractionSource
from corpus.models import Paper
from tests.browser.axe import assert_accessible_everywhere
from tests.factories.annotation import AT, Material, make_campaign, make_material
from tests.factories.papers import PaperFactory, make_content, make_extraction

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
BLOCKS = [
    {"id": 1, "kind": "heading", "text": "1 Introduction"},
    {"id": 2, "kind": "paragraph", "text": "Tea is old. Lee et al. [1, 2] measured it.", "section": "Introduction"},
]


@pytest.fixture
def material() -> Material:
    """Three papers, one confirmed and two proposed, in an open campaign."""
    made = make_material(topics=0)
    papers = PaperFactory.create_batch(3, collection=made.collection, blocks=BLOCKS)
    for paper in papers:
        make_extraction(paper, ExtractionSource.MACHINE, make_content(cites=("1", "9")))
    make_extraction(papers[0], ExtractionSource.IMPORTED, make_content())
    campaign = make_campaign(made, name="Contexts", kind="extraction", overlap=3)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    return made


def test_pages_of_papers_are_accessible_everywhere(new_page: NewPage, material: Material) -> None:
    page = new_page(material.manager)
    for name, args in (("paper_detail", ["teas", Paper.objects.all()[0].pk]), ("context_report", ["teas"])):
        assert_accessible_everywhere(page, reverse(name, args=args))
