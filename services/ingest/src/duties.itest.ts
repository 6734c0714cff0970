// What the duties promise, on a real PostgreSQL, store and gRPC. The suites lie beside the code that they hold; they share one process, as
// starting one costs more than most of them.
import './healing/healing.suite.js';
import './outcomes/outcomes.suite.js';
import './relay/relay.suite.js';
import './sweep/sweep.suite.js';
