import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { send } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';

type Schema = Record<string, unknown>;
type Parameter = { name: string; in: string; schema: Schema; example?: unknown };
type Media = { content?: Record<string, { schema: Schema }> };
type Operation = {
  description?: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: Media & { required: boolean };
  responses: Record<string, Media>;
  security: Record<string, string[]>[];
};
type Document = {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
};

let own: Client;
let document: Document;
let operations: [string, Operation][];

beforeAll(async () => {
  own = await newTenantClient();
  document = (await send<Document>(own.url, { path: '/openapi.json' })).body;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
});

/** All schemas in a part of the document, with those within others. */
function schemasIn(part: unknown): Schema[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part).flatMap(([key, value]) => (key === 'example' ? [] : schemasIn(value)));
  return Array.isArray(part) ? inner : [part as Schema, ...inner];
}

const parametersIn = (place: string): [string, Parameter][] =>
  operations.flatMap(([name, { parameters = [] }]) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter): [string, Parameter] => [`${name} ${parameter.name}`, parameter]),
  );

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

describe('the schemas', () => {
  test('have patterns that validators of all languages understand', () => {
    const patterns = schemasIn(document).flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : []));
    expect(patterns.length).toBeGreaterThan(300);
    const special = /\\[pPbBkdDwWsSxc]|\\[1-9]|\(\?/;
    const wrong = patterns.filter((one) => special.test(one) || !compiles(one, '') || !compiles(one, 'u'));
    expect(wrong).toEqual([]);
  });

  test('of whole numbers in queries are integers with bounds, and their examples are numbers', () => {
    const digits = parametersIn('query').filter(([, { schema }]) => /^\^\[[01]-9\]/.test(String(schema.pattern)));
    expect(digits.map(([name]) => name)).toEqual([]);
    const numbers = parametersIn('query').filter(([, { schema }]) => schema.type === 'integer');
    expect(numbers.length).toBeGreaterThan(30);
    const wrong = numbers.filter(([, { schema, example }]) => {
      const isText = example !== undefined && typeof example !== 'number';
      return schema.minimum === undefined || schema.pattern !== undefined || isText;
    });
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  test('of parameters in paths have patterns, which the examples match', () => {
    const wrong = parametersIn('path').filter(
      ([, { schema, example }]) => typeof schema.pattern !== 'string' || !new RegExp(schema.pattern).test(`${example}`),
    );
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  test('are written once where they have a name', () => {
    const named = Object.entries(document.components.schemas);
    expect(named.map(([name]) => name)).toEqual(expect.arrayContaining(['ApiKey', 'ApiKeyPage', 'Bucket', 'Error']));
    const texts = new Map(named.map(([name, schema]) => [JSON.stringify(schema), name]));
    expect(texts.size).toBe(named.length);
    const again = schemasIn(document.paths).flatMap((schema) => texts.get(JSON.stringify(schema)) ?? []);
    expect(again).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  /** The schema of a body, which has a name. */
  const bodyOf = (path: string) => {
    const { $ref } = document.paths[path]!.post!.requestBody!.content!['application/json']!.schema;
    const name = String($ref).replace('#/components/schemas/', '');
    return document.components.schemas[name] as { oneOf?: Schema[]; properties: Record<string, Schema> };
  };

  test('say of which fields one is sent', () => {
    expect(bodyOf('/access/check').oneOf).toEqual([{ required: ['userId'] }, { required: ['applicationId'] }]);
    const { parameters = [] } = document.paths['/v1/connect/blocks']!.delete!;
    const said = parameters.filter((one) => 'description' in one && /exactly one of/i.test(String(one.description)));
    expect(said.map(({ name }) => name)).toEqual(['visitorId', 'customerId', 'address']);
  });

  test('say that a mail has a body, and that one endpoint takes files by forms alone', () => {
    const { anyOf } = bodyOf('/v1/mail/templates') as Schema;
    expect(anyOf).toEqual([
      { required: ['starter'] },
      {
        required: ['name', 'subject'],
        anyOf: [{ required: ['html'] }, { required: ['mjml'] }, { required: ['text'] }],
      },
    ]);
    const uploads = [document.paths['/v1/upload']!.post!, document.paths['/v1/objects/{bucket}/{key}']!.put!];
    expect(uploads.map(({ requestBody }) => Object.keys(requestBody!.content!))).toEqual([
      ['multipart/form-data'],
      ['multipart/form-data', 'application/octet-stream', '*/*'],
    ]);
  });

  test.each<[string, string, string[], string[]]>([
    [
      '/applications/{id}/api-keys',
      'scopes',
      ['svc:read', 'shop.orders.refund'],
      ['', 'svc:root', 'shop', 'a.b.c.d.e', 'Shop.Orders', 'openid'],
    ],
    ['/applications/{slug}/oauth-client', 'scopes', ['openid', 'offline_access', 'svc:admin'], ['address', 'openid ']],
    [
      '/v1/presign',
      'mimeType',
      ['image/png', 'IMAGE/PNG', 'text/html; charset=utf-8'],
      ['', 'image', 'image/', 'a/b\n'],
    ],
    [
      '/v1/connect/sites',
      'allowedOrigins',
      ['https://shop.example.com', 'http://localhost:3000', 'https://*.example.com', 'http://[::1]:3000'],
      ['shop', 'https://shop.example.com/', 'ftp://shop.example.com', 'https://*', 'https://a;b'],
    ],
    ['/v1/buckets', 'corsOrigins', ['*', 'https://app.example.com'], ['app', 'https://a/', 'https://*.a.b']],
    ['/v1/conversations/{id}/notes', 'text', ['a', ' a'], ['', ' ', '\n', '\u3000']],
  ])('of %s tell which %s are valid', (path, field, valid, invalid) => {
    const { items, ...property } = bodyOf(path).properties[field]!;
    const schemas = schemasIn(items ?? property).filter(({ pattern, const: only }) => pattern ?? only);
    const isValid = (text: string) => {
      const fits = schemas.map(({ pattern, const: only }) => only === text || new RegExp(`${pattern}`).test(text));
      return 'anyOf' in ((items as Schema) ?? {}) ? fits.some(Boolean) : fits.every(Boolean);
    };
    expect(schemas.length).toBeGreaterThan(0);
    expect(valid.filter((text) => !isValid(text))).toEqual([]);
    expect(invalid.filter(isValid)).toEqual([]);
  });
});

describe('the operations', () => {
  test('have descriptions, and tags that are described', () => {
    const tags = document.tags.map(({ name }) => name);
    const wrong = operations.filter(
      ([, { description, tags: of }]) => !description || !of.every((tag) => tags.includes(tag)),
    );
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  test('name no header that OpenAPI ignores, and only known security schemes', () => {
    const ignored = parametersIn('header').filter(([, { name }]) =>
      /^(?:accept|authorization|content-type)$/i.test(name),
    );
    expect(ignored.map(([name]) => name)).toEqual([]);
    const schemes = operations.flatMap(([, { security }]) => security.flatMap((one) => Object.keys(one)));
    expect(Object.keys(document.components.securitySchemes)).toEqual(expect.arrayContaining([...new Set(schemes)]));
    expect(document.paths['/v1/widget/messages']!.post!.security).toEqual([{ visitor: [] }]);
  });

  test('tell of what any request may be refused with', () => {
    const refusals = ['400', '429', '431', '500', '503'];
    const wrong = operations.filter(([name, { responses }]) =>
      (/ \/(?:health|oauth2\/\.well-known)\//.test(name) ? ['431'] : refusals).some((status) => !(status in responses)),
    );
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  test('require the body that the endpoint requires, and no other', () => {
    const optional = operations.filter(([, { requestBody }]) => requestBody?.required === false);
    expect(optional.map(([name]) => name).sort()).toEqual(['post /oauth2/userinfo', 'post /v1/orgs/{orgId}/cancel']);
  });
});

describe('the answers of OAuth have a documented status and media type', () => {
  const form = (body: string) => ['application/x-www-form-urlencoded', body] as const;
  const json = ['application/json', '{}'] as const;
  const nothing = [null, undefined] as const;
  test.each<[string, string, number, readonly [string | null, string | undefined]]>([
    ['GET', '/oauth2/auth', 400, nothing],
    ['GET', '/oauth2/auth?client_id=a&client_id=b', 400, nothing],
    ['POST', '/oauth2/auth', 303, form('client_id=a')],
    ['POST', '/oauth2/auth', 400, form('client_id=a&client_id=b')],
    ['POST', '/oauth2/auth', 415, json],
    ['POST', '/oauth2/token', 400, form('grant_type=refresh_token')],
    ['POST', '/oauth2/token', 413, form('a'.repeat(60_000))],
    ['POST', '/oauth2/introspect', 400, form('token=a&token=b')],
    ['POST', '/oauth2/introspect', 401, form('token=a')],
    ['POST', '/oauth2/introspect', 415, json],
    ['POST', '/oauth2/revoke', 401, form('token=a')],
    ['POST', '/oauth2/revoke', 413, form('a'.repeat(60_000))],
    ['POST', '/oauth2/revoke', 415, json],
    ['GET', '/oauth2/userinfo', 401, nothing],
    ['POST', '/oauth2/userinfo', 401, nothing],
    ['POST', '/oauth2/userinfo', 401, form('access_token=a')],
    ['POST', '/oauth2/userinfo', 415, json],
    ['GET', '/oauth2/session/end', 303, nothing],
    ['POST', '/oauth2/session/end', 303, form('state=a')],
    ['POST', '/oauth2/session/end', 400, form('state=a&state=b')],
    ['POST', '/oauth2/session/end', 415, json],
    ['GET', '/oauth2/.well-known/jwks.json', 200, nothing],
    ['GET', '/oauth2/.well-known/openid-configuration', 200, nothing],
  ])('%s %s is answered %i', async (method, path, status, [type, body]) => {
    const answer = await own.send(method, path, body, { authorization: null, 'content-type': type });
    expect(answer.status).toBe(status);
    const { content } = document.paths[path.split('?')[0]!]![method.toLowerCase()]!.responses[status]!;
    const mediaType = String(answer.headers['content-type']).split(';')[0]!;
    if (content) expect(Object.keys(content)).toContain(mediaType);
    else expect(status).toBe(303);
  });
});
