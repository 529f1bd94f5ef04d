"""One file per published measure: a pure statistic on arrays, then one public function that returns a result."""

import aslant.results  # noqa: F401  (it gathers what rooms define; a worker may import a room before anything else)
