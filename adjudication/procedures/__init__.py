"""The ways from labels to gold that there are: see adjudication/procedure.py."""
