import { asApiError } from '../data/database-errors.ts';
import { type ErrorCode, type ErrorOptions, errorCatalogue, errorCode } from './errors.ts';

export type RenderedError = { status: number; headers: Record<string, string>; body: ErrorBody };
type ErrorData = Pick<ErrorOptions, 'details' | 'headers' | 'upgradeUrl' | 'quota'>;
type ErrorBody = { error: ErrorCode; message: string; requestId: string } & Omit<ErrorData, 'headers'>;

/** The status, headers and body of an error of the catalogue; anything else is INTERNAL. */
export function renderError(error: unknown, requestId: string): RenderedError {
  const known = asApiError(error) as Error & { data?: ErrorData };
  const code = errorCode(known) ?? 'INTERNAL';
  const { details, headers, upgradeUrl, quota } = known.data ?? {};
  return {
    status: errorCatalogue[code].status,
    headers: { ...headers, ...(challenges[code] && { 'WWW-Authenticate': challenges[code] }) },
    body: {
      error: code,
      message: known.message,
      requestId,
      ...(details && { details }),
      ...(upgradeUrl && { upgradeUrl }),
      ...(quota && { quota }),
    },
  };
}

/**
 * RFC 6750 section 3.1: `invalid_token` for an expired, revoked, malformed or unknown token, without distinguishing
 * them.
 */
const challenges: Partial<Record<ErrorCode, string>> = {
  CREDENTIAL_REQUIRED: 'Bearer realm="platform"',
  CREDENTIAL_INVALID: 'Bearer realm="platform", error="invalid_token"',
};
