import type { Schemas } from './types.ts';

/** One invalid field of a request: its path, such as `body.slug`, and the rule that it violates. */
export type ErrorDetail = { path: string; message: string };

/**
 * The codes of the platform's catalogue, and of failures without an answer of the platform: `CONNECTION_FAILED`,
 * `TIMEOUT`, and `RESPONSE_INVALID` for a response of something in between, such as a proxy.
 */
export type ErrorCode = Schemas['Error']['error'] | 'CONNECTION_FAILED' | 'TIMEOUT' | 'RESPONSE_INVALID';

type Fields = {
  /** The HTTP status; 0 without a response. */
  status: number;
  code: ErrorCode;
  details?: ErrorDetail[] | undefined;
  requestId?: string | null | undefined;
  upgradeUrl?: string | null | undefined;
  /** In milliseconds. */
  retryAfter?: number | null | undefined;
};

/** A call that did not succeed. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly status: number;
  readonly code: ErrorCode;
  /** The invalid fields of a request; empty for other errors. */
  readonly details: readonly ErrorDetail[];
  /** Names the request in the platform's logs; null without a response. */
  readonly requestId: string | null;
  /** Where the plan can be changed, for errors of billing. */
  readonly upgradeUrl: string | null;
  /** The delay that the platform requests before a retry, in milliseconds. */
  readonly retryAfter: number | null;

  constructor(message: string, fields: Fields, options?: ErrorOptions) {
    super(message, options);
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId ?? null;
    this.upgradeUrl = fields.upgradeUrl ?? null;
    this.retryAfter = fields.retryAfter ?? null;
  }
}

/** The parts of a response that an error is made of; `header` is null for an absent header. */
export type Refusal = { status: number; text: string; header: (name: string) => string | null };

export async function readRefusal(response: Response): Promise<Refusal> {
  const { status, headers } = response;
  return { status, text: await response.text(), header: (name) => headers.get(name) };
}

/** The error of a response whose status is not one of success. */
export function errorOf({ status, text, header }: Refusal): PlatformError {
  const body = parse(text);
  const retryAfter = parseRetryAfter(header('retry-after'));
  const requestId = body?.requestId ?? header('x-request-id');
  if (!body) {
    const message = `The response has the status ${status}, and is not an answer of the platform.`;
    return new PlatformError(message, { status, code: 'RESPONSE_INVALID', requestId, retryAfter });
  }
  const { error, details, upgradeUrl } = body;
  const fields = (details ?? []).map(({ path, message }) => ` ${path}: ${message}`).join('');
  return new PlatformError(body.message + fields, { status, code: error, details, requestId, upgradeUrl, retryAfter });
}

function parse(text: string): Schemas['Error'] | null {
  try {
    const body = JSON.parse(text) as Schemas['Error'] | null;
    return typeof body?.error === 'string' && typeof body.message === 'string' ? body : null;
  } catch {
    return null;
  }
}

/** Parses Retry-After to milliseconds: seconds or an HTTP date (RFC 9110 section 10.2.3). */
function parseRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
}
