"""The language server face."""
