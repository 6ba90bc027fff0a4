import type { Row } from './row.ts';

/** What holds for all calls, and what the platform tells of itself. */
export const conventionsRows = {
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
    proven: 'test/faults/runtime/lost-database.test.ts',
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
  'health.ready': {
    from: 'issue 4, part 6',
    says: 'GET /health/ready answers 200 when the node can serve, and names services that are unavailable',
  },
  'openapi.document': {
    from: 'issue 4, part 6',
    says: 'GET /openapi.json describes every operation with its parameters, answers and security',
  },
  'docs.page': { from: 'issue 4, part 6', says: 'GET /docs shows it and loads nothing from elsewhere' },
} as const satisfies Record<string, Row>;
