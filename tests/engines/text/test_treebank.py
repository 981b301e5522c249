"""Tokens as NLTK counts them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.text import treebank
from engines.text.treebank import count_tokens, tokens_of


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("", ""),
        ("It works.", "It works ."),
        ("Systems (e.g. BM25) win [3–7], 1,000 times.", "Systems ( e.g. BM25 ) win [ 3 – 7 ] , 1,000 times ."),
        ("We can't don't cannot user's.", "We ca n't do n't can not user 's ."),
        ('He said "yes": no?', "He said `` yes '' : no ?"),
        ("It ends [12].", "It ends [ 12 ] ."),
        ("Wait... 5% of U.S. x--y", "Wait ... 5 % of U.S. x -- y"),
    ],
)
def test_tokens_follow_the_treebank(sentence, tokens) -> None:
    assert " ".join(tokens_of(sentence)) == tokens


@given(st.text(max_size=80))
def test_no_token_is_empty_and_nothing_but_blanks_and_quotes_is_lost(text) -> None:
    tokens = tokens_of(text)
    assert all(tokens)
    assert count_tokens(text) == len(tokens)
    kept = [sign for sign in "".join(tokens) if sign not in "`'\""]
    assert kept == [sign for sign in text if not sign.isspace() and sign not in "`'\""]


_signs = st.sampled_from([*"caCAdnotyegimlwsrv'\"`.,:;?!()[]{}<>-–—―*&%$@#«»“”‘’„1 \t\n", "cannot", "''", "'tis", "--"])


@given(st.lists(_signs, max_size=20).map("".join) | st.text(max_size=40))
def test_rules_are_left_out_only_where_they_change_nothing(text) -> None:
    for rule in [*treebank._BEFORE_CLOSING_QUOTES, *treebank._CLOSING_QUOTES]:
        if rule.replacement != " ":  # what separates words: blanks and other white space do so alike
            assert not rule.marks.isdisjoint(text) or not rule.pattern.search(text)
    if not treebank._CONTRACTED(text):
        assert not any(contraction.search(text) for contraction in treebank._CONTRACTIONS)
