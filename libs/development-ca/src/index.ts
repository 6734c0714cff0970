export { Authority, type CertificateAndKey, type CertificateRequest, type Validity } from './authority.js';
export { writeAuthority, writeCertificateFolder, type CertificateFolder } from './certificate-folder.js';
