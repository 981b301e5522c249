import django.db.models.deletion
from django.db import migrations, models


def _key(to: str, **options: bool) -> models.ForeignKey:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE, related_name="unparsed_answers", to=to, **options
    )


class Migration(migrations.Migration):
    """Names alone: answers of imported machines without a value are `UnparsedAnswer`, not `UnreadLabel`."""

    dependencies = [("annotation", "0001_initial")]

    operations = [
        migrations.RemoveConstraint("UnreadLabel", "unread_label_once"),
        migrations.RenameModel("UnreadLabel", "UnparsedAnswer"),
        migrations.AlterField("UnparsedAnswer", "annotator", _key("annotation.annotator", db_index=False)),
        migrations.AlterField("UnparsedAnswer", "item", _key("annotation.item")),
        migrations.AlterField("UnparsedAnswer", "criterion", _key("annotation.criterion")),
        migrations.AddConstraint(
            "UnparsedAnswer",
            models.UniqueConstraint(fields=("annotator", "item", "criterion"), name="unparsed_answer_once"),
        ),
        migrations.RenameIndex("MachineReply", "machine_reply_not_answered", old_name="machine_reply_unread"),
        migrations.RemoveConstraint("MachineReply", "machine_reply_problem_told"),
        migrations.AddConstraint(
            "MachineReply",
            models.CheckConstraint(
                condition=models.Q(state="answered") | ~models.Q(problem=""), name="machine_reply_problem_stated"
            ),
        ),
    ]
