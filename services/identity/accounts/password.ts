import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Counter } from 'prom-client';
import { z } from 'zod';
import type { RequestMeta } from '../../../lib/contract/context.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import type { Networks } from '../../../lib/net/address.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { clientNetworksIn } from './client-networks.ts';

/** The errors for a refusal: the group has too much work queued, or the queue is full. */
type Refusals = { ofGroup: () => Error; full: () => Error };

export type FairQueueOptions = {
  /** How much work runs concurrently. */
  runningMax: number;
  maxQueued: number;
  /** The places that only work with `isReserved` may take, in addition to the others. */
  maxReserved: number;
  maxQueuedOfGroup: number;
  refusals: Refusals;
};

/** The requester of work: a key, such as an address, and the group that the key belongs to, such as its range. */
export type Requester = { group: string; key: string; isReserved?: boolean };

/** Runs work when its turn comes; rejects when the queue refuses it. */
export type FairQueue = <T>(requester: Requester, work: () => Promise<T>) => Promise<T>;

type Waiter = { begin: () => void; refuse: (error: Error) => void };
/** The waiters of a group by key, in the order of the turns of the keys. */
type Group = Map<string, Waiter[]>;
/** The groups with queued work, in the order of their turns. */
type Lane = { max: number; groups: Map<string, Group> };

/**
 * A bounded queue that is fair between groups, and between the keys of a group: those with queued work take turns, and
 * the work of one key runs in order. When the queue is full, the largest group loses its last work to a smaller one;
 * within a group at its maximum, the largest key loses its last work to a smaller one. Work with a reserved place has a
 * separate lane. The lanes take turns too.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { runningMax, maxQueued, maxReserved, maxQueuedOfGroup, refusals } = options;
  const common: Lane = { max: maxQueued, groups: new Map() };
  const reserved: Lane = { max: maxReserved, groups: new Map() };
  /** The lanes in the order of their turns. */
  let lanes = [reserved, common];
  let running = 0;

  /** Makes room for the requester in a lane; returns the refusal when there is none. */
  function makeRoom({ groups, max }: Lane, { group, key }: Requester): Error | null {
    const own: Group = groups.get(group) ?? new Map();
    const ofKey = own.get(key)?.length ?? 0;
    if (sizeOf(own) >= maxQueuedOfGroup) {
      if (longestOf(own) <= ofKey + 1) return refusals.ofGroup();
      rejectLast(own, refusals.ofGroup());
    } else if (totalOf(groups) >= max) {
      const largest = [...groups.values()].reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one));
      if (sizeOf(largest) <= sizeOf(own) + 1) return refusals.full();
      rejectLast(largest, refusals.full());
    }
    return null;
  }

  function laneFor(requester: Requester): Lane {
    if (requester.isReserved && makeRoom(reserved, requester) === null) return reserved;
    const refusal = makeRoom(common, requester);
    if (refusal) throw refusal;
    return common;
  }

  function wait(requester: Requester): Promise<void> {
    const { groups } = laneFor(requester);
    return new Promise((begin, refuse) => {
      const group: Group = groups.get(requester.group) ?? new Map();
      groups.set(requester.group, group);
      group.set(requester.key, [...(group.get(requester.key) ?? []), { begin, refuse }]);
    });
  }

  function beginNext(): void {
    const lane = lanes.find(({ groups }) => groups.size > 0);
    if (!lane) {
      running -= 1;
      return;
    }
    lanes = [...lanes.filter((other) => other !== lane), lane];
    takeNext(lane)?.begin();
  }

  return async (requester, work) => {
    if (running < runningMax) running += 1;
    else await wait(requester);
    try {
      return await work();
    } finally {
      beginNext();
    }
  };
}

/** Removes the next waiter of a lane, and moves its group and key to the end of their orders. */
function takeNext({ groups }: Lane): Waiter | undefined {
  const [turn] = groups;
  const [keyTurn] = turn?.[1] ?? [];
  if (!turn || !keyTurn) return undefined;
  const [[name, group], [key, waiters]] = [turn, keyTurn];
  const next = waiters.shift();
  group.delete(key);
  if (waiters.length > 0) group.set(key, waiters);
  groups.delete(name);
  if (group.size > 0) groups.set(name, group);
  return next;
}

/** Refuses the last work of a group's longest queue. */
function rejectLast(group: Group, error: Error): void {
  const [first] = [...group].sort(([, one], [, other]) => other.length - one.length);
  if (!first) return;
  const [key, waiters] = first;
  waiters.pop()?.refuse(error);
  if (waiters.length === 0) group.delete(key);
}

const longestOf = (group: Group): number => Math.max(0, ...[...group.values()].map(({ length }) => length));

const sizeOf = (group: Group): number => [...group.values()].reduce((sum, { length }) => sum + length, 0);

const totalOf = (groups: Lane['groups']): number => [...groups.values()].reduce((sum, group) => sum + sizeOf(group), 0);

const minLength = 8;
const maxLength = 256;
const maxTypedLength = 4096;
const controls = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A password as typed, in any Unicode form. {@link requireGoodPassword} has the rules for a new one. */
export const passwordTyped = z.string().max(maxTypedLength, `Must be at most ${maxLength} characters.`);

/** A password that is chosen; `requireGoodPassword` holds the rest of the rules. */
export const newPasswordTyped = passwordTyped.meta({
  description: `${minLength} to ${maxLength} characters; not one of the common passwords, nor the email address.`,
});

/**
 * Refuses a new password that is too short or too long (8 to 256 characters of Unicode NFC), is one of those that are
 * guessed first, or is the email address of its owner or the part before the @.
 *
 * @param path the path of the password in the input
 * @throws INPUT_INVALID on that path, in words for the person who chose it.
 */
export async function requireGoodPassword(password: string, email: string, path = 'body.password'): Promise<void> {
  const message = await passwordProblem(password, email);
  if (message !== null) throw inputError([{ path, message }]);
}

/** The problem of a new password, as a sentence; null when it has none. */
export async function passwordProblem(password: string, email: string): Promise<string | null> {
  const normal = password.normalize('NFC');
  // Characters as people count them, not UTF-16.
  const { length } = [...normal];
  if (length < minLength) return `Choose at least ${minLength} characters.`;
  if (length > maxLength) return `Choose at most ${maxLength} characters.`;
  if (controls.test(normal)) return 'Choose characters that can be typed, without line breaks or control characters.';
  const folded = normal.toLowerCase();
  if (normalizeEmail(password) === email || folded === email.slice(0, email.lastIndexOf('@'))) {
    return 'Choose a password that is not your email address.';
  }
  if ((await commonPasswords()).has(folded)) return 'This password is too common; choose another.';
  return null;
}

let loading: Promise<ReadonlySet<string>> | undefined;

/** Some 50,000 passwords of past leaks, in lower case; loaded when first needed. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loading ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((password) => password.toLowerCase())),
  );
  return loading;
}

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
