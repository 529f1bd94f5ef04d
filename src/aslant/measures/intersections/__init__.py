"""Words that go with people who share two traits: intersectional and emergent bias."""
