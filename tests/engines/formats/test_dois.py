"""DOIs: plausible ones, templates' placeholders, and those that a line end cuts in two."""

import pytest

from engines.formats.dois import bare_doi, distinct, is_placeholder, is_plausible, readings
from engines.formats.mentions import source_key_of

REAL = [
    "10.1145/3404835.3463242",
    "10.1145/345508",
    "10.1007/978-3-642-04417-5_27",
    "10.1016/0306-4573(94)00057-A",
    "10.1016/j.ipm.2006.07.003",
    "10.1038/nnano.2010.15",
    "10.1103/PhysRevX.1.021014",
    "10.18653/v1/2020.findings-emnlp.372",
    "10.1109/ACCESS.2019.2912200",
    "10.1000.10/123456",
    "10.48550/arXiv.2101.00001",
]
PLACEHOLDERS = [
    "10.1145/nnnnnnn.nnnnnnn",
    "10.1145/XXXXXXX.XXXXXXX",
    "10.1145/1122445.1122456",
    "10.1145/11221.2713",
    "10.1145/1234567890",
    "10.1145/1234567.1234567",
    "10.1145/3290605.3300XXX",
    "10.1145/0000001.0000001",
    "10.1145/8888888.7777777",
    "10.1007/978-x-xxx-xxxxx-x_x",
    "10.1007/978-3-030-XXXXX-X_XX",
    "10.1109/XXX.0000.0000000",
    "10.1109/ACCESS.2017.DOI",
    "10.1109/ACCESS.2024.0429000",
    "10.1016/j.xxx.xxxx.xx.xxx",
    "10.1177/ToBeAssigned",
    "10.1371/journal.pone.0000000",
    "10.3390/xxxxx",
]


@pytest.mark.parametrize("doi", REAL)
def test_real_dois_are_plausible(doi):
    assert is_plausible(doi)
    assert readings([f"https://doi.org/{doi}."]) == [(doi,)]


@pytest.mark.parametrize("doi", PLACEHOLDERS)
def test_what_fills_a_template_is_no_doi(doi):
    assert is_placeholder(doi)
    assert not is_plausible(doi)


@pytest.mark.parametrize("text", ["", "10.475/123_4", "10.1145/", "10.1145/3404835.", "3404835.3463242", "10.1145/_"])
def test_what_is_no_doi_is_not_plausible(text):
    assert not is_plausible(text)


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        (["https://doi.org/10.1145/", "3404835.3463242"], "10.1145/3404835.3463242"),
        (["https://doi.org/10.1145/3404835.", "3463242"], "10.1145/3404835.3463242"),
        (["https://doi.org/10.1145/3404835", ".3463242"], "10.1145/3404835.3463242"),
        (["https://doi.org/10.", "1145/3404835.3463242"], "10.1145/3404835.3463242"),
        (["doi:10.1145", "/3404835.3463242"], "10.1145/3404835.3463242"),
        (["https://doi.org/10.11", "45/3404835.3463242"], "10.1145/3404835.3463242"),
        (["10.1007/978-3-642-", "04417-5_27"], "10.1007/978-3-642-04417-5_27"),
        (["10.1007/978-3-642-04417-5_", "27. Springer"], "10.1007/978-3-642-04417-5_27"),
        (["10.1016/j.", "ipm.2006.07.003"], "10.1016/j.ipm.2006.07.003"),
        (["10.1145/3404835.3463242.", "1 Introduction"], "10.1145/3404835.3463242"),
        (["10.1145/3404835.3463242.", "Permission to make copies"], "10.1145/3404835.3463242"),
        (["10.1145/3404835.3463242", "permission to make copies"], "10.1145/3404835.3463242"),
        (["10.1145/3404835.3463242", "(2021)"], "10.1145/3404835.3463242"),
        (["10.1145/3404835.3463242", ""], "10.1145/3404835.3463242"),
        (["(doi: 10.1016/0306-4573(94)00057-A)"], "10.1016/0306-4573(94)00057-A"),
    ],
)
def test_a_doi_broken_over_a_line_end_is_read_whole(lines, whole):
    assert readings(lines) == [(whole,)]


@pytest.mark.parametrize(
    ("lines", "either"),
    [
        (["10.1145/34048", "35.3463242"], ("10.1145/34048", "10.1145/3404835.3463242")),
        (["10.1234/jas.44.", "1 Introduction"], ("10.1234/jas.44", "10.1234/jas.44.1")),
        (["10.1234/jas", "2a.44"], ("10.1234/jas", "10.1234/jas2a.44")),
    ],
)
def test_both_readings_are_given_where_the_next_line_may_continue_it(lines, either):
    assert readings(lines) == [either]


def test_mentions_of_two_papers_with_the_doi_of_a_template_are_of_two_papers():
    keys = [source_key_of("", doi, title, "f") for doi in (PLACEHOLDERS[0], REAL[0]) for title in ("On tea", "On pots")]
    assert keys == ["title:ontea", "title:onpots", f"doi:{REAL[0]}", f"doi:{REAL[0]}"]


def test_one_doi_in_two_cases_and_with_an_address_is_one():
    assert distinct(["10.1/Ab", "10.1/c", "10.1/aB"]) == ["10.1/Ab", "10.1/c"]
    assert {bare_doi(text) for text in ("https://doi.org/10.1/a", "doi: 10.1/a", "10.1/a ", "dx.doi.org/10.1/a")} == {
        "10.1/a"
    }
