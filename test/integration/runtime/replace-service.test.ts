import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { clientOf } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { send } from '../../support/http.ts';
import { control } from '../../support/operator.ts';
import { firstRunOf, type NodeProcess, ready, startNode, urlOf } from '../../support/platform.ts';
import { until } from '../../support/until.ts';

/** A service of several files in a folder of its own, and code beside it that it shares with others. */
const servicesDir = mkdtempSync(join(tmpdir(), 'services-'));
const folder = join(servicesDir, 'notes');

const files = {
  'notes.service.ts': `import { mongo, type ServiceSchema } from 'platform/service';
import { list, wait } from './actions.ts';
import { NoteModel } from './note.ts';
export default { name: 'notes', mixins: [mongo(NoteModel)], actions: { list, wait } } as ServiceSchema;`,
  'actions.ts': `import { setTimeout as pause } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { defineAction, model, newId, z } from 'platform/service';
import { shout } from '../shared/shout.ts';
import { NoteModel } from './note.ts';
import { title } from './words.ts';
const output = z.strictObject({ title: z.string(), fields: z.array(z.string()), ofConnection: z.array(z.string()) });
const answer = () => ({
  title: shout(title),
  fields: Object.keys(NoteModel.schema.paths),
  ofConnection: Object.keys(model('Note').schema.paths),
});
const common = { summary: 'Notes', permission: 'public', input: {}, output } as const;
export const list = defineAction({ ...common, rest: 'GET /v1/notes', handler: answer });
/** Waits for a file, then writes by its own model. */
export const wait = defineAction({ ...common, rest: 'GET /v1/notes/wait', async handler() {
  while (!existsSync(import.meta.dirname + '/../go')) await pause(10);
  await NoteModel.create({ _id: newId('note'), orgId: 'org_of_the_former' });
  return answer();
} });`,
  'note.ts': noteModel(['text']),
  'words.ts': "import * as words from 'zod'; export const title = words.own ?? 'first';",
};

function noteModel(fields: string[], name = 'Note'): string {
  return `import { model, Schema } from 'platform/service';
const schema = new Schema({ _id: String, orgId: String, ${fields.map((field) => `${field}: String`).join(', ')} },
  { collection: 'notes', versionKey: false });
schema.index({ orgId: 1, ${fields.at(-1)}: 1 });
export const NoteModel = model('${name}', schema);`;
}

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const writeShared = (text: string) => writeFileSync(join(servicesDir, 'shared', 'shout.ts'), text);

let platform: NodeProcess;
let url: string;

beforeAll(async () => {
  mkdirSync(folder);
  mkdirSync(join(servicesDir, 'shared'));
  writeShared('export const shout = (text: string) => text.toUpperCase();');
  for (const [name, text] of Object.entries(files)) write(name, text);
  platform = startNode({ entry: 'test/support/operated-platform.ts', env: { SERVICES_DIR: servicesDir } });
  url = await urlOf(platform);
  await ready(url, platform);
});

afterAll(async () => {
  await platform.stop();
  rmSync(servicesDir, { recursive: true });
});

type Notes = { title: string; fields: string[]; ofConnection: string[] };
const load = (file = 'notes/notes.service.ts') => control(url, 'node-1', 'load', { file });
const notes = async (path = '/v1/notes') => (await send<Notes>(url, { path })).body;
const fieldsOf = (...fields: string[]) => ['_id', 'orgId', ...fields];

test('a loaded service answers with all of its files', async () => {
  expect((await send(url, { path: '/v1/notes' })).status).toBe(404);
  expect(await load()).toMatchObject({ refused: false });
  expect(await notes()).toEqual({ title: 'FIRST', fields: fieldsOf('text'), ofConnection: fieldsOf('text') });
});

