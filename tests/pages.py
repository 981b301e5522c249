"""Filling in the forms of pages as a browser does: what the page shows is sent, with what the test types."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import lxml.html
from django.test import Client

UNSENT = ("checkbox", "radio", "file", "submit", "button", "image", "reset")  # where nothing was chosen or pressed


def _sent(form: Any) -> dict[str, Any]:
    """What a browser sends of the form; lxml leaves out what is empty, and takes "on" for a choice of nothing."""
    data: dict[str, Any] = {}
    for name, value in form.form_values():
        data.setdefault(name, []).append(value)
    for one in form.iterfind(".//input"):
        if one.get("name") and one.get("type", "text") not in UNSENT:
            data.setdefault(one.get("name"), [""])
        if one.get("type") == "radio" and one.get("value") == "" and one.checked:
            data[one.get("name")] = [""]
    return data


def of_cards(answer: Any, name: str) -> Any:
    """What a card of the page has under this name. Errors: StopIteration when none has it."""
    return next(card.context[name] for card in answer.context["cards"] if name in card.context)


class Pages:
    """What a person does who has pages alone."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def send(self, page: str, to: str = "", *, files: Sequence[Path] = (), field: str = "uploads", **typed: Any) -> str:
        """Fetch the page, fill in its form that goes `to` an address (left out: to the page itself), send it, and
        say where it leads. Fields that the page does not show, and choices that it does not offer, fail.

        `files` go into the field named `field`.
        """
        form = self._form(page, to)
        for name, value in typed.items():
            shown = form.inputs[name]  # KeyError: there is no such field
            if isinstance(value, bool):
                shown.checked = value
            else:
                shown.value = value
        data = _sent(form)
        if not files:
            return self._posted(to or page, data)
        assert form.inputs[field].type == "file"
        opened = [path.open("rb") for path in files]
        try:
            return self._posted(to or page, data | {field: opened})
        finally:
            for file in opened:
                file.close()

    def _form(self, page: str, to: str) -> Any:
        answer = self.client.get(page)
        assert answer.status_code == 200, (page, answer.status_code)
        main = lxml.html.fromstring(answer.text).get_element_by_id("content")
        forms = [one for one in main.forms if one.method == "POST" and (one.get("action") or "") in {to, to or page}]
        assert len(forms) == 1, (page, to, [one.get("action") for one in main.forms])
        return forms[0]

    def _posted(self, address: str, data: dict[str, Any]) -> str:
        answer = self.client.post(address, data)
        assert answer.status_code == 302, (address, answer.text)
        return cast(Any, answer).headers["Location"]
