"""The one form of dates, times, numbers and percentages on pages, in all templates without `{% load %}`.

Whole numbers are written by Django's `intcomma`. Files and interfaces have machine forms instead.
"""

from django import template

from accounts import counting

register = template.Library()
for each in (
    *(counting.day, counting.moment, counting.exact_moment, counting.moment_with_zone, counting.clock),
    *(counting.percent, counting.share_in_percent, counting.decimal, counting.significant),
    *(counting.spent, counting.quoted_apart),
):
    register.filter(each.__name__, each)
