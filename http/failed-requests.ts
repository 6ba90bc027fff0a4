import type { Logger, ServiceBroker } from 'moleculer';
import { Counter } from 'prom-client';
import { type Caller, type CallInput, call, credentialId } from '../lib/contract/context.ts';
import type { ErrorDetail } from '../lib/contract/errors.ts';
import { minute, now, second } from '../lib/data/clock.ts';
import { randomId } from '../lib/data/ids.ts';
import { redactText } from '../lib/log/redact.ts';
import { loggedPath } from './listener.ts';
import type { AnsweredError, HttpRequest } from './request.ts';

type Batch = CallInput<'identity.requests.record'>['body'];
type FailedRequest = Batch['requests'][number];
/** The requests that were left out after the last one that was kept in a minute. */
type Omission = Batch['omissions'][number];
type Window = { startedAt: number; kept: number; omitted: number; lastId: string | null };

/** The failed requests of an organization that a listener keeps in a minute; it counts the others. */
const maxPerMinute = 60;
/** The failed requests of all organizations that wait to be stored. */
const maxWaiting = 1000;
/** A batch is one message of the broker, of at most 1 MiB. */
const maxBatchSize = 150;
/** The maximum size of the message and the details of an error, as JSON. */
const maxErrorBytes = 2048;
const maxMessageLength = 500;
const maxPathLength = 500;
const maxUserAgentLength = 200;

const omittedRequests = new Counter({
  name: 'http_failed_requests_omitted_total',
  help: 'Requests answered with an error that are not in the log of their organization, by reason.',
  labelNames: ['reason'],
});

/** The requests of organizations that a listener answered with an error, on their way to the log of identity. */
export type FailedRequestLog = {
  /** Adds a request after its answer; nothing is kept of one without an organization. Returns immediately. */
  add: (request: HttpRequest, status: number) => void;
  /** Sends what waits, in one batch; for the end of the listener. */
  flush: () => Promise<void>;
};

/**
 * Creates the log of a listener. It sends a batch a second at most, in the background, and one at a time, so that
 * neither a request nor the database waits for it. Records that wait are lost when the process is killed, and
 * records that cannot be stored are dropped: it is a log for developers, not evidence.
 */
export function createFailedRequestLog(broker: ServiceBroker, logger: Logger): FailedRequestLog {
  const waiting: FailedRequest[] = [];
  const omissions: Omission[] = [];
  const windows = new Map<string, Window>();
  let isScheduled = false;

  /** Ends the windows that are over; they are in the order of their start. */
  function endWindows(at: number): void {
    for (const [orgId, { startedAt, omitted, lastId }] of windows) {
      if (at - startedAt < minute) return;
      windows.delete(orgId);
      if (omitted > 0 && lastId !== null) omissions.push({ orgId, id: lastId, count: omitted });
    }
  }

  function windowOf(orgId: string, at: number): Window {
    endWindows(at);
    const window = windows.get(orgId) ?? { startedAt: at, kept: 0, omitted: 0, lastId: null };
    windows.set(orgId, window);
    return window;
  }

  async function flush(): Promise<void> {
    endWindows(now().getTime());
    const body = { requests: waiting.splice(0, maxBatchSize), omissions: omissions.splice(0, maxBatchSize) };
    if (body.requests.length + body.omissions.length === 0) return;
    try {
      await call(broker, 'identity.requests.record', { body });
    } catch (error) {
      omittedRequests.inc({ reason: 'unstored' }, body.requests.length);
      logger.warn('Failed requests could not be stored for their log', { count: body.requests.length, error });
    }
  }

  /** Whether there is something to send, or a window will have an omission when it is over. */
  function isDue(): boolean {
    return waiting.length + omissions.length > 0 || [...windows.values()].some(({ omitted }) => omitted > 0);
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(async () => {
      await flush();
      isScheduled = false;
      if (isDue()) schedule();
    }, second).unref();
  }

  return {
    add(request, status) {
      const { answeredError } = request;
      const origin = originOf(request);
      if (!answeredError || !origin) return;
      const at = now();
      const window = windowOf(origin.orgId, at.getTime());
      schedule();
      if (window.kept >= maxPerMinute || waiting.length >= maxWaiting) {
        window.omitted += 1;
        omittedRequests.inc({ reason: window.kept >= maxPerMinute ? 'organization' : 'buffer' });
        return;
      }
      window.lastId = randomId('frq', at);
      window.kept += 1;
      waiting.push(recordOf(request, { id: window.lastId, at, status, origin, answeredError }));
    },
    flush,
  };
}

type Origin = Pick<FailedRequest, 'orgId' | 'caller'>;

/**
 * The organization of a request, and who sent it; null where neither a credential nor an OAuth client shows them, and
 * for work of operators.
 */
function originOf(request: HttpRequest): Origin | null {
  const { oauthClient } = request;
  if (oauthClient) {
    const { orgId, applicationId: id, clientId } = oauthClient;
    return { orgId, caller: { type: 'application', id, credentialId: clientId } };
  }
  const { caller = request.rejectedCaller, website } = request.ctx?.meta ?? {};
  if (website) {
    return { orgId: website.orgId, caller: { type: 'website', id: website.siteId, credentialId: null } };
  }
  if (!caller || request.route?.fullPath.startsWith('/operator')) return null;
  const orgId = organizationOf(caller, request);
  return orgId === null
    ? null
    : { orgId, caller: { type: caller.type, id: caller.id, credentialId: credentialId(caller) } };
}

/** The organization of a caller: the credential's, the named one, or the user's only one. */
function organizationOf(caller: Caller, { headers }: HttpRequest): string | null {
  if (caller.type === 'application' || caller.orgId !== null) return caller.orgId;
  const { memberships } = caller;
  const named = memberships.find(({ orgId }) => orgId === headers['x-tenant-id']);
  const only = memberships.length === 1 ? memberships[0] : undefined;
  return (named ?? only)?.orgId ?? null;
}

type Answered = { id: string; at: Date; status: number; origin: Origin; answeredError: AnsweredError };

function recordOf(request: HttpRequest, { id, at, status, origin, answeredError }: Answered): FailedRequest {
  const { requestId, receivedMethod: method, route, headers, startedAt } = request;
  const { error, message, details } = answeredError;
  const userAgent = headers['user-agent'];
  return {
    id,
    ...origin,
    requestId,
    answeredAt: at.toISOString(),
    method,
    route: route?.fullPath ?? '',
    path: redactText(loggedPath(request)).slice(0, maxPathLength),
    status,
    error,
    ...boundedError(message, details ?? []),
    milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
    userAgent: userAgent === undefined ? null : redactText(userAgent).slice(0, maxUserAgentLength),
  };
}

/** The message and those details that fit. Names of unknown fields are the client's text, which may hold a credential. */
function boundedError(message: string, details: readonly ErrorDetail[]): Pick<FailedRequest, 'message' | 'details'> {
  const shown = redactText(message).slice(0, maxMessageLength);
  const kept: ErrorDetail[] = [];
  let bytes = Buffer.byteLength(JSON.stringify(shown));
  for (const detail of details) {
    const clean = { path: redactText(detail.path), message: redactText(detail.message) };
    bytes += Buffer.byteLength(JSON.stringify(clean)) + 1;
    if (bytes > maxErrorBytes) break;
    kept.push(clean);
  }
  return { message: shown, details: kept };
}
