// What owners of shipments are promised, on a real PostgreSQL, store and gRPC. The suites lie beside the code that they hold; they share one process, as
// starting one costs more than most of them.
import './imports/submit.suite.js';
import './imports/decided.suite.js';
import './imports/reads.suite.js';
import './stock/stock.suite.js';
import './http/imports.suite.js';
import './sweep/shipments.suite.js';
import './imports/options.suite.js';
