import { Errors } from 'moleculer';
import { nearName } from './near-name.ts';

/**
 * The error catalogue of the API: for each code the HTTP status and the default message. `docs/errors.md` lists the
 * same codes; a test keeps the two equal.
 */
export const errorCatalogue = {
  INPUT_INVALID: { status: 400, message: 'The request has missing or invalid fields; see details.' },
  REQUEST_MALFORMED: { status: 400, message: 'The request is not valid HTTP.' },
  JSON_MALFORMED: { status: 400, message: 'The body is not valid JSON.' },
  PATH_INVALID: { status: 400, message: 'The path has an invalid percent-encoding or a forbidden character.' },
  CURSOR_INVALID: { status: 400, message: 'The cursor is not one this list returned; start again without it.' },
  WEBHOOK_INVALID: { status: 400, message: 'The webhook has no valid and recent signature.' },
  TENANT_REQUIRED: { status: 400, message: 'The x-tenant-id header is required: send the id of your organization.' },
  TENANT_INVALID: { status: 400, message: 'The x-tenant-id header is not an organization id (org_…).' },
  SIGNATURE_INVALID: { status: 401, message: 'The signature of this URL is invalid, for another use, or expired.' },
  CREDENTIAL_REQUIRED: { status: 401, message: 'A credential is required: Authorization: Bearer <API key or token>.' },
  CREDENTIAL_INVALID: { status: 401, message: 'The credential is unknown, expired or revoked.' },
  IDENTITY_INVALID: { status: 401, message: 'The userHash is invalid for this user and site, or older than a day.' },
  PAYMENT_REQUIRED: { status: 402, message: 'The subscription has expired; renew it to continue.' },
  PLAN_LIMIT_EXCEEDED: { status: 402, message: 'The plan’s limit is reached; upgrade for more.' },
  SERVICE_NOT_INCLUDED: { status: 403, message: 'The plan does not include this service.' },
  PERMISSION_DENIED: { status: 403, message: 'The credential lacks the permission this call needs.' },
  TENANT_MISMATCH: { status: 403, message: 'The credential does not belong to the organization in x-tenant-id.' },
  USER_REQUIRED: { status: 403, message: 'Only a user can do this; the credential belongs to an application.' },
  SESSION_REQUIRED: { status: 403, message: 'Only a user who is logged in can do this, not a client on their behalf.' },
  ORIGIN_REFUSED: {
    status: 403,
    message: 'The session cookie is for our own pages; programs send Authorization: Bearer.',
  },
  AGENT_REQUIRED: {
    status: 403,
    message: 'Only agents use the inbox; an owner can make you one at /v1/connect/agents.',
  },
  ORGANIZATION_SUSPENDED: {
    status: 403,
    message: 'The operator of the platform has suspended this organization; ask the operator.',
  },
  SESSION_TOO_OLD: {
    status: 403,
    message: 'This organization needs a more recent login; log in again.',
  },
  EMAIL_DOMAIN_NOT_ALLOWED: {
    status: 403,
    message: 'The organization does not take members with an address of this domain.',
  },
  SITE_DISABLED: { status: 403, message: 'The widget of this site is turned off.' },
  VISITOR_BLOCKED: { status: 403, message: 'This visitor is blocked.' },
  OWNER_REQUIRED: { status: 403, message: 'Only an owner of the organization can do this.' },
  SCOPE_NOT_HELD: { status: 403, message: 'A credential can only grant or revoke permissions that it holds.' },
  ROLE_READ_ONLY: { status: 403, message: 'This is a built-in role; it cannot be changed or deleted.' },
  REGISTRATION_CLOSED: {
    status: 403,
    message: 'New accounts need an invitation, or an address of a domain that the operator allows.',
  },
  NOT_FOUND: { status: 404, message: 'There is no such resource.' },
  ROUTE_NOT_FOUND: { status: 404, message: 'There is no such path; the list of paths is at /openapi.json.' },
  STORY_NOT_FOUND: { status: 404, message: 'There is no story for this person yet.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This path does not take this method; see the Allow header.' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
  EVENT_ALREADY_SENT: { status: 409, message: 'An event with this eventId was already accepted.' },
  SLUG_TAKEN: { status: 409, message: 'This slug is taken; choose another.' },
  BUCKET_NAME_TAKEN: { status: 409, message: 'This bucket name is taken; choose another.' },
  SIGNATURE_USED: { status: 409, message: 'This signed URL was used already; it is valid for one upload.' },
  LAST_OWNER: { status: 409, message: 'An organization needs at least one owner; make someone else an owner first.' },
  OWN_MEMBERSHIP: { status: 409, message: 'You cannot suspend yourself; to leave, remove yourself as a member.' },
  ALREADY_MEMBER: { status: 409, message: 'The invited person is already a member of the organization.' },
  INVITATION_PENDING: { status: 409, message: 'This address is already invited; resend or revoke that invitation.' },
  INVITATION_NOT_OPEN: { status: 409, message: 'The invitation was accepted, revoked or has expired.' },
  CONTACT_EXISTS: { status: 409, message: 'You already have this contact.' },
  CONTACT_IS_LOGIN: { status: 409, message: 'This is the address you log in with; choose another for that first.' },
  EMAIL_TAKEN: { status: 409, message: 'Another account logs in with this address.' },
  LIMIT_REACHED: { status: 409, message: 'The limit is reached; delete one first.' },
  PLAN_IS_CURRENT: { status: 409, message: 'The organization already has this plan in this cycle.' },
  PLAN_IS_FREE: { status: 409, message: 'The organization is on the free plan: there is nothing to cancel or resume.' },
  MESSAGE_NOT_RESENDABLE: { status: 409, message: 'Only a failed message whose content is stored can be sent again.' },
  JOB_RUNNING: { status: 409, message: 'This job is running now; wait until it has ended.' },
  CONFLICT: { status: 409, message: 'Someone else changed this at the same time; read it again and retry.' },
  IDEMPOTENCY_MISMATCH: { status: 409, message: 'This Idempotency-Key was used with another request.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: 'A request with this Idempotency-Key is still running.' },
  PRECONDITION_FAILED: { status: 412, message: 'The resource was changed: If-Match names another revision.' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is larger than this path accepts.' },
  CONTENT_TYPE_UNSUPPORTED: { status: 415, message: 'The body must be application/json in UTF-8.' },
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The range begins after the end; Content-Range has the size.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests; try again after the time in Retry-After.' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The path and headers together are larger than 16 KiB.' },
  INTERNAL: { status: 500, message: 'Something failed on our side; the request id helps us find it.' },
  REVISION_NOT_REACHED: { status: 503, message: 'The revision in minRevision is not available here yet; try again.' },
  UNAVAILABLE: { status: 503, message: 'A part of the platform is unavailable; try again shortly.' },
  MAIL_DISABLED: {
    status: 503,
    message: 'Mail is turned off on this platform; nothing was sent or changed.',
  },
  PAYMENTS_DISABLED: { status: 503, message: 'Payments are turned off on this platform: no plan can be bought.' },
  STORE_FULL: { status: 507, message: 'The platform has no room for more files; contact its operator.' },
} as const satisfies Record<string, { status: number; message: string }>;

/** The default Retry-After of temporary errors; the thrower can override it. */
const retryAfterSeconds: Partial<Record<ErrorCode, number>> = {
  IDEMPOTENCY_IN_PROGRESS: 1,
  RATE_LIMITED: 1,
  REVISION_NOT_REACHED: 1,
  UNAVAILABLE: 1,
  MAIL_DISABLED: 3600,
  PAYMENTS_DISABLED: 3600,
};

export type ErrorCode = keyof typeof errorCatalogue;

/** The errors of unknown fields, below a path such as `body`. `known` are the names to suggest a near one from. */
export function unknownFields(place: string, names: string[], known: readonly string[] = []): ErrorDetail[] {
  return names.map((name) => ({ path: `${place}.${name}`, message: unknownName('field', name, known) }));
}

/** The message of an unknown field or parameter, with the known name that it most likely means. */
export function unknownName(kind: 'field' | 'parameter', name: string, known: readonly string[] = []): string {
  const near = nearName(name, known);
  return near === null ? `Not a ${kind}.` : `Not a ${kind}; did you mean ${near}?`;
}

/** The error of one field: its path (`body.payload`, `query.limit`) and a sentence. */
export type ErrorDetail = { path: string; message: string };

/**
 * The state of a quota, in units of its meter: bytes where the plan's limit is in gigabytes. `resetsAt` is null for a
 * gauge, which is never reset.
 */
export type QuotaState = { meter: string; limit: number; used: number; resetsAt: string | null };

export type ErrorOptions = {
  /** Replaces the catalogue's message; the client reads it. */
  message?: string;
  details?: ErrorDetail[];
  /** HTTP headers of the answer, in addition to the Retry-After that some codes imply. */
  headers?: Record<string, string>;
  /** The page on which the organization's plan can be changed; for billing errors. */
  upgradeUrl?: string;
  /** The quota that a request would exceed; for PLAN_LIMIT_EXCEEDED. */
  quota?: QuotaState;
  /** The cause, for the operator's log. It is never sent to the client. */
  cause?: unknown;
};

type ErrorData = Pick<ErrorOptions, 'details' | 'headers' | 'upgradeUrl' | 'quota'>;

/**
 * An error of the catalogue. `type` is the code and `code` the HTTP status, because only those two and `data` survive a
 * call between nodes. The class does not: compare `type`, never use `instanceof`.
 */
export class ApiError extends Errors.MoleculerError {
  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    const entry = errorCatalogue[code];
    super(options.message ?? entry.message, entry.status, code, errorData(code, options));
    this.name = 'ApiError';
    if (options.cause !== undefined) this.cause = options.cause;
  }
}

function errorData(code: ErrorCode, { details, upgradeUrl, quota, ...options }: ErrorOptions): ErrorData {
  const seconds = retryAfterSeconds[code];
  const headers = seconds ? { 'Retry-After': String(seconds), ...options.headers } : options.headers;
  return {
    ...(details && { details }),
    ...(headers && { headers }),
    ...(upgradeUrl && { upgradeUrl }),
    ...(quota && { quota }),
  };
}

/** Creates an error of the catalogue, to be thrown: `throw apiError('NOT_FOUND')`. */
export function apiError(code: ErrorCode, options?: ErrorOptions): ApiError {
  return new ApiError(code, options);
}

export const maxDetails = 20;

/**
 * Creates the error for invalid fields, to be thrown. The message names the first, or a mistyped one, which explains why
 * another is missing; `details` has up to `maxDetails`.
 */
export function inputError(details: ErrorDetail[]): ApiError {
  const first = details.find(({ message }) => message.startsWith('Not a') && message.endsWith('?')) ?? details[0];
  const others = details.length > 1 ? ` (and ${details.length - 1} more; see details)` : '';
  const message = first && `${sentenceOf(first)}${others}`;
  return apiError('INPUT_INVALID', { ...(message && { message }), details: details.slice(0, maxDetails) });
}

const verbs: Record<string, string> = { Must: 'must', Not: 'is not', Required: 'is required' };

/** A detail as one sentence: `body.slug is required (string).` */
export function sentenceOf({ path, message }: ErrorDetail): string {
  const opening = /^\w+/.exec(message)?.[0] ?? '';
  const verb = verbs[opening];
  return verb === undefined ? `${path}: ${message}` : `${path} ${verb}${message.slice(opening.length)}`;
}

/** Whether this is the catalogue's error with that code, thrown on this node or on another. */
export function isError(error: unknown, code: ErrorCode): boolean {
  return typeOf(error) === code;
}

/** The result of a call; null when it failed with one of these codes. */
export async function orNull<T>(work: Promise<T>, ...codes: ErrorCode[]): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (codes.some((code) => isError(error, code))) return null;
    throw error;
  }
}

/** The catalogue's code of an error; null when it is not an error of the catalogue. */
export function errorCode(error: unknown): ErrorCode | null {
  const type = typeOf(error);
  if (typeof type !== 'string' || !Object.hasOwn(errorCatalogue, type)) return null;
  // Moleculer's own types overlap with the codes: its REQUEST_TIMEOUT is 504, the catalogue's is 408.
  const { status } = errorCatalogue[type as ErrorCode];
  return (error as { code?: unknown }).code === status ? (type as ErrorCode) : null;
}

function typeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
}
