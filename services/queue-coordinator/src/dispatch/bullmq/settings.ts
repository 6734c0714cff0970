import { readFileSync } from 'node:fs';
import { ConfigError, str } from '@leasehold/service';
import { isKind } from '../../jobs/job-name.js';
import type { BullmqSettings } from './assembly.js';

/** The variables of a coordinator with a Redis. */
export const bullmqVariables = {
  LEASEHOLD_REDIS_URL: str({ default: undefined, desc: 'the Redis of BullMQ; several, separated by commas, for the nodes of a Cluster', example: 'rediss://user:password@redis.internal:6379' }),
  LEASEHOLD_REDIS_CA: str({ default: undefined, desc: 'PEM file of the authorities that a rediss:// server is trusted by, instead of the system\'s' }),
  LEASEHOLD_REDIS_PREFIX: str({ default: 'leasehold', desc: 'of all keys in Redis; the same for all coordinators of a database' }),
  LEASEHOLD_BULLMQ_KINDS: str({ default: 'import', desc: 'kinds that BullMQ is to dispatch from now on, separated by commas, or none', example: 'import' }),
};

interface Read {
  readonly LEASEHOLD_REDIS_URL: string | undefined;
  readonly LEASEHOLD_REDIS_CA: string | undefined;
  readonly LEASEHOLD_REDIS_PREFIX: string;
  readonly LEASEHOLD_BULLMQ_KINDS: string;
}

/** Undefined without a Redis. @throws ConfigError */
export function bullmqSettingsOf(read: Read): BullmqSettings | undefined {
  if (read.LEASEHOLD_REDIS_URL === undefined) return undefined;
  const urls = listOf(read.LEASEHOLD_REDIS_URL);
  if (urls.length === 0 || !urls.every(isRedisUrl)) throw wrong('LEASEHOLD_REDIS_URL', 'must be a redis:// or rediss:// URL, or several separated by commas');
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(read.LEASEHOLD_REDIS_PREFIX)) throw wrong('LEASEHOLD_REDIS_PREFIX', 'must have 1 to 64 of A-Z a-z 0-9 . _ -');
  const kinds = read.LEASEHOLD_BULLMQ_KINDS === 'none' ? [] : listOf(read.LEASEHOLD_BULLMQ_KINDS);
  if (!kinds.every(isKind)) throw wrong('LEASEHOLD_BULLMQ_KINDS', 'must be kinds separated by commas, or none');
  return { place: { urls, ca: caOf(read.LEASEHOLD_REDIS_CA) }, prefix: read.LEASEHOLD_REDIS_PREFIX, kinds };
}

function caOf(path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch {
    throw wrong('LEASEHOLD_REDIS_CA', 'must be a file that can be read');
  }
}

const listOf = (text: string): string[] => text.split(',').map((part) => part.trim()).filter((part) => part !== '');
const isRedisUrl = (text: string): boolean => URL.canParse(text) && ['redis:', 'rediss:'].includes(new URL(text).protocol);
const wrong = (variable: string, problem: string): ConfigError => new ConfigError([{ variable, problem }]);
