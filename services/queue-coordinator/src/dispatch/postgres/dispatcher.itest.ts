import { dispatcherConformance } from '../dispatcher.conformance.js';

dispatcherConformance('postgres', async () => ({}));
