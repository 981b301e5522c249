"""Rubric campaigns keep the way of counting word overlap that they were made with, now named in their options."""

from django.db import migrations

CUTOFFS = {"inline-acl": 0.3, "inline-nonacl": 0.1, "inline-inside": 0.3, "inline-outside": 0.1}


def name_definition(apps, schema_editor):
    """What is named already stays."""
    for campaign in apps.get_model("annotation", "Campaign").objects.filter(kind="rubric"):
        campaign.options = {"cutoffs": CUTOFFS, "overlap_definition": "words", **campaign.options}
        campaign.save(update_fields=["options"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_words_of_choices")]
    operations = [migrations.RunPython(name_definition, migrations.RunPython.noop)]
