"""What a release says of the people who judged: what they agreed to, and their background in groups."""

from collections.abc import Iterable, Mapping

from accounts.counting import counted
from annotation.consent.backgrounds import LEAST, background_groups
from annotation.consent.consents import ConsentCounts, count_consents
from annotation.models import Campaign, ConsentText
from corpus.models import Collection

REMAINS = (
    "These groups do not hide everything: where all in a group answered the same, that is what each said, and releases"
    " made before and after a withdrawal, or over other campaigns, can differ by single people."
)
Words = tuple[str, str]  # on the consent, on the background; "" where nothing of it was asked in Litmus


def consent_of(collection: Collection, campaigns: Iterable[Campaign]) -> Words:
    """What the people whose work counts in these campaigns agreed to in Litmus, with the texts; and who they are."""
    texts = {each.version: each for each in collection.consent_texts.exclude(body="")}
    if not texts:
        return "", ""
    found = count_consents(collection, [campaign.pk for campaign in campaigns])
    asked = any(each.asks_background for each in texts.values())
    return _agreed(found, texts), _background(collection, found) if asked else ""


def _agreed(found: ConsentCounts, texts: Mapping[int, ConsentText]) -> str:
    people = counted(len(found.users), "person", "people")
    said = f"{sum(found.agreed.values()):,} of {people} with an account whose judgments count agreed in Litmus."
    if found.withdrew:
        said += f" {found.withdrew:,} of them withdrew later; their judgments were kept, as the text says."
    if found.without_account:
        said += f" {counted(found.without_account, 'further person', 'further people')} without an account: not asked."
    return "\n\n".join([said, *(_version(texts[number], n) for number, n in found.agreed.items())])


def _version(text: ConsentText, people: int) -> str:
    after = f"If somebody withdraws, {text.get_after_withdrawal_display()}."
    quoted = "\n".join(f"> {line}".rstrip() for line in text.body.splitlines())
    return f"Version {text.version}, agreed to by {people:,}. {after}\n\n{quoted}"


def _background(collection: Collection, found: ConsentCounts) -> str:
    groups = {name: some for name, some in background_groups(collection, found.users).items() if some}
    if not groups:
        return f"Asked in Litmus; no answer is reported, as none can be in a group of {LEAST} people or more."
    answers = (f"{name}: {', '.join(f'{one} {n:,}' for one, n in some.items())}" for name, some in groups.items())
    counted_so = (
        f"in groups of at least {LEAST} people; people are added {LEAST} at a time, so the last few are left out"
    )
    return f"Asked in Litmus, {counted_so}: {'; '.join(answers)}. {REMAINS}"
