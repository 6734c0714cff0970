export { placeOf, versionFor, type Share } from './version-for.js';
