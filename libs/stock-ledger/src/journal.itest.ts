// What the journal, the archive and the reads promise, on a real PostgreSQL. The suites lie beside the code that they hold; they share one process, as
// starting one costs more than most of them.
import './archive/archive.suite.js';
import './grants.suite.js';
import './idempotency/term.suite.js';
import './journal/journal.suite.js';
import './journal/restored.suite.js';
import './stock/stock.suite.js';
