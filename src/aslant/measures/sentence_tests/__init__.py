"""Association tests on words in sentences: SEAT and CEAT."""
