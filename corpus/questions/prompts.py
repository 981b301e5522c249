"""Prompts of a collection by purpose, name and version: every change is a new version."""

import hashlib
from datetime import datetime

from django.db import transaction
from django.db.models import Max, QuerySet

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from corpus.collections.rules import check_manager
from corpus.models import Collection, PromptPurpose, PromptTemplate
from engines.text.reranking import BadRerankPrompt, parse_rerank_prompt


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
    return f"There are: {known}." if known else "There are no prompts yet: write one."


LONGEST_BODY = 50_000  # characters
LONGEST_NAME = 100


@transaction.atomic
def write_prompt(
    *, by: User | None, at: datetime, collection: Collection, purpose: PromptPurpose, name: str, body: str
) -> PromptTemplate:
    """Store the body as the next version of the prompt of this name; the newest version itself if it says the same.

    Line ends become LF and blanks around the whole go. What a purpose demands of a body is checked by its own caller.
    """
    check_manager(collection, by)
    name = " ".join(name.split())
    body = body.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not name or len(name) > LONGEST_NAME:
        raise Refused(f"Give the prompt a name of at most {LONGEST_NAME} characters.")
    if not body or len(body) > LONGEST_BODY:
        raise Refused(f"A prompt has between 1 and {LONGEST_BODY:,} characters; this one has {len(body):,}.")
    if "\0" in body or "\0" in name:
        raise Refused("A prompt cannot hold the character NUL.")
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    versions = collection.prompt_templates.filter(purpose=purpose, name=name)
    newest = versions.order_by("-version").first()
    sha256 = hashlib.sha256(body.encode()).hexdigest()
    if newest is not None and newest.sha256 == sha256:
        return newest
    last = versions.aggregate(last=Max("version"))["last"] or 0
    prompt = PromptTemplate.objects.create(
        collection=collection,
        purpose=purpose,
        name=name,
        version=last + 1,
        body=body,
        sha256=sha256,
        created_by=by,
        created_at=at,
    )
    record_event(by=by, at=at, verb="write_prompt", target=prompt, scope=collection, purpose=purpose, sha256=sha256)
    return prompt


@transaction.atomic
def write_rerank_prompt(
    *, by: User | None, at: datetime, collection: Collection, name: str, body: str
) -> PromptTemplate:
    """The next version of a prompt for reranking. Errors: Refused for a body that cannot be used."""
    try:
        parse_rerank_prompt(body)
    except BadRerankPrompt as bad:
        raise Refused(str(bad)) from bad
    return write_prompt(by=by, at=at, collection=collection, purpose=PromptPurpose.RERANKING, name=name, body=body)
