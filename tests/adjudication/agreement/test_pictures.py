"""The pictures of the agreement page have the figures of its tables; what is undefined is said and not drawn as 0."""

import re

import pytest

from tests.adjudication.agreement.dashboards import main_of, text_of
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_pages import address, client_of
from tests.factories.adjudication import Built, build_campaign

pytestmark = pytest.mark.django_db


LETTER = re.compile(r'<sup title="No interval: [^"]*">\w</sup>')


@pytest.fixture
def page() -> str:
    """Of `ana` and `ben`, who gave all items level 1, and of `cai`, who used all levels."""
    built: Built = build_campaign([[1, 1, row[0]] for row in noisy_labels(24, 1)], people=("ana", "ben", "cai"))
    agree(built)
    return main_of(client_of(built, "viewer").get(address("agreement_detail")).content.decode())


def test_the_forest_has_the_pairs_of_the_matrix(page: str) -> None:
    matrix, forest = page.split('id="pairs"')[1].split("</section>", maxsplit=1)[0].split("<figure")
    found = [LETTER.sub(" no interval", cell) for cell in re.findall(r"<td data-shade.*?</td>", matrix, re.DOTALL)]
    cells = [text_of(cell).split(" n 24")[0] for cell in found]
    labels = dict(re.findall(r"<li><a [^>]*>([^<]+)</a> <span class=\"visually-hidden\">(.*?)</span>", forest))
    words = [text.replace("undefined:", "undefined").replace(",", "") for text in labels.values()]
    assert sorted(words) == sorted(cell.replace(",", "") for cell in cells)
    assert list(labels)[-1] == "ana × ben"
    assert labels["ana × ben"].startswith("undefined: ")
    points = [float(at) for at in re.findall(r'class="point" cx="([\d.]+)%"', forest)]
    assert len(points) == len(labels) - 1 == 2
    ticks = [float(each.replace("−", "-")) for each in re.findall(r"<span>([−\d.]+)</span>", forest)]
    for point, text in zip(points, labels.values(), strict=False):
        at = ticks[0] + point / 100 * (ticks[-1] - ticks[0])
        assert at == pytest.approx(float(text.split(",")[0].replace("−", "-")), abs=0.001)


def test_the_shades_of_the_confusion_are_the_shares_of_its_rows(page: str) -> None:
    body = page.split('id="confusion"')[1].split("<tbody>")[1].split("</tbody>", maxsplit=1)[0]
    rows = [re.findall(r'<td data-shade="(\d)"[^>]*>(.*?)</td>', row, re.DOTALL) for row in body.split("</tr>")[:-1]]
    used = [cells for cells in rows if any(text_of(cell) != "not used" for _, cell in cells)]
    assert len(rows) == 3
    assert len(used) == 1  # the first of the pair is `ana`
    assert {shade for cells in rows if cells not in used for shade, _ in cells} == {"0"}
    counts = [int(text_of(cell).split()[0]) for _, cell in used[0]]
    assert sum(counts) == 24
    assert [int(shade) for shade, _ in used[0]] == [round(5 * count / 24) for count in counts]


def test_what_many_figures_lack_is_said_once_below_them_and_by_a_letter_in_each(page: str) -> None:
    """Its 24 items are of two topics."""
    why = "No interval: fewer than 8 topics are too few for an interval over topics"
    assert text_of(page).count(why) == 1
    tables, notes = page.split('id="figure-notes"')
    assert f"a {why}. Resampling items gives an interval, which is too narrow if topics differ." in text_of(notes)
    assert tables.count(f'<sup title="{why}">a</sup>') > 10


def test_topics_without_a_figure_are_named_with_the_reason_and_have_no_tile() -> None:
    """Each topic has one item, as in a campaign that rates questions."""
    built = build_campaign(noisy_labels(12, 2), people=("ana", "ben"), topics=12)
    agree(built)
    shown = main_of(client_of(built, "viewer").get(address("agreement_detail")).content.decode())
    topics = shown.split('id="topics"')[1].split("</details>", maxsplit=1)[0]
    assert "is undefined for each single topic. Undefined for 12 topics (too few items with two labels): " in text_of(
        topics
    )
    assert ("heat" in topics, topics.count("<a ")) == (False, 12)
