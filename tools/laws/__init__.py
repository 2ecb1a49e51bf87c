"""The laws of docs/architecture.md: one module a law, each with `breaches(tree)`."""
