"""Importers and exporters: foreign formats to submissions and back."""
