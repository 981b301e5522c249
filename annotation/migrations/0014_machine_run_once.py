"""A run of a machine exists once for each criterion, held by the database again."""

from django.db import migrations, models

FILL = """
UPDATE annotation_runcriterion c SET recipe_hash = r.recipe_hash, run_number = r.run_number
FROM annotation_machinerun r WHERE r.id = c.run_id
"""
HOLD = """
ALTER TABLE annotation_machinerun ADD CONSTRAINT machine_run_numbered UNIQUE (id, recipe_hash, run_number);
ALTER TABLE annotation_runcriterion ADD CONSTRAINT run_criterion_is_its_runs
  FOREIGN KEY (run_id, recipe_hash, run_number) REFERENCES annotation_machinerun (id, recipe_hash, run_number)
  DEFERRABLE INITIALLY DEFERRED;
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0013_prompt_trials")]

    operations = [
        migrations.AddField("runcriterion", "recipe_hash", models.CharField(default="", max_length=64)),
        migrations.AddField("runcriterion", "run_number", models.PositiveSmallIntegerField(default=0)),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField("runcriterion", "recipe_hash", models.CharField(max_length=64)),
        migrations.AlterField("runcriterion", "run_number", models.PositiveSmallIntegerField()),
        migrations.AddConstraint(
            "runcriterion",
            models.UniqueConstraint(fields=["criterion", "recipe_hash", "run_number"], name="machine_run_once"),
        ),
        migrations.RunSQL(HOLD),
    ]
