import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { now } from '../../lib/data/clock.ts';

/** The values of the parameter `prompt` (OpenID Connect Core 3.1.2.1). */
export const prompts = ['none', 'login', 'select_account', 'consent'];

/**
 * The provider's prompts and `select_account`. The prompts that a login satisfies record when they were requested, so
 * that an earlier login does not satisfy them.
 */
export function promptPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const login = policy.get('login');
  if (!login) throw new Error('The OpenID provider has no login prompt.');
  const { details } = login;
  login.details = async (ctx) => ({ ...(await details(ctx)), ...askedNow() });
  login.checks.add(userIsGone());
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }, askedNow), 1);
  return policy;
}

const askedNow = () => ({ askedAt: now().getTime() });

/** Handles a user who is deleted during the request: the account no longer exists. */
function userIsGone(): interactionPolicy.Check {
  return new interactionPolicy.Check(
    'no_account',
    'End-User authentication is required',
    ({ oidc }) => oidc.session?.accountId !== undefined && !oidc.account,
  );
}

/**
 * Rejects a `max_age` that is not a whole number in digits. The provider accepts everything that JavaScript converts to
 * a number, such as a space, which would be 0.
 *
 * @throws invalid_request
 */
export function checkMaxAge({ query }: KoaContextWithOIDC): void {
  const { max_age: written } = query;
  if (typeof written !== 'string' || /^\d*$/.test(written)) return;
  throw new errors.InvalidRequest('max_age must be a whole number of seconds');
}
