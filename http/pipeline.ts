import { callerIn, mayActIn } from '../lib/contract/authorize.ts';
import { type Caller, type ClientMeta, credentialId, type RequestMeta } from '../lib/contract/context.ts';
import { type Contract, dataOf } from '../lib/contract/contract.ts';
import {
  apiError,
  type ErrorCode,
  errorCode,
  inputError,
  isError,
  unknownFields,
  unknownName,
} from '../lib/contract/errors.ts';
import { idPattern } from '../lib/data/ids.ts';
import { mebibyte } from '../lib/format/bytes.ts';
import { defaultLanguage } from '../lib/format/language.ts';
import { ownOrigin } from '../lib/settings/settings.ts';
import { type Admission, admitToRead, admitToWork, hasLargeBody } from './admission.ts';
import type { Authenticator, Credentials } from './authenticate.ts';
import type { EventStreams } from './event-streams.ts';
import {
  countInOrganization,
  limitAddress,
  type RateLimit,
  type RateLimiter,
  rateLimitHeaders,
  requireWithinLimit,
} from './rate-limit.ts';
import { createByteBudget, lengthOf, readBytes, readForm, readJsonBody, readTextBody } from './read-body.ts';
import { readFileForm, receiveUpload } from './read-upload.ts';
import { clientAddress, clientNetwork, continueBody, type HttpRequest, readCookie } from './request.ts';
import { browserMetaOf, languageAt } from './send-page.ts';

export type RequestServices = {
  authenticator: Authenticator;
  limit: RateLimiter;
  streams: EventStreams;
  /** Whether people visit this listener; session cookies are accepted as credentials then. */
  hasPages: boolean;
};

const organizationId = idPattern('org');
const maxUserAgentLength = 300;
const idempotencyKey = /^[\x21-\x7e]{1,255}$/;

/** Processes a request between its route and its action; returns the action's input. */
export async function prepare(tools: RequestServices, contract: Contract, request: HttpRequest): Promise<object> {
  request.ctx.meta.client = clientOf(request);
  if (contract.answers === 'stream' && request.receivedMethod === 'HEAD') request.ctx.meta.isHead = true;
  if (contract.answers === 'html') request.ctx.meta.browser = browserMetaOf(request);
  const language = languageAt(request);
  if (language !== defaultLanguage) request.ctx.meta.language = language;
  await identify(tools, request, contract);
  request.ctx.meta.idempotencyKey = readIdempotencyKey(request, contract);
  const isLarge = isLargeOf(request, contract);
  if (isLarge) await admit(admitToRead, request);
  const limitBytes = bodyLimitOf(request, contract);
  const reading = contract.input.body ? readBody(request, contract, limitBytes) : rejectBody(request, limitBytes);
  const body = await reading.catch((error: unknown) => rejectUnread(request, error));
  if (isLarge) await admit(admitToWork, request);
  if (contract.answers === 'events') readLastEventId(request);
  const { query, parameters: path, headers } = request;
  return inputOf(contract, { body, query, path, headers });
}

/** Whether a request is subject to admission control. A streamed body is not, because it is not kept in memory. */
function isLargeOf(request: HttpRequest, { takes }: Contract): boolean {
  return request.ctx.meta.caller !== undefined && takes !== 'stream' && hasLargeBody(request);
}

async function admit(admission: Admission, request: HttpRequest): Promise<void> {
  const { caller } = request.ctx.meta;
  const { release: endEarlier } = request;
  const end = await admission(caller?.orgId ?? caller?.id ?? '');
  request.release = () => {
    end();
    endEarlier?.();
  };
}

/** The maximum body that is read for an unauthenticated client, because bodies in memory enable a denial of service. */
const anonymousBodyBytes = 16 * 1024;

/** Webhooks are authenticated by a signature over the body, so they are read whole, within a total budget. */
const webhookBytes = createByteBudget(16 * mebibyte);

function bodyLimitOf({ ctx, headers }: HttpRequest, contract: Contract): number {
  const { permission, fromServers, bodyLimitBytes, mayBeOpen, takes } = contract;
  // The action checks a signed address before it reads the stream, which is not kept in memory.
  const isSigned = mayBeOpen && takes === 'stream';
  const isCredentialElsewhere =
    isSigned || (permission === 'public' && (fromServers || headers.authorization !== undefined));
  if (ctx.meta.caller || isCredentialElsewhere) return bodyLimitBytes;
  return Math.min(bodyLimitBytes, anonymousBodyBytes);
}

/**
 * Throws the credential error instead of an error about a body that is too large only for an unauthenticated client.
 */
function rejectUnread({ ctx: { meta } }: HttpRequest, error: unknown): never {
  if (!meta.refusal || !isError(error, 'BODY_TOO_LARGE')) throw error;
  throw apiError(meta.refusal.code as ErrorCode, { headers: { Connection: 'close' } });
}

