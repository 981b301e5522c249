import pytest
from django import forms

from accounts.refusal_messages import refusals_in_form
from accounts.refusals import Conflict, NotAllowed


class NameForm(forms.Form):
    name = forms.CharField()


@pytest.mark.parametrize(("field", "at"), [("name", "name"), (None, "__all__")])
def test_a_refusal_ends_the_block_and_stands_in_the_form(field: str | None, at: str) -> None:
    form, done = NameForm({"name": "a"}), []
    with refusals_in_form(form, field):
        done.append("before")
        raise Conflict("Somebody was faster.")
    assert (done, form.errors) == (["before"], {at: ["Somebody was faster."]})


@pytest.mark.parametrize("error", [NotAllowed("This needs another role."), ValueError("a mistake of ours")])
def test_a_missing_role_and_mistakes_go_on(error: Exception) -> None:
    form = NameForm({"name": "a"})
    with pytest.raises(type(error)) as caught, refusals_in_form(form):
        raise error
    assert caught.value is error
    assert form.is_valid()


def test_what_the_block_returns_is_returned() -> None:
    def view() -> str:
        with refusals_in_form(NameForm({})):
            return "on to the next page"
        return "the form again"

    assert view() == "on to the next page"
