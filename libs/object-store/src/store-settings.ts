import { StoreFault } from './store-fault.js';

/** Which store, and who opens it. */
export type StoreSettings =
  | { readonly kind: 'embedded'; readonly directory: string }
  | {
      readonly kind: 's3';
      /** `http://host[:port]` or `https://host[:port]` */
      readonly endpoint: string;
      readonly bucket: string;
      readonly region: string | undefined;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };

/** As they stand in the environment; empty counts as not set. */
export interface StoreVariables {
  readonly LEASEHOLD_STORE?: string | undefined;
  /** The name of LEASEHOLD_STORE from when it could only be a directory. */
  readonly LEASEHOLD_STORE_DIR?: string | undefined;
  readonly LEASEHOLD_S3_ACCESS_KEY_ID?: string | undefined;
  readonly LEASEHOLD_S3_SECRET_ACCESS_KEY?: string | undefined;
}

/** What is wrong with a variable, and what to set; never its value. */
export interface StoreProblem {
  readonly variable: keyof StoreVariables;
  readonly problem: string;
}

/** The forms that LEASEHOLD_STORE takes, for its description. */
export const storeForms = 'a directory, or s3+https://host[:port]/bucket[?region=name]';

/** The store's settings, or every variable that is wrong. */
export function storeSettings(v: StoreVariables): { readonly settings: StoreSettings } | { readonly problems: readonly StoreProblem[] } {
  const location = v.LEASEHOLD_STORE || v.LEASEHOLD_STORE_DIR || '';
  const variable = v.LEASEHOLD_STORE ? 'LEASEHOLD_STORE' : 'LEASEHOLD_STORE_DIR';
  if (location === '') return { problems: [{ variable: 'LEASEHOLD_STORE', problem: `is not set: where objects lie, ${storeForms}` }] };
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(location)) return { settings: { kind: 'embedded', directory: location } };
  const { LEASEHOLD_S3_ACCESS_KEY_ID: accessKeyId, LEASEHOLD_S3_SECRET_ACCESS_KEY: secretAccessKey } = v;
  const problems: StoreProblem[] = [];
  if (!accessKeyId) problems.push({ variable: 'LEASEHOLD_S3_ACCESS_KEY_ID', problem: 'is not set, and the store is an S3' });
  if (!secretAccessKey) problems.push({ variable: 'LEASEHOLD_S3_SECRET_ACCESS_KEY', problem: 'is not set, and the store is an S3' });
  try {
    const found = bucketAt(location);
    if (accessKeyId && secretAccessKey) return { settings: { kind: 's3', ...found, accessKeyId, secretAccessKey } };
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    problems.unshift({ variable, problem: error.message });
  }
  return { problems };
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function bucketAt(location: string): { endpoint: string; bucket: string; region: string | undefined } {
  const match = /^s3\+(https?):\/\//i.exec(location);
  const url = match === null ? undefined : parsed(location.slice('s3+'.length));
  if (url === undefined) throw wrong(`must be ${storeForms}`);
  if (url.username !== '' || url.password !== '') throw wrong('must not hold the keys: they go into LEASEHOLD_S3_ACCESS_KEY_ID and LEASEHOLD_S3_SECRET_ACCESS_KEY');
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) throw wrong('must begin with s3+https:// unless the store is on this machine: s3+http:// sends pictures and signed URLs in the clear');
  const [bucket = '', ...more] = url.pathname.slice(1).replace(/\/$/, '').split('/');
  if (bucket === '' || more.length > 0) throw wrong('must name one bucket behind the host, and nothing behind that');
  const unknown = [...url.searchParams.keys()].filter((name) => name !== 'region');
  if (unknown.length > 0 || url.hash !== '') throw wrong('may have no parameter but ?region=');
  return { endpoint: url.origin, bucket, region: url.searchParams.get('region') ?? undefined };
}

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);
const wrong = (problem: string): StoreFault => new StoreFault('invalid', problem);
