"""A person's name in the agreement figures of the campaigns they judged in."""

from collections.abc import Collection, Sequence

from adjudication.models import AgreementResult, AgreementRun
from annotation.consent.pseudonyms import renamed


def rename(campaigns: Sequence[int], names: Collection[str], pseudonym: str) -> None:
    """Replace the names of one person in results and details."""
    for run in AgreementRun.objects.filter(campaign__in=campaigns):
        run.detail = renamed(run.detail, names, pseudonym)
        run.save(update_fields=["detail"])
        for result in AgreementResult.objects.filter(run=run, annotators__overlap=list(names)):
            result.annotators = renamed(result.annotators, names, pseudonym)
            result.save(update_fields=["annotators"])
