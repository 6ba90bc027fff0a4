import { setTimeout as wait } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import type { CircuitBreaker } from '../../../lib/concurrency/circuit-breaker.ts';
import { fromNow, now, second } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { DeliveryError, type Failure } from '../../../messaging/delivery/deliverer.ts';
import type { Claim } from '../../../messaging/delivery/queue.ts';
import {
  type ConnectionDocument,
  ConnectionModel,
  type ConnectionState,
} from '../../../models/notification/connection.ts';
import { type PaceDocument, PaceModel } from '../../../models/notification/connection-pace.ts';
import {
  type NotificationDocument,
  type NotificationEvent,
  NotificationModel,
} from '../../../models/notification/notification.ts';
import { connectedOf, openCredentials } from '../channels/connections.ts';
import { type OutgoingNotification, ProviderError, type ProviderFailure } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';
import { type NotificationContent, openContent } from './content.ts';

/** Requests of this process that wait for the outcome of an attempt, by notification. */
const waiting = new Map<string, () => void>();

/** The maximum of waiting requests; further requests are answered immediately. */
const maxWaiting = 64;
/** Another node may make the attempt, so the database is polled too; the pause doubles after each poll. */
const firstPause = 100;

/** Continues the request that waits for a notification, once the outcome of an attempt is stored. */
export function announceOutcome(notificationId: string): void {
  waiting.get(notificationId)?.();
}

type Notification = { orgId: string; _id: string };

/**
 * Accepts a notification and returns its status after the first attempt, or after `milliseconds`. The wait only makes
 * the answer of a request more precise; correctness does not depend on it.
 */
export async function statusAfterAttempt(
  notification: Notification,
  milliseconds: number,
  accept: () => Promise<void>,
): Promise<string> {
  const { _id } = notification;
  const attempt = Promise.withResolvers<void>();
  const deadline = performance.now() + milliseconds;
  const isWaiting = waiting.size < maxWaiting;
  if (isWaiting) waiting.set(_id, attempt.resolve);
  try {
    await accept();
    for (let pause = firstPause; ; pause *= 2) {
      const remaining = deadline - performance.now();
      if (isWaiting && remaining > 0) await Promise.race([attempt.promise, wait(Math.min(pause, remaining))]);
      const status = await statusOf(notification);
      if (!isWaiting || remaining <= 0 || (status !== 'queued' && status !== 'sending')) return status;
    }
  } finally {
    waiting.delete(_id);
  }
}

async function statusOf({ orgId, _id }: Notification): Promise<string> {
  const found = await NotificationModel.findOne({ orgId, _id }, { status: 1 }).lean();
  return found?.status ?? 'queued';
}

type Connection = { orgId: string; _id: string };

const maxWait = 2 * second;

/**
 * Waits until a connection may send another message: at most `perSecond` on all nodes in total, and none during a pause
 * requested by its provider. Returns 0, or the remaining milliseconds when the wait would be too long.
 */
async function waitForTurn(connection: Connection, perSecond: number): Promise<number> {
  const deadline = performance.now() + maxWait;
  for (;;) {
    const delay = await takeTurn(connection, perSecond);
    if (delay <= 0) return 0;
    if (performance.now() + delay > deadline) return delay;
    // Jitter, so that not all waiters for a second query the database at its beginning.
    await wait(delay + Math.random() * 50);
  }
}

async function takeTurn({ orgId, _id }: Connection, perSecond: number): Promise<number> {
  const at = now();
  const window = new Date(Math.floor(at.getTime() / second) * second);
  const unpaused = { orgId, _id, pausedUntil: { $lte: at } };
  const same = await PaceModel.updateOne({ ...unpaused, window, used: { $lt: perSecond } }, { $inc: { used: 1 } });
  if (same.matchedCount === 1) return 0;
  const next = await PaceModel.updateOne({ ...unpaused, window: { $lt: window } }, { $set: { window, used: 1 } });
  if (next.matchedCount === 1) return 0;
  const first: PaceDocument = { _id, orgId, window, used: 1, pausedUntil: at };
  if (await insertIfAbsent<PaceDocument>(PaceModel, first)) return 0;
  const found = await PaceModel.findOne({ orgId, _id }).lean<PaceDocument>();
  const paused = (found?.pausedUntil ?? at).getTime() - at.getTime();
  return Math.max(paused, (found?.window ?? window).getTime() + second - at.getTime(), 1);
}

