import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ListedAction, openApiDocument } from '../../../gateway/openapi.ts';
import type { Action } from '../../../lib/contract/define-action.ts';
import { fieldDescriptions } from '../../../lib/contract/field-descriptions.ts';
import { findServices, readService } from '../../../runtime/load-service.ts';

type Schema = {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
};
type Media = Record<string, { schema?: Schema | null; example?: unknown }>;
type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};
type Server = { url: string; description?: string };
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  servers?: Server[];
  parameters?: Parameter[];
  requestBody?: { content: Media };
  responses: Record<string, { description: string; content?: Media }>;
};
type Document = {
  info: { description: string };
  servers: Server[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, { description?: string }> };
};

let actions: { name: string; action: Action }[];
let document: Document;
let operations: Operation[];

/** The document of a platform with all services of the repository, without starting them. */
beforeAll(async () => {
  const services = await Promise.all([...(await findServices()).values()].map((file) => readService(file)));
  actions = services.flatMap(({ name, actions: own }) =>
    Object.entries((own ?? {}) as Record<string, Action>).map(([key, action]) => ({ name: `${name}.${key}`, action })),
  );
  const listed = actions.map(({ name, action }) => ({ action: { ...action, name } }) as ListedAction);
  const storage = { name: 'storage', metadata: { servedAt: 'https://files.example.com' } };
  document = JSON.parse(JSON.stringify(openApiDocument(listed, [storage])));
  operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
});

const isBlank = (text: string | undefined): boolean => (text ?? '').trim() === '';

/** All schemas within a part of the document, each with its place. */
function schemasIn(part: unknown, place: string): { place: string; schema: Schema }[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part).flatMap(([key, value]) =>
    // A condition describes no field.
    key === 'example' || key === 'not' ? [] : schemasIn(value, `${place}.${key}`),
  );
  return Array.isArray(part) ? inner : [{ place, schema: part as Schema }, ...inner];
}

const parameters = () =>
  operations.flatMap(({ operationId, parameters: own = [] }) => own.map((one) => ({ operationId, ...one })));

/** The schemas of requests and answers in JSON and forms, each with its place. */
function contents(): { place: string; schema: Schema; example: unknown }[] {
  return operations.flatMap(({ operationId, requestBody, responses }) => {
    const bodies = [['request', requestBody?.content ?? {}] as const];
    const answers = Object.entries(responses).map(([status, { content = {} }]) => [status, content] as const);
    return [...bodies, ...answers].flatMap(([part, content]) =>
      Object.entries(content).flatMap(([type, { schema, example }]) =>
        schema && /json|form/.test(type) ? [{ place: `${operationId} ${part} ${type}`, schema, example }] : [],
      ),
    );
  });
}

