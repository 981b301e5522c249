"""The form that asks for the sanity check of citation contexts."""

from django import forms

from corpus.ranking.analysis import LUCENE, PAIRS, WORDS


class ContextCheckForm(forms.Form):
    """BM25's settings; the initial ones are ACM-CR's."""

    tokens = forms.ChoiceField(
        choices=[(LUCENE, "like Lucene's"), (PAIRS, "two characters or more"), (WORDS, "letters and digits")],
        initial=LUCENE,
    )
    stemmer = forms.ChoiceField(choices=[("porter", "Porter"), ("english", "English"), ("none", "none")])
    k1 = forms.FloatField(min_value=0, max_value=100, initial=0.9, label="k1")
    b = forms.FloatField(min_value=0, max_value=1, initial=0.4, label="b")
    drafts = forms.BooleanField(required=False, label="Include drafts and proposals that nobody has confirmed")
