"""The letter to authors and their guideline as they will look, while a manager writes them."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST

from accounts.requests import Request
from corpus.collections.rules import fetch_manager
from corpus.models import Collection, QuestionCall
from corpus.questions.forms.authors import CallForm
from corpus.questions.reads.authors import letter_faults, sample_letter
from corpus.text.markdown import render_markdown


@require_POST
def author_letter_preview(request: Request, slug: str) -> HttpResponse:
    """What was typed so far as the first author will get it, for htmx. `call` names a call that is there already."""
    membership = fetch_manager(request.user, slug)
    pk = request.POST.get("call", "")
    rows = membership.collection.question_calls
    call = get_object_or_404(rows, pk=int(pk) if pk.isdecimal() and len(pk) < 19 else 0) if pk else None
    context = preview_of(CallForm(request.POST), membership.collection, call)
    return render(request, "corpus/questions/_author_preview.html", context)


def preview_of(form: CallForm, collection: Collection, call: QuestionCall | None) -> dict[str, Any]:
    """The letter (or what is wrong with it) and the guideline, from what stands in the form."""
    values: dict[str, Any]
    if form.is_bound:
        form.is_valid()
        values = form.cleaned_data
    else:
        values = {name: form[name].value() for name in form.fields} | {"deadline_at": call and call.deadline_at}
    words = {name: values.get(name) or "" for name in ("mail_subject", "mail_body")}
    typed = QuestionCall(pk=call.pk if call else None, collection=collection, **words)
    typed.deadline_at = values.get("deadline_at")  # type: ignore[assignment] # none until a day is chosen
    faults = letter_faults(typed)
    return {
        "faults": faults,
        "letter": None if faults else sample_letter(typed),
        "guideline": render_markdown(values.get("guideline") or "", headings_from=3),
        "is_written": True,
    }
