import type { JsonSchema } from '../../lib/contract/contract.ts';

export type Parameter = {
  name: string;
  place: 'path' | 'query' | 'header';
  isRequired: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
};

/** A body of a request or an answer. */
export type Content = { mediaType: string; schema: JsonSchema; example?: unknown };

/** An endpoint as the reference shows it. */
export type Operation = {
  id: string;
  tag: string;
  method: string;
  path: string;
  /** The address of the listener that serves it. */
  server: string;
  /** Whether the gateway serves it, which also serves the documentation. */
  isHere: boolean;
  summary: string;
  description: string;
  /** The names of the accepted credentials; empty for none. */
  credentials: string[];
  parameters: Parameter[];
  body: Content | null;
  answers: { status: string; description: string; content: Content | null }[];
  errors: { status: string; description: string }[];
};

export type Api = {
  operations: Operation[];
  tags: { name: string; description: string }[];
  schemas: Record<string, JsonSchema>;
};

type Described = { content?: Record<string, { schema?: JsonSchema; example?: unknown }>; description?: string };
type RawParameter = {
  name: string;
  in: Parameter['place'];
  required?: boolean;
  description?: string;
  schema?: JsonSchema;
  example?: unknown;
};
type RawOperation = {
  operationId: string;
  tags: string[];
  summary?: string;
  description?: string;
  security?: Record<string, unknown>[];
  servers?: { url: string }[];
  parameters?: RawParameter[];
  requestBody?: Described;
  responses: Record<string, Described>;
};
type Document = {
  servers: { url: string }[];
  tags: Api['tags'];
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, JsonSchema> };
};

/** Reads the endpoints of an OpenAPI document, in its order. */
export function readApi(openApi: JsonSchema): Api {
  const document = openApi as unknown as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => readOperation(document, path, method, raw)),
  );
  return { operations, tags: document.tags, schemas: document.components.schemas };
}

function readOperation(document: Document, path: string, method: string, raw: RawOperation): Operation {
  const responses = Object.entries(raw.responses).map(([status, one]) => ({
    status,
    description: one.description ?? '',
    content: contentOf(one),
  }));
  return {
    id: raw.operationId,
    tag: raw.tags[0] ?? '',
    method: method.toUpperCase(),
    path,
    server: raw.servers?.[0]?.url ?? document.servers[0]?.url ?? '',
    isHere: raw.servers === undefined,
    summary: raw.summary ?? raw.operationId,
    description: raw.description ?? '',
    credentials: (raw.security ?? []).flatMap((one) => Object.keys(one)),
    parameters: (raw.parameters ?? []).map(readParameter),
    body: raw.requestBody ? contentOf(raw.requestBody) : null,
    answers: responses.filter(({ status }) => status < '400'),
    errors: responses.filter(({ status }) => status >= '400'),
  };
}

function readParameter({ name, in: place, required = false, description = '', schema = {}, example }: RawParameter) {
  return { name, place, isRequired: required, description, schema, ...(example !== undefined && { example }) };
}

/** The first of the accepted media types. */
function contentOf({ content = {} }: Described): Content | null {
  const [first] = Object.entries(content);
  if (!first) return null;
  const [mediaType, { schema = {}, example }] = first;
  return { mediaType, schema, ...(example !== undefined && { example }) };
}
