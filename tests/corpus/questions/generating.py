"""Questions asked of a stub of an endpoint, and how the run ended."""

from accounts import jobs
from corpus.models import GenerationReply
from corpus.questions.generation import request_questions
from corpus.questions.mentions import MentionFilter
from tests.factories.accounts import AT
from tests.stubs.chat import ChatStub, Script

ASKED = {"endpoint": "default", "price_in": None, "price_out": None}  # what a run remembers where it was asked
GOOD = "QUESTION: Which leaves want water that has cooled down?\nANSWER: cite_001"
FAST = {"LLM_RATE": 0, "LLM_ATTEMPTS": 2, "LLM_TIMEOUT": 5, "LLM_CONCURRENCY": 1, "LLM_MODEL": "stub"}


def generate(manager, collection, settings, script: Script, *, criteria: MentionFilter | None = None, **options):
    """Ask and wait: the run as it ended, and the stub."""
    with ChatStub(script) as stub:
        settings.LLM_BASE_URL = stub.url
        run = request_questions(
            by=manager, at=AT, collection=collection, criteria=criteria or MentionFilter(), send=False, **options
        )
        jobs.carry_out(run)
        run.refresh_from_db()
        return run, stub


def one(manager, collection, settings, step, **options) -> GenerationReply:
    """The reply to a single mention."""
    run, _ = generate(manager, collection, settings, [step], criteria=MentionFilter(sample=1), **options)
    return run.replies.get()
