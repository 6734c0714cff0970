import '../../../code/services-queue-coordinator-src-migrate.js';
