"""Which model is asked for a collection: the endpoint of a name, with its key, pace, prices and guard.

The endpoint of the environment is called “default”. It is the operator's own, so it may lead anywhere; what staff typed
on a page leads inside the server's network only as LITMUS_INNER_ADDRESSES says (ADR 59).
"""

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.refusals import Reason, Refused
from accounts.sealing import unsealed
from corpus.models import Collection, ModelEndpoint, ModelPurpose
from engines.endpoints.chat import Endpoint
from engines.endpoints.driver import Pace
from engines.endpoints.guard import Guard
from engines.endpoints.prices import Prices

DEFAULT = "default"
NO_MODEL = {
    ModelPurpose.CHAT: (
        "No language model is set up here. The operator of this installation sets LITMUS_LLM_BASE_URL and"
        " LITMUS_LLM_MODEL (docs/configuration.md), or staff set up a model endpoint."
    ),
    ModelPurpose.EMBEDDINGS: (
        "Vectors need an endpoint that makes embeddings, and this collection has none. The operator of this Litmus sets"
        " LITMUS_EMBEDDINGS_BASE_URL and LITMUS_EMBEDDINGS_MODEL (docs/configuration.md), or staff set up a model"
        " endpoint."
    ),
}

MODEL_OF = {ModelPurpose.CHAT: "language model", ModelPurpose.EMBEDDINGS: "model of embeddings"}


@dataclass(frozen=True)
class Service:
    """An endpoint as it is asked. `models`: those that may be named, the first where none is; none: any may be."""

    name: str
    endpoint: Endpoint
    pace: Pace
    prices: Prices
    models: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """The address as it is shown: without credentials that an operator has put into it."""
        parts = urlsplit(self.endpoint.base_url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()

    def asking(self, model: str = "") -> Endpoint:
        """The endpoint with this model, or with its own. Errors: Refused for a model that it does not have."""
        if model and self.models and model not in self.models:
            raise Refused(f"The endpoint {self.name} has no model “{model}”. It has: {', '.join(self.models)}.")
        return replace(self.endpoint, model=model or self.endpoint.model)

    def prices_of(self, model: str) -> Prices:
        """Those of the endpoint for the models that it is set up with; unknown for any other."""
        return self.prices if model in ("", self.endpoint.model, *self.models) else Prices()


def models_offered(purpose: ModelPurpose, collection: Collection) -> dict[str, list[str]]:
    """Endpoints that the collection may use, with their models; the first of each is asked where none is named."""
    usual = default_service(purpose)
    own = {DEFAULT: [usual.endpoint.model]} if usual else {}
    return own | dict(_allowed(purpose, collection).values_list("name", "model_names"))


def names(purpose: ModelPurpose, collection: Collection) -> list[str]:
    """The endpoints that the collection may use."""
    return list(models_offered(purpose, collection))


def why_no_language_model(
    collection: Collection, reader: User, purpose: ModelPurpose = ModelPurpose.CHAT
) -> Reason | None:
    """Why no model of this purpose can be asked, with what the reader of a page can do about it; None where one can."""
    if names(purpose, collection):
        return None
    missing = f"No {MODEL_OF[purpose]} is set up here."
    if reader.is_staff:
        return Reason(missing, "Set up a model endpoint", "endpoint_list")
    return Reason(f"{missing} The people who run this Litmus can set one up: ask them.")


def find_service(purpose: ModelPurpose, collection: Collection, name: str = "") -> Service | None:
    """The endpoint of this name, or the collection's first, as it is asked now; None where the collection has none."""
    found = default_service(purpose) if name in ("", DEFAULT) else None
    if found or name == DEFAULT:
        return found
    row = _allowed(purpose, collection).filter(**{"name": name} if name else {}).first()
    return service_of(row) if row else None


def service_for(purpose: ModelPurpose, collection: Collection, name: str = "") -> Service:
    """As `find_service`. Errors: Refused where there is none, with the names there are."""
    found = find_service(purpose, collection, name)
    if found is None:
        known = names(purpose, collection) if name else []
        raise Refused(
            f"{collection} has no model endpoint “{name}”: there is none of this name, or staff have removed it or"
            f" given it to other collections. It has: {', '.join(known)}."
            if known
            else NO_MODEL[purpose]
        )
    return found


def service_of(row: ModelEndpoint) -> Service:
    """What staff have set up, as it is asked. Errors: Refused where its key can no longer be read."""
    usual = _usual(row.purpose)
    endpoint = Endpoint(
        row.address,
        unsealed(row.sealed_key),
        row.model_names[0],
        timeout=float(settings.LLM_TIMEOUT),
        max_tokens=settings.LLM_MAX_TOKENS,
        guard=Guard(settings.INNER_ADDRESSES),
    )
    pace = replace(usual, per_minute=row.per_minute)
    return Service(row.name, endpoint, pace, Prices(row.price_in, row.price_out), tuple(row.model_names))


def default_service(purpose: ModelPurpose | str) -> Service | None:
    """The endpoint of the environment, or None where there is none."""
    kind = "LLM" if purpose == ModelPurpose.CHAT else "EMBEDDINGS"
    address, key, model = (getattr(settings, f"{kind}_{part}") for part in ("BASE_URL", "API_KEY", "MODEL"))
    if not (address and model):
        return None
    endpoint = Endpoint(address, key, model, timeout=float(settings.LLM_TIMEOUT), max_tokens=settings.LLM_MAX_TOKENS)
    prices = Prices(settings.LLM_PRICE_IN, settings.LLM_PRICE_OUT) if purpose == ModelPurpose.CHAT else Prices()
    return Service(DEFAULT, endpoint, _usual(purpose), prices)


def _usual(purpose: ModelPurpose | str) -> Pace:
    """The operator's limits: requests at once, per minute, and for each question."""
    rate = settings.LLM_RATE if purpose == ModelPurpose.CHAT else settings.EMBEDDINGS_RATE
    return Pace(concurrency=settings.LLM_CONCURRENCY, per_minute=rate, attempts=settings.LLM_ATTEMPTS)


def _allowed(purpose: ModelPurpose, collection: Collection) -> QuerySet[ModelEndpoint]:
    may_use = Q(collections__isnull=True) | Q(collections__contains=[collection.pk])
    return ModelEndpoint.objects.filter(may_use, purpose=purpose)