async function readBody(request: HttpRequest, contract: Contract, limitBytes: number): Promise<unknown> {
  if (!contract.fromServers) return await readContent(request, contract, limitBytes);
  return await webhookBytes(lengthOf(request, limitBytes), () => readContent(request, contract, limitBytes));
}

function readContent(request: HttpRequest, { takes, fileBytes }: Contract, bodyLimitBytes: number): Promise<unknown> {
  continueBody(request);
  switch (takes) {
    case 'json':
      return readJsonBody(request, bodyLimitBytes);
    case 'text':
      return readTextBody(request, bodyLimitBytes);
    case 'form':
      return fileBytes > 0 ? readFileForm(request, fileBytes) : readForm(request, bodyLimitBytes);
    case 'bytes':
      return readBytes(request, bodyLimitBytes).then((bytes) => bytes.toString('base64'));
    case 'stream':
      return receiveUpload(request, bodyLimitBytes);
  }
}

/**
 * Rejects a body when the action takes none, because it would be ignored silently. An empty object counts as no body.
 * With GET and DELETE a body has no meaning (RFC 9110, section 9.3) and is not read.
 */
async function rejectBody(request: HttpRequest, bodyLimitBytes: number): Promise<void> {
  if (request.method !== 'POST') return;
  continueBody(request);
  const body = await readJsonBody(request, bodyLimitBytes);
  if (body === undefined) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw inputError([{ path: 'body', message: 'Must be absent or an empty object.' }]);
  }
  const unknown = unknownFields('body', Object.keys(body));
  if (unknown.length > 0) throw inputError(unknown);
}

/**
 * Finds the caller, applies the rate limits and rejects cross-site requests. A page is anonymous without a valid
 * session; any other public endpoint ignores credentials.
 */
async function identify(tools: RequestServices, request: HttpRequest, contract: Contract): Promise<void> {
  const { authenticator, limit } = tools;
  const { meta } = request.ctx;
  const credentials = credentialsOf(tools, request, contract);
  const hasNone = credentials.authorization === undefined && credentials.session === undefined;
  // A fast path for most requests of public endpoints: throwing and catching an error would cost more than the rest.
  if (hasNone && contract.permission === 'public') return await countAnonymous(tools, request, contract);
  let caller: Caller | undefined;
  try {
    caller = await authenticator.authenticate(request.ctx, credentials);
    // A form may guess a password or request mail for any account, so it counts by address even with a session.
    if (contract.takes === 'form') await countRequest(request, limitAddress(limit, clientNetwork(request)));
    else await countRequest(request, limit('credential', credentialId(caller)));
    requireSameOrigin(request, contract);
    const inside = inTenant(request, contract, caller);
    if (inside.orgId !== null) await countInOrganization(limit, inside.orgId, request.answerHeaders);
    meta.caller = inside;
  } catch (error) {
    request.rejectedCaller = caller;
    const code = errorCode(error);
    const isOfCredential = code !== null && refusalsOfCredential.has(code);
    // A public call needs no organization either, and whether it is public is not known yet.
    const isOfTenant = code === 'TENANT_MISMATCH' || (contract.mayBeOpen && isWithoutTenant(code));
    if (!(isOfCredential || isOfTenant) || code === null) throw error;
    if (isOfCredential) await countAnonymous(tools, request, contract);
    else if (contract.takes === 'form') requireSameOrigin(request, contract);
    if (contract.permission === 'public') return;
    if (!contract.shapeFirst) throw error;
    meta.refusal = { code, message: (error as Error).message };
  }
}

/** A refused credential is counted by address. */
const refusalsOfCredential: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'CREDENTIAL_REQUIRED',
  'CREDENTIAL_INVALID',
  'ORGANIZATION_SUSPENDED',
]);

const isWithoutTenant = (code: ErrorCode | null) => code === 'TENANT_REQUIRED' || code === 'TENANT_INVALID';

/** Counts a request without a credential against its rate limit. */
export async function countAnonymous(
  { limit }: RequestServices,
  request: HttpRequest,
  contract: Contract,
): Promise<void> {
  const network = clientNetwork(request);
  await countRequest(request, contract.fromServers ? limit('credential', network) : limitAddress(limit, network));
  if (contract.takes === 'form') requireSameOrigin(request, contract);
}

async function countRequest(
  { answerHeaders }: HttpRequest,
  counted: RateLimit | null | Promise<RateLimit | null>,
): Promise<void> {
  const state = await counted;
  if (!state) return;
  Object.assign(answerHeaders, rateLimitHeaders(state));
  requireWithinLimit(state);
}

