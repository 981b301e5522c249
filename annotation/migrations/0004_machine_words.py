from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0003_overlap_definition'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='said',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
    ]
