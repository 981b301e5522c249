"""Which paper a file is: templates' DOIs, DOIs cut by line ends, files of one name, and what is asked about."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.models import AuditEvent
from corpus.models import Paper, Role, Topic
from tests.annotation.papers.test_import_papers import GOLD, take, write
from tests.corpus.imports.importing import counts
from tests.engines.pdf.pdfs import titled
from tests.factories.accounts import CollectionFactory, one_member_each

pytestmark = pytest.mark.django_db

DOI = "10.1145/3404835.3463242"
NOTICE = f"https://doi.org/{DOI}"


def keys() -> list[str]:
    return sorted(Paper.objects.values_list("key", flat=True))


@pytest.mark.slow
def test_no_paper_is_lost_by_the_doi_of_a_template(tmp_path) -> None:
    collection = CollectionFactory()
    files = [
        titled(tmp_path / f"{name}{number}.pdf", f"On {name}, part {number}", f"https://doi.org/10.1145/{end}")
        for number, end in enumerate(("nnnnnnn.nnnnnnn", "XXXXXXX.XXXXXXX", "1122445.1122456"))
        for name in ("tea", "coffee")
    ]
    assert counts(take(collection, *files)) == (6, 0, 0, 0)
    assert keys() == sorted(file.stem for file in files)
    assert set(Paper.objects.values_list("doi", flat=True)) == {""}
    assert counts(take(collection, *files)) == (0, 0, 6, 0)


def test_no_gold_is_lost_by_the_doi_of_a_template(tmp_path) -> None:
    collection = CollectionFactory()
    files = [
        write(tmp_path, f"{n}.xml", GOLD.format(n=n).replace(f"10.1/tea.{n}", "10.1145/nnnnnnn.nnnnnnn"))
        for n in (1, 2)
    ]
    assert counts(take(collection, *files)) == (2, 0, 0, 0)
    assert keys() == ["1", "2"]


@pytest.mark.slow
def test_a_doi_that_a_line_end_cuts_is_read_whole(tmp_path) -> None:
    collection = CollectionFactory()
    one = titled(tmp_path / "one.pdf", "On tea", "SIGIR 2021. https://doi.org/10.1145/3404835.", "3463242")
    other = titled(tmp_path / "other.pdf", "On coffee", "SIGIR 2021. https://doi.org/10.1145/3404835.", "3463243")
    assert counts(take(collection, one, other)) == (2, 0, 0, 0)
    assert keys() == [DOI, "10.1145/3404835.3463243"]


@pytest.mark.slow
def test_two_files_of_one_name_are_two_papers_unless_they_say_the_same(tmp_path) -> None:
    collection = CollectionFactory()
    for folder, title in (("a", "On the age of tea"), ("b", "Coffee, briefly"), ("c", "On the age of tea")):
        (tmp_path / folder).mkdir()
        titled(tmp_path / folder / "paper.pdf", title, start=len(title) if folder != "c" else 1)
    first, second, version = (tmp_path / folder / "paper.pdf" for folder in "abc")
    assert counts(take(collection, first)) == (1, 0, 0, 0)
    assert counts(take(collection, second)) == (1, 0, 0, 0)
    assert keys() == ["paper", "paper~2"]
    assert counts(take(collection, version)) == (0, 1, 0, 0)  # a new version of the first: it has its title
    assert counts(take(collection, second)) == (0, 0, 1, 0)
    assert dict(Paper.objects.values_list("key", "title")) == {
        "paper": "On the age of tea", "paper~2": "Coffee, briefly",
    }  # fmt: skip


@pytest.mark.slow
def test_a_paper_that_comes_twice_in_an_import_is_named(tmp_path) -> None:
    one = titled(tmp_path / "one.pdf", "On tea", NOTICE)
    other = titled(tmp_path / "other.pdf", "On tea", f"doi:{DOI}", start=3)
    run = take(CollectionFactory(), one, other)
    assert counts(run) == (1, 0, 0, 1)
    assert run.errors[0]["reason"] == f"is the paper {DOI}, which this import has already read from one.pdf"


@pytest.mark.slow
def test_one_doi_under_two_titles_is_asked_about(tmp_path) -> None:
    collection = CollectionFactory()
    run = take(
        collection,
        titled(tmp_path / "one.pdf", "On the age of tea", NOTICE),
        titled(tmp_path / "two.pdf", "Brewing under pressure", f"as measured in {DOI} by others"),
    )
    assert counts(run) == (2, 0, 0, 0)
    assert keys() == [DOI, "two"]
    assert f"{DOI} has this DOI and another title" in run.errors[0]["reason"]
    assert Paper.objects.get(key="two").doubtful_doi["candidates"] == [DOI]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "candidates"),
    [
        ([NOTICE, "Our data: https://doi.org/10.1145/3404835.3463299"], [DOI, "10.1145/3404835.3463299"]),
        (["Our data: https://doi.org/10.5281/zenodo.4321"], ["10.5281/zenodo.4321"]),
        (["https://doi.org/10.1145/34048", "35.3463242"], ["10.1145/34048", DOI]),
    ],
    ids=["two", "data", "cut"],
)
def test_what_is_in_doubt_is_asked_and_answered(tmp_path, client, lines, candidates) -> None:
    collection = CollectionFactory(slug="teas")
    people = one_member_each(collection)
    file = titled(tmp_path / "mine.pdf", "On the age of tea", *lines)
    run = take(collection, file)
    assert (counts(run), "until someone chooses its DOI" in run.errors[0]["reason"]) == ((1, 0, 0, 0), True)
    paper = Paper.objects.get()
    assert (paper.key, paper.doi, paper.doubtful_doi["candidates"]) == ("mine", "", candidates)
    page, answer = (reverse(name, args=["teas", paper.pk]) for name in ("paper_detail", "paper_doi"))
    client.force_login(people[Role.VIEWER].user)
    assert candidates[0] in client.get(page).content.decode()
    assert client.post(answer, {"doi": DOI}).status_code == 403
    client.force_login(people[Role.MANAGER].user)
    assert "DOI in doubt" in client.get(reverse("paper_list", args=["teas"])).content.decode()
    assert (
        "is not a complete DOI"
        in client.post(answer, {"doi": "other", "other": "10.1145/"}, follow=True).content.decode()
    )
    assert "DOI saved" in client.post(answer, {"doi": DOI}, follow=True).content.decode()
    paper = Paper.objects.get()
    assert (paper.key, paper.doi, paper.doubtful_doi) == (DOI, DOI, None)
    assert AuditEvent.objects.filter(verb="settle_doi").count() == 1
    assert counts(take(collection, file)) == (0, 0, 1, 0)  # the answer stays
    assert Paper.objects.get().doi == DOI


@pytest.mark.slow
def test_none_of_them_is_an_answer_too(tmp_path, client) -> None:
    collection = CollectionFactory(slug="teas")
    client.force_login(one_member_each(collection)[Role.MANAGER].user)
    file = titled(tmp_path / "mine.pdf", "On the age of tea", "Our data: https://doi.org/10.5281/zenodo.4321")
    take(collection, file)
    client.post(reverse("paper_doi", args=["teas", Paper.objects.get().pk]), {"doi": ""})
    paper = Paper.objects.get()
    assert (paper.key, paper.doi, paper.doubtful_doi) == ("mine", "", None)
    run = take(collection, file)
    assert (counts(run), run.errors) == ((0, 0, 1, 0), [])


@pytest.mark.slow
def test_a_doi_is_given_by_command_and_refused_with_the_reason(tmp_path) -> None:
    collection = CollectionFactory(slug="teas")
    take(collection, titled(tmp_path / "one.pdf", "On tea", NOTICE), titled(tmp_path / "two.pdf", "On coffee"))
    for doi, words in ((DOI.upper(), "has the DOI"), ("10.1145/XXXXXXX.XXXXXXX", "template")):
        with pytest.raises(CommandError, match=words):
            call_command("set_paper_doi", "teas", "two", doi)
    Topic.objects.create(collection=collection, number="two01", kind="context-paragraph", title="On coffee", text="…")
    with pytest.raises(CommandError, match="Topics have been made"):
        call_command("set_paper_doi", "teas", "two", "10.1145/3404835.3463243")
    Topic.objects.all().delete()
    call_command("set_paper_doi", "teas", "two", "https://doi.org/10.1145/3404835.3463243")
    assert keys() == [DOI, "10.1145/3404835.3463243"]
