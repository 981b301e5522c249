"""Every number opens exactly the items that it was made of."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import urljoin, urlsplit

import numpy as np
import pytest

from adjudication.agreement.contributing_items import (
    ContributingItems,
    contributing_to_difference,
    contributing_to_figure,
)
from adjudication.models import Verdict
from adjudication.verdicts.judgments import ItemSelection, find_judged
from annotation.models import Judgment
from tests.adjudication.agreement.dashboards import main_of, text_of
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_pages import address, client_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists show four items: what counts is what they lead to and how many there are."""
    for view in ("verdicts.pages.judgments", "agreement.pages.disagreements"):
        monkeypatch.setattr(f"adjudication.{view}.PAGE", 4)


LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
END = "data-judgments"  # the list of items with their labels


def links_with_numbers(page: str) -> Iterator[tuple[str, str]]:
    """(address, text) of each link in the main part whose text has a digit."""
    for href, inner in LINK.findall(main_of(page)):
        if re.search(r"\d", text_of(inner)):
            yield unescape(href), text_of(inner)


@pytest.mark.slow
def test_every_number_leads_to_its_judgments_in_two_clicks(built: Built) -> None:
    """One page of each kind: what each figure's own list holds is asked below, without its page."""
    client = client_of(built, "manager")
    seen: dict[str, str] = {}

    def fetch(href: str) -> str:
        path = href.split("#", maxsplit=1)[0]
        kind = re.sub(r"\d+", "0", path)
        if kind not in seen:
            answer = client.get(path)
            assert answer.status_code == 200, path
            seen[kind] = answer.content.decode()
        return seen[kind]

    starts = [address("collection_dashboard"), address("agreement_detail")]
    walked = 0
    for begin, href, text in [(each, *link) for each in starts for link in links_with_numbers(fetch(each))]:
        first = urljoin(begin, href)
        if any(part in urlsplit(first).path for part in ("/pools/", "/runs/", "/members/", "/documents/", "/topics/")):
            continue  # what the collection holds, not what was judged
        page = fetch(first)
        if END not in page:
            further = [urljoin(first, unescape(link)) for link, _ in LINK.findall(main_of(page))]
            assert any(END in fetch(link) for link in further if "judgments" in link), f"{text!r} at {first} ends there"
        walked += 1
    assert walked > 40


def test_no_number_of_the_tables_is_without_a_way_down(built: Built) -> None:
    page = main_of(client_of(built, "viewer").get(address("agreement_detail")).content.decode())
    people = page.split('id="people"')[1].split("</details>")[0]
    matrix = page.split('id="pairs"')[1].split("<figure")[0]
    confusion = page.split('id="confusion"')[1].split("<tfoot>")[0]
    assert 'aria-label="ben: 23 done, 1 skipped"' in people
    for part in (people, matrix, confusion):
        for cell in re.findall(r"<td\b[^>]*>(.*?)</td>", part, re.DOTALL):
            text = text_of(cell)
            assert not re.search(r"\d", text) or "<a" in cell or text == "0" or text.endswith("0.0%"), text


@pytest.mark.slow
def test_the_lists_hold_what_the_numbers_say(built: Built) -> None:
    client = client_of(built, "viewer")
    ana, ben, machine = (built.annotators[name].pk for name in ("ana", "ben", "m-1"))

    def count(**asked: object) -> int:
        return int(client.get(address("judgment_list"), asked).context["page"].paginator.count)

    assert count() == 24
    assert count(annotator=ana, state="done") == 24
    assert count(annotator=ben, state="done") == 23
    assert count(annotator=ben, state="skipped") == 1
    assert count(annotator=ana, repeated=1) == 3
    assert count(item=built.items[7].pk) == 1
    assert count(topic=built.items[0].topic_id) == 12
    assert count(method="by-hand") == 1
    assert count(method="unresolved") == Verdict.objects.filter(method="unresolved").count()
    assert count(among="GG", model="m") == count(among="GH") == 24
    assert count(among="GA") == Verdict.objects.filter(value__isnull=False).count()
    page = client.get(address("disagreement_list"), {"pair": f"{machine},verdict", "all": 1})
    values = {row.item_id: row.value for row in Verdict.objects.filter(value__isnull=False)}
    own = dict(
        built.annotators["m-1"].assignments.filter(repeat=0).values_list("item_id", "judgments__value"),
    )
    assert page.context["page"].paginator.count == sum(own[item] != value for item, value in values.items())
    skipped = client.get(address("judgment_list"), {"annotator": ben, "state": "skipped"}).content.decode()
    assert "no abstract" in skipped
    asked = client.get(address("judgment_list"), {"annotator": ana, "repeated": 1}).content.decode()
    assert asked.count("asked again</span>") == 3


