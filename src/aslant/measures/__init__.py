"""One file per published measure: a pure statistic on arrays, then one public function that returns a result."""