/** Pauses a connection for `milliseconds`, on all nodes. */
async function pauseConnection({ orgId, _id }: Connection, milliseconds: number): Promise<void> {
  await PaceModel.updateOne({ orgId, _id }, { $set: { pausedUntil: fromNow(milliseconds) } });
}

type Held = Claim<NotificationDocument>;
type Node = { broker: ServiceBroker; breaker: CircuitBreaker };

const maxEvents = 50;
/** The pause of a connection whose provider limits it without saying for how long. */
const defaultPause = 5 * second;

/**
 * Opens a notification, and returns what sends it by the first connection of its channel that takes it, in the order of
 * their priorities. The next one is tried only when the one before has certainly not accepted it.
 *
 * @throws DeliveryError
 */
export function prepareRoute(claim: Held, node: Node): () => Promise<Partial<NotificationDocument>> {
  if (claim.sealedContent === null) throw new DeliveryError('faulty', 'The content was already deleted.');
  const content = openContent(claim.sealedContent);
  return () => sendByRoute(claim, content, node);
}

async function sendByRoute(
  claim: Held,
  content: NotificationContent,
  node: Node,
): Promise<Partial<NotificationDocument>> {
  const misses: Miss[] = [];
  for (const connection of await connectionsFor(claim)) {
    const recipient = addressAt(connection, claim);
    if (recipient === null) {
      misses.push({ connection, failure: 'refused', message: `${connection.provider} does not take this recipient.` });
      continue;
    }
    const { orgId, _id: notificationId, channel, templateId, createdAt } = claim;
    const message = { ...content, orgId, notificationId, channel, templateId, createdAt, recipient };
    const result = await sendBy(connection, message, node);
    if ('sent' in result) return outcomeOf(claim, connection, result.sent, misses);
    misses.push(result);
    if (result.failure === 'unknown') break;
  }
  await noteMisses(claim, misses);
  throw errorOf(claim, misses);
}

/** A connection that has not sent it. */
type Miss = { connection: ConnectionDocument; failure: Failure; message: string; retryAfter?: number | undefined };
type Sent = { providerMessageId: string | null };

async function connectionsFor({ orgId, channel, onlyConnection }: Held): Promise<ConnectionDocument[]> {
  if (onlyConnection === null) return await connectedOf(orgId, channel);
  return await ConnectionModel.find({ orgId, _id: onlyConnection }).lean<ConnectionDocument[]>();
}

function addressAt({ provider }: ConnectionDocument, { addresses }: Held): string | null {
  const { addressOf } = providerOf(provider);
  return addresses.map(addressOf).find((address) => address !== null) ?? null;
}

async function sendBy(
  connection: ConnectionDocument,
  message: OutgoingNotification,
  { broker, breaker }: Node,
): Promise<{ sent: Sent } | Miss> {
  const { _id, provider } = connection;
  const { send, perSecond } = providerOf(provider);
  const delay = await waitForTurn(connection, perSecond);
  if (delay > 0) return { connection, failure: 'rateLimited', message: 'The connection is paused.', retryAfter: delay };
  const credentials = openCredentials(connection);
  const pause = breaker.pauseOf(_id);
  if (pause > 0) {
    const words = `${provider} was unreachable several times; its circuit breaker is open.`;
    return { connection, failure: 'unreachable', message: words, retryAfter: pause };
  }
  breaker.begin(_id);
  try {
    const sent = await send(message, credentials, { broker });
    breaker.succeeded(_id);
    return { sent };
  } catch (error) {
    const providerError = error instanceof ProviderError ? error : null;
    if (providerError === null)
      broker.logger.error('Passing a notification to its provider failed', { id: _id, error });
    // A defect of this platform says nothing about the provider.
    if (providerError === null) breaker.ended(_id);
    else if (providerError.failure === 'unreachable' || providerError.failure === 'unknown') breaker.failed(_id);
    else breaker.succeeded(_id);
    return await missOf(
      connection,
      providerError ?? new ProviderError('unknown', 'Passing it to the provider failed; see the log.'),
    );
  }
}

