import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { parseCommandLine } from './command-line.js';

let printed = '';
const parse = (...args: string[]) => {
  printed = '';
  return parseCommandLine(args, { folder: '/home/me/photos', data: '/clone/.leasehold', print: (text) => { printed += text; } });
};

test('without arguments it takes samples and stays up', () => {
  expect(parse()).toEqual({ photos: [], exit: false, failover: false, workers: 1, coordinators: 1, data: '/clone/.leasehold' });
});

test('an S3 is taken as it is typed', () => {
  expect(parse('--s3', 'https://s3.example.net/photos')).toMatchObject({ s3: 'https://s3.example.net/photos' });
});

test.each(['redis://127.0.0.1:6379', 'rediss://redis.example.net', 'none'])('--redis %s is taken as it is typed', (redis) => {
  expect(parse('--redis', redis)).toMatchObject({ redis });
});

test('paths are those of the folder in which somebody typed them', () => {
  expect(parse('a.jpg', '/b.png', '--data', 'scratch')).toMatchObject({ photos: ['/home/me/photos/a.jpg', '/b.png'], data: '/home/me/photos/scratch' });
});

test.each([[['--failovr'], 'Did you mean --failover?'], [['--workers', 'many'], 'A whole number from 1 to 8'], [['--coordinators', '0'], 'A whole number from 1 to 4'], [['--redis', 'localhost:6379'], 'redis://host:port, rediss://host:port or none']])('%j is refused with what would be right', (args, hint) => {
  expect(() => parse(...args)).toThrow(CommanderError);
  expect(printed).toContain(hint);
});

test('--help names every option and the folder', () => {
  expect(() => parse('--help')).toThrow(expect.objectContaining({ exitCode: 0 }));
  for (const word of ['--exit', '--failover', '--workers', '--coordinators', '--data', '--s3', '--redis', '.leasehold', 'npm start -- ~/photos/*.jpg']) expect(printed).toContain(word);
});
