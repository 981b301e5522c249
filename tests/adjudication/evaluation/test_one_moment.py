"""An evaluation stands on gold and runs as they were when it began."""

import pytest

from adjudication.evaluation.evaluation import evaluate
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.models import Verdict
from corpus.models import RetrievalRun
from tests.adjudication.evaluation.conftest import make_built
from tests.adjudication.evaluation.evaluating import done
from tests.databases import in_another_connection


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_gold_and_runs_are_of_one_moment() -> None:
    """Somebody replaces a run and the labels while another run is read: neither shows."""
    built = make_built()
    before = done(built, "good", "half").to_json()["subsets"]
    collection = built.collection

    def change() -> None:
        RetrievalRun.objects.get(name="half").rankings.all().delete()
        Verdict.objects.filter(item__campaign=built.campaign).update(value=0)

    def meanwhile(_done: int, _total: int, step: str) -> None:
        if step == "reading good":
            assert in_another_connection(change) is None

    spec = EvaluationSpec("campaign:main", ("good", "half"), resamples=1000)
    assert evaluate(collection, spec, progress=meanwhile).to_json()["subsets"] == before
    assert not RetrievalRun.objects.get(name="half").rankings.exists()
