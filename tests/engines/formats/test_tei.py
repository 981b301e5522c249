from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.loose_numbers import LOOSE_NUMBER
from engines.formats.mentions import MentionRecord, mentions_from
from engines.formats.papers import Box, FullPaper, Marker, Paragraph, Reference, Sentence
from engines.formats.reading import read_mentions
from engines.formats.records import BrokenFile, Skip
from engines.formats.tei import read_tei
from engines.formats.tei_format import read_tei_corpus
from tests.engines.formats.reading import problems, stream

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="en">
 <teiHeader>
  <fileDesc>
   <titleStmt><title level="a" type="main">On A &amp; B</title></titleStmt>
   <sourceDesc><biblStruct>
     <analytic>
      <author><persName><forename type="first">Ana</forename><forename type="middle">B</forename>
       <surname>Lee</surname></persName></author>
      <author><persName><surname>Plato</surname></persName></author>
     </analytic>
     <monogr><title level="m">Proceedings</title><imprint><date type="published" when="2019-07-01"/></imprint></monogr>
     <idno type="DOI">10.1/own</idno>
   </biblStruct></sourceDesc>
  </fileDesc>
  <profileDesc><abstract><div><p>First
    part.</p><p>Second.</p></div></abstract></profileDesc>
 </teiHeader>
 <text>
  <body>
   <div><head n="1">Introduction</head>
    <p coords="1,53.8,100.0,240.2,60.5;2,53.8,80,240,20;bad;1,nan,inf,1,1">Seen in
     <ref type="bibr" target="#b0">[1]</ref>-<ref type="bibr" target="#b3">[4]</ref> and <ref type="bibr">[9]</ref>,
     but <ref type="bibr" target="#b77">(Lost, 1999)</ref>; see <ref type="figure" target="#fig_0">Fig. 1</ref>.</p>
    <formula>E = mc</formula>
    <note place="foot" n="1">A note on <ref type="bibr" target="#b1"> [2] </ref>.</note>
    <div><p>Nested, <hi rend="italic">in</hi> place.</p></div>
   </div>
   <figure type="table"><head>Table 1</head><figDesc>What we did.</figDesc></figure>
   <div><head>Related work</head>
    <p><s>One <ref type="bibr" target="#b0">[1]</ref>.</s><s>Two.</s></p></div>
  </body>
  <back><div type="references"><listBibl>
   <biblStruct xml:id="b0">
    <analytic><title level="a" type="main">Article</title>
     <author><persName><forename type="first">Bo</forename><surname>Chan</surname></persName></author>
     <idno type="DOI">10.1/a</idno><idno type="arXiv">arXiv:1901.00001</idno></analytic>
    <monogr><title level="j">Journal</title><imprint><biblScope unit="volume">3</biblScope>
     <date type="published" when="2017"/></imprint></monogr>
    <note type="raw_reference">Bo Chan. Article. Journal 3, 2017.</note>
   </biblStruct>
   <biblStruct xml:id="b1"><monogr><title level="m">A Book</title>
     <author><persName><surname>Wu</surname></persName></author><imprint><publisher>P</publisher><date>2001</date></imprint></monogr></biblStruct>
   <biblStruct xml:id="b2"><analytic><title level="a">Talk</title></analytic><monogr><title level="m">Proc. X</title>
     <imprint><date when="n.d."/></imprint></monogr><ptr target="http://a.b/c"/></biblStruct>
   <biblStruct xml:id="b3"><monogr><title/><imprint/></monogr></biblStruct>
  </listBibl></div></back>
 </text>
