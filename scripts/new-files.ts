import { capitalize } from '../lib/format/capitalize.ts';

/** The files that `npm run new` writes, by path from the root; the first has the table of actions. */
type Files = Record<string, string>;

/** `gift-card` as `GiftCard`, or as `giftCard`. */
export function titleCase(name: string, isType = true): string {
  const joined = name.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
  return isType ? capitalize(joined) : joined;
}

const words = (name: string) => name.replaceAll('-', ' ');
/** The letters of an id's prefix: `gift-card` is `giftcard`. */
const prefixOf = (name: string) => name.replaceAll('-', '').slice(0, 20);

export function serviceFiles(service: string, thing: string): Files {
  const Thing = titleCase(thing);
  const variable = titleCase(service, false);
  const permissions = { read: `${service}.read`, write: `${service}.write` };
  return {
    [`services/${service}/${service}.service.ts`]: `import type { ServiceSchema } from 'moleculer';
import { mongo } from '../../mixins/mongo.ts';
import { ${Thing}Model } from '../../models/${service}/${thing}.ts';
import { eraseOrganization, ${titleCase(thing, false)}Actions } from './${thing}s.ts';

/** Keeps the ${words(thing)}s of organizations. */
const ${variable}: ServiceSchema = {
  name: '${service}',
  metadata: {
    permissions: {
      '${permissions.read}': { reads: true, description: 'Read ${words(thing)}s' },
      '${permissions.write}': { reads: false, description: 'Create ${words(thing)}s' },
    },
    erases: 'organizations.erase',
  },
  mixins: [mongo(${Thing}Model)],
  actions: {
    ...${titleCase(thing, false)}Actions,
    'organizations.erase': eraseOrganization,
  },
};

export default ${variable};
`,
    ...resourceFiles(service, thing, { erases: true, permissions }),
    [`services/${service}/README.md`]: `# ${titleCase(service)}

Keeps the ${words(thing)}s of organizations.

| file | content |
| --- | --- |
| \`${thing}s.ts\` | creates, lists and erases ${words(thing)}s |

Collection: \`${service}_${thing.replaceAll('-', '_')}s\`, one document for each ${words(thing)}.
`,
  };
}

/** The permissions that the endpoints of a resource require. */
export type Permissions = { read: string; write: string };

export function endpointFiles(service: string, thing: string, permissions: Permissions): Files {
  return resourceFiles(service, thing, { erases: false, permissions });
}

type Options = { erases: boolean; permissions: Permissions };

