import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceSchema } from 'moleculer';
import type { Action } from '../lib/contract/define-action.ts';
import { errorGuide } from '../lib/contract/error-guide.ts';
import { type ErrorCode, errorCatalogue } from '../lib/contract/errors.ts';
import type { Variables } from '../lib/settings/define-settings.ts';
import { commandsWith } from '../runtime/operator/commands.ts';
import { entities, type Family, meanings, tellingEntities } from '../services/context/story/vocabulary/events.ts';
import { billingFields, fieldNames, wrappers } from '../services/context/story/vocabulary/fields.ts';
import {
  billingFieldTexts,
  eventName,
  familyTitles,
  fieldTexts,
  meaningTexts,
} from '../services/context/story/vocabulary/guide.ts';
import { markdownTable, replaceMarked } from './markdown.ts';

const root = join(import.meta.dirname, '..');

/** The pages of docs/ with what the code declares between their marks, by path from the root. */
export function generatedDocs(schemas: ServiceSchema[], variables: Variables): [string, string][] {
  return [
    fill('docs/endpoints.md', { endpoints: endpoints(schemas) }),
    fill('docs/errors.md', { errors: errors() }),
    fill('docs/events.md', { names: eventNames(), fields: fieldTable(), 'stripe-fields': stripeFieldTable() }),
    fill('docs/operations.md', { commands: commandTable(schemas) }),
    fill('docs/settings.md', { settings: settingTable(variables) }),
  ];
}

/** Fills the parts of a page of docs/, by the name in their marks. */
function fill(file: string, parts: Record<string, string>): [string, string] {
  let page = readFileSync(join(root, file), 'utf8');
  for (const [name, text] of Object.entries(parts)) page = replaceMarked(page, `npm run generate: ${name}`, text);
  return [file, page];
}

const code = (text: string) => `\`${text}\``;
const codes = (texts: readonly string[]) => texts.map(code).join(', ');

/** The titles of the services that have endpoints, in the order of the page. */
const serviceTitles: Record<string, string> = {
  context: 'Business context',
  identity: 'Identity: users, organizations, applications and API keys',
  access: 'Access control',
  billing: 'Billing',
  storage: 'Storage, at `STORAGE_URL`',
  mail: 'Mail',
  notification: 'Notifications',
  connect: 'Connect: the inbox and the chat widget',
};

function endpoints(schemas: ServiceSchema[]): string {
  const names = [...new Set([...Object.keys(serviceTitles), ...schemas.map(({ name }) => name)])];
  const sections = names.flatMap((name) => {
    const actions = Object.values(schemas.find((schema) => schema.name === name)?.actions ?? {}) as Action[];
    const shown = actions.flatMap(({ rest, contract: { answers, summary, permission } }) =>
      rest && answers !== 'html' ? [{ method: rest.method, fullPath: rest.fullPath, summary, permission }] : [],
    );
    const rows = shown
      .sort((one, other) => one.fullPath.localeCompare(other.fullPath) || orderOf(one.method) - orderOf(other.method))
      .map(({ method, fullPath, summary, permission }) => [
        code(`${method} ${fullPath}`),
        summary,
        needs[permission] ?? code(permission),
      ]);
    const title = serviceTitles[name] ?? name;
    return rows.length === 0 ? [] : [`## ${title}\n\n${markdownTable(['endpoint', 'does', 'needs'], rows)}`];
  });
  return sections.join('\n\n');
}

/** The words for requirements other than a permission. */
const needs: Record<string, string> = {
  public: 'nothing',
  authenticated: 'a credential',
  user: 'a user',
  session: 'a session',
};

const orderOf = (method: string) => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method);

function errors(): string {
  const rows = (Object.keys(errorCatalogue) as ErrorCode[]).map((name) => {
    const { when, remedy } = errorGuide[name];
    return [code(name), String(errorCatalogue[name].status), when, remedy];
  });
  return markdownTable(['code', 'status', 'when', 'what to do'], rows);
}

function eventNames(): string {
  return (Object.keys(meanings) as Family[]).map(familySection).join('\n\n');
}

function familySection(family: Family): string {
  const [shown = '', ...others] = entities[family];
  const aliases = others.filter((entity) => !tellingEntities.includes(entity));
  const rows = Object.entries<readonly string[]>(meanings[family]).map(([meaning, words]) => [
    codes(words.map((word) => eventName(family, word))),
    (meaningTexts[family] as Record<string, string>)[meaning] ?? '',
  ]);
  return `### ${familyTitles[family]}

${code(shown)}${aliases.length === 0 ? '' : ` can also be ${codes(aliases)}`}. The fields may be in the payload, in \`data\`, in \`data.object\` or in ${codes(wrappers[family])}.

${markdownTable(['event', 'means'], rows)}`;
}

function fieldTable(): string {
  const names = Object.keys(fieldNames) as (keyof typeof fieldNames)[];
  return markdownTable(
    ['field', 'is'],
    names.map((name) => [codes(fieldNames[name]), fieldTexts[name]]),
  );
}

function stripeFieldTable(): string {
  const names = Object.keys(billingFields) as (keyof typeof billingFields)[];
  return markdownTable(
    ['field', 'is'],
    names.map((name) => [codes(billingFields[name]), billingFieldTexts[name]]),
  );
}

function commandTable(schemas: ServiceSchema[]): string {
  const actions = schemas.flatMap(({ name, actions: own = {} }) =>
    Object.entries(own).map(([action, definition]) => ({ name: `${name}.${action}`, action: definition as Action })),
  );
  const rows = commandsWith(actions).map(({ usage, description, changes }) => [
    code(usage),
    `${description}${changes === true ? ' (asks first)' : ''}`,
  ]);
  return markdownTable(['command', 'does'], rows);
}

function settingTable(variables: Variables): string {
  const rows = Object.entries(variables).map(([name, { about, example, schema }]) => {
    const { data } = schema.safeParse(undefined);
    return [code(name), about, defaultOf(data), code(example)];
  });
  return markdownTable(['setting', 'is', 'default', 'example'], rows);
}

/** The value of a setting that is not set, as it is written in the environment. */
function defaultOf(value: unknown): string {
  if (value === undefined || value === null) return 'not set';
  if (typeof value === 'boolean') return code(value ? 'yes' : 'no');
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return text === '' ? 'not set' : code(text);
}
