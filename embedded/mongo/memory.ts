import type { Value } from './bson/value.ts';
import { MongoError } from './errors.ts';

/** Memory that one query uses until it ends: sorted documents, groups, documents that a stage collects. */
export type Memory = { usedBytes: number };

export const queryMemoryLimitBytes = 64 * 1024 * 1024;
/** Overhead of an object in addition to its content. */
export const objectBytes = 160;

export function createMemory(): Memory {
  return { usedBytes: 0 };
}

/** Adds to the memory of a query; a negative number releases it. Throws above 64 MiB. */
export function take(memory: Memory, bytes: number): void {
  memory.usedBytes += bytes;
  if (memory.usedBytes <= queryMemoryLimitBytes) return;
  throw new MongoError(
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    'The query would hold more than 64 MiB in memory; add an index that gives the order, or let a filter or limit select fewer documents',
  );
}

/** Estimates the bytes of a value in memory. */
export function sizeOf(value: Value | undefined): number {
  if (typeof value === 'string') return 16 + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 16;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + sizeOf(one), objectBytes);
  if (!(value instanceof Map)) return objectBytes + ('length' in value ? Number(value.length()) : 0);
  let bytes = objectBytes;
  for (const [name, inner] of value) bytes += 40 + name.length + sizeOf(inner);
  return bytes;
}
