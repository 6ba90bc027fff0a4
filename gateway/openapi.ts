import type { ServiceBroker } from 'moleculer';
import { cookieName } from '../http/cookies.ts';
import type { Permission } from '../lib/authorize.ts';
import { type Contract, dataOf, type JsonSchema } from '../lib/contract.ts';
import { type ErrorCode, errorCatalogue } from '../lib/errors.ts';
import { settings } from '../lib/settings.ts';
import { healthPaths } from './health-openapi.ts';
import { clientScheme, oauthPaths } from './oauth/openapi.ts';
import { jsonResponse, requestBody, successes } from './openapi-content.ts';

type Rest = { method: string; fullPath: string };
type Listed = { action?: { name: string; rest?: Rest; contract?: Contract } };
type ListedService = { name: string; metadata?: { servedAt?: string } };

/** The OpenAPI 3.1 document of all actions that the pool serves over HTTP now. */
export function openApiDocument(broker: ServiceBroker): JsonSchema {
  const paths: Record<string, JsonSchema> = { ...oauthPaths, ...healthPaths };
  const listed = broker.registry.getActionList({ onlyAvailable: true }) as Listed[];
  const services = broker.registry.getServiceList({ onlyAvailable: true }) as ListedService[];
  // Services with a listener of their own say where clients reach it.
  const addresses = new Map(services.flatMap(({ name, metadata }) => ownAddress(name, metadata?.servedAt)));
  for (const { action } of listed) {
    // Pages are for people.
    if (!action?.rest || !action.contract || action.contract.answers === 'html') continue;
    const path = action.rest.fullPath.replace(/[:*](\w+)/g, '{$1}');
    const url = addresses.get(action.name.slice(0, action.name.indexOf('.')));
    paths[path] ??= {};
    Object.assign(paths[path], {
      [action.rest.method.toLowerCase()]: {
        ...operation(action.name, action.rest, action.contract),
        ...(url !== undefined && elsewhere(url, action.contract)),
      },
    });
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Platform APIs', version: '1.0.0', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: settings.PUBLIC_URL }],
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => one.localeCompare(other))),
    components: { securitySchemes: { ...securitySchemes, client: clientScheme }, schemas: { Error: errorSchema } },
  };
}

/** What differs of an operation at another listener than the gateway: its address, and that it takes no session. */
function elsewhere(url: string, { permission, mayBeOpen }: Contract): JsonSchema {
  return { servers: [{ url }], security: securityOf(permission, mayBeOpen).filter((one) => !('session' in one)) };
}

function ownAddress(name: string, servedAt: unknown): [string, string][] {
  return typeof servedAt === 'string' ? [[name, servedAt]] : [];
}

function operation(name: string, { method, fullPath }: Rest, contract: Contract): JsonSchema {
  const { permission } = contract;
  const body = requestBody(contract);
  return {
    operationId: name,
    tags: [name.split('.')[0]],
    summary: contract.summary,
    ...(permission.includes('.') && { 'x-permission': permission }),
    security: securityOf(permission, contract.mayBeOpen),
    parameters: [
      ...parameters('path', contract, fullPath),
      ...parameters('query', contract, fullPath),
      ...parameters('header', contract, fullPath),
      ...(contract.tenant === 'required' ? [{ ...tenantParameter, required: !contract.mayBeOpen }] : []),
      ...(contract.idempotent ? [idempotencyParameter] : []),
    ],
    ...(body && { requestBody: body }),
    responses: responses(contract, method === 'GET'),
  };
}

/** The credentials of which any one is accepted. An empty requirement means that it also works without one. */
function securityOf(permission: Permission, mayBeOpen: boolean): JsonSchema[] {
  if (permission === 'public') return [];
  const without = mayBeOpen ? [{}] : [];
  if (permission === 'session') return [...without, { session: [] }];
  if (permission === 'user') return [...without, { session: [] }, { accessToken: [] }];
  return [...without, { apiKey: [] }, { accessToken: [] }, { session: [] }];
}

