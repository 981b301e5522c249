from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="JobClaim",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=80)),
                ("job", models.BigIntegerField()),
                ("holder", models.UUIDField()),
                ("renewed_at", models.DateTimeField()),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("kind", "job"), name="job_claimed_once")]},
        ),
        # The table of Django's default cache (see CACHES), as `createcachetable` would make it.
        migrations.RunSQL(
            """
            CREATE TABLE accounts_limit (
                cache_key varchar(255) NOT NULL PRIMARY KEY,
                value text NOT NULL,
                expires timestamptz NOT NULL
            );
            CREATE INDEX accounts_limit_expires ON accounts_limit (expires);
            """,
            "DROP TABLE accounts_limit",
        ),
    ]
