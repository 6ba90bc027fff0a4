import { uploadFieldsKeyword } from '../lib/content.ts';
import { type Contract, dataOf, type JsonSchema } from '../lib/contract.ts';

const binary: JsonSchema = { type: 'string', format: 'binary' };

/** The body of a request as OpenAPI has it; null without one. */
export function requestBody(contract: Contract): JsonSchema | null {
  const body = dataOf(contract.input.body);
  return body ? { required: true, content: bodyContent(contract, body) } : null;
}

function bodyContent(contract: Contract, body: JsonSchema): JsonSchema {
  switch (contract.takes) {
    case 'json':
      return { 'application/json': { schema: body, ...exampleOf(contract, 'body') } };
    case 'form':
      return { 'application/x-www-form-urlencoded': { schema: body } };
    // A raw body may be of any media type.
    case 'text':
      return { '*/*': { schema: body, ...exampleOf(contract, 'body') } };
    case 'bytes':
      return { '*/*': { schema: binary } };
    case 'stream':
      return uploadContent((body[uploadFieldsKeyword] ?? {}) as JsonSchema);
  }
}

/** A form with the field `file`, or the bytes alone where no other field is required. */
function uploadContent(fields: JsonSchema): JsonSchema {
  const required = (fields.required ?? []) as string[];
  const form = {
    ...fields,
    type: 'object',
    properties: { ...(fields.properties as object | undefined), file: binary },
    required: [...required, 'file'],
  };
  return { 'multipart/form-data': { schema: form }, ...(required.length === 0 && { '*/*': { schema: binary } }) };
}

/** The answers of success by status, as OpenAPI has them. */
export function successes(contract: Contract): Record<string, JsonSchema> {
  const { status, output, mediaType, answers } = contract;
  const content = { [mediaType]: { schema: answerSchema(contract), ...exampleOfAnswer(contract) } };
  const success = { description: descriptions[answers] ?? 'Success', ...(output && { content }) };
  if (answers === 'redirect') return { [status]: { description: 'The address is in Location.' } };
  if (answers !== 'bytes' && answers !== 'stream') return { [status]: success };
  return {
    [status]: success,
    206: { description: 'The part that Range asked for.', content },
    304: { description: 'The client has it already: If-None-Match or If-Modified-Since.' },
  };
}

const descriptions: Partial<Record<Contract['answers'], string>> = {
  events:
    'Server-sent events. Each says that something has changed, which the client then reads. `Last-Event-ID` (or the ' +
    'parameter `lastEventId`) goes on after that event; `reset` asks to read everything again.',
};

function answerSchema({ answers, output }: Contract): JsonSchema | null {
  if (answers === 'json') return dataOf(output) ?? null;
  return answers === 'events' ? { type: 'string' } : binary;
}

/** The example of a media type object: that of the request's body, or that of its answer. */
function exampleOf({ example }: Contract, part: 'body' | 'output'): { example?: unknown } {
  const value = dataOf(example)?.[part];
  return value === undefined ? {} : { example: value };
}

function exampleOfAnswer(contract: Contract): { example?: unknown } {
  return contract.answers === 'json' ? exampleOf(contract, 'output') : {};
}

const names = { type: 'array', items: { type: 'string' } };
const readiness = {
  type: 'object',
  required: ['status', 'missing', 'unavailable'],
  properties: {
    status: { type: 'string', enum: ['ready', 'not ready'] },
    missing: { ...names, description: 'Why this node cannot serve, such as `database`; empty when it can.' },
    unavailable: { ...names, description: 'Services that no node can serve now; their paths answer 503.' },
  },
};
const jsonOf = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } });

/** The paths by which load balancers and supervisors check a node. They are not rate limited. */
export const healthPaths: Record<string, JsonSchema> = {
  '/health/alive': {
    get: {
      operationId: 'health.alive',
      tags: ['health'],
      summary: 'Whether the process runs',
      security: [],
      responses: {
        200: jsonOf('It runs', {
          type: 'object',
          required: ['status'],
          properties: { status: { type: 'string', const: 'alive' } },
        }),
      },
    },
  },
  '/health/ready': {
    get: {
      operationId: 'health.ready',
      tags: ['health'],
      summary: 'Whether the node can serve requests',
      security: [],
      responses: { 200: jsonOf('It can', readiness), 503: jsonOf('It cannot now; try another node', readiness) },
    },
  },
};
