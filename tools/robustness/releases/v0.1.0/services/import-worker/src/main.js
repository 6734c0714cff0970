import '../../../code/services-import-worker-src-main.js';