/**
 * The credentials of a request. The session cookie is used only when no other credential was sent, and is the only one
 * for pages. A page that servers call has none.
 */
export function credentialsOf(
  { hasPages }: RequestServices,
  request: HttpRequest,
  { answers, permission, fromServers }: Contract,
): Credentials {
  const session = hasPages ? readCookie(request, 'session') : undefined;
  if (answers === 'html' && !fromServers) return { authorization: undefined, session };
  if (permission === 'public') return { authorization: undefined, session: undefined };
  const { authorization } = request.headers;
  return { authorization, session: authorization === undefined ? session : undefined };
}

/** Authenticates the credential of a request again, for a long-lived answer. */
export async function findCaller(
  tools: RequestServices,
  contract: Contract,
  request: HttpRequest,
  ctx: HttpRequest['ctx'],
): Promise<Caller> {
  const credentials = credentialsOf(tools, request, contract);
  return inTenant(request, contract, await tools.authenticator.authenticate(ctx, credentials));
}

/** Reads Last-Event-ID from the query, because pages cannot send the header with the first request of a stream. */
function readLastEventId(request: HttpRequest): void {
  const { lastEventId } = request.query;
  delete request.query.lastEventId;
  if (typeof lastEventId === 'string') request.lastEventId = lastEventId;
}

/**
 * The address and user agent of a request. The user agent is truncated, because it is only for display and the client
 * controls it.
 */
export function clientOf(request: HttpRequest): ClientMeta {
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, maxUserAgentLength);
  return { address: clientAddress(request), userAgent };
}

/**
 * CSRF protection: browsers send the session cookie with requests of any page, but only the platform's pages may change
 * data. Browsers send the origin of a form too. Other clients of forms send no origin, and have no cookie to misuse.
 */
function requireSameOrigin({ headers, method }: HttpRequest, { takes }: Contract): void {
  if (method === 'GET') return;
  // Pages accept no other credential than the session.
  if (takes === 'form' ? headers.origin === undefined : headers.authorization !== undefined) return;
  if (headers.origin !== ownOrigin) throw apiError('ORIGIN_REFUSED');
}

/**
 * Selects the caller's organization: named by the header, otherwise the credential's, otherwise the user's only one.
 */
function inTenant({ headers }: HttpRequest, contract: Contract, caller: Caller): Caller {
  const tenantId = headers['x-tenant-id'];
  if (tenantId === undefined) {
    if (contract.tenant === 'required') throw apiError('TENANT_REQUIRED');
    return inOnlyOrganization(caller);
  }
  if (typeof tenantId !== 'string' || !organizationId.test(tenantId)) throw apiError('TENANT_INVALID');
  const resolved = callerIn(caller, tenantId);
  if (!resolved) throw apiError('TENANT_MISMATCH');
  return resolved;
}

function inOnlyOrganization(caller: Caller): Caller {
  if (caller.type === 'application') return caller;
  const [only, ...others] = caller.memberships;
  // A member who cannot act in the only organization still reads their account.
  const isOne = only !== undefined && others.length === 0 && mayActIn(caller, only.orgId);
  const orgId = caller.orgId ?? (isOne ? only.orgId : undefined);
  return orgId === undefined ? caller : (callerIn(caller, orgId) ?? caller);
}

function readIdempotencyKey({ headers }: HttpRequest, contract: Contract): RequestMeta['idempotencyKey'] {
  const key = headers['idempotency-key'];
  if (key === undefined || !contract.idempotent) return undefined;
  if (typeof key === 'string' && idempotencyKey.test(key)) return key;
  throw inputError([{ path: 'headers.idempotency-key', message: 'Must be 1 to 255 visible ASCII characters.' }]);
}

type Parts = { body: unknown; query: object; path: object; headers: object };

/** Selects the parts that the contract takes, and of the headers only the declared ones. */
function inputOf(contract: Contract, parts: Parts): Partial<Parts> {
  const input: Partial<Parts> = {};
  for (const part of Object.keys(contract.input) as (keyof Parts)[]) {
    if (part === 'body') input.body = parts.body;
    else input[part] = part === 'headers' ? pickHeaders(contract, parts.headers) : parts[part];
  }
  const unknown = contract.input.query ? [] : Object.keys(parts.query);
  if (unknown.length > 0) {
    throw inputError(unknown.map((name) => ({ path: `query.${name}`, message: unknownName('parameter', name) })));
  }
  return input;
}

function pickHeaders(contract: Contract, headers: object): object {
  const picked: Record<string, unknown> = {};
  for (const name in dataOf(contract.input.headers)?.properties as object | undefined) {
    if (Object.hasOwn(headers, name)) picked[name] = headers[name as keyof typeof headers];
  }
  return picked;
}
