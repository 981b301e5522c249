"""What an operator watches: probes, figures, and the page for staff."""
