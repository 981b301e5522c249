"""Prompts of a collection by purpose, name and version."""

from django.db.models import QuerySet

from accounts.refusals import Refused
from corpus.models import Collection, PromptPurpose, PromptTemplate


def prompt_versions(collection: Collection, purpose: str = "", name: str = "") -> QuerySet[PromptTemplate]:
    """All versions of the collection's prompts of this purpose and name ("": of any), the newest first."""
    found = collection.prompt_templates.select_related("created_by").order_by("purpose", "name", "-version")
    found = found.filter(purpose=purpose) if purpose else found
    return found.filter(name=name) if name else found


def find_prompt(collection: Collection, text: str, purpose: str) -> PromptTemplate | None:
    """The prompt NAME (its newest version) or NAME@VERSION."""
    prompts = prompt_versions(collection, purpose)
    name, _, version = text.rpartition("@")
    if name and version.isdecimal() and len(version) < 9:
        return prompts.filter(name=name, version=int(version)).first()
    return prompts.filter(name=text).first()


def prompt_named(collection: Collection, text: str, purpose: str = PromptPurpose.RELEVANCE) -> PromptTemplate:
    """`find_prompt`. Errors: Refused where there is none, with the known names."""
    found = find_prompt(collection, text, purpose)
    if found is None:
        raise Refused(f"There is no prompt “{text}”. {known_prompts(prompt_versions(collection, purpose))}")
    return found


def known_prompts(prompts: QuerySet[PromptTemplate]) -> str:
    """The names of these prompts, as a sentence for a refusal."""
    known = ", ".join(prompts.order_by("name").values_list("name", flat=True).distinct())
    return f"There are: {known}." if known else "There are none yet: write one."
