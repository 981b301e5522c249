"""The labelling screen: units, submissions, history, and who may see whose labels."""
