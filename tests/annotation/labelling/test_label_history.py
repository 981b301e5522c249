"""The history of an annotator: page by page, narrowed, by document."""

import pytest

from annotation.labelling import screen as reads
from annotation.labelling.pages import labelling as views
from annotation.models import Assignment, Level, Order, SubmissionKind
from tests.annotation.labelling.sending import address
from tests.factories.adjudication import AT
from tests.factories.labelling import assignment_of, build_work, given, send_one

pytestmark = pytest.mark.django_db


def test_my_history_pages_backwards_without_gaps(signed_in):
    built = build_work(items=25)
    for number in range(25):
        send_one(built, "ana", given(assignment_of(built, "ana", number), number % 3), minutes=number)
    client = signed_in(built)
    seen: list[str] = []
    before = ""
    while before is not None:
        page = client.get(f"{address(built, 'label_history')}?before={before}", headers={"Accept": "application/json"})
        seen += [unit["document"]["docno"] for unit in page.json()["units"]]
        before = page.json()["before"]
    assert seen == [f"doc{n:05d}" for n in reversed(range(25))]


def test_older_answers_are_found_where_the_last_one_was_undone_meanwhile(signed_in):
    built = build_work(items=25)
    for number in range(25):
        send_one(built, "ana", given(assignment_of(built, "ana", number), number % 3), minutes=number)
    client = signed_in(built)
    first = client.get(address(built, "label_history"))
    last = Assignment.objects.get(pk=first.context["older"])
    base = last.submissions.get().uuid
    send_one(built, "ana", given(last, None, kind=SubmissionKind.UNDO, base=base), minutes=30)
    older = client.get(address(built, "label_history"), {"before": last.pk}).context["units"]
    assert [unit["document"]["docno"] for unit in older] == [f"doc{n:05d}" for n in reversed(range(5))]


def test_another_annotators_assignment_begins_no_page_of_mine(signed_in):
    """It would say when they judged it."""
    built = build_work(overlap=2)
    for person in ("ana", "ben"):
        send_one(built, person, given(assignment_of(built, person, 0), 1), minutes=person == "ben")
    page = signed_in(built).get(address(built, "label_history"), {"before": assignment_of(built, "ben", 0).pk})
    assert page.context["units"] == []


def test_the_history_page_names_the_level_that_was_given(signed_in):
    built = build_work()
    send_one(built, "ana", given(assignment_of(built, "ana", 0), 1))
    level = Level.objects.get(criterion__campaign=built.campaign, value=1)
    page = " ".join(signed_in(built).get(address(built, "label_history")).text.split())
    assert f'data-grade="1">1 {level.label}</span>' in page


def test_the_history_page_is_narrowed_to_a_grade_or_a_kind_and_says_when(signed_in):
    built = build_work()
    for number, value, more in ((0, 2, {}), (1, 0, {"note": "hm"}), (2, 0, {"flagged": True})):
        send_one(built, "ana", given(assignment_of(built, "ana", number), value, **more))
    client = signed_in(built)

    def names(only: str) -> set[int]:
        page = client.get(address(built, "label_history"), {"only": only}).content.decode()
        return {n for n in range(3) if f'item={assignment_of(built, "ana", n).pk}"' in page}

    assert names("") == {0, 1, 2}
    assert names("relevance:0") == {1, 2}
    assert names("relevance:2") == {0}
    assert names("noted") == {1}
    assert names("flagged") == {2}
    assert "Nothing of this kind" in client.get(address(built, "label_history"), {"only": "skipped"}).text
    assert names("what%ever'") == {0, 1, 2}
    assert AT.strftime("%Y") in client.get(address(built, "label_history")).text


def test_a_narrowed_history_looks_at_so_many_answers_and_leads_on(signed_in, monkeypatch):
    """Whatever it looks for, a page looks at LOOKED_AT answers at most; none is left out on the way."""
    built = build_work(items=10)
    for number in range(10):
        send_one(built, "ana", given(assignment_of(built, "ana", number), 2 if number in (0, 7) else 1), minutes=number)
    client = signed_in(built)
    for module in (reads, views):
        monkeypatch.setattr(module, "LOOKED_AT", 3)
    found, pages, query = [], [], {"only": "relevance:2"}
    while len(pages) < 9:
        answer = client.get(address(built, "label_history"), query)
        pages.append(answer.text)
        found += [cell["assignment"] for unit in answer.context["units"] for cell in unit["cells"]]
        if not answer.context["older"]:
            break
        query["before"] = answer.context["older"]
    assert found == [assignment_of(built, "ana", number).pk for number in (7, 0)]
    assert ["None of the 3 answers searched so far matches" in page for page in pages] == [False, True, True, False]


@pytest.mark.slow
def test_by_document_the_history_keeps_documents_whole(signed_in):
    triples = [("1", f"Aspect {a:02}.", f"doc{d:02}") for d in range(30) for a in range(7)]
    built = build_work(order=Order.BY_DOCUMENT, triples=triples)
    for number in range(210):
        send_one(built, "ana", given(assignment_of(built, "ana", number), 1), minutes=number // 7)
    client = signed_in(built)
    seen: list[tuple[str, int]] = []
    before = ""
    while before is not None:
        page = client.get(f"{address(built, 'label_history')}?before={before}", headers={"Accept": "application/json"})
        seen += [(unit["document"]["docno"], len(unit["cells"])) for unit in page.json()["units"]]
        before = page.json()["before"]
    assert seen == [(f"doc{d:02}", 7) for d in reversed(range(30))]
