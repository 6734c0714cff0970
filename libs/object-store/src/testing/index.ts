export { download, storedKeys, temporaryStore, upload } from './store-folder.js';
