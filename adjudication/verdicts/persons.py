"""A person's name in the agreement figures of the campaigns they judged in."""

from datetime import datetime

from accounts.models import User
from adjudication.models import AgreementResult, AgreementRun
from annotation.labelling.persons import renamed


def erase(user: User, name: str, pseudonym: str, _keep_labels: bool, _at: datetime) -> None:
    """Replace the name in results and details. The annotators have their pseudonym by now or get it afterwards."""
    names = {*user.annotators.values_list("name", flat=True), name} - {"", pseudonym}
    for run in AgreementRun.objects.filter(campaign__annotators__user=user).distinct():
        run.detail = renamed(run.detail, names, pseudonym)
        run.save(update_fields=["detail"])
        for result in AgreementResult.objects.filter(run=run, annotators__overlap=list(names)):
            result.annotators = renamed(result.annotators, names, pseudonym)
            result.save(update_fields=["annotators"])