@pytest.mark.slow
@pytest.mark.parametrize("voters", ["humans", "machines", "all"])
def test_each_figure_opens_exactly_its_items(voters: str) -> None:
    labels: list[list[int | None]] = [list(row) for row in noisy_labels(60, 5)]
    rng = np.random.default_rng(5)
    holes = rng.random((60, 5)) < 0.3
    holes[8:, 2] = True  # few of cai: pairs with too few items stay out of means by name
    found = build_campaign(
        [
            [None if gone else value for value, gone in zip(*row, strict=True)]
            for row in zip(labels, holes, strict=True)
        ],
        topics=3,
        machines=[("m-1", "m", 1), ("m-2", "m", 2)],
        slug="coffee",
    )
    vote(found, voters=voters, min_votes=1)
    run = agree(found)
    rows = list(run.results.select_related("run"))
    assert any("excluded_pairs" in row.extra for row in rows)
    counts: dict[ContributingItems, int] = {}  # many figures were made of the same items
    for row in rows:
        contributing = contributing_to_figure(row, found.criterion)
        if contributing not in counts:
            counts[contributing] = find_judged(ItemSelection(found.criterion, contributing=contributing)).count()
        assert counts[contributing] == row.n_items, (row.statistic, row.scope, row.block, row.annotators)
    tests = run.detail["relevance"]["comparisons"]
    assert tests[0]["n_excluded"] > 0
    for test in tests:
        named = (run, found.criterion, test["statistic"], test["model"])
        assert (
            find_judged(ItemSelection(found.criterion, contributing=contributing_to_difference(*named))).count()
            == (test["difference"]["n_items"])
        )
        left_out = contributing_to_difference(*named, unfit=True)
        assert find_judged(ItemSelection(found.criterion, contributing=left_out)).count() == test["n_excluded"]


@pytest.mark.slow
def test_every_number_of_the_agreement_page_opens_its_items(built: Built) -> None:
    Judgment.objects.filter(assignment__annotator=built.annotators["m-2"], assignment__item=built.items[3]).delete()
    run = agree(built)
    client = client_of(built, "viewer")
    page = main_of(client.get(address("agreement_detail")).content.decode())
    tables = (
        page.split('id="whole"')[1].split("</table>")[0],
        page.split('id="blocks-heading"')[1].split("</section>")[0],
    )
    shown_elsewhere = {
        "Interval",
        "Pairs",
        "Note",
        "Detectable",
        "p, Holm",
        "Machine",
        "Equivalence",
    }  # a number that leads on
    for label, cell in re.findall(r'<td\b(?:[^>]*data-label="([^"]*)")?[^>]*>(.*?)</td>', "".join(tables), re.DOTALL):
        assert label in shown_elsewhere or not re.search(r"\d", text_of(cell)) or "<a" in cell, (label, cell)
    links = [unescape(href) for href, _ in LINK.findall("".join(tables))]
    assert {"figure", "run"} == {name for link in links for name in ("figure", "run") if f"&{name}=" in link}
    distinct = list(dict.fromkeys(links))
    differences, figures = ([link for link in distinct if (f"&{name}=" in link)] for name in ("run", "figure"))
    # Each figure's items are counted in test_each_figure_opens_exactly_its_items; here it is the links that count.
    opened = {link: client.get(link) for link in [*differences, *figures[::5]]}
    assert all(END in answer.content.decode() for answer in opened.values())
    test = run.detail["relevance"]["comparisons"][0]
    fit = next(answer for link, answer in opened.items() if "difference=" in link and "unfit" not in link)
    unfit = next(answer for link, answer in opened.items() if "unfit=1" in link)
    counts = [answer.context["page"].paginator.count for answer in (fit, unfit)]
    assert counts == [test["difference"]["n_items"], test["n_excluded"]] == [22, 2]
    assert "two labels of people and one of each of its runs" in text_of(fit.content.decode())
    narrowed = client.get(address("judgment_list"), {"run": run.pk, "difference": "accuracy", "model": "m", "topic": 0})
    assert 'type="hidden" name="difference" value="accuracy"' in narrowed.content.decode()
