import type { ServiceBroker } from 'moleculer';
import { type Contract, dataOf, type JsonSchema } from '../lib/contract/contract.ts';
import { type ErrorCode, errorCatalogue } from '../lib/contract/errors.ts';
import { exampleId } from '../lib/contract/examples.ts';
import { fieldDescriptions } from '../lib/contract/field-descriptions.ts';
import { completeContracts, type PackedDocument } from '../lib/contract/service-document.ts';
import { idPattern } from '../lib/data/ids.ts';
import { mebibyte } from '../lib/format/bytes.ts';
import { healthPaths, healthSchemas } from './health-openapi.ts';
import { clientScheme, oauthPaths } from './oauth/openapi.ts';
import { oauthSchemas } from './oauth/openapi-schemas.ts';
import { errorResponse, requestBody, successes } from './openapi-content.ts';
import { errorSchemas, info, mainServer, serverOf, tagDescription } from './openapi-info.ts';
import { credentialsText, securityOf, securitySchemes } from './openapi-security.ts';

type Rest = { method: string; fullPath: string };
type Paths = Record<string, Record<string, JsonSchema>>;

/** An action and a service as the registry lists them. */
export type ListedAction = { action?: { name: string; rest?: Rest; contract?: Contract } };
export type ListedService = { name: string; metadata?: { servedAt?: string; document?: PackedDocument } };

/** The tags of the operations, each with a description. */
function tagsOf(paths: Paths): { name: string; description: string }[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const names = new Set(operations.flatMap(({ tags }) => tags as string[]));
  return [...names].sort().map((name) => ({ name, description: tagDescription(name) }));
}

/** The OpenAPI 3.1 document of all actions that the pool currently serves over HTTP. */
export function servedOpenApi({ registry }: ServiceBroker): JsonSchema {
  const actions = registry.getActionList({ onlyAvailable: true }) as ListedAction[];
  const services = registry.getServiceList({ onlyAvailable: true }) as ListedService[];
  return openApiDocument(completeContracts(actions, services), services);
}

/** The OpenAPI 3.1 document of all actions with a route. */
export function openApiDocument(listed: ListedAction[], services: ListedService[]): JsonSchema {
  const paths: Paths = { ...oauthPaths, ...healthPaths };
  // Services with a separate listener publish its address.
  const addresses = new Map(services.flatMap(({ name, metadata }) => ownAddress(name, metadata?.servedAt)));
  for (const { action } of listed) {
    // Pages are for people.
    if (!action?.rest || !action.contract || action.contract.answers === 'html') continue;
    const path = action.rest.fullPath.replace(/[:*](\w+)/g, '{$1}');
    const service = action.name.slice(0, action.name.indexOf('.'));
    const url = addresses.get(service);
    paths[path] ??= {};
    paths[path][action.rest.method.toLowerCase()] = {
      ...operation(action.name, action.rest, action.contract),
      ...(url !== undefined && elsewhere(serverOf(service, url), action.contract)),
    };
  }
  const shared = shareNamed(Object.fromEntries(inOrder(paths)));
  const schemas = { ...errorSchemas, ...healthSchemas, ...oauthSchemas, ...shared.schemas };
  return {
    openapi: '3.1.0',
    info,
    servers: [mainServer],
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
 * Moves the named schemas, which each operation carries in `$defs`, to the shared components, and describes the fields
 * whose schemas do not. While nodes of two versions run, the first schema of a name represents both.
 */
function shareNamed(paths: Paths): { paths: Paths; schemas: Record<string, JsonSchema> } {
  const schemas: Record<string, JsonSchema> = {};
  const shared = JSON.parse(JSON.stringify(paths), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') return value.replace('#/$defs/', '#/components/schemas/');
    if (key === 'properties') describeFields(value as Record<string, JsonSchema>);
    if (key !== '$defs') return value;
    for (const [name, schema] of Object.entries(value as Record<string, JsonSchema>)) schemas[name] ??= schema;
    return undefined;
  }) as Paths;
  return { paths: shared, schemas };
}

/** Adds the common description of each field that has none. */
function describeFields(properties: Record<string, JsonSchema>): void {
  for (const [name, schema] of Object.entries(properties)) {
    const text = fieldDescriptions.get(name);
    if (text !== undefined && typeof schema === 'object') schema.description ??= text;
  }
}

/**
 * The differences of an operation at another listener than the gateway: its address, and that it accepts no session.
 */
function elsewhere(server: ReturnType<typeof serverOf>, contract: Contract): JsonSchema {
  return { servers: [server], security: securityOf(contract).filter((one) => !('session' in one)) };
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
    description: descriptionOf(contract, body !== null),
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

/** The description of the action, and below it what its declaration says: the credential and the size of the body. */
function descriptionOf(contract: Contract, hasBody: boolean): string {
  const sizes = hasBody ? ` The body has at most ${sizeText(contract.bodyLimitBytes)}.` : '';
  const terms = `${credentialsText(contract)}${sizes}`;
  return contract.description === undefined ? terms : `${contract.description}\n\n${terms}`;
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
  return named.map(([name, { description = fieldDescriptions.get(name), ...propertySchema }]) => ({
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
  if (contract.permission === 'operator' || contract.permission.includes('.')) implied.push('PERMISSION_DENIED');
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
  example: exampleId('org'),
};

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Repeating a request with the same key within 24 hours gives its first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\u0021-\\u007e]+$' },
  example: 'b7a1f0c2-8d35-4c0e-9f6a-2f1d3e5a7c90',
};
