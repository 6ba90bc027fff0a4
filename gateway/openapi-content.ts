import {
  type Contract,
  dataOf,
  type JsonSchema,
  onlyFormKeyword,
  uploadFieldsKeyword,
} from '../lib/contract/contract.ts';
import type { ErrorCode } from '../lib/contract/errors.ts';

const binary: JsonSchema = { type: 'string', format: 'binary' };
const file: JsonSchema = { ...binary, description: 'The file.' };

/** The request body in OpenAPI format; null without one. */
export function requestBody(contract: Contract): JsonSchema | null {
  const body = dataOf(contract.input.body);
  return body ? { required: !contract.bodyOptional, content: bodyContent(contract, body) } : null;
}

function bodyContent(contract: Contract, body: JsonSchema): JsonSchema {
  switch (contract.takes) {
    case 'json':
      return { 'application/json': { schema: body, ...exampleOf(contract, 'body') } };
    case 'form':
      return { 'application/x-www-form-urlencoded': { schema: body, ...exampleOf(contract, 'body') } };
    // A raw body may be of any media type.
    case 'text':
      return { '*/*': { schema: body, ...exampleOf(contract, 'body') } };
    case 'bytes':
      return anyBytes;
    case 'stream':
      return uploadContent(body);
  }
}

// Some client generators do not support the range of all media types.
const anyBytes: JsonSchema = { 'application/octet-stream': { schema: binary }, '*/*': { schema: binary } };

/** A form with the field `file`, or the raw bytes where the action accepts them and no other field is required. */
function uploadContent(body: JsonSchema): JsonSchema {
  const fields = (body[uploadFieldsKeyword] ?? {}) as JsonSchema;
  const required = (fields.required ?? []) as string[];
  const mayBeBytes = required.length === 0 && body[onlyFormKeyword] !== true;
  const form = {
    ...fields,
    type: 'object',
    properties: { ...(fields.properties as object | undefined), file },
    required: [...required, 'file'],
  };
  return {
    'multipart/form-data': { schema: form, example: { file: 'The bytes of the file' } },
    ...(mayBeBytes && anyBytes),
  };
}

/** The responses of success by status, in OpenAPI format. */
export function successes(contract: Contract): Record<string, JsonSchema> {
  const { status, output, mediaType, answers } = contract;
  const content = { [mediaType]: { schema: answerSchema(contract), ...exampleOfAnswer(contract) } };
  const success = { description: descriptions[answers] ?? words[status] ?? 'Success', ...(output && { content }) };
  if (answers === 'redirect') return { [status]: { description: 'The address is in Location.' } };
  if (answers !== 'bytes' && answers !== 'stream') return { [status]: success };
  return {
    [status]: success,
    206: { description: 'The part that Range asked for.', content },
    304: { description: 'The client has it already: If-None-Match or If-Modified-Since.' },
  };
}

const words: Record<number, string> = {
  200: 'The request succeeded.',
  201: 'What the request creates is stored durably.',
  202: 'The request is stored durably and will be carried out.',
  204: 'The request succeeded. There is no body.',
};

const descriptions: Partial<Record<Contract['answers'], string>> = {
  events:
    'Server-sent events. Each says that something has changed, which the client then reads. `Last-Event-ID` (or the ' +
    'parameter `lastEventId`) goes on after that event; `reset` asks to read everything again.',
};

function answerSchema({ answers, output }: Contract): JsonSchema | null {
  if (answers === 'json') return dataOf(output) ?? null;
  return answers === 'events' ? { type: 'string' } : binary;
}

/** The example of a media type object, from the body of the request or from the output of the contract's example. */
function exampleOf({ example }: Contract, part: 'body' | 'output'): { example?: unknown } {
  const value = dataOf(example)?.[part];
  return value === undefined ? {} : { example: value };
}

function exampleOfAnswer(contract: Contract): { example?: unknown } {
  return contract.answers === 'json' ? exampleOf(contract, 'output') : {};
}

/** The error response for codes of the catalogue that share a status. */
export function errorResponse(...codes: ErrorCode[]): JsonSchema {
  return jsonResponse(codes.join(', '), { $ref: '#/components/schemas/Error' });
}

/** A JSON response in OpenAPI format. */
export function jsonResponse(description: string, schema: JsonSchema): JsonSchema {
  return { description, content: { 'application/json': { schema } } };
}
