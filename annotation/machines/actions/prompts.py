"""Writing prompts of either purpose, for callers that name the purpose."""

from datetime import datetime

from accounts.models import User
from accounts.refusals import Refused
from annotation.machines.actions.recipes import write_relevance_prompt
from corpus.models import Collection, PromptPurpose, PromptTemplate
from corpus.questions.actions.generation import write_question_prompt
from corpus.questions.reads.generation import PROMPT_NAME


def write_prompt_for(
    *, purpose: str, collection: Collection, by: User | None, at: datetime, name: str, body: str
) -> tuple[PromptTemplate, bool]:
    """The prompt's next version and True, or its newest version and False where that has the same words.

    A collection has one prompt for questions: its name may be left out. Errors: Refused for an unknown purpose, another
    name for questions, and a body that cannot be used.
    """
    if purpose not in PromptPurpose.values:
        raise Refused(f"Unknown purpose “{purpose}”. Choose one of {', '.join(PromptPurpose.values)}.")
    if purpose == PromptPurpose.RELEVANCE:
        written = write_relevance_prompt(collection=collection, by=by, at=at, name=name, body=body)
    elif name not in ("", PROMPT_NAME):
        raise Refused(f"A collection has one prompt for questions, “{PROMPT_NAME}”. Leave its name out.")
    else:
        written = write_question_prompt(collection=collection, by=by, at=at, body=body)
    return written, written.created_at == at
