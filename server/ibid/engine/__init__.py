"""Floor 2: what memory means; knows no protocol, editor or file format."""
