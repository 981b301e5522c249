"""What a machine annotator is asked to be, and the resulting recipe; its prompts in versions."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.models import User
from accounts.refusals import Refused
from annotation.campaigns.rules.settings import check_within
from annotation.definitions.settings import CONCURRENCY, MACHINE_SEED, PER_MINUTE, TOKENS
from annotation.machines.reads.machine_items import describe_levels
from annotation.models import Campaign, Criterion, MachineKind
from annotation.prompting.lexical import check_thresholds, usual_thresholds
from annotation.prompting.prompts import BadPrompt, Prompt, parse_prompt
from annotation.prompting.recipes import Prices, Recipe
from corpus.collections.reads.endpoints import NO_MODEL, chat_endpoint
from corpus.models import Collection, PromptPurpose, PromptTemplate
from corpus.questions.actions.prompts import write_prompt


@dataclass(frozen=True)
class Wish:
    """What a machine annotator is asked to be. Empty fields take what the operator has set up.

    `thresholds` (lexical): K-1 rising shares. `seed`: sent to the endpoint, counted on from run to run; None: none is
    sent. Prices are per million tokens.
    """

    kind: str = MachineKind.ENDPOINT
    prompt: PromptTemplate | None = None
    model: str = ""
    temperature: float = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    thresholds: tuple[float, ...] = ()
    criterion: str = ""
    runs: int = 1
    concurrency: int | None = None
    per_minute: int | None = None
    price_in: Decimal | None = None
    price_out: Decimal | None = None

    @property
    def prices(self) -> Prices:
        """Those given; for the model that is set up, those that are set up with it."""
        if (self.price_in, self.price_out) == (None, None) and self.model in ("", settings.LLM_MODEL):
            return Prices(settings.LLM_PRICE_IN, settings.LLM_PRICE_OUT)
        return Prices(self.price_in, self.price_out)

    @property
    def parameters(self) -> dict[str, Any]:
        """How fast and at what price; the labels do not depend on it."""
        return {
            "concurrency": self.concurrency,
            "per_minute": self.per_minute or 0,
            "price_in": None if self.prices.tokens_in is None else str(self.prices.tokens_in),
            "price_out": None if self.prices.tokens_out is None else str(self.prices.tokens_out),
        }


@transaction.atomic
def write_relevance_prompt(
    *, collection: Collection, by: User | None, at: datetime, name: str, body: str
) -> PromptTemplate:
    """The next version of a prompt for machine annotators. Errors: Refused for a body that cannot be used."""
    try:
        parse_prompt(body)
    except BadPrompt as bad:
        raise Refused(str(bad)) from bad
    return write_prompt(by=by, at=at, collection=collection, purpose=PromptPurpose.RELEVANCE, name=name, body=body)


def criterion_of(campaign: Campaign, key: str) -> Criterion:
    """The criterion of this key, or the only one. Errors: Refused naming those there are."""
    criteria = list(campaign.criteria.prefetch_related("levels"))
    found = [one for one in criteria if one.key == key] if key else criteria
    if len(found) != 1:
        named = ", ".join(one.key for one in criteria)
        raise Refused(f"A run answers one criterion. The campaign has: {named}.")
    return found[0]


def recipe_of(wish: Wish, criterion: Criterion) -> Recipe:
    """Everything the labels depend on. Errors: Refused for what does not fit the criterion or is not set up."""
    values = sorted(level.value for level in criterion.levels.all())
    if wish.kind == MachineKind.LEXICAL:
        thresholds = tuple(wish.thresholds) or usual_thresholds(len(values))
        if problem := check_thresholds(thresholds, len(values)):
            raise Refused(problem)
        return Recipe(MachineKind.LEXICAL.value, "lexical", thresholds=thresholds)
    if wish.kind != MachineKind.ENDPOINT:
        raise Refused(f"Unknown kind of machine “{wish.kind}”. Choose one of {', '.join(MachineKind.values)}.")
    endpoint = chat_endpoint()
    if endpoint is None:
        raise Refused(NO_MODEL)
    parsed = fitting_prompt(wish.prompt, criterion)
    max_tokens = endpoint.max_tokens if wish.max_tokens is None else wish.max_tokens
    _check_numbers(wish, max_tokens)
    return Recipe(
        MachineKind.ENDPOINT.value,
        " ".join(wish.model.split()) or endpoint.model,
        wish.prompt.sha256 if wish.prompt else "",
        float(wish.temperature),
        max_tokens,
        wish.seed,
        levels=hashlib.sha256(describe_levels(criterion).encode()).hexdigest() if parsed.quotes_levels else "",
    )


def fitting_prompt(prompt: PromptTemplate | None, criterion: Criterion) -> Prompt:
    """The prompt as text with places. Errors: Refused where there is none or its answers are not on the scale."""
    if prompt is None or prompt.purpose != PromptPurpose.RELEVANCE:
        raise Refused("Choose a prompt. A language model does what its prompt says.")
    if prompt.collection_id != criterion.campaign.collection_id:
        raise Refused("That prompt belongs to another collection.")
    try:
        parsed = parse_prompt(prompt.body)
        parsed.form([level.value for level in criterion.levels.all()])
    except BadPrompt as bad:
        raise Refused(f"{prompt}: {bad}") from bad
    return parsed


def _check_numbers(wish: Wish, max_tokens: int) -> None:
    if not 0 <= wish.temperature <= 2:
        raise Refused("The temperature lies between 0 and 2.")
    check_within(TOKENS, max_tokens)
    check_within(MACHINE_SEED, wish.seed)
    check_within(CONCURRENCY, wish.concurrency)
    check_within(PER_MINUTE, wish.per_minute)
    if len(wish.model) > 80:
        raise Refused("The model's name is longer than 80 characters.")
