"""manage.py prompts SLUG list|show|write|preview: prompts for language models, written and read in versions."""

from typing import Any, ClassVar

from django.core.management.base import CommandParser
from django.utils import timezone

from accounts.management.reporting import SteppedCommand, text_of
from accounts.refusals import Refused
from annotation.campaigns.reads.campaigns import campaign_with
from annotation.machines.actions.prompts import write_prompt_for
from annotation.machines.reads.prompts import all_prompts, preview_of, prompt_named
from corpus.collections.reads.collections import collection_with
from corpus.models import PromptPurpose, PromptTemplate
from corpus.questions.reads.generation import PROMPT_NAME


class Command(SteppedCommand):
    help = "Write prompts for machine annotators (relevance) and for generated questions (questions), and read them."
    reads: ClassVar[dict[str, str]] = {
        "list": "list all versions with their hashes",
        "show": "print one version",
        "preview": "print the message that a prompt makes of an item",
    }
    writes: ClassVar[dict[str, str]] = {"write": "store a text as the next version of a prompt"}

    def add_list(self, parser: CommandParser) -> None:
        parser.add_argument("--purpose", choices=PromptPurpose.values, default="", help="default: both")

    def add_show(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME[@VERSION]", help="the newest version unless one is named")
        _add_purpose(parser)

    def add_write(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a text in UTF-8; -: standard input")
        parser.add_argument("--name", default="", help="needed for relevance; a known one gets its next version")
        _add_purpose(parser)

    def add_preview(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="short name of the campaign")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--prompt", default="", metavar="NAME[@VERSION]")
        which.add_argument("--file", default="", help="a text that is not stored; -: standard input")
        parser.add_argument("--item", type=int, default=None, help="id of an item; default: the first")

    def list(self, *, slug: str, purpose: str) -> tuple[str, dict[str, Any]]:
        found = [_shape(prompt) for prompt in all_prompts(collection_with(slug), purpose)]
        lines = [f"{one['purpose']}: {one['prompt']} ({one['sha256'][:12]}…)" for one in found]
        return "\n".join(lines) or "There are no prompts yet.", {"prompts": found}

    def show(self, *, slug: str, name: str, purpose: str) -> tuple[str, dict[str, Any]]:
        prompt = prompt_named(collection_with(slug), name, purpose)
        return prompt.body, {**_shape(prompt), "body": prompt.body}

    def write(self, *, slug: str, file: str, name: str, purpose: str) -> tuple[str, dict[str, Any]]:
        prompt, is_new = write_prompt_for(
            purpose=purpose, collection=collection_with(slug), by=None, at=timezone.now(), name=name, body=text_of(file)
        )
        said = "saved" if is_new else "has the same words already, so nothing is saved"
        return f"{prompt}: {said}. Its hash is {prompt.sha256}.", {**_shape(prompt), "new": is_new}

    def preview(
        self, *, slug: str, campaign: str, prompt: str, file: str, item: int | None
    ) -> tuple[str, dict[str, Any]]:
        found = campaign_with(slug, campaign)
        body = text_of(file) if file else prompt_named(found.collection, prompt).body
        shown = preview_of(found, body, item)
        if "problem" in shown:
            raise Refused(shown["problem"])
        result = {**shown, "item": shown["item"].item}
        return f"{shown['message']}\n\nHow a reply must end: {shown['form']}", result


def _add_purpose(parser: CommandParser) -> None:
    parser.add_argument(
        "--purpose",
        choices=PromptPurpose.values,
        default=PromptPurpose.RELEVANCE.value,
        help=f"default: relevance; the one of questions has the name “{PROMPT_NAME}”",
    )


def _shape(prompt: PromptTemplate) -> dict[str, Any]:
    return {
        "id": prompt.pk,
        "purpose": prompt.purpose,
        "prompt": f"{prompt.name}@{prompt.version}",
        "name": prompt.name,
        "version": prompt.version,
        "sha256": prompt.sha256,
        "created_at": prompt.created_at.isoformat(),
    }
