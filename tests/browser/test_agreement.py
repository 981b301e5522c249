"""Agreement in a real browser: from a figure to the judgments behind it, accessible everywhere."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_votes import vote
from tests.browser.axe import assert_accessible, assert_accessible_everywhere
from tests.factories.adjudication import build_campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]


def address(name: str) -> str:
    return reverse(name, args=["tea", "main"])


def test_two_clicks_from_a_figure_to_the_judgments(new_page: NewPage) -> None:
    built = build_campaign(noisy_labels(60, 3), topics=12)
    vote(built)
    agree(built)
    page = new_page(user=built.people["viewer"])
    page.goto(address("agreement_detail"))
    page.get_by_text("Pair by pair").click()
    page.locator("#pairs .matrix td a").first.click()
    expect(page.get_by_role("heading", name="Disagreements")).to_be_visible()
    expect(page.locator("[data-judgments] td[data-label=Labels] .grade").first).to_be_visible()
    page.goto(address("agreement_detail"))
    page.select_option("#statistic", "spearman")
    expect(page.locator(".headline")).to_contain_text("Spearman")
    page.get_by_text("Annotator by annotator").click()
    page.locator("#people tbody a").first.click()
    expect(page.get_by_role("heading", name="Judgments", exact=True)).to_be_visible()
    expect(page.locator("[data-judgments] td[data-label=Labels] .grade").first).to_be_visible()


def test_pages_are_accessible(new_page: NewPage) -> None:
    labels = noisy_labels(15, 5)
    labels[0][2] = None  # type: ignore[call-overload]
    built = build_campaign(labels, topics=5, machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    vote(built)
    agree(built, margin=0.1)
    built.label(built.items[0], "cai", 1)
    page = new_page(user=built.people["manager"])
    for name in ("agreement_detail", "disagreement_list", "adjudication_screen", "acceptance"):
        assert_accessible_everywhere(page, address(name))
    assert_accessible_everywhere(page, reverse("collection_dashboard", args=["tea"]))


def test_helper_pages_are_accessible(new_page: NewPage) -> None:
    built = build_campaign(noisy_labels(48, 3), topics=48)
    vote(built)
    agree(built)
    page = new_page(user=built.people["viewer"])
    assert_accessible_everywhere(page, address("agreement_report"))
    assert_accessible_everywhere(
        page, address("sample_size") + "?statistic=cohen_kappa&wanted=half_width&points=5&power=80"
    )


def test_pages_without_anything_are_accessible(new_page: NewPage) -> None:
    built = build_campaign([])
    page = new_page(user=built.people["manager"])
    for name in ("agreement_detail", "disagreement_list", "adjudication_screen", "acceptance"):
        page.goto(address(name))
        assert_accessible(page)
    page.goto(reverse("collection_dashboard", args=["tea"]))
    assert_accessible(page)
