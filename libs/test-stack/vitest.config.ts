import { project } from './dist/vitest.js'; // Its own preset, as every other project gets it: from the build.

export default project({ postgres: true });
