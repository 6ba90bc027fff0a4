import { cookieName } from '../http/request.ts';
import type { Permission } from '../lib/contract/authorize.ts';
import { type Contract, dataOf, type JsonSchema } from '../lib/contract/contract.ts';
import { settings } from '../lib/settings/settings.ts';

/** The accepted credentials, as alternatives. An empty requirement means that the operation also works without one. */
export function securityOf({ permission, mayBeOpen, input }: Contract): JsonSchema[] {
  if (permission === 'public') return ownCredential(dataOf(input.headers));
  const without = mayBeOpen ? [{}] : [];
  if (permission === 'session' || permission === 'operator') return [...without, { session: [] }];
  if (permission === 'user') return [...without, { session: [] }, { accessToken: [] }];
  return [...without, { apiKey: [] }, { accessToken: [] }, { session: [] }];
}

/**
 * The credential that a public action reads itself: OpenAPI requires a security scheme instead of a parameter
 * `authorization`.
 */
function ownCredential(headers: JsonSchema | undefined): JsonSchema[] {
  const { authorization } = (headers?.properties ?? {}) as Record<string, { securityScheme?: string } | undefined>;
  return authorization?.securityScheme === undefined ? [] : [{ [authorization.securityScheme]: [] }];
}

/** The allowed callers of an operation, in one or two sentences. */
export function credentialsText(contract: Contract): string {
  const { permission, mayBeOpen } = contract;
  if (permission === 'public' && securityOf(contract).length > 0) return 'Takes a separate credential.';
  const text = texts[permission] ?? `Requires the permission \`${permission}\`.`;
  return mayBeOpen ? `${text} Links that the platform has signed, and what is public, need no credential.` : text;
}

const texts: Partial<Record<Permission, string>> = {
  public: 'Takes no credential.',
  authenticated: 'Takes any credential.',
  user: 'For a user: a session, or an access token that acts for one.',
  session: 'For a user who is signed in, by the session.',
  operator: 'For an operator of the platform who is signed in, by the session.',
};

export const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key of an application: `Authorization: Bearer svc_live_…`. It acts in the organization of its ' +
      'application, with the scopes of the key. `POST /applications/{id}/api-keys` creates one.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An OAuth 2.0 access token of an application, or of a client that acts for a user with the scopes that the user ' +
      `granted. ${settings.PUBLIC_URL}/oauth2/.well-known/openid-configuration describes how to get one.`,
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: cookieName('session'),
    description:
      "The session cookie of a signed-in user's browser. Requests other than GET must come from a page of the " +
      'platform (`Origin`).',
  },
  visitor: {
    type: 'http',
    scheme: 'bearer',
    description: 'The `visitorToken` of `POST /v1/widget/sessions`, which identifies one visitor of one website.',
  },
  postmark: {
    type: 'http',
    scheme: 'basic',
    description: 'The user and the password of the setting MAIL_POSTMARK_CREDENTIALS. Only Postmark has them.',
  },
};
