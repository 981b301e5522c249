"""The options of a machine annotator, the recipe that they give, and what its runs would take."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from accounts.refusals import Refused
from annotation.campaigns.rules import check_within
from annotation.machines.machine_items import quoted
from annotation.machines.machines import estimate_runs
from annotation.models import Campaign, Criterion, MachineKind, MachineRun, PromptTrial
from corpus.endpoints.endpoints import Service, find_service, service_for
from corpus.models import Collection, ModelPurpose, PromptPurpose, PromptTemplate
from engines.definitions.settings import CONCURRENCY, MACHINE_SEED, PER_MINUTE, TOKENS, UNREADABLE
from engines.endpoints.driver import USUAL_ROW, Pace
from engines.endpoints.prices import Prices
from engines.prompting.answers import AnswerForm
from engines.prompting.lexical import check_thresholds, usual_thresholds
from engines.prompting.prompts import BadPrompt, Prompt, parse_prompt
from engines.prompting.recipes import Estimate, Recipe

ASKED = {kind.value: kind.label for kind in (MachineKind.ENDPOINT, MachineKind.LEXICAL)}  # a committee asks nobody


@dataclass(frozen=True)
class MachineOptions:
    """The options of a machine annotator. No criteria stand for the only one, other empty fields for those of the
    endpoint, the collection's first unless one is named.

    `thresholds` (lexical): K-1 rising shares. `seed` is sent to the endpoint, one more with each run; None: none is
    sent. Prices are per million tokens.
    """

    kind: str = MachineKind.ENDPOINT
    prompt: PromptTemplate | None = None
    endpoint: str = ""
    model: str = ""
    temperature: float = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    thresholds: tuple[float, ...] = ()
    criteria: tuple[str, ...] = ()
    runs: int = 1
    stop_after: int = USUAL_ROW
    concurrency: int | None = None
    per_minute: int | None = None
    price_in: Decimal | None = None
    price_out: Decimal | None = None

    def service(self, collection: Collection) -> Service:
        """The endpoint that is asked. Errors: Refused where the collection has none of this name."""
        return service_for(ModelPurpose.CHAT, collection, self.endpoint)

    def prices(self, collection: Collection) -> Prices:
        """The given prices; without them those of the endpoint."""
        if (self.price_in, self.price_out) != (None, None):
            return Prices(self.price_in, self.price_out)
        found = find_service(ModelPurpose.CHAT, collection, self.endpoint)
        return found.prices_of(self.model) if found else Prices()

    def parameters(self, collection: Collection) -> dict[str, Any]:
        """Endpoint, pace, prices and when to stop, on which labels do not depend."""
        found = {
            "stop_after": self.stop_after,
            "concurrency": self.concurrency,
            "per_minute": self.per_minute or 0,
            **self.prices(collection).as_text,
        }
        return found | ({"endpoint": self.service(collection).name} if self.kind == MachineKind.ENDPOINT else {})


def service_of(run: MachineRun | PromptTrial) -> Service:
    """The endpoint that the run was requested for. Errors: Refused where it was removed meanwhile."""
    return service_for(ModelPurpose.CHAT, run.campaign.collection, run.parameters.get("endpoint", ""))


def criteria_of(campaign: Campaign, keys: Sequence[str]) -> list[Criterion]:
    """The criteria of these keys, or the only one, in their order. Errors: Refused, with the keys of all criteria."""
    criteria = list(campaign.criteria.prefetch_related("levels"))
    found = [one for one in criteria if one.key in keys] if keys else criteria
    if len(found) != (len(set(keys)) or 1):
        named = ", ".join(one.key for one in criteria)
        raise Refused(f"Name the criteria that the run answers. The campaign has: {named}.")
    return found


def estimate_machine(campaign: Campaign, options: MachineOptions) -> tuple[Recipe, Estimate]:
    """The recipe, and what its runs would take. Errors: those of `criteria_of`, `recipe_of` and `fitting_prompt`."""
    criteria = criteria_of(campaign, options.criteria)
    recipe = recipe_of(options, criteria)
    asks, prices = options.kind == MachineKind.ENDPOINT, options.prices(campaign.collection)
    prompt = fitting_prompt(options.prompt, criteria) if asks else None
    pace = options.service(campaign.collection).pace if asks else Pace()
    return recipe, estimate_runs(campaign, recipe, prompt, criteria, prices=prices, pace=pace, runs=options.runs)


def recipe_of(options: MachineOptions, criteria: Sequence[Criterion]) -> Recipe:
    """All that labels depend on. Errors: Refused for options that do not fit the criteria, and without a model."""
    check_within(UNREADABLE, options.stop_after)
    if options.kind == MachineKind.LEXICAL:
        return _lexical_recipe(options, criteria)
    if options.kind != MachineKind.ENDPOINT:
        raise Refused(f"Unknown kind of machine “{options.kind}”. Choose one of {', '.join(ASKED)}.")
    endpoint = options.service(criteria[0].campaign.collection).asking(" ".join(options.model.split()))
    parsed = fitting_prompt(options.prompt, criteria)
    max_tokens = endpoint.max_tokens if options.max_tokens is None else options.max_tokens
    _check_numbers(options, max_tokens)
    quotes = quoted(criteria)["criteria" if parsed.rates_each else "levels"]
    return Recipe(
        MachineKind.ENDPOINT.value,
        endpoint.model,
        options.prompt.sha256 if options.prompt else "",
        float(options.temperature),
        max_tokens,
        options.seed,
        levels=hashlib.sha256(quotes.encode()).hexdigest() if parsed.quotes_levels else "",
        criteria=tuple(one.key for one in criteria) if parsed.rates_each else (),
    )


def _lexical_recipe(options: MachineOptions, criteria: Sequence[Criterion]) -> Recipe:
    if len(criteria) > 1:
        raise Refused("The lexical baseline has one number for an item, so each of its runs answers one criterion.")
    levels = len(criteria[0].levels.all())
    thresholds = tuple(options.thresholds) or usual_thresholds(levels)
    if problem := check_thresholds(thresholds, levels):
        raise Refused(problem)
    return Recipe(MachineKind.LEXICAL.value, "lexical", thresholds=thresholds)


def fitting_prompt(prompt: PromptTemplate | None, criteria: Sequence[Criterion]) -> Prompt:
    """The parsed prompt. Errors: Refused where there is none or it does not ask for answers to these criteria."""
    if prompt is None or prompt.purpose != PromptPurpose.RELEVANCE:
        raise Refused("Choose a prompt. A language model needs one.")
    if prompt.collection_id != criteria[0].campaign.collection_id:
        raise Refused("That prompt belongs to another collection.")
    try:
        parsed = parse_prompt(prompt.body)
        forms_of(parsed, criteria)
    except BadPrompt as bad:
        raise Refused(f"{prompt}: {bad}") from bad
    return parsed


def forms_of(prompt: Prompt, criteria: Sequence[Criterion]) -> dict[str, AnswerForm]:
    """How the prompt's answers are read, by the criterion's key. Raises BadPrompt where it does not ask for them."""
    if len(criteria) > 1 and not prompt.rates_each:
        raise BadPrompt(
            "It asks for one answer. A prompt for several criteria holds {criteria}, and its replies answer each."
        )
    return {one.key: prompt.form([level.value for level in one.levels.all()]) for one in criteria}


def options_from(recipe: Recipe, earlier: MachineRun | None, criteria: Sequence[str], runs: int = 1) -> MachineOptions:
    """The options by which this recipe is made again, with the prompt and the endpoint of an earlier run of it;
    `criteria` are for a recipe that names none."""
    return MachineOptions(
        kind=recipe.kind,
        prompt=earlier.prompt if earlier else None,
        endpoint=str(earlier.parameters.get("endpoint", "")) if earlier else "",
        model=recipe.model,
        temperature=recipe.temperature,
        max_tokens=recipe.max_tokens,
        seed=recipe.seed,
        thresholds=recipe.thresholds,
        criteria=recipe.criteria or tuple(criteria),
        runs=runs,
    )


def _check_numbers(options: MachineOptions, max_tokens: int) -> None:
    if not 0 <= options.temperature <= 2:
        raise Refused("The temperature must be between 0 and 2.")
    check_within(TOKENS, max_tokens)
    check_within(MACHINE_SEED, options.seed)
    check_within(CONCURRENCY, options.concurrency)
    check_within(PER_MINUTE, options.per_minute)
    if len(options.model) > 80:
        raise Refused("The model's name is longer than 80 characters.")
