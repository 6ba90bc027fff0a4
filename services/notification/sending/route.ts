import type { ServiceBroker } from 'moleculer';
import { now, second } from '../../../lib/clock.ts';
import type { Breaker } from '../../../messaging/delivery/breaker.ts';
import { DeliveryError, type Failure } from '../../../messaging/delivery/failures.ts';
import type { Claim } from '../../../messaging/delivery/queue.ts';
import {
  type ConnectionDocument,
  ConnectionModel,
  type ConnectionState,
} from '../../../models/notification/connection.ts';
import {
  type NotificationDocument,
  type NotificationEvent,
  NotificationModel,
} from '../../../models/notification/notification.ts';
import { connectedOf, openCredentials } from '../channels/connections.ts';
import { type OutgoingNotification, ProviderError, type ProviderFailure } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';
import { type NotificationContent, openContent } from './content.ts';
import { pauseConnection, waitForTurn } from './pace.ts';

type Held = Claim<NotificationDocument>;
type Node = { broker: ServiceBroker; breaker: Breaker };

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
