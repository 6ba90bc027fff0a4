import { now } from '../../lib/clock.ts';
import { splitScope } from './split-scope.ts';

const hour = 3600;
const day = 24 * hour;

/** Seconds for which an access token is good, and an ID token. */
export const accessTokenSeconds = hour;
export const codeSeconds = 60;
/** Seconds that an authorization may take its user, logging in and agreeing included. */
export const interactionSeconds = hour / 2;
/** A refresh token that is not used so long has expired; so has every one so long after the user agreed. */
export const refreshIdleSeconds = 30 * day;
const refreshAbsoluteSeconds = 90 * day;
/** For clocks that differ. */
const leeway = 300;

/** Seconds for which a refresh token is good, the first of whose chain was issued at that second since 1970. */
export function refreshSeconds(issuedFirstAt: number | undefined): number {
  const instant = Math.floor(now().getTime() / 1000);
  const left = (issuedFirstAt ?? instant) + refreshAbsoluteSeconds - instant;
  return Math.max(1, Math.min(refreshIdleSeconds, left));
}

/** Seconds for which a grant of these scopes lasts: as long as anything can be issued under it or is in force. */
export function grantSeconds(scope: string): number {
  const longest = splitScope(scope).includes('offline_access') ? refreshAbsoluteSeconds : codeSeconds;
  return longest + accessTokenSeconds + leeway;
}
