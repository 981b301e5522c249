
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('corpus', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='generationreply',
            name='earlier',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AlterField(
            model_name='questionrun',
            name='overlap_definition',
            field=models.CharField(choices=[('words', 'words without case, accents and punctuation'), ('litsearch-code', "words split at whitespace, with case and punctuation (as LitSearch's code)")], default='litsearch-code', max_length=20),
        ),
    ]