</TEI>
"""


def read(text: str) -> FullPaper:
    return read_tei(stream(text), "p.tei.xml")


def wrap(body: str, n_references: int = 30) -> str:
    entries = "".join(f'<biblStruct xml:id="b{n}"/>' for n in range(n_references))
    return (
        f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div>{body}</div></body>'
        f"<back><div><listBibl>{entries}</listBibl></div></back></text></TEI>"
    )


def test_the_header() -> None:
    paper = read(TEI)
    assert (paper.title, paper.abstract, paper.doi) == ("On A & B", "First part. Second.", "10.1/own")
    assert (paper.authors, paper.venue, paper.year) == (("Lee, Ana B", "Plato"), "Proceedings", 2019)


def test_paragraphs_have_their_sections_markers_and_boxes() -> None:
    first, note, nested, caption, last = read(TEI).paragraphs
    text = "Seen in [1]-[4] and [9], but (Lost, 1999); see Fig. 1."
    assert first == Paragraph(
        text,
        "Introduction",
        "1",
        "paragraph",
        (
            Marker(8, 11, "[1]", ("b0",)),
            Marker(12, 15, "[4]", ("b1", "b2", "b3")),
            Marker(20, 23, "[9]", ()),
            Marker(29, 41, "(Lost, 1999)", ()),
        ),
        (),
        (Box(1, 53.8, 100.0, 240.2, 60.5), Box(2, 53.8, 80.0, 240.0, 20.0)),
    )
    assert all(text[marker.start : marker.end] == marker.text for marker in first.markers)
    assert (note.kind, note.text, note.markers) == ("footnote", "A note on [2] .", (Marker(10, 13, "[2]", ("b1",)),))
    assert (nested.text, nested.section, nested.number) == ("Nested, in place.", "Introduction", "1")
    assert (caption.kind, caption.text, caption.section) == ("caption", "What we did.", "")
    assert (last.text, last.section, last.sentences) == (
        "One [1]. Two.",
        "Related work",
        (Sentence(0, 8, ("b0",)), Sentence(9, 13)),
    )


def test_the_bibliography() -> None:
    first, book, talk, empty = read(TEI).references
    assert first == Reference(
        "b0",
        "Article",
        ("Chan, Bo",),
        "Journal",
        2017,
        "",
        {"doi": "10.1/a", "arxiv": "1901.00001"},
        "Bo Chan. Article. Journal 3, 2017.",
    )
    assert (book.title, book.authors, book.venue, book.year) == ("A Book", ("Wu",), "", 2001)
    assert (talk.title, talk.venue, talk.year, talk.ids) == ("Talk", "Proc. X", None, {"url": "http://a.b/c"})
    assert empty == Reference("b3")


@pytest.mark.parametrize(
    ("first", "dash", "last", "keys"),
    [
        (0, "-", 2, ("b1", "b2")),
        (0, " – ", 2, ("b1", "b2")),
        (0, ", ", 2, ("b2",)),
        (0, "-", 1, ("b1",)),
        (0, "-", 19, tuple(f"b{n}" for n in range(1, 20))),
        (0, "-", 20, ("b20",)),
        (5, "-", 2, ("b2",)),
    ],
)
def test_ranges_are_expanded_where_they_can_be_meant(first: int, dash: str, last: int, keys: tuple[str, ...]) -> None:
    refs = [f'<ref type="bibr" target="#b{n}">[{n + 1}]</ref>' for n in (first, last)]
    (paragraph,) = read(wrap(f"<p>{refs[0]}{dash}{refs[1]}</p>")).paragraphs
    assert paragraph.markers[1].keys == keys


def test_a_paper_may_lack_nearly_everything() -> None:
    paper = read('<TEI xmlns="http://www.tei-c.org/ns/1.0"/>')
    assert (paper.title, paper.abstract, paper.paragraphs, paper.references, paper.year) == ("", "", (), (), None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<html/>", "the root element is <html>, not <TEI>"),
        ("<TEI><text>", "not well-formed"),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><TEI>&e;</TEI>', "declares XML entities"),
        ("<TEI>" + "<div>" * 500 + "</div>" * 500 + "</TEI>", "nested more than 200"),
    ],
)
def test_what_is_no_tei_is_broken(text: str, reason: str) -> None:
    with pytest.raises(BrokenFile, match=reason):
        read(text)


pieces = st.one_of(
    st.text(st.sampled_from("ab .\n\t"), max_size=4),
    st.sampled_from(['<ref type="bibr" target="#b1">', "<s>", "<hi>"]).flatmap(
        lambda tag: st.text(st.sampled_from("xy \n"), max_size=4).map(
            lambda text: f"{tag}{text}</{tag[1:].split()[0].rstrip('>')}>"
        )
    ),
)


@given(st.lists(pieces, max_size=8))
def test_offsets_fit_the_collapsed_text(parts: list[str]) -> None:
    (paragraph,) = read(wrap(f"<p>{''.join(parts)}</p>")).paragraphs
    text = paragraph.text
    assert text == " ".join(text.split())
    assert all(
        text[marker.start : marker.end] == marker.text == marker.text.strip() != "" for marker in paragraph.markers
    )
    spans = [(sentence.start, sentence.end) for sentence in paragraph.sentences]
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert spans == sorted(spans)


@pytest.mark.slow
def test_a_paragraph_with_very_many_markers_is_read_in_one_go() -> None:
    (paragraph,) = read(wrap("<p>" + '<ref type="bibr" target="#b1">[2]</ref> ' * 50_000 + "</p>")).paragraphs
    assert len(paragraph.markers) == 50_000


NS = '<TEI xmlns="http://www.tei-c.org/ns/1.0">'


def mentions(text: str) -> list:
    return list(mentions_from(read_tei_corpus)(stream(text), "f"))


def test_numbers_that_are_no_citations_are_left_out_and_counted() -> None:
    body = (
        '<p>By <ref type="bibr">(12)</ref> and <ref type="bibr">3b</ref>, as <ref type="bibr" target="#b0">[1]</ref>, '
        '<ref type="bibr">[9]</ref> and <ref type="bibr">(2019)</ref> say.</p>'
    )
    *left, mention = mentions(wrap(body))
    assert [(type(one), one.reason) for one in left] == [(Skip, LOOSE_NUMBER)] * 2
    assert [marker.text for marker in mention.markers] == ["[1]", "[9]", "(2019)"]


def test_numbers_in_parentheses_stay_where_the_paper_cites_so() -> None:
    (mention,) = mentions(wrap('<p>See <ref type="bibr" target="#b0">(1)</ref> and <ref type="bibr">(77)</ref>.</p>'))
    assert [marker.text for marker in mention.markers] == ["(1)", "(77)"]


def test_a_corpus_holds_several_papers() -> None:
    paper = wrap('<p>See <ref type="bibr" target="#b0">[1]</ref>.</p>')
    title = "<teiHeader><fileDesc><titleStmt><title>{}</title></titleStmt></fileDesc></teiHeader>"
    one, other = (paper.replace(NS, NS + title.format(name)) for name in ("One", "Other"))
    found = mentions(f'<teiCorpus xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/>{one}{other}</teiCorpus>')
    assert [mention.source_title for mention in found] == ["One", "Other"]


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    good = wrap('<p>See <ref type="bibr" target="#b0">[1]</ref>.</p>')
    files = {"a.tei.xml": good[:-30], "b.tei.xml": good, "c.tei.xml": NS + "<text/></TEI>", "d.tei.xml": "no XML"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for places in (tmp_path, [(tmp_path / name, name) for name in files]):
        found = list(read_mentions(places))
        assert [item.file.rpartition("/")[2] for item in found if isinstance(item, MentionRecord)] == ["b.tei.xml"]
        assert len(problems(found)) == 3
