import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { create, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { EchoResponse, NoteKind, RepeatResponse } from '@leasehold/echo-v1';
import { protoPath } from 'grpc-health-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Descriptors } from './descriptors.js';
import { image, serveEdges } from './edges.fixture.js';

const run = promisify(execFile);
const BUF = fileURLToPath(new URL('../../../node_modules/.bin/buf', import.meta.url));

/** buf as a client that knows nothing but the address; it checks descriptors strictly. */
const curl = async (...args: string[]): Promise<string> => (await run(BUF, ['curl', '--protocol', 'grpc', '--http2-prior-knowledge', ...args])).stdout;

const served = () => serveEdges({
  echo: {
    echo: ({ note }) => Promise.resolve(EchoResponse.create({ note: { ...note, number: 2n ** 53n + 1n, time: new Date(0), kind: NoteKind.CALM } })),
    async *repeat({ note, times }) { for (let index = 0; index < times; index += 1) yield RepeatResponse.create({ index, note }); },
  },
});

describe('buf curl, without a schema,', () => {
  test('lists every service, health and reflection included', async () => {
    const { server } = await served();
    const services = (await curl('--list-services', `http://${server.address}`)).trim().split('\n');
    expect(services.toSorted()).toEqual([
      'grpc.health.v1.Health', 'grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection',
      'leasehold.echo.v1.EchoService', 'leasehold.echo.v1.MirrorService',
    ]);
  });

  test.each(['grpc-v1', 'grpc-v1alpha'])('calls a method by %s', async (protocol) => {
    const { server } = await served();
    const answer: unknown = JSON.parse(await curl('--reflect-protocol', protocol, '-d', '{"note":{"text":"a"}}', `http://${server.address}/leasehold.echo.v1.EchoService/Echo`));
    expect(answer).toEqual({ note: { text: 'a', number: '9007199254740993', time: '1970-01-01T00:00:00Z', kind: 'NOTE_KIND_CALM' } });
  });

  test('reads a stream', async () => {
    const { server } = await served();
    const answers = await curl('-d', '{"note":{"text":"a"},"times":2}', `http://${server.address}/leasehold.echo.v1.EchoService/Repeat`);
    expect(answers.replaceAll(/\s/g, '')).toBe('{"note":{"text":"a"}}{"index":1,"note":{"text":"a"}}');
  });

  test('asks for health', async () => {
    const { server } = await served();
    expect(JSON.parse(await curl('-d', '{"service":"leasehold.echo.v1.EchoService"}', `http://${server.address}/grpc.health.v1.Health/Check`))).toEqual({ status: 'SERVING' });
  });

  test('reads the reason of a refusal', async () => {
    const { server } = await served();
    await expect(curl('-d', '{}', `http://${server.address}/leasehold.echo.v1.EchoService/Discard`)).rejects.toThrow('google.rpc.ErrorInfo');
  });
});

describe('descriptors', () => {
  const descriptors = new Descriptors([image('@leasehold/echo-v1'), image('@leasehold/google-rpc')]);

  test.each([
    'leasehold.echo.v1.EchoService', 'leasehold.echo.v1.EchoService.Echo', 'leasehold.echo.v1.Note', 'leasehold.echo.v1.Note.number',
    'leasehold.echo.v1.NoteKind', 'leasehold.echo.v1.NOTE_KIND_CALM', 'leasehold.echo.v1.Note.LabelsEntry', 'leasehold.echo.v1.CollectRequest.part',
    'google.rpc.ErrorInfo', 'grpc.health.v1.Health', 'google.protobuf.Duration',
  ])('are found by the symbol %s', (symbol) => {
    expect(descriptors.bySymbol(symbol)?.length).toBeGreaterThan(0);
  });

  test.each(['', '.', 'leasehold', 'leasehold.echo.v1', 'leasehold.echo.v1.Note.nothing', 'leasehold.echo.v1.EchoService.Echo.x'])('are not found by %j', (symbol) => {
    expect(descriptors.bySymbol(symbol)).toBeUndefined();
  });

  test('come with everything that they import', () => {
    expect(descriptors.bySymbol('leasehold.echo.v1.Note')).toHaveLength(3);
    expect(descriptors.byName('google/protobuf/duration.proto')).toHaveLength(1);
    expect(descriptors.byName('no/such.proto')).toBeUndefined();
    const lone = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [{ name: 'lone.proto', dependency: ['missing.proto'] }] }));
    expect(() => new Descriptors([lone])).toThrow('the images lack missing.proto, which lone.proto imports');
  });
});

test('the committed descriptors of health and reflection are those of the packages that serve them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-rpc-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const build = async (root: string, path: string): Promise<Buffer> => {
    const out = join(folder, `${path.replaceAll('/', '-')}.binpb`);
    await run(BUF, ['build', '--as-file-descriptor-set', '--exclude-source-info', '--path', path, '-o', out], { cwd: root });
    return readFile(out);
  };
  const health = await build(join(dirname(protoPath), '../..'), 'health/v1');
  const reflection = await build(join(dirname(createRequire(import.meta.url).resolve('@grpc/reflection')), '../proto'), 'grpc/reflection');
  // Descriptor sets are concatenated like any protobuf message with only repeated fields.
  expect(readFileSync(new URL('standard-services.binpb', import.meta.url))).toEqual(Buffer.concat([health, reflection]));
});
