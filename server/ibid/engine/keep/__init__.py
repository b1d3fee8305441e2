"""What a person does with memories, and what they cost and save."""
