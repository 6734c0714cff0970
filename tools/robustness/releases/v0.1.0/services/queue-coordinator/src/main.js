import '../../../code/services-queue-coordinator-src-main.js';
