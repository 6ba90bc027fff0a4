import { randomBytes } from 'node:crypto';
import type { Logger } from 'moleculer';
import type { Caller, Ctx } from '../../../lib/contract/context.ts';
import { type ErrorCode, type ErrorDetail, errorCatalogue, errorCode } from '../../../lib/contract/errors.ts';
import { allows } from '../../../lib/contract/permissions.ts';
import { minute, now, second } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { idFrom, idRandomBytes } from '../../../lib/data/ids.ts';
import {
  type RefusedEventDocument,
  RefusedEventModel,
  refusedEventPrefix,
} from '../../../models/context/refused-event.ts';
import { trimRefused } from '../refused-events.ts';
import { eventIdInput, eventNameInput } from './event-input.ts';

/** The codes of refusals that the sender can mend. */
export const refusalCodes = [
  ...(['INPUT_INVALID', 'BODY_TOO_LARGE', 'EVENT_ALREADY_SENT'] as const),
  ...(['PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'] as const),
] satisfies ErrorCode[];

export type RefusalCode = (typeof refusalCodes)[number];

export const isRefusal = (code: unknown): code is RefusalCode => refusalCodes.some((one) => one === code);

/** The refusals of an organization that this process keeps in a minute; it counts the others. */
const maxPerMinute = 60;
/** The refusals of all organizations that wait to be stored. */
const maxWaiting = 1000;
const maxDetails = 5;
const flushMilliseconds = second;
/** In place of the path of a field whose name the sender has chosen. */
export const anotherField = '(another field)';
/** A name in a path of details that the platform's schemas could have; another one is of the sender's choice. */
const plainPath = /^[\w.-]{1,60}$/;

let waiting: RefusedEventDocument[] = [];
let flushing: Promise<void> = Promise.resolve();
let timer: NodeJS.Timeout | undefined;

/** The refusals of this minute by organization; `omitted` were counted since the last one that was kept. */
const windows = new Map<string, { startedAt: number; kept: number; omitted: number }>();

export type Refusal = { code: RefusalCode; details?: ErrorDetail[]; isBatch?: boolean };

/** The refusal of an event whose id another event has. A repetition of the stored event is refused too, but not kept. */
export const conflict: Refusal = {
  code: 'EVENT_ALREADY_SENT',
  details: [{ path: 'body.eventId', message: 'An event with other content has this eventId.' }],
};

/**
 * Keeps that an event was refused, for the list of refused events. Returns immediately: refusals are stored together,
 * once a second, and a sender of invalid events adds a bounded number of them. Nothing is kept of a caller who may not
 * send events.
 *
 * @param input - the event as it came.
 */
export function keepRefusal(caller: Caller | undefined, input: unknown, refusal: Refusal, logger: Logger): void {
  if (!caller || caller.orgId === null || !allows(caller.scopes, 'context.events.write')) return;
  const { orgId } = caller;
  const at = now();
  const window = windowOf(orgId, at.getTime());
  if (window.kept >= maxPerMinute || waiting.length >= maxWaiting) {
    window.omitted += 1;
    return;
  }
  const { eventId, eventName } = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  waiting.push({
    _id: nextId(at),
    orgId,
    refusedAt: at,
    sender: { type: caller.type, id: caller.id },
    isBatch: refusal.isBatch ?? false,
    eventId: eventIdInput.safeParse(eventId).data?.toLowerCase() ?? null,
    eventName: eventNameInput.safeParse(eventName).data ?? null,
    code: refusal.code,
    message: errorCatalogue[refusal.code].message,
    details: (refusal.details ?? []).slice(0, maxDetails).map(withoutContent),
    omitted: window.omitted,
  });
  window.kept += 1;
  window.omitted = 0;
  timer ??= setTimeout(() => void storeRefusals(logger), flushMilliseconds).unref();
}

/** The `refused` of an action that takes events: keeps the refusals that its error shows, all but a conflict. */
export function keepRefusedInput(isBatch: boolean): (error: unknown, ctx: Ctx) => void {
  return (error, { params, meta, broker }) => {
    const code = errorCode(error);
    if (!isRefusal(code) || code === conflict.code) return;
    const { body } = (params ?? {}) as { body?: unknown };
    const { details = [] } = ((error as { data?: unknown }).data ?? {}) as { details?: ErrorDetail[] };
    keepRefusal(meta.caller, body, { code, details, isBatch }, broker.logger);
  };
}

function windowOf(orgId: string, at: number) {
  const window = windows.get(orgId);
  if (window && at - window.startedAt < minute) return window;
  const next = { startedAt: at, kept: 0, omitted: window?.omitted ?? 0 };
  // Deleted first, so that the windows are in the order of their start.
  windows.delete(orgId);
  windows.set(orgId, next);
  for (const [name, { startedAt }] of windows) {
    if (at - startedAt < 2 * minute) break;
    windows.delete(name);
  }
  return next;
}

let refusals = 0;

/** An id that also orders the refusals of one millisecond: its first four characters count up. */
function nextId(at: Date): string {
  const random = randomBytes(idRandomBytes);
  refusals += 1;
  for (let place = 0; place < 4; place += 1) random[place] = Math.floor(refusals / 32 ** (3 - place)) % 32;
  return idFrom(refusedEventPrefix, at, random);
}

/** The path within the event. The name of an unknown field is the sender's text, which may be anything. */
function withoutContent({ path, message }: ErrorDetail): ErrorDetail {
  const inEvent = path.replace(/^body\.?/, '');
  return { path: inEvent === '' || plainPath.test(inEvent) ? inEvent : anotherField, message };
}

/** Stores the refusals that wait; also before the service stops. A failure loses them, and is logged. */
export async function storeRefusals(logger: Logger): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const batch = waiting;
  waiting = [];
  flushing = flushing.then(() => store(batch, logger));
  await flushing;
}

async function store(batch: RefusedEventDocument[], logger: Logger): Promise<void> {
  if (batch.length === 0) return;
  try {
    await nativeCollection<RefusedEventDocument>(RefusedEventModel).insertMany(batch, { ordered: false });
    for (const orgId of new Set(batch.map((refused) => refused.orgId))) await trimRefused(orgId);
  } catch (error) {
    logger.warn('Refused events could not be stored for the list of them', { count: batch.length, error });
  }
}
