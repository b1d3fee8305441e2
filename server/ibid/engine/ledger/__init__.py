"""What a reader was shown, and what that allows to be left out."""
