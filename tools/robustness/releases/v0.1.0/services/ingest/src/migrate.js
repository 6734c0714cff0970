import '../../../code/services-ingest-src-migrate.js';
