/**
 * What the platform promises to those who call it over HTTP: a row for each row, rule and limit of the specification
 * and its decisions that the services of today answer for. `from` names the place it is taken from. Each row has
 * exactly one test in this folder, unless `proven` names the file that shows what no caller of a running platform can
 * bring about; a row with a `route` stands for an operation of the OpenAPI document.
 */
export type Row = { from: string; says: string; route?: string; proven?: string };

const rows = {
  'me.read': {
    from: 'Endpoints, Identity',
    route: 'GET /identity/me',
    says: 'GET /identity/me with an API key gives the application it belongs to, its organization and scopes',
  },
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
  'keys.foreign': {
    from: 'decisions, Shapes',
    says: "another organization's application is 404, as one that does not exist",
  },
  'scopes.read': { from: 'decisions, Scopes', says: 'svc:read allows what only reads in services' },
  'scopes.write': { from: 'decisions, Scopes', says: 'svc:write allows everything of services and no console.*' },
  'scopes.single': { from: 'decisions, Scopes', says: 'a permission key as scope allows that permission alone' },

  'events.create': {
    from: 'Endpoints, Business-context; States',
    route: 'POST /events',
    says: 'POST /events with a valid event answers 201 { eventId, status: accepted }',
  },
  'events.required': { from: 'Event rules', says: 'every one of the eight fields is required: 400 names the missing' },
  'events.types': { from: 'Event rules', says: 'a field of a wrong type is 400 and is named' },
  'events.unknown': { from: 'decisions, Shapes', says: 'an unknown field is 400 and is named' },
  'events.tenant': { from: 'Event rules', says: 'tenantId must equal the x-tenant-id header: 400' },
  'events.repeat': { from: 'Endpoints, Business-context', says: 'an eventId that was sent before is 409' },
  'events.per-tenant': { from: 'Event rules', says: 'an eventId is unique within its organization, not beyond' },
  'events.name': { from: 'decisions, Business context', says: 'eventName has 2 to 6 dotted parts' },
  'events.id': { from: 'decisions, Business context', says: 'eventId is a UUID' },
  'events.time': { from: 'decisions, Business context', says: 'occurredAt is at most 5 minutes ahead' },
  'events.size': { from: 'decisions, Business context', says: 'a body has at most 256 KiB: one byte more is 413' },
  'events.order': {
    from: 'decisions, Business context',
    says: 'refusals come in the order 400 shape, 401, 403, 409',
  },
  'events.permission': { from: 'decisions, System permissions', says: 'sending needs context.events.write: else 403' },
  'batch.create': {
    from: 'decisions, Business context',
    route: 'POST /events/batch',
    says: 'POST /events/batch takes up to 500 events and gives each its outcome, in order',
  },
  'batch.partial': {
    from: 'decisions, Business context',
    says: 'one bad or repeated event of a batch spoils no other',
  },
  'batch.bounds': { from: 'decisions, Business context', says: 'a batch of none or of 501 is 400' },

  'story.read': {
    from: 'Endpoints, Business-context',
    route: 'GET /v1/story/customers/:customerId',
    says: 'GET /v1/story/customers/:customerId gives customerId, title, summary, updatedAt',
  },
  'story.unknown': { from: 'Endpoints, Business-context', says: 'there is no story yet for a person: 404' },
  'story.fresh': { from: 'issue 4, part 8', says: 'a read holds every event acknowledged before it' },
  'story.composed': {
    from: 'issue 4, part 8',
    says: 'a title names the person, and a summary has three to six sentences',
  },
  'story.pure': {
    from: 'decisions, Business context',
    says: 'the same events in another order and split give the same story',
  },
  'story.foreign': { from: 'decisions, Shapes', says: "another organization's customer is 404" },
  'story.permission': { from: 'decisions, System permissions', says: 'reading needs context.story.read: else 403' },
  'resolve.read': {
    from: 'Endpoints, Business-context',
    route: 'GET /v1/story/resolve',
    says: 'GET /v1/story/resolve?q= finds a story by customer id, email or phone number',
  },
  'resolve.normalised': {
    from: 'decisions, Business context',
    says: 'emails are found in any case, phone numbers in any notation with a country code',
  },
  'resolve.unknown': { from: 'decisions, Business context', says: 'unknown is 404, and q is required' },
  'resolve.ambiguous': { from: 'decisions, Business context', says: 'a value that names two people is 404' },
  'customer.actor': {
    from: 'decisions, Business context',
    says: 'the customer is the actor of type customer, contact, visitor or user',
  },
  'customer.payload': {
    from: 'decisions, Business context',
    says: 'else payload.customerId, else payload.customer.id, is the customer',
  },
  'customer.none': {
    from: 'decisions, Business context',
    says: 'an event without a customer is accepted and shows in no story',
  },
  'customer.merged': {
    from: 'decisions, Business context',
    says: 'an email joins two ids: both give the story of the older, which holds the events of both',
  },
  'story-events.list': {
    from: 'decisions, Business context',
    route: 'GET /v1/story/customers/:customerId/events',
    says: 'GET /v1/story/customers/:customerId/events gives what a story was made of, in its order, as it was sent',
  },
  'story-events.pages': { from: 'decisions, Shapes', says: 'limit and cursor page through it without gap or repeat' },
  'erasure.delete': {
    from: 'decisions, Business context',
    route: 'DELETE /v1/story/customers/:customerId',
    says: 'DELETE /v1/story/customers/:customerId erases a person: 204, then 404 by every identifier',
  },
  'erasure.ids': { from: 'issue 4, part 8', says: 'the ids of erased events still answer 409' },
  'erasure.again': { from: 'issue 4, part 8', says: 'an erased person who comes back starts a new story' },

  'tenant.required': { from: 'Authentication 5; decisions, Tenant', says: 'service calls need x-tenant-id: 400' },
  'tenant.malformed': { from: 'decisions, Tenant', says: 'an x-tenant-id that is no organization id is 400' },
  'tenant.foreign': { from: 'decisions, Tenant', says: "another organization's x-tenant-id is 403" },
  'tenant.inferred': { from: 'decisions, Tenant', says: 'identity calls take the organization from the credential' },
  'credential.required': { from: 'Errors', says: 'no credential is 401 with WWW-Authenticate' },
  'credential.invalid': {
    from: 'Errors; decisions, Credentials',
    says: 'a malformed, mistyped or unknown credential is 401',
  },
  'errors.shape': {
    from: 'decisions, Shapes',
    says: 'a refusal is { error, message, requestId } and has details where input is wrong',
  },
  'errors.path': { from: 'decisions, Shapes', says: 'an unknown path is 404' },
  'errors.method': { from: 'decisions, Shapes', says: 'a wrong method is 405 with Allow' },
  'errors.json': { from: 'decisions, Shapes', says: 'malformed JSON is 400' },
  'errors.type': { from: 'decisions, Shapes', says: 'a wrong content type is 415' },
  'errors.rate': {
    from: 'Errors; Limits',
    says: 'more requests than the limit are 429 with Retry-After',
    proven: 'test/integration/gateway/rate-limit.test.ts',
  },
  'errors.away': {
    from: 'decisions, Shapes',
    says: 'a lost database is 503 with Retry-After',
    proven: 'test/pool/runtime/lost-database.test.ts',
  },
  'timestamps.shape': {
    from: 'Resources',
    says: 'every timestamp is ISO 8601 UTC with milliseconds',
  },
  'ids.shape': { from: 'decisions, Shapes', says: 'ids are a prefix, an underscore and 26 characters' },
  'lists.limit': { from: 'Limits; decisions, Shapes', says: 'limit is 1 to 100, 20 when absent; anything else is 400' },
  'lists.cursor': { from: 'decisions, Shapes', says: 'a mangled cursor is 400' },
  'request-id.echo': { from: 'decisions, Shapes', says: 'X-Request-Id is taken over when acceptable, else made' },
  'idempotency.replay': {
    from: 'decisions, Shapes',
    says: 'the same Idempotency-Key and body give the first answer again',
  },
  'idempotency.mismatch': { from: 'decisions, Shapes', says: 'the same Idempotency-Key with another body is 409' },
  'idempotency.scope': { from: 'decisions, Shapes', says: 'an Idempotency-Key belongs to its organization' },

  'health.alive': { from: 'issue 4, part 6', says: 'GET /health/alive answers 200 without a credential' },
  'health.ready': { from: 'issue 4, part 6', says: 'GET /health/ready answers 200 and names nothing missing' },
  'openapi.document': {
    from: 'issue 4, part 6',
    says: 'GET /openapi.json describes every operation with its parameters, answers and security',
  },
  'docs.page': { from: 'issue 4, part 6', says: 'GET /docs shows it and loads nothing from elsewhere' },
} as const satisfies Record<string, Row>;

export type RowId = keyof typeof rows;
export const ledger: Record<RowId, Row> = rows;
