import type { ServiceBroker } from 'moleculer';
import { type Contract, dataOf, type JsonSchema } from '../lib/contract/contract.ts';
import { type ErrorCode, errorCatalogue } from '../lib/contract/errors.ts';
import { idPattern } from '../lib/data/ids.ts';
import { mebibyte } from '../lib/format/bytes.ts';
import { settings } from '../lib/settings/settings.ts';
import { healthPaths, healthSchemas } from './health-openapi.ts';
import { clientScheme, oauthPaths, oauthSchemas } from './oauth/openapi.ts';
import { errorResponse, requestBody, successes } from './openapi-content.ts';
import { credentialsText, securityOf, securitySchemes } from './openapi-security.ts';

type Rest = { method: string; fullPath: string };
type Paths = Record<string, Record<string, JsonSchema>>;
type Listed = { action?: { name: string; rest?: Rest; contract?: Contract } };
type ListedService = { name: string; metadata?: { servedAt?: string } };

const info = {
  title: 'Platform APIs',
  version: '1.0.0',
  description:
    'Identity, access, billing, storage, mail, notifications, customer stories and conversations of one organization ' +
    'and its applications. Errors are JSON with a code of the catalogue in `error`.',
  contact: { name: settings.BRAND_NAME, url: settings.PUBLIC_URL },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const tagDescriptions: Record<string, string> = {
  access: 'Roles, permissions and checks.',
  billing: 'Plans, subscriptions, usage and invoices.',
  connect: 'Conversations with the visitors of websites.',
  context: 'Business events, and the stories that are composed from them.',
  health: 'Whether a node can serve requests.',
  identity: 'Users, organizations, applications and API keys.',
  mail: 'Mail by templates.',
  notification: 'Notifications over the channels of an organization.',
  oauth: 'OAuth 2.0 and OpenID Connect.',
  storage: 'Buckets, objects and their delivery, at the address that each operation names in `servers`.',
};

/** The tags of the operations, each with a description. */
function tagsOf(paths: Paths): { name: string; description: string }[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const names = new Set(operations.flatMap(({ tags }) => tags as string[]));
  return [...names].sort().map((name) => ({ name, description: tagDescriptions[name] ?? `The service ${name}.` }));
}

/** The OpenAPI 3.1 document of all actions that the pool currently serves over HTTP. */
export function openApiDocument(broker: ServiceBroker): JsonSchema {
  const paths: Paths = { ...oauthPaths, ...healthPaths };
  const listed = broker.registry.getActionList({ onlyAvailable: true }) as Listed[];
  const services = broker.registry.getServiceList({ onlyAvailable: true }) as ListedService[];
  // Services with a separate listener publish its address.
  const addresses = new Map(services.flatMap(({ name, metadata }) => ownAddress(name, metadata?.servedAt)));
  for (const { action } of listed) {
    // Pages are for people.
    if (!action?.rest || !action.contract || action.contract.answers === 'html') continue;
    const path = action.rest.fullPath.replace(/[:*](\w+)/g, '{$1}');
    const url = addresses.get(action.name.slice(0, action.name.indexOf('.')));
    paths[path] ??= {};
    paths[path][action.rest.method.toLowerCase()] = {
      ...operation(action.name, action.rest, action.contract),
      ...(url !== undefined && elsewhere(url, action.contract)),
    };
  }
  const shared = shareNamed(Object.fromEntries(inOrder(paths)));
  const schemas = { Error: errorSchema, ...healthSchemas, ...oauthSchemas, ...shared.schemas };
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: settings.PUBLIC_URL }],
    tags: tagsOf(shared.paths),
    paths: shared.paths,
    components: {
      securitySchemes: { ...securitySchemes, client: clientScheme },
      schemas: Object.fromEntries(inOrder(schemas)),
    },
  };
}

const inOrder = <T>(named: Record<string, T>): [string, T][] =>
  Object.entries(named).sort(([one], [other]) => one.localeCompare(other));

/**
 * Moves the named schemas, which each operation carries in `$defs`, to the shared components. While nodes of two
 * versions run, the first schema of a name represents both.
 */
function shareNamed(paths: Paths): { paths: Paths; schemas: Record<string, JsonSchema> } {
  const schemas: Record<string, JsonSchema> = {};
  const shared = JSON.parse(JSON.stringify(paths), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') return value.replace('#/$defs/', '#/components/schemas/');
    if (key !== '$defs') return value;
    for (const [name, schema] of Object.entries(value as Record<string, JsonSchema>)) schemas[name] ??= schema;
    return undefined;
  }) as Paths;
  return { paths: shared, schemas };
}

/**
 * The differences of an operation at another listener than the gateway: its address, and that it accepts no session.
 */
function elsewhere(url: string, contract: Contract): JsonSchema {
  return { servers: [{ url }], security: securityOf(contract).filter((one) => !('session' in one)) };
}

function ownAddress(name: string, servedAt: unknown): [string, string][] {
  return typeof servedAt === 'string' ? [[name, servedAt]] : [];
}