const parts = { path: 'path', query: 'query', header: 'headers' } as const;

function parameters(place: keyof typeof parts, { input, example }: Contract, fullPath: string): JsonSchema[] {
  const schema = dataOf(input[parts[place]]);
  const examples = (dataOf(example)?.[parts[place]] ?? {}) as Record<string, unknown>;
  const required = (schema?.required ?? []) as string[];
  const named = Object.entries((schema?.properties ?? {}) as Record<string, JsonSchema>);
  if (place === 'path')
    for (const [name] of named)
      if (!new RegExp(`[:*]${name}\\b`).test(fullPath)) throw new Error(`${fullPath} has no ${name}.`);
  return named.map(([name, propertySchema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: propertySchema,
    ...(examples[name] !== undefined && { example: examples[name] }),
  }));
}

function responses(contract: Contract, isRead: boolean): JsonSchema {
  const answers = successes(contract);
  for (const [status, codes] of Object.entries(errorsByStatus(contract, isRead))) {
    answers[status] = jsonResponse(codes.join(', '), { $ref: '#/components/schemas/Error' });
  }
  return answers;
}

/** The refusals an action declares and those its kind implies. */
function errorsByStatus(contract: Contract, isRead: boolean): Record<string, ErrorCode[]> {
  const implied: ErrorCode[] = ['RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'];
  if (Object.keys(contract.input).length > 0) implied.push('INPUT_INVALID');
  if (contract.input.body) implied.push('BODY_TOO_LARGE', 'CONTENT_TYPE_UNSUPPORTED');
  if (contract.input.body) implied.push(contract.takes === 'json' ? 'JSON_MALFORMED' : 'REQUEST_MALFORMED');
  if (contract.answers === 'bytes' || contract.answers === 'stream') {
    implied.push('PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE');
  }
  if (contract.permission !== 'public') implied.push('CREDENTIAL_REQUIRED', 'CREDENTIAL_INVALID', 'TENANT_MISMATCH');
  if (contract.permission !== 'public' && !isRead) implied.push('ORIGIN_REFUSED');
  if (contract.permission === 'user') implied.push('USER_REQUIRED', 'PERMISSION_DENIED');
  if (contract.permission === 'session') implied.push('USER_REQUIRED', 'SESSION_REQUIRED');
  if (contract.permission.includes('.')) implied.push('PERMISSION_DENIED');
  if (contract.tenant === 'required') implied.push('TENANT_REQUIRED', 'TENANT_INVALID');
  if (contract.idempotent) implied.push('IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_IN_PROGRESS');
  const byStatus: Record<string, ErrorCode[]> = {};
  for (const code of new Set([...implied, ...contract.errors])) {
    const { status } = errorCatalogue[code];
    byStatus[status] = [...(byStatus[status] ?? []), code].sort();
  }
  return byStatus;
}

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key (svc_live_…) of an application.' },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An OAuth 2.0 access token, of an application or of a client that acts for a user; ' +
      `${settings.PUBLIC_URL}/oauth2/.well-known/openid-configuration tells how to get one.`,
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: cookieName('session'),
    description: "The session of a user's browser; anything but GET also needs the platform's own Origin.",
  },
};

const tenantParameter = {
  name: 'x-tenant-id',
  in: 'header',
  required: true,
  description: "The organization's id; it must be the credential's own.",
  schema: { type: 'string', pattern: '^org_[0-9a-z]{26}$' },
};

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Repeating a request with the same key within 24 hours gives its first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const errorSchema: JsonSchema = {
  type: 'object',
  required: ['error', 'message', 'requestId'],
  properties: {
    error: { type: 'string', enum: Object.keys(errorCatalogue) },
    message: { type: 'string' },
    requestId: { type: 'string' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
    upgradeUrl: { type: 'string', format: 'uri' },
  },
};