function resourceFiles(service: string, thing: string, { erases, permissions }: Options): Files {
  const [Thing, variable] = [titleCase(thing), titleCase(thing, false)];
  const collection = `${service}_${thing.replaceAll('-', '_')}s`;
  const path = `/v1/${service}/${thing}s`;
  const prefix = prefixOf(thing);
  const example = `${prefix}_01kjpy44e04nvnz9447qctf18y`;
  return {
    [`services/${service}/${thing}s.ts`]: `import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { decodeCursor, pageOf, pageQuery, singleLine, timestamp, toPage } from '../../lib/contract/input.ts';
import { now } from '../../lib/data/clock.ts';
${erases ? "import { deleteInBatches } from '../../lib/data/collection.ts';\n" : ''}import { type ${Thing}Document, ${Thing}Model, ${variable}Prefix } from '../../models/${service}/${thing}.ts';

const maxNameLength = 100;

const output = z.strictObject({ id: z.string(), name: z.string(), createdAt: timestamp }).meta({ id: '${Thing}' });
const example = { id: '${example}', name: 'First', createdAt: '2026-03-01T09:30:00.000Z' };

function to${Thing}Response({ _id, name, createdAt }: ${Thing}Document): z.output<typeof output> {
  return { id: _id, name, createdAt: createdAt.toISOString() };
}

/** POST ${path}: creates a ${words(thing)}. */
export const create${Thing} = defineAction({
  rest: 'POST ${path}',
  summary: 'Create a ${words(thing)}',
  description: 'Creates a ${words(thing)}. A repetition with the same \`Idempotency-Key\` gets the first answer.',
  permission: '${permissions.write}',
  tenant: 'required',
  input: { body: z.strictObject({ name: singleLine(maxNameLength) }).meta({ id: '${Thing}Input' }) },
  output,
  status: 201,
  idempotent: {
    async resume({ caller: { orgId }, operation }) {
      const made = await ${Thing}Model.findOne({ orgId, _id: operation.newId(${variable}Prefix) }).lean<${Thing}Document>();
      return made && to${Thing}Response(made);
    },
  },
  example: { body: { name: 'First' }, output: example },
  async handler({ body: { name }, caller: { orgId }, operation, ctx }) {
    const made = { _id: operation.newId(${variable}Prefix), orgId, name, createdAt: now() };
    await recordAuditEvent(ctx, { action: '${thing}.created', orgId, target: { type: '${thing}', id: made._id } });
    await ${Thing}Model.create(made);
    return to${Thing}Response(made);
  },
});

/** GET ${path}: the ${words(thing)}s of the organization, the newest first. */
export const list${Thing}s = defineAction({
  rest: 'GET ${path}',
  summary: 'List ${words(thing)}s',
  description: "Returns the organization's ${words(thing)}s, the newest first.",
  permission: '${permissions.read}',
  tenant: 'required',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(output),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [example], nextCursor: null } },
  async handler({ query: { limit, cursor }, caller: { orgId } }) {
    const [before] = decodeCursor(cursor, 1) ?? [];
    const found = await ${Thing}Model.find({ orgId, ...(before === undefined ? {} : { _id: { $lt: before } }) })
      .sort({ _id: -1 })
      .limit(limit + 1)
      .lean<${Thing}Document[]>();
    return toPage(found, limit, ({ _id }) => [_id], to${Thing}Response);
  },
});
${
  erases
    ? `
const maxPerCall = 10_000;

/** \`${service}.organizations.erase\`: removes the ${words(thing)}s of an organization; called until it is complete. */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's ${words(thing)}s",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string() }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId } }) {
    return { isComplete: (await deleteInBatches(${Thing}Model, { orgId }, maxPerCall)) < maxPerCall };
  },
});
`
    : ''
}
export const ${variable}Actions = {
  '${thing}s.create': create${Thing},
  '${thing}s.list': list${Thing}s,
};
`,
    [`models/${service}/${thing}.ts`]: `import { model, Schema } from 'mongoose';
import { declareIdPrefix } from '../../lib/data/ids.ts';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

export const ${variable}Prefix = declareIdPrefix('${prefix}', '${collection}');

export type ${Thing}Document = { _id: string; orgId: string; name: string; createdAt: Date };

const schema = new Schema<${Thing}Document>(
  {
    _id: String,
    orgId: { type: String, required: true },
    name: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: '${collection}', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });

export const ${Thing}Model = model('${titleCase(service)}${Thing}', schema);
`,
    [`test/integration/${service}/${thing}s.test.ts`]: `import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';

let url: string;
let [client, reader, stranger] = [] as unknown as [Client, Client, Client];
beforeAll(async () => {
  const platform = await sharedPlatform();
  url = platform.url;
  const database = await databaseUrlOf(platform);
  const withScopes = async (scopes: string[]) => clientOf({ ...(await createTenant(database, { scopes })), url });
  client = await withScopes(['${permissions.read}', '${permissions.write}']);
  reader = await withScopes(['${permissions.read}']);
  stranger = await withScopes(['${permissions.read}']);
});

const path = '${path}';
const list = async (of: Client) => (await of.send<{ data: { name: string }[] }>('GET', path)).body.data;

describe('POST ${path}', () => {
  test('creates a ${words(thing)}, once for an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const first = await client.send<{ id: string }>('POST', path, { name: 'First' }, headers);
    expect(first).toMatchObject({ status: 201, body: { name: 'First' } });
    expect((await client.send('POST', path, { name: 'First' }, headers)).body).toEqual(first.body);
    expect(await list(client)).toEqual([first.body]);
    expect(await list(stranger)).toEqual([]);
  });

  test.each([{}, { name: '' }, { name: 'x'.repeat(101) }, { name: 'x', extra: 1 }])('refuses %j', async (body) => {
    const before = await list(client);
    expect(await client.send('POST', path, body)).toMatchObject({ status: 400, body: { error: 'INPUT_INVALID' } });
    expect(await list(client)).toEqual(before);
  });

  test('needs a credential with ${permissions.write}', async () => {
    expect((await reader.send('POST', path, { name: 'x' })).status).toBe(403);
    const headers = { 'Content-Type': 'application/json' };
    expect((await fetch(url + path, { method: 'POST', headers, body: '{"name":"x"}' })).status).toBe(401);
    expect(await list(reader)).toEqual([]);
  });
});
`,
  };
}

