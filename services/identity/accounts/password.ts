import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Counter } from 'prom-client';
import { z } from 'zod';
import { createFairQueue } from '../../../lib/concurrency/fair-queue.ts';
import type { RequestMeta } from '../../../lib/contract/context.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import type { Networks } from '../../../lib/net/address.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { clientNetworksIn } from './attempts.ts';

/** The errors for a refusal: the group has too much work queued, or the queue is full. */
type Refusals = { ofGroup: () => Error; full: () => Error };

export type BoundedQueueOptions = {
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
export type BoundedQueue = <T>(requester: Requester, work: () => Promise<T>) => Promise<T>;

type Waiter = { begin: () => void; refuse: (error: Error) => void };
type Lane = 'reserved' | 'common';

/**
 * A bounded queue that is fair between groups, and between the keys of a group. When the queue is full, the largest
 * group loses its last work to a smaller one; within a group at its maximum, the largest key loses its last work to a
 * smaller one. Work with a reserved place has a separate lane. The lanes take turns too.
 */
export function createBoundedQueue(options: BoundedQueueOptions): BoundedQueue {
  const { runningMax, maxQueuedOfGroup, refusals } = options;
  const max = { common: options.maxQueued, reserved: options.maxReserved };
  const queue = createFairQueue<Waiter>();
  /** The lanes in the order of their turns. */
  let lanes: Lane[] = ['reserved', 'common'];
  let running = 0;

  /** Makes room for the requester in a lane; returns the refusal when there is none. */
  function makeRoom(lane: Lane, { group, key }: Requester): Error | null {
    const ofGroup = queue.size([lane, group]);
    if (ofGroup >= maxQueuedOfGroup) {
      const isAmongLargest = queue.largestSize([lane, group]) <= queue.size([lane, group, key]) + 1;
      if (isAmongLargest) return refusals.ofGroup();
      queue.removeLast([lane, group])?.refuse(refusals.ofGroup());
    } else if (queue.size([lane]) >= max[lane]) {
      if (queue.largestSize([lane]) <= ofGroup + 1) return refusals.full();
      queue.removeLast([lane])?.refuse(refusals.full());
    }
    return null;
  }

  function laneFor(requester: Requester): Lane {
    if (requester.isReserved && makeRoom('reserved', requester) === null) return 'reserved';
    const refusal = makeRoom('common', requester);
    if (refusal) throw refusal;
    return 'common';
  }

  function wait(requester: Requester): Promise<void> {
    const lane = laneFor(requester);
    return new Promise((begin, refuse) => {
      queue.add([lane, requester.group, requester.key], { begin, refuse });
    });
  }

  function beginNext(): void {
    const lane = lanes.find((name) => queue.size([name]) > 0);
    if (!lane) {
      running -= 1;
      return;
    }
    lanes = [...lanes.filter((other) => other !== lane), lane];
    queue.next([lane])?.begin();
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
const inQueue = createBoundedQueue({
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
