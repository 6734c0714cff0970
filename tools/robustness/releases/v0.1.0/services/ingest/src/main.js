import '../../../code/services-ingest-src-main.js';
