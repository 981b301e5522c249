"""What every export is made of: the exporter, its form and options, findings, streams of lines."""
