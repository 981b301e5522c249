"""Machine annotators for tests: a prompt, an endpoint that is a loopback stub, and runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.test import override_settings

from accounts import jobs
from annotation.machines.prompts import write_relevance_prompt
from annotation.machines.recipes import MachineOptions
from annotation.machines.requests import request_machine_runs
from annotation.models import Campaign, MachineKind, MachineRun
from corpus.models import PromptTemplate
from tests.factories.annotation import AT, Material
from tests.stubs.chat import ChatStub, Script

BODY = (
    "Requirement: {aspect}\nTitle: {title}\nAbstract: {abstract}\nLevels:\n{levels}\nEnd with “Answer:” and a number."
)


def make_prompt(made: Material, *, name: str = "Plain", body: str = BODY) -> PromptTemplate:
    return write_relevance_prompt(collection=made.collection, by=made.manager, at=AT, name=name, body=body)


@contextmanager
def stubbed(script: Script, **more: Any) -> Iterator[ChatStub]:
    """The endpoint of the settings is a stub that plays the script; no rate limit, few tries."""
    usual = {"LLM_MODEL": "wise", "LLM_API_KEY": "sk-secret", "LLM_RATE": 0, "LLM_ATTEMPTS": 2, "LLM_TIMEOUT": 60}
    with ChatStub(script) as stub, override_settings(LLM_BASE_URL=stub.url, **{**usual, **more}):
        yield stub


def ask(made: Material, campaign: Campaign, prompt: PromptTemplate | None = None, **options: Any) -> list[MachineRun]:
    """Runs of a language model (or, with kind="lexical", of the baseline), asked for and not begun."""
    options = {"kind": MachineKind.ENDPOINT, **options}
    if options["kind"] == MachineKind.ENDPOINT:
        options["prompt"] = prompt or make_prompt(made)
    return request_machine_runs(
        campaign=campaign, by=made.manager, at=AT, options=MachineOptions(**options), send=False
    )


def carry_out(run: MachineRun) -> MachineRun:
    """Do the run here and now; as it is afterwards."""
    jobs.carry_out(run)
    run.refresh_from_db()
    return run
