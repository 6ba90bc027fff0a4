/** As much of an OpenAPI 3.1 document as its check looks at. */
export type OpenApi = {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
};

type Operation = {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema?: object }[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: object }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: object }> }>;
};

/** The operations of a document as the ledger writes them: `GET /applications/:id/api-keys`. */
export function operationsOf({ paths }: OpenApi): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
}

/** What keeps a document from being a whole OpenAPI 3.1 one, a sentence each. */
export function findProblems(document: OpenApi): string[] {
  const problems: string[] = [];
  const { openapi, info, paths, components } = document;
  if (!/^3\.1\.\d+$/.test(openapi)) problems.push(`openapi is ${openapi}`);
  if (!info.title || !info.version) problems.push('info lacks its title or version');
  const ids = new Set<string>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const say = (problem: string) => problems.push(`${method} ${path} ${problem}`);
      checkOperation(path, method, operation, say);
      if (ids.has(operation.operationId ?? '')) say('repeats an operationId');
      ids.add(operation.operationId ?? '');
      for (const scheme of (operation.security ?? []).flatMap(Object.keys)) {
        if (!(scheme in components.securitySchemes)) say(`names the unknown security scheme ${scheme}`);
      }
    }
  }
  for (const reference of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
    if (!exists(document, reference[1]!)) problems.push(`${reference[1]} leads nowhere`);
  }
  return problems;
}

function checkOperation(path: string, method: string, operation: Operation, say: (problem: string) => void): void {
  const { operationId, summary, tags, security, parameters = [], requestBody, responses = {} } = operation;
  if (!operationId || !summary || !tags?.length) say('lacks operationId, summary or tags');
  if (!security) say('does not say which credential it takes');
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const declared = parameters.filter((parameter) => parameter.in === 'path');
  if (declared.map(({ name }) => name).join() !== inPath.join()) say('declares other path parameters than it has');
  if (declared.some(({ required }) => !required)) say('has an optional path parameter');
  if (parameters.some(({ schema }) => !schema)) say('has a parameter without schema');
  if (new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).size !== parameters.length) {
    say('repeats a parameter');
  }
  // A POST may say everything by its path, as accepting an invitation does.
  const hasBody = ['put', 'patch'].includes(method) || requestBody !== undefined;
  if (hasBody && !isDescribed(requestBody?.content)) say('has no body schema');
  const statuses = Object.keys(responses);
  if (!statuses.some((status) => /^[23]/.test(status))) say('has no answer of success');
  for (const [status, { description, content }] of Object.entries(responses)) {
    if (!description) say(`does not describe ${status}`);
    if (status !== '204' && !status.startsWith('3') && !isDescribed(content)) say(`has no schema for ${status}`);
  }
  // Health checks are neither limited nor can they fail.
  if (path.startsWith('/health/')) return;
  // A webhook with a wrong credential is not valid, as one with a wrong signature.
  const isWebhook = responses['400']?.description?.includes('WEBHOOK_INVALID') ?? false;
  const refusals = security?.length && !isWebhook ? ['401', '429', '500', '503'] : ['429', '500', '503'];
  for (const status of refusals) if (!statuses.includes(status)) say(`does not tell of ${status}`);
}

/** Mostly as JSON; an invoice is a file, and a webhook a text that is signed byte for byte. */
function isDescribed(content: Record<string, { schema?: object }> = {}): boolean {
  const types = Object.values(content);
  return types.length > 0 && types.every(({ schema }) => schema !== undefined);
}

function exists(document: object, reference: string): boolean {
  const [root, ...steps] = reference.split('/');
  const target = steps.reduce<unknown>(
    (place, step) => (place as Record<string, unknown> | undefined)?.[step],
    document,
  );
  return root === '#' && target !== undefined;
}
