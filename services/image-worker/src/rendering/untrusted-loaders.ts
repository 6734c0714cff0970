// libvips reads this once, when it is loaded: imported before sharp, it also blocks the loaders that libvips itself calls unfit for
// strangers' files, whatever a later build of it may bring along.
process.env['VIPS_BLOCK_UNTRUSTED'] = '1';
