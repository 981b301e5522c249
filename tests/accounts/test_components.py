"""The components that pages are made of."""

import pytest
from django import forms
from django.template import Context, Template
from django.urls import reverse

from accounts.counting import quoted_apart
from accounts.refusals import Reason, Refused, refusal_reason


def rendered(source: str, **context: object) -> str:
    """The template as text without white space between tags."""
    text = " ".join(Template(source).render(Context(context)).split())
    return text.replace("> <", "><")


class Letter(forms.Form):
    to = forms.CharField(label="To")
    text = forms.CharField(label="Text", required=False)
    seen = forms.CharField(widget=forms.HiddenInput, required=False)


def test_columns_are_texts_numbers_or_for_screen_readers_alone():
    assert rendered('{% columns "Topic\'s text" "#Rows" may|yesno:"(Remove)," %}', may=True) == (
        '<thead><tr><th scope="col">Topic\'s text</th><th scope="col" class="num">Rows</th>'
        '<th scope="col"><span class="visually-hidden">Remove</span></th></tr></thead>'
    )


def test_a_column_that_is_not_shown_is_left_out():
    assert rendered('{% columns "A" may|yesno:"(Remove)," %}', may=False).count("<th ") == 1


def test_headings_of_people_are_escaped():
    text = rendered('{% tabular "#"|add:name caption=name %}<tr></tr>{% endtabular %}', name="<b>")
    assert text.count("&lt;b&gt;") == 2
    assert "<b>" not in text
    assert '<table class="table folds">' in text


def test_a_table_has_its_rows_below_its_columns():
    text = rendered('{% tabular "A" look="" title="All" %}<tr><td>1</td></tr>{% endtabular %}')
    assert '<table class="table"><caption class="visually-hidden">All</caption><thead>' in text
    assert "<tbody><tr><td>1</td></tr></tbody>" in text


def test_a_form_is_sent_to_a_view_with_the_token():
    source = '{% post "person_erase" 7 class="row" data_confirm="Sure?" %}<b></b>{% endpost %}'
    text = rendered(source, csrf_token="TOKEN")
    address = reverse("person_erase", args=[7])
    assert text.startswith(f'<form class="row" method="post" action="{address}" data-confirm="Sure?">')
    assert 'name="csrfmiddlewaretoken" value="TOKEN"><b></b></form>' in text


def test_a_form_without_a_view_is_sent_to_its_own_page():
    assert rendered("{% post %}x{% endpost %}", csrf_token="T").startswith('<form method="post"><input')


@pytest.mark.parametrize(("names", "shown"), [("", ["to", "text", "seen"]), ("text", ["text"])])
def test_fields_are_all_or_those_named(names: str, shown: list[str]):
    text = rendered("{% fields form names %}", form=Letter(), names=names)
    assert [name for name in ("to", "text", "seen") if f'name="{name}"' in text] == shown


def test_the_button_of_a_form_says_whether_it_only_tries():
    plain = '<button class="button primary" type="submit">Import</button>'
    assert plain in rendered('{% submit "Import" %}')
    both = '<span class="when-dry">Start dry run</span><span class="when-real">Import</span>'
    assert plain.replace("Import", both) in rendered('{% submit "Import" when_dry="Start dry run" %}')


def test_keys_are_marked_and_the_words_between_them_are_not():
    text = rendered('{% keys "J K or 1–3, ⇧R … Esc" "do it" look="pair" %}')
    keys = ("J", "K", "1", "3", "⇧R", "Esc")
    for key in keys:
        assert f"<kbd>{key}</kbd>" in text
    assert text.count("<kbd>") == len(keys)
    assert "<dd> do it" in text


def test_where_nothing_is_a_button_may_lead_on():
    text = rendered('{% nothing "No runs" reason "My work" "home" look="primary" %}', reason="<none>")
    assert "<h2>No runs</h2><p>&lt;none&gt;</p>" in text
    assert '<a class="button primary" href="/">My work</a>' in text
    assert "button" not in rendered('{% nothing "No runs" "None." %}')


def test_a_button_is_for_those_who_may():
    source = '{% nothing "No runs" "None." "My work" "home" may=may %}{% link_button "Start" "home" may=may %}'
    assert rendered(source, may=True).count('href="/"') == 2
    assert "href" not in rendered(source, may=False)


def test_an_empty_state_of_a_whole_page_has_its_heading():
    text = rendered("{% empty_state name level=1 overline=404 %}<p>Gone.</p>{% endempty_state %}", name="<b>")
    assert text == '<div class="empty"><p class="overline">404</p><h1>&lt;b&gt;</h1><p>Gone.</p></div>'


def test_a_link_that_looks_like_a_button_has_attributes():
    text = rendered(
        '{% link_button label "home" look="primary large" download=True rel="next" aria_label="" %}', label="<b>"
    )
    assert text == '<a class="button primary large" href="/" download rel="next">&lt;b&gt;</a>'


def test_a_section_is_named_by_its_heading():
    text = rendered('{% section "runs" "Runs" look="stack" anchor="all" %}x{% endsection %}')
    assert (
        text
        == '<section class="stack" aria-labelledby="runs-heading" id="all"><h2 id="runs-heading">Runs</h2> x </section>'
    )


def test_a_refused_button_has_its_reason_and_its_remedy_as_text():
    reason = Reason("It has <no> items yet.", "Build items", "help", after="#items")
    text = rendered('{% refused_button "Open" reason "opening" look="primary" %}', reason=reason)
    assert 'class="button primary" aria-disabled="true" aria-describedby="opening-reason">Open</button>' in text
    assert '<span id="opening-reason">It has &lt;no&gt; items yet.</span>' in text
    assert f'<a href="{reverse("help")}#items">Build items</a>' in text
    assert "<a " not in rendered('{% refused_button "Open" reason "opening" %}', reason="Wait until it is done.")


def test_the_remedy_of_a_refusal_reaches_the_button():
    def check() -> None:
        raise Refused(Reason("It is open. Close it first.", "Go to its page", "help"))

    reason = refusal_reason(check)
    assert reason == "It is open. Close it first."
    assert reason.remedy.href == reverse("help")


class Note(forms.Form):
    text = forms.CharField(required=False)
    kinds = forms.MultipleChoiceField(choices=[("a", "A")], required=False, widget=forms.CheckboxSelectMultiple)


def test_a_field_is_called_optional_only_where_another_is_not():
    assert rendered("{% fields form %}", form=Letter()).count("(optional)") == 1
    assert "(optional)" not in rendered("{% fields form %}", form=Note())


def test_names_in_quotes_have_their_own_direction_and_nothing_is_read_as_markup() -> None:
    assert quoted_apart("Close “a<b> & c” first.") == "Close “<bdi>a&lt;b&gt; &amp; c</bdi>” first."
    assert quoted_apart("It's <i>plain</i>.") == "It&#x27;s &lt;i&gt;plain&lt;/i&gt;."


def test_a_text_to_copy_says_what_its_button_takes():
    shown = rendered('{% to_copy "key" "LaTeX" text of="the table" rows=3 %}', text="a & <b>")
    assert 'id="key"' in shown
    assert 'rows="3"' in shown
    assert ">a &amp; &lt;b&gt;</textarea>" in shown
    assert 'data-copy="key">Copy<span class="visually-hidden"> the LaTeX of the table</span>' in shown
