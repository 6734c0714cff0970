export { Authority, type CertificateAndKey, type CertificateRequest, type Validity } from './authority.js';
