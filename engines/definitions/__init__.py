"""What a campaign asks, as text: criteria with their levels, guidelines, their file form. No Django."""
