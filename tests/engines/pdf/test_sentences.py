"""Where sentences end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.papers import Marker, Reference, Sentence
from engines.pdf.anonymise import Anonymiser
from engines.pdf.markers import AuthorYears, author_year_markers
from engines.pdf.sentences import sentence_spans


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "parts",
    [
        ["One ends here.", "Another begins."],
        ["Does it work?", "It does!", "Good."],
        ["Smith et al. [3] proposed it.", "They tested it."],
        ["It was done by Smith et al.", "The method works."],
        ["Many systems, e.g., those of Fig. 3 and Eq. (2), fail.", "Others do not."],
        ["This is known [12].", "[13] disagrees."],
        ["See the work of J. R. Smith and W. B. Lee for more.", "It is long."],
        ["The rate is 3.14 per cent vs. 2.71 per cent.", "Both are small."],
        ["He said “stop.”", "They stopped."],
        ["هل تسمع البوم؟", "تسمع 3.5 kHz جيدا.", "نعم!"],
        ["ינשופים שומעים.", "הם צדים (בלילה)."],
        ["उल्लू रात में सुनते हैं।", "वे उड़ते हैं।"],
        ["It was shown (cf. Smith et al. 2019. Also others) before.", "Then it was not."],
        ["In Sec. 3.2 we describe it, i.e. the method.", "Section 4 ends."],
        ["Images, texts, etc. are used.", "The rest is not."],
        ["We use images, texts, etc.", "The rest is not used."],
        ["We take vitamin C.", "The effect is small."],
        ["It answers w.r.t. their length and form.", "Answers vary."],
        ["The tool iPhone users like.", "iOS is used by most."],
        ["There are two ways: 1. First go left."],
        ["The first lacks help; it fails often.", "The second does not."],
        ["The first lacks help;", "While the second has it, nobody uses it."],
        ["Results vary (see Table 2. It is long) a lot.", "We stop."],
        ["This matches what Dr. J. Garcia reported in 2021.", "We agree."],
        ["It was shown in [3] and [4].", "Others, such as [5], differ."],
    ],
)
def test_known_cases(parts: list[str]) -> None:
    assert split(" ".join(parts)) == parts


@pytest.mark.parametrize(
    "parts",
    [
        ["猫头鹰听觉好。", "它们在夜里飞！", "真的吗？"],
        ["彼は「聞く。」と言った。", "本当だ。"],
        ["他说：“好。”", "他走了。"],
    ],
)
def test_chinese_and_japanese_sentences_end_without_a_space(parts: list[str]) -> None:
    assert [part.strip() for part in split("".join(parts).replace("”他", "” 他"))] == parts


def test_a_marker_after_the_stop_belongs_to_the_sentence_it_closes() -> None:
    assert split("It was known before. [12] The next is new.") == ["It was known before. [12]", "The next is new."]
    assert split("It was known. [12] proposed another.") == ["It was known.", "[12] proposed another."]


def test_nothing_and_one_word() -> None:
    assert split("") == split("  \n ") == []
    assert split(" word ") == ["word"]


@pytest.mark.slow
@given(st.text(st.sampled_from("aB .?!;:()[]12,“”et al"), max_size=80))
def test_sentences_hold_all_of_the_text_in_order(text: str) -> None:
    spans = sentence_spans(text)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    assert all(text[end:start].strip() == "" for end, start in zip(ends, starts, strict=True))


@given(
    st.lists(st.sampled_from(["We saw it work.", "Others [3] did not.", "Is it new?", "No, it is not."]), min_size=1)
)
def test_plain_sentences_come_apart_again(parts: list[str]) -> None:
    assert split(" ".join(parts)) == parts


@pytest.mark.slow
def test_long_texts_take_no_longer_than_their_length() -> None:
    assert len(split("We saw it work (as before). " * 20_000)) == 20_000


@pytest.mark.parametrize("unit", ["A. ", '"A. ', "e.g. ", "Lee et al. ", "Van ", "O'", "A-", "van der ", "[1, ", "("])
def test_texts_without_end_are_read(unit: str) -> None:
    """Each of these once took time with the square of its length, which a hostile file could use."""
    text = unit * 8_000
    reference = Reference("b0", "T", ("Lee, A", "Bo, C"), "", 2019)
    spans = sentence_spans(text)
    assert (spans[0][0], spans[-1][1]) == (0, len(text.rstrip()))
    assert author_year_markers(text, AuthorYears([reference])) == []
    marker = Marker(len(text), len(text) + 3, "[1]", ("b0",))
    sentence = Sentence(0, marker.end, ("b0",))
    assert Anonymiser({"b0": reference}).proposal(sentence, text + "[1]", [marker]).cites == ("b0",)
