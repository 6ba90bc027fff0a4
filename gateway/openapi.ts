import type { ServiceBroker } from 'moleculer';
import type { Permission } from '../lib/authorize.ts';
import type { Contract, JsonSchema } from '../lib/contract.ts';
import { type ErrorCode, errorCatalogue } from '../lib/errors.ts';
import { settings } from '../lib/settings.ts';
import { cookieName } from './cookies.ts';

type Rest = { method: string; fullPath: string };
type Listed = { action?: { name: string; rest?: Rest; contract?: Contract } };

/** The OpenAPI 3.1 document of all actions that the pool serves over HTTP now. */
export function openApiDocument(broker: ServiceBroker): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  const listed = broker.registry.getActionList({ onlyAvailable: true }) as Listed[];
  for (const { action } of listed) {
    if (!action?.rest || !action.contract) continue;
    const path = action.rest.fullPath.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    Object.assign(paths[path], {
      [action.rest.method.toLowerCase()]: operation(action.name, action.rest, action.contract),
    });
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Platform APIs', version: '1.0.0', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: settings.PUBLIC_URL }],
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => one.localeCompare(other))),
    components: { securitySchemes, schemas: { Error: errorSchema } },
  };
}

function operation(name: string, { method, fullPath }: Rest, contract: Contract): JsonSchema {
  const { input, permission } = contract;
  return {
    operationId: name,
    tags: [name.split('.')[0]],
    summary: contract.summary,
    ...(permission.includes('.') && { 'x-permission': permission }),
    // An empty requirement means that it also works without a credential.
    security: [...(contract.signed ? [{}] : []), ...securityOf(permission)],
    parameters: [
      ...parameters('path', input.path, fullPath),
      ...parameters('query', input.query, fullPath),
      ...parameters('header', input.headers, fullPath),
      ...(contract.tenant === 'required' ? [tenantParameter] : []),
      ...(contract.idempotent ? [idempotencyParameter] : []),
    ],
    ...(input.body && { requestBody: { required: true, content: { [bodyType(contract)]: { schema: input.body } } } }),
    responses: responses(contract, method === 'GET'),
  };
}

/** A raw body may be of any content type. */
function bodyType({ takes }: Contract): string {
  return takes === 'text' ? '*/*' : 'application/json';
}

/** The credentials of which any one is accepted. */
function securityOf(permission: Permission): JsonSchema[] {
  if (permission === 'public') return [];
  if (permission === 'session') return [{ session: [] }];
  if (permission === 'user') return [{ session: [] }, { accessToken: [] }];
  return [{ apiKey: [] }, { accessToken: [] }, { session: [] }];
}

function parameters(
  place: 'path' | 'query' | 'header',
  schema: JsonSchema | undefined,
  fullPath: string,
): JsonSchema[] {
  const required = (schema?.required ?? []) as string[];
  const named = Object.entries((schema?.properties ?? {}) as Record<string, JsonSchema>);
  if (place === 'path')
    for (const [name] of named) if (!fullPath.includes(`:${name}`)) throw new Error(`${fullPath} has no :${name}.`);
  return named.map(([name, propertySchema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: propertySchema,
  }));
}

function responses(contract: Contract, isRead: boolean): JsonSchema {
  const answers: Record<string, JsonSchema> = {
    [contract.status]: {
      description: 'Success',
      ...(contract.output && { content: { [contract.answers]: { schema: answerSchema(contract) } } }),
    },
  };
  for (const [status, codes] of Object.entries(errorsByStatus(contract, isRead))) {
    answers[status] = {
      description: codes.join(', '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  return answers;
}

function answerSchema({ answers, output }: Contract): JsonSchema | null {
  return answers === 'application/json' ? output : { type: 'string', format: 'binary' };
}

/** The refusals an action declares and those its kind implies. */
function errorsByStatus(contract: Contract, isRead: boolean): Record<string, ErrorCode[]> {
  const implied: ErrorCode[] = ['RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'];
  if (Object.keys(contract.input).length > 0) implied.push('INPUT_INVALID');
  if (contract.input.body) implied.push('BODY_TOO_LARGE', 'CONTENT_TYPE_UNSUPPORTED');
  if (contract.input.body) implied.push(contract.takes === 'text' ? 'REQUEST_MALFORMED' : 'JSON_MALFORMED');
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
