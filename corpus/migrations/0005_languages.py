"""A collection has a language, which chooses stemmer and stop words; entries of the search say of which they are."""

from django.db import migrations, models

from corpus.migrations._languages import FUNCTIONS


class Migration(migrations.Migration):

    dependencies = [
        ('corpus', '0004_paths_of_ended_imports'),
    ]

    operations = [
        migrations.AddField(
            model_name='collection',
            name='language',
            field=models.CharField(choices=[('en', 'English'), ('ar', 'Arabic'), ('hy', 'Armenian'), ('eu', 'Basque'), ('bn', 'Bengali'), ('bg', 'Bulgarian'), ('my', 'Burmese'), ('ca', 'Catalan'), ('zh', 'Chinese'), ('cs', 'Czech'), ('da', 'Danish'), ('nl', 'Dutch'), ('eo', 'Esperanto'), ('et', 'Estonian'), ('fi', 'Finnish'), ('fr', 'French'), ('de', 'German'), ('el', 'Greek'), ('gu', 'Gujarati'), ('he', 'Hebrew'), ('hi', 'Hindi'), ('hu', 'Hungarian'), ('id', 'Indonesian'), ('ga', 'Irish'), ('it', 'Italian'), ('ja', 'Japanese'), ('km', 'Khmer'), ('ko', 'Korean'), ('lo', 'Lao'), ('lt', 'Lithuanian'), ('ms', 'Malay'), ('ne', 'Nepali'), ('no', 'Norwegian'), ('fa', 'Persian'), ('pl', 'Polish'), ('pt', 'Portuguese'), ('ro', 'Romanian'), ('ru', 'Russian'), ('sr', 'Serbian'), ('sk', 'Slovak'), ('es', 'Spanish'), ('sv', 'Swedish'), ('ta', 'Tamil'), ('th', 'Thai'), ('tr', 'Turkish'), ('uk', 'Ukrainian'), ('ur', 'Urdu'), ('vi', 'Vietnamese'), ('yi', 'Yiddish'), ('mul', 'Several languages')], default='en', max_length=3),
        ),
        migrations.AddField(
            model_name='searchentry',
            name='language',
            field=models.CharField(db_default='en', max_length=3),
        ),
        migrations.AddConstraint(
            model_name='collection',
            constraint=models.CheckConstraint(condition=models.Q(('language__in', ['en', 'ar', 'hy', 'eu', 'bn', 'bg', 'my', 'ca', 'zh', 'cs', 'da', 'nl', 'eo', 'et', 'fi', 'fr', 'de', 'el', 'gu', 'he', 'hi', 'hu', 'id', 'ga', 'it', 'ja', 'km', 'ko', 'lo', 'lt', 'ms', 'ne', 'no', 'fa', 'pl', 'pt', 'ro', 'ru', 'sr', 'sk', 'es', 'sv', 'ta', 'th', 'tr', 'uk', 'ur', 'vi', 'yi', 'mul'])), name='collection_language_known'),
        ),
        migrations.RunSQL(FUNCTIONS, migrations.RunSQL.noop),
    ]
