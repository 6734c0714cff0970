// What owners' calls promise, on a real PostgreSQL, store and gRPC. The suites lie beside the code that they hold; they share one process, as
// starting one costs more than most of them.
import './files/create-confirm.suite.js';
import './jobs/in-flight.suite.js';
import './files/reads.suite.js';
import './files/schema.suite.js';
import './files/several-renditions.suite.js';
import './files/writes-repeated.suite.js';
import './http/http.suite.js';
