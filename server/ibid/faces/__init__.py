"""Floor 4: faces translate and never decide; they never import each other."""
