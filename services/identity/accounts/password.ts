import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Counter } from 'prom-client';
import type { RequestMeta } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import type { Networks } from '../../../lib/network.ts';
import { settings } from '../../../lib/settings.ts';
import { clientNetworksIn } from './client-networks.ts';
import { createFairQueue } from './fair-queue.ts';

type Cost = { N: number; r: number; p: number; maxmem: number };

const derive = promisify<string, Buffer, number, Cost, Buffer>(scrypt);

/**
 * The default cost of 14 has the strength that OWASP's password storage cheat sheet asks of scrypt, in the variant with
 * the least memory: 16 MiB and about a quarter of a second a hash.
 */
const costExponent = settings.PASSWORD_COST;
const blockSize = 8;
const parallelization = 5;
const saltBytes = 16;
const hashBytes = 32;

/** The thread pool of a process also serves files and name lookups: not all of its threads may hash. */
const maxConcurrent = 3;
/** Few enough that queued work is answered before its call times out. */
const maxQueued = 40;
/** For clients that have proved who they are: a flood from many addresses cannot take these places. */
const maxReserved = 20;
/** One range of addresses cannot fill the queue. */
const maxQueuedOfRange = settings.RATE_LIMIT_RPS === 0 ? maxQueued : 20;

const runs = new Counter({
  name: 'password_hashes_total',
  help: 'Passwords that were hashed or checked on this node.',
});

/** The client whose password is hashed or checked: its network, and whether it has proved its identity. */
export type HashClient = Networks & { isProven: boolean };

/** A stored password: its parameters, and the salt and hash in bytes. */
type Stored = { costExponent: number; blockSize: number; parallelization: number; salt: Buffer; hash: Buffer };

/**
 * The scrypt hash (RFC 7914) of a password in Unicode NFC, as a PHC string that holds its parameters:
 * `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`, both in base64 without padding. PASSWORD_COST may change; old hashes stay
 * valid, and a weaker one is replaced by the next login.
 *
 * @throws UNAVAILABLE when the queue of this node is full; RATE_LIMITED when the client's range has too many places of
 * it.
 */
export async function hashPassword(password: string, client: HashClient): Promise<string> {
  const parameters = { costExponent, blockSize, parallelization, salt: randomBytes(saltBytes) };
  return format({
    ...parameters,
    hash: await hash(password, client, { ...parameters, hash: Buffer.alloc(hashBytes) }),
  });
}

/**
 * Whether this is the password of a hash that {@link hashPassword} made, with any parameters. A wrong password takes as
 * long as the right one.
 *
 * @throws UNAVAILABLE, RATE_LIMITED as {@link hashPassword}; Error when the stored text is not such a hash.
 */
export async function verifyPassword(password: string, phc: string, client: HashClient): Promise<boolean> {
  const stored = parse(phc);
  return timingSafeEqual(await hash(password, client, stored), stored.hash);
}

/** Whether a stored hash is weaker than those made now, so that the next login should replace it. */
export function needsRehash(phc: string): boolean {
  const stored = parse(phc);
  return (
    stored.costExponent < costExponent ||
    stored.blockSize < blockSize ||
    stored.parallelization < parallelization ||
    stored.salt.length < saltBytes ||
    stored.hash.length < hashBytes
  );
}

/**
 * The client whose request hashes or checks a password. Ranges of addresses take turns, and so do the networks of a
 * range, so that none can keep a node busy alone.
 *
 * @param isProven whether the client has proved who they are: by a known device, a session or a mailed link.
 */
export function hashClientIn(meta: RequestMeta, isProven: boolean): HashClient {
  return { ...clientNetworksIn(meta), isProven };
}

/** A generated password: 120 random bits in 20 characters. */
export function newPassword(): string {
  return randomBytes(15).toString('base64url');
}

/** Verified in place of the hash of an unknown user, so that it takes as long; no password matches it. */
export const dummyPasswordHash = format({
  ...{ costExponent, blockSize, parallelization },
  ...{ salt: Buffer.alloc(saltBytes), hash: Buffer.alloc(hashBytes) },
});

const phcForm = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parse(phc: string): Stored {
  const [, ln, r, p, salt, stored] = phcForm.exec(phc) ?? [];
  if (salt === undefined || stored === undefined) throw new Error('A stored password is not a PHC string of scrypt.');
  return {
    costExponent: Number(ln),
    blockSize: Number(r),
    parallelization: Number(p),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(stored, 'base64'),
  };
}

function format({ costExponent: ln, blockSize: r, parallelization: p, salt, hash: made }: Stored): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(made)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

async function hash(
  password: string,
  { network, range, isProven }: HashClient,
  { salt, hash: { length }, ...stored }: Stored,
): Promise<Buffer> {
  const [N, r, p] = [2 ** stored.costExponent, stored.blockSize, stored.parallelization];
  const requester = { group: range, key: network, isReserved: isProven };
  return await inQueue(requester, () => {
    runs.inc();
    return derive(password.normalize('NFC'), salt, length, { N, r, p, maxmem: 256 * N * r });
  });
}

const retry = { headers: { 'Retry-After': '2' } };
const inQueue = createFairQueue({
  runningMax: maxConcurrent,
  maxQueued,
  maxReserved,
  maxQueuedOfGroup: maxQueuedOfRange,
  refusals: {
    ofGroup: () =>
      apiError('RATE_LIMITED', { message: 'Too many logins from your network at once; try again shortly.', ...retry }),
    full: () =>
      apiError('UNAVAILABLE', { message: 'Very many people log in at this moment; try again shortly.', ...retry }),
  },
});
