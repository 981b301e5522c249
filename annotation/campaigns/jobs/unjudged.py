"""Items that nobody has begun: what may be removed from a campaign."""

from collections.abc import Sequence

from django.db.models import Exists, Model, OuterRef, QuerySet

from annotation.models import Assignment, Campaign, Item
from corpus.imports.jobs.undoing import relations


def unjudged_items(campaign: Campaign, topic: str = "", only: Sequence[int] | None = None) -> QuerySet[Item]:
    """The campaign's items that no row but unused assignments refers to: all, of one topic, or `only` of these.

    So an item stays once somebody answered, skipped or undid it, a machine replied, votes on it were seen, or an
    annotator asked about it.
    """
    items = Item.objects.filter(campaign=campaign)
    if only is not None:
        items = items.filter(pk__in=only)
    for model, key in [*_keys_to(Item), *((model, f"{key}__item") for model, key in _keys_to(Assignment))]:
        if model is not Assignment:
            items = items.exclude(Exists(model._base_manager.filter(**{key: OuterRef("pk")})))
    return items.filter(topic__number=topic) if topic else items


def remove_unjudged(campaign: Campaign, topic: str = "", only: Sequence[int] | None = None) -> int:
    """Delete these items with their assignments; returns how many. The caller holds the transaction.

    Assignments are locked first, as an answer locks its own: what is answered meanwhile stays.
    """
    unused = Assignment.objects.filter(item__in=unjudged_items(campaign, topic, only))
    list(unused.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    Assignment.objects.filter(item__in=unjudged_items(campaign, topic, only))._raw_delete(using="default")
    bare = unjudged_items(campaign, topic, only).exclude(Exists(Assignment.objects.filter(item=OuterRef("pk"))))
    return int(bare._raw_delete(using="default"))


def _keys_to(model: type[Model]) -> list[tuple[type[Model], str]]:
    return [(each.related_model, each.field.name) for each in relations(model) if not each.many_to_many]