const failureOf: Record<ProviderFailure, Failure> = {
  refused: 'refused',
  deferred: 'deferred',
  rateLimited: 'rateLimited',
  unreachable: 'unreachable',
  unknown: 'unknown',
  unauthorized: 'faulty',
};

async function missOf(connection: ConnectionDocument, error: ProviderError): Promise<Miss> {
  const { failure, message, retryAfter } = error;
  if (failure === 'rateLimited') await pauseConnection(connection, retryAfter ?? defaultPause);
  if (failure === 'unauthorized') await markError(connection, message);
  return { connection, failure: failureOf[failure], message, retryAfter: retryAfter ?? undefined };
}

/** Records an error of a connection, unless its credentials were changed concurrently. */
async function markError({ orgId, _id, sealedCredentials }: ConnectionDocument, lastError: string): Promise<void> {
  const working: ConnectionState[] = ['connected', 'draft'];
  const unchanged = { orgId, _id, sealedCredentials, state: { $in: working } };
  await ConnectionModel.updateOne(unchanged, { $set: { state: 'error', lastError, updatedAt: now() } });
}

function eventOf({ connection: { _id, provider }, message }: Miss): NotificationEvent {
  return { type: 'rejected', at: now(), connectionId: _id, provider, reason: message };
}

function outcomeOf(
  { events }: Held,
  { _id: connectionId, provider }: ConnectionDocument,
  { providerMessageId }: Sent,
  misses: Miss[],
): Partial<NotificationDocument> {
  const at = now();
  const sent: NotificationEvent = { type: 'sent', at, connectionId, provider, reason: null };
  return {
    connectionId,
    provider,
    providerMessageId,
    sentAt: at,
    events: [...events, ...misses.map(eventOf), sent].slice(-maxEvents),
    // A message in the mailbox is there to be read.
    ...(provider !== 'mailbox' && { sealedContent: null }),
  };
}

/** The claim has them too, for what is stored with a dead letter. */
async function noteMisses(claim: Held, misses: Miss[]): Promise<void> {
  if (misses.length === 0) return;
  claim.events = [...claim.events, ...misses.map(eventOf)].slice(-maxEvents);
  const { orgId, _id, leaseOwner, events } = claim;
  await NotificationModel.updateOne({ orgId, _id, leaseOwner }, { $set: { events } });
}

/** The events of a dead letter: the events of its last attempt, then its failure. */
export function deadEvents({ events, lastError }: Held): NotificationEvent[] {
  const reason = events.at(-1)?.reason ?? lastError;
  const failed: NotificationEvent = { type: 'failed', at: now(), connectionId: null, provider: null, reason };
  return [...events, failed].slice(-maxEvents);
}

/** Failures after which another attempt may succeed, the one that decides first. */
const retried: Failure[] = ['unknown', 'deferred', 'rateLimited', 'unreachable'];

/** The result of an attempt by all connections: retryable when one of them may accept the message later. */
function errorOf({ channel }: Held, misses: Miss[]): DeliveryError {
  const [first] = misses;
  if (!first) return new DeliveryError('faulty', `The channel ${channel} is not connected.`);
  const later = retried.flatMap((failure) => misses.filter((miss) => miss.failure === failure));
  const [decisive = misses.find(({ failure }) => failure === 'refused') ?? first] = later;
  const waits = later.map(({ retryAfter }) => retryAfter ?? 0);
  const retryAfter = waits.length > 0 ? Math.min(...waits) : undefined;
  return new DeliveryError(decisive.failure, decisive.message, { retryAfter });
}
