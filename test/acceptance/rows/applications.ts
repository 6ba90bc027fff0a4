import type { Row } from './row.ts';

/** Applications, their OAuth clients and API keys, and what a scope allows. */
export const applicationRows = {
  'applications.create': {
    from: 'Endpoints, Identity; Resources, Application',
    route: 'POST /applications',
    says: 'POST /applications takes name, slug, description and gives the application',
  },
  'applications.list': {
    from: 'Endpoints, Identity',
    route: 'GET /applications',
    says: "GET /applications lists the organization's, in pages of limit",
  },
  'applications.read': {
    from: 'Endpoints, Identity',
    route: 'GET /applications/:slug',
    says: 'GET /applications/:slug gives one',
  },
  'applications.update': {
    from: 'Endpoints, Identity',
    route: 'PATCH /applications/:slug',
    says: 'PATCH /applications/:slug changes name and description, never the slug',
  },
  'applications.delete': {
    from: 'Endpoints, Identity',
    route: 'DELETE /applications/:slug',
    says: 'DELETE /applications/:slug deletes it, and its keys and client with it',
  },
  'applications.slug': {
    from: 'decisions, Identity',
    says: 'a slug has the decided form (400) and is unique on the platform (409)',
  },
  'applications.permission': {
    from: 'Authentication 8',
    says: 'reading needs console.apps.read, writing console.apps.write: else 403',
  },
  'applications.foreign': {
    from: 'decisions, Shapes',
    says: "another organization's application and its client are 404",
  },

  'clients.create': {
    from: 'Endpoints, Identity; Resources, OAuth client',
    route: 'POST /applications/:slug/oauth-client',
    says: 'POST /applications/:slug/oauth-client takes grantTypes, redirectUris, scopes and gives clientId, clientSecret',
  },
  'clients.read': {
    from: 'Endpoints, Identity',
    route: 'GET /applications/:slug/oauth-client',
    says: 'GET /applications/:slug/oauth-client gives the client, never its secret',
  },
  'clients.delete': {
    from: 'issue 5, part 2',
    route: 'DELETE /applications/:slug/oauth-client',
    says: 'DELETE /applications/:slug/oauth-client removes it: its tokens are refused within a second',
  },
  'clients.rotate': {
    from: 'decisions, Identity',
    says: 'POST again gives another secret; the former works for a day more',
  },
  'clients.fields': {
    from: 'Resources, OAuth client',
    says: 'a wrong grant type, redirect address or scope is 400 and is named',
  },
  'clients.grant': { from: 'decisions, Scopes', says: 'a client gets no scope that its maker does not hold: 403' },

  'keys.create': {
    from: 'Endpoints, Identity; Resources, API key',
    route: 'POST /applications/:id/api-keys',
    says: 'POST /applications/:id/api-keys takes name, scopes, expiresAt and gives id, name, token, scopes, expiresAt',
  },
  'keys.token-form': {
    from: 'Authentication 4; decisions, Credentials',
    says: 'a token is svc_live_ and 36 base62 characters, and works at once',
  },
  'keys.list': {
    from: 'Endpoints, Identity',
    route: 'GET /applications/:id/api-keys',
    says: 'GET /applications/:id/api-keys lists the keys, never their tokens',
  },
  'keys.revoke': {
    from: 'Endpoints, Identity',
    route: 'DELETE /applications/:id/api-keys/:keyId',
    says: 'DELETE /applications/:id/api-keys/:keyId revokes: the key is refused within a second',
  },
  'keys.scopes': {
    from: 'decisions, Credentials',
    says: 'scopes is a non-empty list of scopes; anything else is 400',
  },
  'keys.expiry': {
    from: 'decisions, Credentials',
    says: 'expiresAt is optional and in the future; a key is refused once it has passed',
  },
  'keys.grant': { from: 'decisions, Scopes', says: 'nobody can grant a scope they do not hold: 403' },
  'keys.user': { from: 'decisions, Scopes', says: 'a user makes, lists and revokes keys as their role allows' },
  'keys.foreign': {
    from: 'decisions, Shapes',
    says: "another organization's application is 404, as one that does not exist",
  },
  'scopes.read': { from: 'decisions, Scopes', says: 'svc:read allows what only reads in services' },
  'scopes.write': { from: 'decisions, Scopes', says: 'svc:write allows everything of services and no console.*' },
  'scopes.single': { from: 'decisions, Scopes', says: 'a permission key as scope allows that permission alone' },
} as const satisfies Record<string, Row>;
