import { now } from '../../lib/clock.ts';
import { splitScope } from '../../lib/openid-scopes.ts';

const hour = 3600;
const day = 24 * hour;

/** The lifetime of access tokens and ID tokens, in seconds. */
export const accessTokenSeconds = hour;
export const codeSeconds = 60;
/** The timeout of an authorization in seconds, with the login and the consent. */
export const interactionSeconds = hour / 2;
/** The idle and the absolute lifetime of refresh tokens; the latter counts from the consent. */
export const refreshIdleSeconds = 30 * day;
const refreshAbsoluteSeconds = 90 * day;
/** The allowance for clock skew. */
const leeway = 300;

/** The lifetime of a refresh token in seconds, given when the first of its chain was issued, in seconds since 1970. */
export function refreshSeconds(issuedFirstAt: number | undefined): number {
  const instant = Math.floor(now().getTime() / 1000);
  const left = (issuedFirstAt ?? instant) + refreshAbsoluteSeconds - instant;
  return Math.max(1, Math.min(refreshIdleSeconds, left));
}

/** The lifetime of a grant of these scopes in seconds: as long as tokens can be issued under it or are valid. */
export function grantSeconds(scope: string): number {
  const longest = splitScope(scope).includes('offline_access') ? refreshAbsoluteSeconds : codeSeconds;
  return longest + accessTokenSeconds + leeway;
}
