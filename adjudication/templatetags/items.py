"""Names of items in lists."""

from django import template

from adjudication.labels.items import name_of, number_of

register = template.Library()
register.filter("name_of", name_of)
register.filter("number_of", number_of)
