"""Where the files of a release are: each attempt stores them in a place of its own, so the row says which one counts."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0012_vote_acceptances")]

    operations = [
        migrations.AddField("release", "place", models.CharField(blank=True, default="", max_length=100), False),
        migrations.RunSQL(
            "UPDATE adjudication_release SET place = 'releases/' || id WHERE frozen_at IS NOT NULL",
            migrations.RunSQL.noop,
        ),
        migrations.AddConstraint(
            "release",
            models.CheckConstraint(
                condition=models.Q(("frozen_at__isnull", True), ("place", ""))
                | models.Q(models.Q(("place", ""), _negated=True)),
                name="release_frozen_has_place",
            ),
        ),
    ]