/** Formats a body size, such as `100 KiB`. */
function sizeText(bytes: number): string {
  const unit = bytes % mebibyte === 0 ? mebibyte : 1024;
  return `${(bytes / unit).toLocaleString('en')} ${unit === mebibyte ? 'MiB' : 'KiB'}`;
}

function operation(name: string, { method, fullPath }: Rest, contract: Contract): JsonSchema {
  const { permission } = contract;
  const body = requestBody(contract);
  return {
    operationId: name,
    tags: [name.split('.')[0]],
    summary: contract.summary,
    description: `${credentialsText(contract)}${body ? ` The body has at most ${sizeText(contract.bodyLimitBytes)}.` : ''}`,
    ...(permission.includes('.') && { 'x-permission': permission }),
    security: securityOf(contract),
    parameters: [
      ...parameters('path', contract, fullPath),
      ...parameters('query', contract, fullPath),
      ...parameters('header', contract, fullPath),
      ...(contract.tenant === 'required' ? [{ ...tenantParameter, required: !contract.mayBeOpen }] : []),
      ...(contract.idempotent ? [idempotencyParameter] : []),
    ],
    ...(body && { requestBody: body }),
    responses: responses(contract, method),
  };
}

/** Headers that OpenAPI describes by security schemes and media types; it ignores parameters of these names. */
const ignoredHeaders = ['authorization', 'accept', 'content-type'];

const parts = { path: 'path', query: 'query', header: 'headers' } as const;

function parameters(place: keyof typeof parts, { input, example }: Contract, fullPath: string): JsonSchema[] {
  const schema = dataOf(input[parts[place]]);
  const examples = (dataOf(example)?.[parts[place]] ?? {}) as Record<string, unknown>;
  const required = (schema?.required ?? []) as string[];
  const properties = Object.entries((schema?.properties ?? {}) as Record<string, JsonSchema>);
  const named = properties.filter(([name]) => place !== 'header' || !ignoredHeaders.includes(name));
  if (place === 'path')
    for (const [name] of named)
      if (!new RegExp(`[:*]${name}\\b`).test(fullPath)) throw new Error(`${fullPath} has no ${name}.`);
  return named.map(([name, { description, ...propertySchema }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: propertySchema,
    ...(examples[name] !== undefined && { example: exampleValue(examples[name], propertySchema) }),
  }));
}

/** Converts a number in a query, which is text to the schema, to a number for the document. */
function exampleValue(value: unknown, { type }: JsonSchema): unknown {
  return type === 'integer' || type === 'number' ? Number(value) : value;
}

function responses(contract: Contract, method: string): JsonSchema {
  const answers = successes(contract);
  for (const [status, codes] of Object.entries(errorsByStatus(contract, method))) {
    answers[status] = errorResponse(...codes);
  }
  return answers;
}

/** Errors of all operations: any query may have unknown parameters, any path may be malformed. */
const impliedAlways = [
  'INPUT_INVALID',
  'PATH_INVALID',
  'HEADERS_TOO_LARGE',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
] as const;

/** The errors that an action declares and the errors implied by its kind. */
function errorsByStatus(contract: Contract, method: string): Record<string, ErrorCode[]> {
  const implied: ErrorCode[] = [...impliedAlways];
  // A POST without a declared body rejects one.
  const readsBody = contract.input.body !== undefined || method === 'POST';
  if (readsBody) implied.push('BODY_TOO_LARGE', 'CONTENT_TYPE_UNSUPPORTED', 'REQUEST_TIMEOUT');
  if (readsBody) implied.push(contract.takes === 'json' ? 'JSON_MALFORMED' : 'REQUEST_MALFORMED');
  if (contract.answers === 'bytes' || contract.answers === 'stream') {
    implied.push('PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE');
  }
  if (contract.permission !== 'public') implied.push('CREDENTIAL_REQUIRED', 'CREDENTIAL_INVALID');
  if (contract.permission !== 'public') implied.push('TENANT_INVALID', 'TENANT_MISMATCH');
  if (contract.permission !== 'public' && method !== 'GET') implied.push('ORIGIN_REFUSED');
  if (contract.permission === 'user') implied.push('USER_REQUIRED', 'PERMISSION_DENIED');
  if (contract.permission === 'session') implied.push('USER_REQUIRED', 'SESSION_REQUIRED');
  if (contract.permission.includes('.')) implied.push('PERMISSION_DENIED');
  if (contract.tenant === 'required') implied.push('TENANT_REQUIRED');
  if (contract.idempotent) implied.push('IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_IN_PROGRESS');
  const byStatus: Record<string, ErrorCode[]> = {};
  for (const code of new Set([...implied, ...contract.errors])) {
    const { status } = errorCatalogue[code];
    byStatus[status] = [...(byStatus[status] ?? []), code].sort();
  }
  return byStatus;
}

const tenantParameter = {
  name: 'x-tenant-id',
  in: 'header',
  required: true,
  description: "The organization's id; it must be the credential's own.",
  schema: { type: 'string', pattern: idPattern('org').source },
};

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Repeating a request with the same key within 24 hours gives its first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\u0021-\\u007e]+$' },
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
