"""Lists of items too long to be counted: their own links lead through all of them."""

import re
from html import unescape
from typing import Any
from urllib.parse import urljoin

import pytest

from corpus import long_lists
from tests.adjudication.verdicts.test_pages import address, client_of
from tests.factories.adjudication import Built

pytestmark = pytest.mark.django_db

LISTS = {  # by the page: its rows on one page
    "judgment_list": "adjudication.verdicts.pages.judgments.PAGE",
    "item_list": "annotation.campaigns.pages.items.PER_PAGE",
    "disagreement_list": "adjudication.agreement.pages.disagreements.PAGE",
}
NEXT = re.compile(r'rel="next"\s+href="([^"]*)"')


def rows_of(answer: Any, page: str) -> list[int]:
    shown = answer.context["items"] if page == "item_list" else [line.item for line in answer.context["lines"]]
    return [item.pk for item in shown]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "asked"),
    [
        ("judgment_list", {}),
        ("judgment_list", {"method": "unresolved"}),
        ("judgment_list", {"among": "GG", "model": "m"}),
        ("item_list", {}),
        ("item_list", {"state": "complete"}),
        ("item_list", {"state": "skipped"}),
        ("disagreement_list", {"all": "1"}),
    ],
)
def test_long_lists_are_walked_whole_by_their_links(
    built: Built, page: str, asked: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row is left out and none comes twice, however few rows a page looks at; a page without any leads on."""
    client = client_of(built, "viewer")
    whole = rows_of(client.get(address(page), asked), page)
    monkeypatch.setattr(LISTS[page], 4)
    for name, value in (("LOOKED_AT", 5), ("STEPS", (2, 5)), ("MOST_COUNTED", 0)):
        monkeypatch.setattr(long_lists, name, value)
    answer = client.get(address(page), asked)
    assert answer.context["page"].is_keyed
    found = rows_of(answer, page)
    for _ in range(40):
        link = NEXT.search(answer.text)
        if link is None:
            break
        answer = client.get(urljoin(address(page), unescape(link[1])))
        found += rows_of(answer, page)
    assert found == whole != []


def test_no_step_is_offered_for_all_rows_that_were_not_counted(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """“All 4 rows” would take others too."""
    client = client_of(built, "manager")
    assert "data-pick-everything" in client.get(address("item_list"), {"state": "complete"}).text
    for name, value in (("LOOKED_AT", 5), ("STEPS", (2, 5)), ("MOST_COUNTED", 0)):
        monkeypatch.setattr(long_lists, name, value)
    page = client.get(address("item_list"), {"state": "complete"})
    assert page.context["items"]
    assert "data-pick-everything" not in page.text
