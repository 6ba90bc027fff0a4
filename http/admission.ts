import type { IncomingMessage } from 'node:http';
import { apiError } from '../lib/contract/errors.ts';
import { lengthOf } from './read-body.ts';

/** A larger body takes noticeable time of the main thread to parse, validate and store. */
const largeBodyBytes = 32 * 1024;

export type AdmissionLimits = {
  /** Costly requests of an organization that run concurrently. */
  maxConcurrent: number;
  /** Costly requests of an organization that wait. */
  maxQueued: number;
};

type Organization = { running: number; queue: (() => void)[] };

/**
 * Waits until a costly request of the organization may run; returns a function that releases its slot. Throws
 * RATE_LIMITED when the queue is full.
 */
export type Admission = (orgId: string) => Promise<() => void>;

/** Limits the concurrent costly requests of each organization; further ones wait in order. */
export function createAdmission({ maxConcurrent, maxQueued }: AdmissionLimits): Admission {
  const organizations = new Map<string, Organization>();

  function end(orgId: string, organization: Organization): void {
    const next = organization.queue.shift();
    // The next request takes over the slot.
    if (next) next();
    else organization.running -= 1;
    if (organization.running === 0) organizations.delete(orgId);
  }

  return async (orgId) => {
    const organization = organizations.get(orgId) ?? { running: 0, queue: [] };
    organizations.set(orgId, organization);
    if (organization.running < maxConcurrent) organization.running += 1;
    else if (organization.queue.length < maxQueued) await new Promise<void>((run) => organization.queue.push(run));
    else throw tooMany();
    let hasEnded = false;
    return () => {
      if (!hasEnded) end(orgId, organization);
      hasEnded = true;
    };
  };
}

function tooMany(): Error {
  const message = 'Too many large requests of your organization wait already; send fewer concurrently.';
  return apiError('RATE_LIMITED', { message, headers: { 'Retry-After': '1' } });
}

/**
 * Taken before a large body is read, so that queued requests hold no body in memory. A slow client keeps its slot while
 * it sends.
 */
export const admitToRead = createAdmission({ maxConcurrent: 4, maxQueued: 100 });

/** Taken after the body was read. Requests of other organizations run in between. */
export const admitToWork = createAdmission({ maxConcurrent: 1, maxQueued: 100 });

/** Whether a request may have a large body. */
export function hasLargeBody(request: Pick<IncomingMessage, 'headers'>): boolean {
  return lengthOf(request, Number.POSITIVE_INFINITY) > largeBodyBytes;
}
