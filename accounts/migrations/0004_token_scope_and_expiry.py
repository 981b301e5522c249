"""Tokens from before could do everything without end: they keep their scope and get a year."""

from datetime import datetime, timedelta

import django.utils.timezone
from django.db import migrations, models


def in_a_year() -> datetime:
    return django.utils.timezone.now() + timedelta(days=365)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_audit_by_collection")]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="scope",
            field=models.CharField(
                choices=[("read", "read"), ("judge", "read and judge"), ("manage", "everything you may do")],
                default="manage",
                max_length=10,
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="apitoken",
            name="expires_at",
            field=models.DateTimeField(default=in_a_year),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="apitoken",
            constraint=models.CheckConstraint(
                condition=models.Q(("expires_at__gt", models.F("created_at"))), name="api_token_expires_after_creation"
            ),
        ),
        migrations.AddConstraint(
            model_name="apitoken",
            constraint=models.CheckConstraint(
                condition=models.Q(("scope__in", ["read", "judge", "manage"])), name="api_token_scope_known"
            ),
        ),
    ]
