"""The options of a machine annotator, the recipe that they give, and what its runs would take."""

import hashlib
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings

from accounts.refusals import Refused
from annotation.campaigns.rules import check_within
from annotation.machines.machine_items import describe_levels
from annotation.machines.machines import estimate_runs
from annotation.models import Campaign, Criterion, MachineKind
from corpus.collections.endpoints import require_chat_endpoint
from corpus.models import PromptPurpose, PromptTemplate
from engines.definitions.settings import CONCURRENCY, MACHINE_SEED, PER_MINUTE, TOKENS
from engines.endpoints.prices import Prices
from engines.prompting.lexical import check_thresholds, usual_thresholds
from engines.prompting.prompts import BadPrompt, Prompt, parse_prompt
from engines.prompting.recipes import Estimate, Recipe


@dataclass(frozen=True)
class MachineOptions:
    """The options of a machine annotator. Empty fields stand for the operator's settings.

    `thresholds` (lexical): K-1 rising shares. `seed` is sent to the endpoint, one more with each run; None: none is
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
        """The given prices; without them those of the settings, for the model of the settings."""
        if (self.price_in, self.price_out) == (None, None) and self.model in ("", settings.LLM_MODEL):
            return Prices(settings.LLM_PRICE_IN, settings.LLM_PRICE_OUT)
        return Prices(self.price_in, self.price_out)

    @property
    def parameters(self) -> dict[str, Any]:
        """Pace and prices, on which labels do not depend."""
        return {
            "concurrency": self.concurrency,
            "per_minute": self.per_minute or 0,
            "price_in": None if self.prices.tokens_in is None else str(self.prices.tokens_in),
            "price_out": None if self.prices.tokens_out is None else str(self.prices.tokens_out),
        }


def criterion_of(campaign: Campaign, key: str) -> Criterion:
    """The criterion of this key, or the only one. Errors: Refused, with the keys of all criteria."""
    criteria = list(campaign.criteria.prefetch_related("levels"))
    found = [one for one in criteria if one.key == key] if key else criteria
    if len(found) != 1:
        named = ", ".join(one.key for one in criteria)
        raise Refused(f"A run answers one criterion. The campaign has: {named}.")
    return found[0]


def estimate_machine(campaign: Campaign, options: MachineOptions) -> tuple[Recipe, Estimate]:
    """The recipe, and what its runs would take. Errors: those of `criterion_of`, `recipe_of` and `fitting_prompt`."""
    criterion = criterion_of(campaign, options.criterion)
    recipe = recipe_of(options, criterion)
    prompt = fitting_prompt(options.prompt, criterion) if options.kind == MachineKind.ENDPOINT else None
    return recipe, estimate_runs(campaign, recipe, prompt, options.prices, criterion, runs=options.runs)


def recipe_of(options: MachineOptions, criterion: Criterion) -> Recipe:
    """All that labels depend on. Errors: Refused for options that do not fit the criterion, and without a model."""
    values = sorted(level.value for level in criterion.levels.all())
    if options.kind == MachineKind.LEXICAL:
        thresholds = tuple(options.thresholds) or usual_thresholds(len(values))
        if problem := check_thresholds(thresholds, len(values)):
            raise Refused(problem)
        return Recipe(MachineKind.LEXICAL.value, "lexical", thresholds=thresholds)
    if options.kind != MachineKind.ENDPOINT:
        raise Refused(f"Unknown kind of machine “{options.kind}”. Choose one of {', '.join(MachineKind.values)}.")
    endpoint = require_chat_endpoint()
    parsed = fitting_prompt(options.prompt, criterion)
    max_tokens = endpoint.max_tokens if options.max_tokens is None else options.max_tokens
    _check_numbers(options, max_tokens)
    return Recipe(
        MachineKind.ENDPOINT.value,
        " ".join(options.model.split()) or endpoint.model,
        options.prompt.sha256 if options.prompt else "",
        float(options.temperature),
        max_tokens,
        options.seed,
        levels=hashlib.sha256(describe_levels(criterion).encode()).hexdigest() if parsed.quotes_levels else "",
    )


def fitting_prompt(prompt: PromptTemplate | None, criterion: Criterion) -> Prompt:
    """The parsed prompt. Errors: Refused where there is none or its answers are not on the scale."""
    if prompt is None or prompt.purpose != PromptPurpose.RELEVANCE:
        raise Refused("Choose a prompt. A language model needs one.")
    if prompt.collection_id != criterion.campaign.collection_id:
        raise Refused("That prompt belongs to another collection.")
    try:
        parsed = parse_prompt(prompt.body)
        parsed.form([level.value for level in criterion.levels.all()])
    except BadPrompt as bad:
        raise Refused(f"{prompt}: {bad}") from bad
    return parsed


def _check_numbers(options: MachineOptions, max_tokens: int) -> None:
    if not 0 <= options.temperature <= 2:
        raise Refused("The temperature must be between 0 and 2.")
    check_within(TOKENS, max_tokens)
    check_within(MACHINE_SEED, options.seed)
    check_within(CONCURRENCY, options.concurrency)
    check_within(PER_MINUTE, options.per_minute)
    if len(options.model) > 80:
        raise Refused("The model's name is longer than 80 characters.")
