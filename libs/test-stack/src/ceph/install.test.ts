import { expect, test } from 'vitest';
import { leftOut } from '../left-out.js';
import { cephInstallLine, ensureCeph } from './install.js';

test('where Ceph is missing and may not be installed, one line says how to install it and how to do without', async () => {
  const refusal = ensureCeph({ path: '/nowhere', root: false });
  await expect(refusal).rejects.toMatchObject({ name: 'StackFault' });
  await expect(refusal).rejects.toThrow(cephInstallLine);
  await expect(refusal).rejects.toThrow('LEASEHOLD_WITHOUT=s3');
  await expect(refusal).rejects.not.toThrow('\n');
});

test('root without apt is told the same', async () => {
  await expect(ensureCeph({ path: '/nowhere', root: true })).rejects.toThrow(cephInstallLine);
});

test('a part is left out only by its name', () => {
  expect(['s3', 's3,redis', 'redis, s3'].map((without) => leftOut('s3', without))).toEqual([true, true, true]);
  expect(['', 's', 's33', 'redis', 'S3x'].map((without) => leftOut('s3', without))).toEqual([false, false, false, false, false]);
});
