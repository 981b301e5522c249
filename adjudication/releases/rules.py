"""Who may freeze, read and open releases, and what may not be deleted because a release was made from it."""

from django.db.models import Model

from accounts.refusals import Reason, Refused
from adjudication.labels.rules import check_can_take_out
from adjudication.models import Release
from adjudication.models.releases import FAILED_STATES
from annotation.models import Campaign, CampaignState
from corpus.models import Collection, Membership


def check_can_read_release(membership: Membership) -> None:
    """Overseers who have nothing left to judge may read releases. Errors: NotAllowed."""
    check_can_take_out(membership, membership.collection.campaigns.all())


def check_can_open(release: Release) -> None:
    """A release is shown to others once it is frozen and nobody judges any more what it answers. Errors: Refused."""
    if not release.is_frozen:
        raise Refused(f"Release {release.name} is not frozen yet.")
    judged = Campaign.objects.filter(collection=release.collection_id, state=CampaignState.OPEN)
    if names := ", ".join(judged.order_by("name").values_list("name", flat=True)):
        text = f"People still judge in {names}, and a public release would show them the labels. Close it first."
        raise Refused(Reason(text, "See the campaigns", "campaign_list", release.collection.slug, after="?state=open"))


def standing_release(thing: Model, collection: Collection | int) -> str:
    """Why `thing` of a collection may not be deleted: the newest release that was, or is being, made from it; or ""."""
    pk = collection if isinstance(collection, int) else collection.pk
    what = thing._meta.verbose_name
    for release in Release.objects.filter(collection=pk).exclude(state__in=FAILED_STATES).order_by("-version"):
        if not release.is_frozen:
            return f"Release {release.name} is being made of this {what}. Wait for it, or cancel it."
        if _stands_on(release, thing):
            return (
                f"Release {release.name} stands on this {what}, so it stays: what a release is made of must remain, so"
                " that each of its lines can be explained."
            )
    return ""


def _stands_on(release: Release, thing: Model) -> bool:
    if isinstance(thing, Collection):
        return True
    if isinstance(thing, Campaign):
        return thing.slug in release.summary.get("campaigns", ())  # drafts are in no release
    return bool(release.last_ids.get(thing._meta.label_lower, 0) >= thing.pk)
