"""Replies whose tokens were not counted were stored with the cost of the tokens that were, mostly 0: it is not known.

Free tokens need no count, so the prices of the run or trial decide.
"""

from django.db import migrations

FORGET = """
UPDATE {replies} r SET cost = NULL FROM {runs} j
WHERE j.id = r.{run} AND r.cost IS NOT NULL AND (
  r.prompt_tokens IS NULL AND (j.parameters->>'price_in')::numeric <> 0
  OR r.completion_tokens IS NULL AND (j.parameters->>'price_out')::numeric <> 0
)
"""
RUNS = {"replies": "annotation_machinereply", "runs": "annotation_machinerun", "run": "run_id"}
TRIALS = {"replies": "annotation_trialanswer", "runs": "annotation_prompttrial", "run": "trial_id"}


class Migration(migrations.Migration):
    dependencies = [("annotation", "0014_machine_run_once")]

    operations = [
        migrations.RunSQL(FORGET.format(**tables), migrations.RunSQL.noop) for tables in (RUNS, TRIALS)
    ]
