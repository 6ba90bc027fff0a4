import type { Context } from 'moleculer';
import { call } from '../../../../lib/calls.ts';
import { type ErrorDetail, inputError } from '../../../../lib/errors.ts';
import { originOfReturnTo } from '../../../../lib/return-to.ts';
import { ownOrigin, settings } from '../../../../lib/settings.ts';

/** The addresses to which the payer is sent back. */
export type ReturnUrls = { successUrl: string; cancelUrl: string };

/**
 * The addresses in a spelling that all browsers read alike, if a payer may be sent there: to the platform itself, to a
 * redirect origin of the organization's own OAuth clients, or to an origin of the setting ALLOWED_ORIGINS.
 *
 * @throws INPUT_INVALID naming each that is none of these.
 */
export async function requireReturnUrls(
  ctx: Pick<Context, 'call'>,
  orgId: string,
  { successUrl, cancelUrl }: ReturnUrls,
): Promise<ReturnUrls> {
  const { origins } = await call(ctx, 'identity.oauth.redirect-origins', { body: { orgId } });
  const allowed = new Set([ownOrigin, ...settings.ALLOWED_ORIGINS, ...origins]);
  const refused = Object.entries({ successUrl, cancelUrl }).filter(([, url]) => !isAllowed(url, allowed));
  if (refused.length > 0) throw inputError(refused.map(([name]) => refusalOf(name)));
  return { successUrl: written(successUrl), cancelUrl: written(cancelUrl) };
}

function isAllowed(url: string, allowed: ReadonlySet<string>): boolean {
  const origin = originOfReturnTo(url, settings.PUBLIC_URL);
  return origin !== null && allowed.has(origin);
}

function refusalOf(name: string): ErrorDetail {
  const message =
    'Must be an address of this platform, of a redirect origin of an OAuth client of the organization, or of an ' +
    'origin that the operator allows.';
  return { path: `body.${name}`, message };
}

function written(url: string): string {
  return new URL(url, settings.PUBLIC_URL).href;
}
