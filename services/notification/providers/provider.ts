import type { ServiceBroker } from 'moleculer';
import type { z } from 'zod';
import { hour, now, second } from '../../../lib/data/clock.ts';
import { type EgressAnswer, EgressError } from '../../../lib/net/http-exchange.ts';
import type { Category } from '../../../messaging/templates/content.ts';
import type { Channel } from '../../../models/notification/connection.ts';

/** A message as a provider sends it. */
export type OutgoingNotification = {
  /** Equal for every attempt, as an idempotency key for the provider. */
  notificationId: string;
  /** When it was accepted. */
  createdAt: Date;
  orgId: string;
  channel: Channel;
  /** In the form that the provider's `addressOf` returned. */
  recipient: string;
  templateId: string | null;
  /** The template's category: marketing is not sent to unsubscribed recipients. */
  category: Category;
  subject: string;
  text: string;
  /** Empty for a template without HTML. */
  html: string;
  /** A template that WhatsApp has approved, with the values of its parameters; null: free text. */
  whatsapp: { name: string; language: string; parameters: string[] } | null;
};

/**
 * `refused`: this message is rejected for good. `deferred`: rejected for the moment. `rateLimited`: rejected because the
 * connection sends too much. `unauthorized`: the provider rejects the credentials. `unreachable`: nothing was sent.
 * `unknown`: the provider may have accepted the message.
 */
export type ProviderFailure = 'refused' | 'deferred' | 'rateLimited' | 'unauthorized' | 'unreachable' | 'unknown';

/** Why a provider has not accepted a message. Tenants read the message: it holds no credential. */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly failure: ProviderFailure;
  /** The provider's Retry-After in milliseconds; null without one. */
  readonly retryAfter: number | null;

  constructor(
    failure: ProviderFailure,
    message: string,
    options: { retryAfter?: number | null; cause?: unknown } = {},
  ) {
    super(message.slice(0, maxMessageLength), { cause: options.cause });
    this.failure = failure;
    this.retryAfter = options.retryAfter ?? null;
  }
}

const maxMessageLength = 300;

/** The dependencies of a provider. */
export type ProviderContext = { broker: ServiceBroker };

export type Provider<C extends z.ZodType = z.ZodType> = {
  channels: readonly Channel[];
  credentials: C;
  /** The recipient in the provider's format; null for an invalid recipient. */
  addressOf: (recipient: string) => string | null;
  /** Requests a second that the provider takes from one connection. */
  perSecond: number;
  /** Why the provider cannot be used on this platform; null when it can. */
  problem?: (context: ProviderContext) => string | null;
  /** Asks the provider whether the credentials are valid. Throws a {@link ProviderError}. */
  verify: (credentials: z.output<C>, context: ProviderContext) => Promise<void>;
  /** Resolves when the provider has accepted the message; with its own id of it. Throws a {@link ProviderError}. */
  send: (
    message: OutgoingNotification,
    credentials: z.output<C>,
    context: ProviderContext,
  ) => Promise<{ providerMessageId: string | null }>;
};

/** A provider of this shape, with the type of its credentials inferred. */
export function defineProvider<C extends z.ZodType>(provider: Provider<C>): Provider<C> {
  return provider;
}

/** Runs a request to a provider; a missing answer becomes a {@link ProviderError}. */
export async function ask(provider: string, request: () => Promise<EgressAnswer>): Promise<EgressAnswer> {
  try {
    return await request();
  } catch (cause) {
    if (!(cause instanceof EgressError)) throw cause;
    const failures = { forbidden: 'refused', unreachable: 'unreachable', unanswered: 'unknown' } as const;
    throw new ProviderError(failures[cause.failure], `${provider}: ${cause.message}`, { cause });
  }
}

/** The JSON object of an answer; empty for any other body. */
export function jsonOf({ body }: EgressAnswer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What a status means when the provider's own error says nothing more. A server that fails may have accepted the message
 * before; 503 alone says that it did not.
 */
export function failureOfStatus(status: number): ProviderFailure {
  if (status === 429) return 'rateLimited';
  if (status === 401) return 'unauthorized';
  if (status === 503 || status === 408 || status === 425) return 'deferred';
  return status >= 500 ? 'unknown' : 'refused';
}

const maxRetryAfter = hour;

/** The Retry-After of an answer in milliseconds (RFC 9110 section 10.2.3), an hour at most; null without one. */
export function retryAfterOf({ headers }: EgressAnswer): number | null {
  const text = headers['retry-after'];
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return boundedRetryAfter(Number(text));
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : boundedRetryAfter((at - now().getTime()) / second);
}

/** Converts seconds to milliseconds, at least a second and at most an hour. */
export function boundedRetryAfter(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds * second), second), maxRetryAfter);
}
