import '../../../code/services-image-worker-src-main.js';
