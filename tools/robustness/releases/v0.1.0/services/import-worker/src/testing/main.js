import '../../../../code/services-import-worker-src-testing-main.js';