export function pageFiles(service: string, name: string): Files {
  const variable = titleCase(name, false);
  const path = `/${service}/${name}`;
  const title = capitalize(words(name));
  return {
    [`services/${service}/pages/${name}.ts`]: `import { catalogue } from '../../../web/catalogue.ts';
import { userPage } from '../../../web/define-page.ts';
import { html } from '../../../web/html.ts';
import { renderServicePage } from '../../../web/user-page.ts';

const texts = catalogue({
  en: { title: '${title}', words: 'This page shows ${words(name)}.' },
  de: { title: '${title}', words: 'Diese Seite zeigt ${words(name)}.' },
});

/** GET ${path}: a page for users who are logged in. */
const show${titleCase(name)} = userPage({
  rest: 'GET ${path}',
  summary: 'The page ${words(name)}',
  handler(visit) {
    const { title, words } = texts();
    return renderServicePage(visit, { title, body: html\`<p>\${words}</p>\` });
  },
});

export const ${variable}Pages = { 'pages.${name}': show${titleCase(name)} };
`,
    [`test/web/pages/${service}-${name}.test.ts`]: `import { beforeAll, expect, test } from '@jest/globals';
import { newVisitor, type Visitor } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';
import { createUser } from '../../support/user-client.ts';

let [user, stranger] = [] as unknown as [Visitor, Visitor];
beforeAll(async () => {
  const database = await databaseUrlOf(await sharedPlatform());
  const { orgId } = await createTenant(database);
  user = await newVisitor((await createUser(database, { orgId })).sessionToken);
  stranger = await newVisitor();
});

test('${path} shows its heading to a user', async () => {
  const { status, text } = await user.get('${path}');
  expect(status).toBe(200);
  expect(text).toContain('<h1>${title}</h1>');
});

test('${path} asks a visitor to log in', async () => {
  const { status, headers } = await stranger.get('${path}');
  expect(status).toBe(303);
  expect(headers.location).toContain('/self-service/login/browser');
});
`,
  };
}

export function commandFiles(service: string, name: string): Files {
  const variable = titleCase(name, false);
  return {
    [`services/${service}/${name}.command.ts`]: `import { z } from 'zod';
import { defineCommand } from '../../lib/contract/define-command.ts';

/** \`${service}:${name} <organization>\` in the operator's console. */
export const ${variable} = defineCommand({
  commands: [
    {
      usage: '${service}:${name} <organization>',
      description: 'Show ${words(name)} of an organization (org_…)',
      fields: { organization: 'orgId' },
    },
  ],
  body: z.strictObject({ orgId: z.string().max(100) }),
  handler: ({ body: { orgId } }) => ({ lines: [orgId] }),
});

export const ${variable}Commands = { 'console.${name}': ${variable} };
`,
  };
}
