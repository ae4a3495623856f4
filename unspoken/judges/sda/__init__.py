"""Strategic Dialogue Assessment: annotated examinations of a witness, read and scored."""
