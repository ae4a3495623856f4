"""Package data: ontologies, prompts. Each folder has a README."""
