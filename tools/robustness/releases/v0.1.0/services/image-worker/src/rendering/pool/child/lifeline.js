import '../../../../../../code/services-image-worker-src-rendering-pool-child-lifeline.js';
