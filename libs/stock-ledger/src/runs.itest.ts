// What runs promise, on a real PostgreSQL: what they apply, at once with others, and over connections that break.
import './run/warehouses.suite.js';
import './run/previous-release.suite.js';
import './run/applying.suite.js';
import './run/concurrent.suite.js';
import './run/connection.suite.js';
