"""The kinds of gold that there are, and finding the one a selector means."""

from collections.abc import Mapping
from dataclasses import replace

from accounts.refusals import Refused
from adjudication.evaluation.golds.kind import SEMICOLON, Choices, GoldKind, GoldRequest, Grades, LoadedGold, Selector
from adjudication.evaluation.golds.qrels import QrelsGold
from adjudication.evaluation.golds.targets import Contexts, Targets
from adjudication.evaluation.golds.verdicts import Labels, MachineLabelsGold, SubQueries, VerdictsGold
from annotation.models import Campaign
from corpus.models import Collection
from engines.plugins import Registry

GOLDS: Registry[GoldKind] = Registry(
    "litmus.golds",
    GoldKind,  # type: ignore[type-abstract]  # the registry asks isinstance of it, and makes none
    VerdictsGold(),
    SubQueries(),
    Targets(),
    Contexts(),
    Labels(),
    MachineLabelsGold(),
    QrelsGold(),
)


def parse_selector(text: str) -> Selector:
    """The selector written so. Errors: Refused for an unknown kind, option or word, with what there is."""
    first, *options = [part.strip() for part in text.strip().split(";")]
    name, _, rest = first.partition(":")
    if name not in GOLDS:
        known = ", ".join(kind.spelling for kind in GOLDS.values())
        raise Refused(f"Unknown gold “{text[:60]}”. There is {known}.")
    kind = GOLDS[name]
    chosen = []
    for each in filter(None, options):
        key, _, word = each.partition("=")
        option = kind.options.get(key)
        if option is None:
            raise Refused(f"The gold {name} has no option “{key[:40]}”. It has: {', '.join(kind.options) or 'none'}.")
        if option.words and word not in option.words:
            raise Refused(f"“{word[:40]}” is none of {', '.join(option.words)} ({key} of the gold {name}).")
        chosen.append((key, word))
    return Selector(name, rest.replace(SEMICOLON, ";"), tuple(chosen))


def _request(
    collection: Collection, text: str, files: Mapping[str, Grades] | None = None
) -> tuple[GoldKind, GoldRequest]:
    selector = parse_selector(text)
    kind = GOLDS[selector.kind]
    defaults = {key: option.words[0] if option.words else option.default for key, option in kind.options.items()}
    return kind, GoldRequest(collection, selector, files or {}, {**defaults, **dict(selector.options)})


def read_gold(collection: Collection, text: str, files: Mapping[str, Grades] | None = None) -> LoadedGold:
    """The gold that a selector means; `files` are qrels by the name they are asked for. Errors: Refused."""
    kind, request = _request(collection, text, files)
    return kind.read(request)


def read_decided(collection: Collection, text: str) -> LoadedGold:
    """The gold as far as it is decided: undecided items are left out, where a kind can. Errors: Refused."""
    kind, request = _request(collection, text)
    values = {**request.values, "unresolved": "skip"} if "unresolved" in kind.options else request.values
    return kind.read(replace(request, values=values))


def check_gold(collection: Collection, text: str, files: Mapping[str, Grades] | None = None) -> None:
    """Check a selector. Errors: Refused for an invalid one, and for one that names what does not exist."""
    kind, request = _request(collection, text, files)
    kind.check(request)


def lasting_selector(collection: Collection, text: str) -> str:
    """The selector that means the same gold for good, also when campaigns are added. Errors: Refused."""
    kind, request = _request(collection, text)
    return str(kind.lasting_selector(request))


def campaigns_of_gold(collection: Collection, text: str) -> list[Campaign]:
    """Whose labels the gold is made of. Errors: Refused for an unknown gold."""
    kind, request = _request(collection, text)
    return list(kind.campaigns(request))


def protected_campaigns(collection: Collection, text: str) -> list[Campaign]:
    """Who still has to judge in these may not see what was measured with the gold. Errors: Refused."""
    kind, request = _request(collection, text)
    return list(kind.protected_campaigns(request))


def offered_golds(collection: Collection) -> Choices:
    """The golds that the collection has, as the page offers them."""
    return [choice for kind in GOLDS.values() for choice in kind.choices(collection)]
