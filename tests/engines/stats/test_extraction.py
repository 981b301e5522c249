"""Agreement of extractions: by hand on small ones, and what must hold for any."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.definitions.extractions import Content, ExtractedContext, ExtractedReference, ExtractedSentence
from engines.stats.extraction import Counts, align, compare


def context(*sentences: tuple[str, str], block: int = 1) -> ExtractedContext:
    made = tuple(ExtractedSentence(text, tuple(cites.split())) for text, cites in sentences)
    return ExtractedContext(f"{block:02}", "introduction", made, (block,))


def references(*values: str | None) -> tuple[ExtractedReference, ...]:
    return tuple(ExtractedReference(str(n), value) for n, value in enumerate(values, 1))


TEA = context(("Tea is old.", ""), ("Seen in [1, 2].", "1 2"), ("Brewed hot [3].", "3"), block=1)
COFFEE = context(("Coffee came late and was roasted [4].", "4"), block=2)
MILK = context(("Milk is poured first, some say [5].", "5"), block=3)


def test_figures_by_hand() -> None:
    # The other split differently (one boundary of two), cites 2 only, and took milk instead of coffee.
    other_tea = context(("Tea is old.", ""), ("Seen in [1, 2]. Brewed hot [3].", "2 3"), block=1)
    one = Content((TEA, COFFEE), references("d1", "10.9/x", None))
    other = Content((MILK, other_tea), references("d1", "d2", None))
    counts = compare(one, other, paragraphs=[1, 2, 3, 4], docnos={"d1", "d2"})
    assert counts.selected == {(True, True): 1, (True, False): 1, (False, True): 1, (False, False): 1}
    found = {name: figure.value for name, figure in counts.figures().items()}
    assert found == {
        "selection_kappa": pytest.approx(0.0),
        "selection_f1": pytest.approx(2 / 4),
        "boundary_f1": pytest.approx(2 / 3),
        "citation_f1": pytest.approx(2 * 1 / (4 + 3)),  # the long sentence is one of the two, with [2] in common
        "identifier_accuracy": pytest.approx(2 / 3),
        "identifier_kappa": pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3)),
    }


def test_equal_extractions_agree_and_nothing_is_undefined_with_a_reason() -> None:
    one = Content((TEA, COFFEE), references("d1", None))
    found = compare(one, one, paragraphs=[1, 2, 3]).figures()
    assert {name: figure.value for name, figure in found.items()} == dict.fromkeys(found, 1.0)
    empty = compare(Content(), Content(), paragraphs=[]).figures()
    assert {figure.reason for figure in empty.values()} == {"nothing_to_compare"}
    none = compare(Content(), Content(), paragraphs=[1, 2]).figures()["selection_kappa"]
    assert (none.value, none.reason, none.n) == (None, "no_variation", 2)


def test_anonymising_moves_no_boundary_and_no_citation() -> None:
    plain = context(("Lee and Bo [1] saw it.", "1"), ("Diallo et al. [2] did too.", "2"), ("So did we.", ""))
    changed = context(("[1] saw it.", "1"), ("[2] did too.", "2"), ("So did we.", ""))
    found = compare(Content((plain,)), Content((changed,)), paragraphs=[1, 2]).figures()
    assert (found["boundary_f1"].value, found["citation_f1"].value) == (1.0, 1.0)


def test_contexts_without_blocks_have_no_kappa_but_are_aligned_by_their_words() -> None:
    loose = ExtractedContext("7", "", TEA.sentences)
    counts = compare(Content((COFFEE, TEA)), Content((loose,)), paragraphs=[1, 2, 3])
    assert counts.figures()["selection_kappa"].reason == "nothing_to_compare"
    assert align((COFFEE, TEA), (loose,)) == [(1, 0)]


def test_papers_add_up() -> None:
    one = compare(Content((TEA,)), Content((TEA,)), paragraphs=[1, 2])
    two = compare(Content((COFFEE,)), Content(), paragraphs=[1, 2])
    both = Counts()
    both.add(one)
    both.add(two)
    assert both.figures()["selection_f1"].value == pytest.approx(2 / 3)
    assert both.selected == {(True, True): 1, (False, False): 2, (True, False): 1}


TEXTS = st.text("ab .", max_size=12)
CONTENTS = st.builds(
    lambda contexts: Content(
        tuple(
            ExtractedContext("1", "", tuple(ExtractedSentence(text, cites) for text, cites in sentences), (n,))
            for n, sentences in enumerate(contexts, 1)
        )
    ),
    st.lists(st.lists(st.tuples(TEXTS, st.sampled_from([(), ("1",), ("1", "2")])), max_size=4), max_size=4),
)


@given(CONTENTS, CONTENTS)
def test_figures_lie_in_their_range_and_selection_does_not_depend_on_who_comes_first(one, other) -> None:
    paragraphs = range(1, 6)
    found, turned = (compare(a, b, paragraphs).figures() for a, b in ((one, other), (other, one)))
    for name, figure in found.items():
        assert (figure.value is None) == bool(figure.reason)
        assert figure.value is None or (-1 if "kappa" in name else 0) - 1e-9 <= figure.value <= 1 + 1e-9
    assert found["selection_kappa"].value == pytest.approx(turned["selection_kappa"].value)
    same = compare(one, one, paragraphs).figures()
    assert same["boundary_f1"].value in (None, 1.0)
