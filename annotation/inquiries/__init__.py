"""What annotators ask their managers about an item, and the answers (docs/adr/0045)."""
