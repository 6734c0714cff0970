import '../../../../code/services-image-worker-src-testing-main.js';