test('a replacement runs every changed file and model, and tells another version', async () => {
  const before = (await control(url, 'node-1', 'versions')).said;
  const waiting = notes('/v1/notes/wait');
  write('words.ts', "export const title = 'second';");
  write('note.ts', noteModel(['text', 'mood']));
  const replacing = load();
  await until(async () => (await notes()).title === 'SECOND');
  expect(await notes()).toEqual({
    title: 'SECOND',
    fields: fieldsOf('text', 'mood'),
    ofConnection: fieldsOf('text', 'mood'),
  });
  const after = (await control(url, 'node-1', 'versions')).said;
  const lineOf = (text: string) => text.split('\n').find((line) => line.startsWith('notes: '));
  expect(lineOf(after)).not.toBe(lineOf(before));
  // The request that was in flight ends on what it began with.
  writeFileSync(join(servicesDir, 'go'), '');
  expect(await waiting).toMatchObject({ title: 'FIRST', fields: fieldsOf('text') });
  const version = lineOf(after)?.slice('notes: '.length);
  expect(version).toMatch(/^[0-9a-f]{12} on node-1$/);
  const said = `notes was replaced on node-1. It runs in version ${version}.`;
  expect(await replacing).toEqual({ said, refused: false });
});

test('the same files again are the same version', async () => {
  const before = (await control(url, 'node-1', 'versions')).said;
  await load();
  expect((await control(url, 'node-1', 'versions')).said).toBe(before);
});

test.each([
  [
    'does not start',
    () => {
      write(
        'notes.service.ts',
        `${files['notes.service.ts']}`.replace('actions:', "started() { throw new Error('no'); }, actions:"),
      );
      write('note.ts', noteModel(['other']));
    },
    /^notes\.service\.ts could not be loaded: no\.$/,
  ],
  [
    'defines the model of another service',
    () => write('note.ts', noteModel(['text'], 'IdentityUser')),
    /^notes\.service\.ts could not be loaded: it defines the model IdentityUser, which belongs to identity\.$/,
  ],
  [
    'cannot be parsed in one of its files',
    () => write('words.ts', 'export const title ='),
    /^notes\.service\.ts could not be loaded: (?!.*changed)/,
  ],
])('one that %s is refused, and the former runs on with its model', async (_what, change, reason) => {
  change();
  expect(await load()).toEqual({ said: expect.stringMatching(reason), refused: true });
  const fields = fieldsOf('text', 'mood');
  expect(await notes()).toEqual({ title: 'SECOND', fields, ofConnection: fields });
  for (const [name, text] of Object.entries(files)) write(name, text);
});

test('code that services share is not loaded again: the refusal names the file and says what to do', async () => {
  writeShared("export const shout = (text: string) => text.concat('!');");
  const shared = join(servicesDir, 'shared', 'shout.ts');
  expect(await load()).toEqual({
    said: `notes.service.ts could not be loaded: ${shared} changed since this node started: restart the node.`,
    refused: true,
  });
  expect((await notes()).title).toBe('SECOND');
  writeShared('export const shout = (text: string) => text.toUpperCase();');
  await load();
  await until(async () => (await notes()).title === 'FIRST');
});

test.each(['notes', 'notes/notes.service.ts', `${folder}`, `${folder}/notes.service.ts`])(
  'it is found as %s',
  async (file) => {
    expect(await load(file)).toMatchObject({ refused: false });
  },
);

test.each([
  ['identity', 'services/identity/identity.service.ts'],
  ['access', 'services/access'],
  ['billing', 'billing'],
  ['context', 'context/context.service.ts'],
  ['mail', 'mail'],
])("the platform's %s is replaced by itself, found as %s", async (name, file) => {
  expect(await load(file)).toEqual({
    said: expect.stringMatching(`^${name} was replaced on node-1\\. It runs in version [0-9a-f]{12} on node-1\\.$`),
    refused: false,
  });
  await ready(url, platform);
  const client = clientOf({ url, ...firstRunOf(platform.dataDir) });
  const { orgId } = client;
  const { status } = await client.send('POST', '/events', eventOf(orgId));
  expect(status).toBe(201);
});

test('a replacement finds a package that its folder has got since', async () => {
  const own = join(folder, 'node_modules', 'zod');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'package.json'), JSON.stringify({ name: 'zod', type: 'module', exports: './index.js' }));
  writeFileSync(join(own, 'index.js'), "export const own = 'its own';");
  for (const [name, text] of Object.entries(files)) write(name, text);
  expect(await load()).toMatchObject({ refused: false });
  expect(await notes()).toMatchObject({ title: 'ITS OWN' });
});
