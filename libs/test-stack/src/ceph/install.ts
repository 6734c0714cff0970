import { ensurePrograms, installLine, thisMachine, type Need } from '../debian-packages.js';

export const ceph: Need = {
  name: 'Ceph',
  programs: ['ceph', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin', 'setpriv', 'setsid'],
  packages: 'ceph-mon ceph-osd radosgw ceph-common',
  part: 's3',
  who: 'tests against S3',
};

/** What a person types where Ceph may not be installed by this package. */
export const cephInstallLine = installLine(ceph);

/** Makes sure that Ceph's programs are on PATH, see ensurePrograms. */
export const ensureCeph = (machine = thisMachine()): Promise<void> => ensurePrograms(ceph, machine);
