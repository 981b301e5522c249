"""Lines of the log as JSON name the request or the job that they were written for."""

import io
import json
import logging
import logging.config

import pytest
from django.http import HttpResponse

from accounts.job_kinds import kind_of
from accounts.jobs import carry_out_row
from accounts.log_marks import RequestMarkMiddleware
from config.watching import logs
from corpus.models import ImportRun
from tests.factories.corpus import ImportRunFactory


@pytest.fixture
def written():
    """What is logged meanwhile, as objects."""
    kept, stream = logging.root.handlers[:], io.StringIO()
    configuration = logs.configuration("INFO", "json")
    configuration["handlers"]["stderr"]["stream"] = stream
    del configuration["loggers"]
    logging.config.dictConfig(configuration)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logging.root.handlers[:] = kept
    logging.root.setLevel(logging.WARNING)


@pytest.mark.parametrize("sent", ["from-the-proxy_1", "", "two\nlines", "x" * 101, "<script>"])
def test_a_request_has_a_number_that_the_answer_says_too(rf, written, sent):
    def answer(request):
        logging.getLogger("litmus").warning("within")
        return HttpResponse()

    response = RequestMarkMiddleware(answer)(rf.get("/", headers={"X-Request-ID": sent}))
    logging.getLogger("litmus").warning("after")
    within, after = written()
    assert within["request_id"] == response["X-Request-ID"]
    assert (within["request_id"] == sent) is (sent == "from-the-proxy_1")
    assert len(within["request_id"]) >= 16
    assert "request_id" not in after


@pytest.mark.django_db(transaction=True)
def test_a_job_is_named_and_a_traceback_is_one_line(written, monkeypatch):
    job = ImportRunFactory()

    def break_down(self, job, progress):
        try:
            raise ZeroDivisionError("of nothing")
        except ZeroDivisionError:
            logging.getLogger("litmus").exception("It broke.")

    monkeypatch.setattr(type(kind_of(ImportRun)), "work", break_down)
    carry_out_row(ImportRun, job.pk)
    (line,) = [line for line in written() if line["logger"] == "litmus"]
    assert line["job"] == f"corpus.importrun {job.pk}"
    assert "ZeroDivisionError: of nothing" in line["traceback"]
    assert line["level"] == "ERROR"