describe('the API document describes', () => {
  test('every operation: each action by its own words, which are more than its summary', () => {
    const published = actions.filter(({ action: { rest, contract } }) => rest && contract.answers !== 'html');
    expect(published.length).toBeGreaterThan(150);
    const wrong = published.filter(
      ({ action: { contract } }) => (contract.description ?? '').length <= contract.summary.length,
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
    const others = operations.filter(({ operationId }) => /^(?:oauth|health)\./.test(operationId));
    expect(others.length).toBeGreaterThan(10);
    expect(others.filter(({ summary, description }) => description.length <= summary.length)).toEqual([]);
    const said = published.map(({ action: { contract } }) => contract.description);
    const isOfTemplates = (text: string | undefined) => said.filter((one) => one === text).length === 2;
    expect(said.filter((text) => said.indexOf(text) !== said.lastIndexOf(text) && !isOfTemplates(text))).toEqual([]);
  });

  test('every parameter', () => {
    expect(parameters().length).toBeGreaterThan(200);
    const wrong = parameters().filter(({ description }) => isBlank(description));
    expect(wrong.map(({ operationId, name }) => `${operationId} ${name}`)).toEqual([]);
  });

  test('every field of every schema', () => {
    const fields = schemasIn([document.paths, document.components.schemas], '').flatMap(({ place, schema }) =>
      Object.entries(schema.properties ?? {}).map(([name, field]) => ({ place: `${place} ${name}`, field })),
    );
    expect(fields.length).toBeGreaterThan(500);
    expect(fields.filter(({ field }) => isBlank(field.description)).map(({ place }) => place)).toEqual([]);
  });

  test('every tag, server, security scheme and answer', () => {
    expect(document.tags.length).toBeGreaterThan(8);
    expect(document.tags.filter(({ description = '' }) => description.length < 30)).toEqual([]);
    const servers = [...document.servers, ...operations.flatMap(({ servers: own = [] }) => own)];
    expect(new Set(servers.map(({ url }) => url)).size).toBe(2);
    expect(servers.filter(({ description }) => isBlank(description))).toEqual([]);
    const schemes = Object.values(document.components.securitySchemes);
    expect(schemes.filter(({ description }) => isBlank(description))).toEqual([]);
    const answers = operations.flatMap(({ responses }) => Object.values(responses));
    expect(answers.filter(({ description }) => isBlank(description))).toEqual([]);
    expect(document.info.description.length).toBeGreaterThan(500);
  });

  test('no field that no schema has', () => {
    const text = JSON.stringify(document);
    const unused = [...fieldDescriptions].filter(([, description]) => !text.includes(JSON.stringify(description)));
    expect(unused.map(([name]) => name)).toEqual([]);
  });
});

describe('the API document names', () => {
  test('the schema of every request and answer that is an object', () => {
    const anonymous = contents().filter(
      // The form of an upload is the file and its few fields.
      ({ place, schema }) =>
        !place.endsWith('multipart/form-data') && ['properties', 'anyOf', 'oneOf'].some((key) => key in schema),
    );
    expect(anonymous.map(({ place }) => place)).toEqual([]);
    expect(contents().filter(({ schema }) => schema.$ref !== undefined).length).toBeGreaterThan(1000);
  });

  test('every object in a list', () => {
    const lists = schemasIn([document.paths, document.components.schemas], '').filter(({ schema }) => {
      const items = schema.items as Schema | undefined;
      return schema.type === 'array' && items?.properties !== undefined;
    });
    expect(lists.map(({ place }) => place)).toEqual([]);
  });

  test('requests …Input or …Form, and pages …Page', () => {
    const named = contents().map(({ place, schema }) => [place, String(schema.$ref).split('/').at(-1)!] as const);
    const requests = named.filter(([place, name]) => place.includes(' request ') && name !== 'undefined');
    expect(requests.length).toBeGreaterThan(60);
    expect(requests.filter(([, name]) => !/(?:Input|Form)$/.test(name))).toEqual([]);
    const pages = Object.entries(document.components.schemas).filter(
      ([, { properties = {} }]) => 'nextCursor' in properties,
    );
    expect(pages.length).toBeGreaterThan(25);
    expect(pages.map(([name]) => name).filter((name) => !/(?:Page|Usage)$/.test(name))).toEqual([]);
  });
});

describe('the API document has an example', () => {
  test('of every request with a body', () => {
    const wrong = contents().filter(({ place, example }) => place.includes(' request ') && example === undefined);
    expect(wrong.map(({ place }) => place)).toEqual([]);
  });

  test('of every answer of success in JSON', () => {
    const wrong = contents().filter(
      ({ place, example }) =>
        / 2\d\d application\/json/.test(place) && example === undefined && !/^(?:oauth|health)\./.test(place),
    );
    expect(wrong.map(({ place }) => place)).toEqual([]);
  });

  test('of every required parameter', () => {
    const wrong = parameters().filter(({ required, example }) => required && example === undefined);
    expect(wrong.map(({ operationId, name }) => `${operationId} ${name}`)).toEqual([]);
  });
});
