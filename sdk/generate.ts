import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';

type Json = Record<string, unknown>;
type Operation = {
  tags: string[];
  servers?: unknown;
  summary: string;
  description: string;
  parameters?: { name: string; in: string; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, Json> };
  responses: Record<string, { content?: Record<string, Json> }>;
};

/** The API document, of which the client needs the operations and the schemas. */
export type ApiDocument = {
  openapi: string;
  info: unknown;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};

const note = 'Written by `npm run generate` from the API document.';

/**
 * The files of the client that follow from the API document, by path from the root. `safe` are the operations that
 * change nothing although they are not GET, such as `POST /access/check`.
 *
 * `openapi-typescript` needs the JavaScript API of TypeScript 5, which TypeScript 7 does not have. So the client is an
 * npm workspace with TypeScript 5, which generates only; `pack.ts` compiles with TypeScript 7.
 */
export async function sdkFiles(document: ApiDocument, safe: string[]): Promise<[string, string][]> {
  const paths = Object.fromEntries(Object.entries(document.paths).flatMap(withoutOAuth).sort(byName));
  return [
    ['sdk/src/api.ts', await typesOf({ ...document, paths })],
    ['sdk/src/operations.ts', operationSets(paths, safe)],
  ];
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);

/** OAuth has libraries. */
function withoutOAuth([path, methods]: [string, Record<string, Operation>]): [string, Record<string, Operation>][] {
  const own = Object.entries(methods).filter(([, { tags }]) => !tags.includes('oauth'));
  return own.length === 0 ? [] : [[path, Object.fromEntries(own.sort(byName))]];
}

async function typesOf({ openapi, info, paths, components }: ApiDocument): Promise<string> {
  const mapped = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, essential(operation)])),
  ]);
  const used = { openapi, info, paths: Object.fromEntries(mapped), components: { schemas: components.schemas } };
  const types = await openapiTypes(onlyTypes(withoutUnused(used)) as OpenAPI3, {
    alphabetize: true,
    // A field with a default value is optional in a request.
    defaultNonNullable: false,
  });
  return `/** The types of the API. ${note} */\n\n${compact(astToString(types))}`;
}

/** Drops what says that something is absent, which is half of the text. */
function compact(text: string): string {
  return text
    .replace(/^ *headers: \{\n *\[name: string\]: unknown;\n *\};\n/gm, '')
    .replace(/^ *\w+\?: never;\n/gm, '')
    .replace(/^ {8}parameters: \{\n {8}\};\n/gm, '')
    .replace(/\{\n *\}/g, '{}')
    .replace(/^(?: {4})+/gm, (indent) => ' '.repeat(indent.length / 2));
}

/** Headers that the client sends by itself. */
const ownHeaders = ['x-tenant-id', 'Idempotency-Key'];

/** Keeps the parts that types are made of. Errors have one type, and the client reads no content other than JSON. */
function essential({ summary, description, parameters = [], requestBody, responses }: Operation): object {
  return {
    summary,
    description,
    parameters: parameters.filter(({ name }) => !ownHeaders.includes(name)),
    ...(requestBody && { requestBody: { ...requestBody, content: contentOf(requestBody.content) } }),
    responses: Object.fromEntries(
      Object.entries(responses)
        .filter(([status]) => isSuccess(status))
        .map(([status, response]) => [
          status,
          { description: '', ...(response.content && { content: contentOf(response.content) }) },
        ]),
    ),
  };
}

const isSuccess = (status: string) => status.startsWith('2') && status !== '206';

function contentOf(content: Record<string, Json>): Json {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema }]) => [type, { schema: type === 'application/json' ? schema : {} }]),
  );
}

/** Drops examples, and alternatives that differ in their required fields alone, which have no type. */
function onlyTypes<T>(document: T): T {
  const isDropped = (key: string, value: unknown) =>
    key === 'example' || ((key === 'oneOf' || key === 'anyOf') && (value as Json[]).every(isRequirement));
  return JSON.parse(JSON.stringify(document, (key, value) => (isDropped(key, value) ? undefined : value)));
}

function isRequirement(schema: Json): boolean {
  return Object.keys(schema).every((key) => ['required', 'anyOf', 'oneOf'].includes(key));
}

/** Drops the schemas that no operation refers to; errors are thrown, so none refers to their schema. */
function withoutUnused<T extends { paths: unknown; components: { schemas: Record<string, Json> } }>(document: T): T {
  const { schemas } = document.components;
  const used = new Set(['Error', ...referencesIn(document.paths)]);
  // The iteration visits names that are added during it.
  for (const name of used) for (const inner of referencesIn(schemas[name])) used.add(inner);
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  return { ...document, components: { schemas: Object.fromEntries(kept) } };
}

function referencesIn(part: unknown): string[] {
  const text = JSON.stringify(part) ?? '';
  return [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name);
}

/** The module with the operations that the client treats differently. */
function operationSets(paths: ApiDocument['paths'], safe: string[]): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const namesOf = (fits: (operation: Operation) => boolean) =>
    operations.filter(({ operation }) => fits(operation)).map(({ name }) => name);
  const isKeyed = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'Idempotency-Key');
  const isRaw = ({ responses }: Operation) =>
    Object.entries(responses).some(
      ([status, { content }]) => isSuccess(status) && content && !('application/json' in content),
    );
  const atStorage = operations.filter(({ operation }) => operation.servers !== undefined).map(({ path }) => path);
  return [
    `/** The operations that the client treats differently. ${note} */\n`,
    setOf('keyedOperations', 'Operations that take an `Idempotency-Key`.', namesOf(isKeyed)),
    setOf('safeOperations', 'Operations that change nothing although they are not GET.', [...safe].sort()),
    setOf('rawOperations', 'Operations that answer another type than JSON.', namesOf(isRaw)),
    setOf('storagePaths', 'Paths at the address of the storage API.', [...new Set(atStorage)]),
  ].join('\n');
}

function setOf(name: string, description: string, members: string[]): string {
  const lines = members.map((member) => `  '${member}',\n`).join('');
  return `/** ${description} */\nexport const ${name}: ReadonlySet<string> = new Set([\n${lines}]);\n`;
}
