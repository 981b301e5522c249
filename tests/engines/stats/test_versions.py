"""Versions of a paper side by side: what differs is found, what is taken comes out, nothing is lost or doubled."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engines.definitions.extractions import (
    Content,
    ExtractedContext,
    ExtractedReference,
    ExtractedSentence,
    kind_of,
    statements,
)
from engines.stats.shared_runs import shared_runs
from engines.stats.versions import (
    CONTEXT,
    REFERENCE,
    SECTION,
    SENTENCES,
    VersionComparison,
    build_content,
    carry_over,
    compare_versions,
    edited_parts,
)

TEA, LEE, END = "Tea is old.", "Lee et al. [1, 2] measured it.", "Few others did."


def sentence(text: str, *cites: str, anonymised: bool = False) -> ExtractedSentence:
    return ExtractedSentence(text, cites, anonymised)


def context(*sentences: ExtractedSentence, number: str = "01", section: str = "introduction", block: int = 1):
    return ExtractedContext(number, section, sentences, (block,) if block else ())


def reference(number: str, value: str | None) -> ExtractedReference:
    return ExtractedReference(number, value, f"Entry {number}", kind_of(value))


FIRST = context(sentence(TEA), sentence(LEE, "1", "2"), sentence(END))
BASE = Content((FIRST,), (reference("1", "10.1/a"), reference("2", None)))


def compared(*contents: Content) -> VersionComparison:
    return compare_versions(dict(enumerate(contents, 1)))


def found(*contents: Content) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.kind, each.marks) for each in compared(*contents).differences]


def changed(*sentences: ExtractedSentence, **fields) -> Content:
    return replace(BASE, contexts=(replace(FIRST, sentences=sentences or FIRST.sentences, **fields),))


def test_equal_accounts_differ_in_nothing_whatever_their_ids() -> None:
    other = replace(BASE, contexts=(replace(FIRST, id="07", blocks=()),))
    assert found(BASE, other) == []
    assert statements(BASE) == statements(other)
    assert build_content(compared(BASE, other), {}) == BASE


def test_each_way_to_differ_has_a_name() -> None:
    joined = sentence(f"{TEA} {LEE}", "1", "2")
    assert found(BASE, changed(joined, sentence(END))) == [(SENTENCES, ("ends",))]
    assert found(BASE, changed(sentence(TEA), sentence(LEE, "1"), sentence(END))) == [(SENTENCES, ("markers",))]
    hidden = sentence("[1, 2] measured it.", "1", "2", anonymised=True)
    assert found(BASE, changed(sentence(TEA), hidden, sentence(END))) == [(SENTENCES, ("text", "anonymised"))]
    assert found(BASE, changed(sentence(TEA), sentence(END))) == [(SENTENCES, ("missing",))]
    assert found(BASE, changed(section="related work")) == [(SECTION, ("section",))]
    assert found(BASE, Content((), BASE.references)) == [(CONTEXT, ("missing",))]
    assert found(BASE, replace(BASE, references=BASE.references[:1])) == [(REFERENCE, ("missing",))]
    other = (reference("1", "10.1/b"), reference("2", None))
    assert found(BASE, replace(BASE, references=other)) == [(REFERENCE, ("identifier",))]


def test_what_is_taken_comes_out_and_the_rest_stays() -> None:
    other = replace(
        changed(sentence(f"{TEA} {LEE}", "1"), sentence(END, "2")),
        references=(reference("1", "10.1/b"), BASE.references[1]),
    )
    comparison = compared(BASE, other)
    ends, markers, identifier = comparison.differences
    assert [len(each.variants) for each in comparison.differences] == [2, 2, 2]
    assert comparison.undecided({}) == comparison.differences
    taken = {markers.name: markers.variants[1].name, identifier.name: identifier.variants[1].name}
    built = build_content(comparison, taken)
    assert [each.text for each in built.contexts[0].sentences] == [TEA, LEE, END]
    assert built.contexts[0].sentences[2].cites == ("2",)
    assert built.values == {"1": "10.1/b", "2": None}
    assert comparison.undecided(taken) == [ends]
    assert statements(build_content(comparison, comparison.choices_of(2))) == statements(other)


def test_a_paragraph_that_one_side_lacks_is_taken_or_left() -> None:
    more = context(sentence("Water boils [2].", "2"), number="02", block=9)
    other = replace(BASE, contexts=(*BASE.contexts, more))
    comparison = compared(BASE, other)
    (only,) = comparison.differences
    assert [each.says for each in only.variants] == [False, True]
    assert build_content(comparison, {only.name: only.variants[0].name}).contexts == BASE.contexts
    assert build_content(comparison, {only.name: only.variants[1].name}).contexts == other.contexts


def test_two_contexts_of_one_id_get_ids_of_their_own() -> None:
    mine = replace(BASE, contexts=(FIRST, context(sentence("Water boils."), number="02", block=5)))
    theirs = replace(BASE, contexts=(FIRST, context(sentence("Milk curdles here."), number="02", block=7)))
    comparison = compared(mine, theirs)
    everything = {each.name: each.variants[1 if each.variants[1].says else 0].name for each in comparison.differences}
    assert [each.id for each in build_content(comparison, everything).contexts] == ["01", "02", "03"]


def test_of_three_the_majority_is_taken_unless_somebody_decides() -> None:
    odd = changed(section="related work")
    comparison = compared(odd, BASE, BASE)
    (section,) = comparison.differences
    assert section.majority is section.variants[1]
    assert comparison.undecided({}) == []
    assert build_content(comparison, {}).contexts[0].section == "introduction"
    assert build_content(comparison, {section.name: section.variants[0].name}).contexts[0].section == "related work"


def test_nothing_matters_within_a_paragraph_that_is_left_out() -> None:
    third = Content((), BASE.references)
    comparison = compared(BASE, changed(sentence(TEA), sentence(LEE, "1"), sentence(END)), third)
    presence, markers = comparison.differences
    assert presence.majority is presence.variants[0]
    assert [each.name for each in comparison.undecided({})] == [markers.name]
    assert comparison.undecided({presence.name: presence.variants[1].name}) == []


def test_a_decision_outlives_a_newer_account_that_leaves_it_alone() -> None:
    other = replace(changed(sentence(TEA), sentence(LEE, "1"), sentence(END)), references=(reference("1", "10.1/b"),))
    before = {each.name for each in compared(BASE, other).differences}
    newer = replace(other, references=(reference("1", "10.1/c"),))
    after = {each.name for each in compared(newer, BASE).differences}
    assert len(before) == len(after) == 3
    assert len(before & after) == 2


def test_edits_by_hand_survive_what_is_decided_elsewhere() -> None:
    other = replace(BASE, contexts=(replace(FIRST, section="related work"),), references=(reference("1", "10.1/b"),))
    comparison = compared(BASE, other)
    section, identifier, missing = comparison.differences
    before = build_content(comparison, {})
    by_hand = (before.references[0], reference("2", "10.9/found"), reference("9", None))
    edited = replace(before, references=by_hand)
    assert edited_parts(before, edited) == {"r:2", "r:9"}
    after = build_content(comparison, {section.name: section.variants[1].name})
    merged = carry_over(before, after, edited)
    assert merged.contexts[0].section == "related work"
    assert merged.references == by_hand
    decided = build_content(comparison, {missing.name: missing.variants[1].name})
    assert [each.number for each in carry_over(before, decided, edited).references] == ["1", "9"]
    assert identifier.kind == REFERENCE


WORDS = st.sampled_from(["tea", "is", "old", "[1]", "lee", "measured", "it"])
SENTENCE = st.builds(
    lambda words, cites: sentence(" ".join(words), *cites),
    st.lists(WORDS, max_size=4),
    st.lists(st.sampled_from("12"), max_size=2),
)
RUN = st.lists(SENTENCE, max_size=5).map(tuple)
CONTEXT_ = st.builds(
    lambda run, number, section: context(*run, number=number, section=section, block=0),
    RUN,
    st.sampled_from(["01", "02", "03"]),
    st.sampled_from(["introduction", "related work"]),
)
CONTENT = st.builds(
    lambda contexts, numbers, value: Content(
        tuple(contexts), tuple(reference(n, value if n == "1" else None) for n in numbers)
    ),
    st.lists(CONTEXT_, max_size=3),
    st.lists(st.sampled_from("123"), unique=True, max_size=3),
    st.sampled_from([None, "10.1/a", "10.1/b"]),
)


@given(st.lists(RUN, min_size=1, max_size=4))
def test_runs_joined_are_what_they_were_made_of(versions) -> None:
    runs = shared_runs(versions)
    for side, version in enumerate(versions):
        assert tuple(each for run in runs for each in run[side]) == version
    assert all(any(run) for run in runs)


@given(st.lists(CONTENT, min_size=2, max_size=3))
def test_taking_everything_of_a_side_gives_what_it_said(contents) -> None:
    comparison = compared(*contents)
    assert (not comparison.differences) == (len({statements(content) for content in contents}) == 1)
    for side, content in enumerate(contents, 1):
        choices = comparison.choices_of(side)
        assert statements(build_content(comparison, choices)) == statements(content)
        assert comparison.undecided(choices) == []
    names = [each.name for each in comparison.differences]
    assert len(names) == len(set(names))
    ids = [each.id for each in build_content(comparison, {}).contexts]
    assert len(ids) == len(set(ids))
