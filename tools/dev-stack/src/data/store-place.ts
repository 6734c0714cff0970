import { storeSettings, type StoreSettings } from '@leasehold/object-store';
import { StackFault } from '@leasehold/test-stack';

/** Where the stack keeps pictures: as services take it in LEASEHOLD_STORE, and as opened from here. */
export interface StorePlace {
  readonly location: string;
  readonly settings: StoreSettings;
}

/**
 * The bucket, if one is named (`https://host/bucket`, with or without `s3+` before it), else the folder. Services inherit the keys from the environment.
 * @throws StackFault of one line that names what is wrong, and no value
 */
export function storePlace(folder: string, s3: string | undefined, env: NodeJS.ProcessEnv = process.env): StorePlace {
  const location = s3 === undefined ? folder : s3.replace(/^(?=https?:)/i, 's3+');
  const { LEASEHOLD_S3_ACCESS_KEY_ID, LEASEHOLD_S3_SECRET_ACCESS_KEY } = env;
  const read = storeSettings({ LEASEHOLD_STORE: location, LEASEHOLD_S3_ACCESS_KEY_ID, LEASEHOLD_S3_SECRET_ACCESS_KEY });
  if ('settings' in read && (s3 === undefined || read.settings.kind === 's3')) return { location, settings: read.settings };
  const problems = 'problems' in read ? read.problems.map(({ variable, problem }) => `${variable === 'LEASEHOLD_STORE' ? 'the URL' : variable} ${problem}`) : ['the URL must be https://host/bucket'];
  throw new StackFault(`--s3 cannot be used: ${problems.join('; ')}`);
}
