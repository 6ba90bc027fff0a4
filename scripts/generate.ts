import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { allVariables, exampleEnvironment } from '../runtime/command-line.ts';
import { findServices, readServices } from '../runtime/load-service.ts';
import { type ApiDocument, sdkFiles } from '../sdk/generate.ts';
import { describeApi } from './api-document.ts';
import { generatedDocs } from './generated-docs.ts';

/**
 * `npm run generate`: writes the files that repeat what the code declares. A test compares them, so that none is
 * forgotten.
 */
const root = join(import.meta.dirname, '..');

/** An action as a service's table names it: its short name, and the export that defines it. */
type Listed = { name: string; symbol: string; file: string };

/** The files and their texts, by path from the root. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const variables = await allVariables();
  const services = readdirSync(join(root, 'services'));
  const schemas = await readServices([...(await findServices()).values()]);
  const { document, safe } = describeApi(schemas);
  const calls = services.map(async (service): Promise<[string, string]> => {
    return [`services/${service}/calls.ts`, await callsOf(service)];
  });
  return new Map([
    ...(await Promise.all(calls)),
    ['.env.example', exampleEnvironment(variables)],
    ['deno.json', denoConfiguration(Object.keys(variables))],
    ...(await sdkFiles(document as ApiDocument, safe)),
    ...generatedDocs(schemas, variables),
  ]);
}

/** The module that adds the actions of a service to the types of `call`. */
async function callsOf(service: string): Promise<string> {
  const file = join(root, 'services', service, `${service}.service.ts`);
  const [, table = ''] = /^ {2}actions: \{\n([\s\S]*?)^ {2}\},/m.exec(readFileSync(file, 'utf8')) ?? [];
  const listed = entriesOf(table, file, '    ')
    .filter(isCallable)
    .map(({ name, symbol, file: path }) => {
      const address = relative(join(root, 'services', service), path);
      return `    '${service}.${name}': typeof import('./${address}').${symbol};\n`;
    });
  const lines = [...listed, ...(await madeBy(service, file))].sort();
  return `/** The actions of the service by name, for typed calls. Written by \`npm run generate\`. */
declare module '../../lib/contract/context.ts' {
  interface Calls {
${lines.join('')}  }
}

export {};
`;
}

/** The entries of the tables that a call makes, such as the one for templates: the service's file exports them. */
async function madeBy(service: string, file: string): Promise<string[]> {
  const { default: _schema, ...tables }: Record<string, object> = await import(pathToFileURL(file).href);
  return Object.entries(tables).flatMap(([symbol, table]) => {
    const made = `typeof import('./${service}.service.ts').${symbol}`;
    return Object.keys(table).map((name) => `    '${service}.${name}': ${made}['${name}'];\n`);
  });
}

/** Pages are opened by browsers alone. */
function isCallable({ symbol, file }: Listed): boolean {
  return !file.includes('/pages/') || readFileSync(file, 'utf8').includes(`export const ${symbol} = defineAction(`);
}

/** The entries of a table of actions in a file, with the tables that it spreads from other files. */
function entriesOf(table: string, file: string, indent: string): Listed[] {
  const imports = importsOf(file);
  // Deeper lines belong to the value of an entry.
  const lines = table.split('\n').filter((line) => line.startsWith(indent) && line[indent.length] !== ' ');
  return lines.flatMap((line): Listed[] => {
    const [, spread] = /^\s*\.\.\.(\w+),$/.exec(line) ?? [];
    if (spread !== undefined) return spreadOf(spread, imports.get(spread));
    const [, quoted, symbol] = /^\s*'?([a-z][\w.-]*)'?(?:: (\w+))?,$/i.exec(line) ?? [];
    if (quoted === undefined) return [];
    const named = symbol ?? quoted;
    return [{ name: quoted, symbol: named, file: imports.get(named) ?? file }];
  });
}

/** The entries of a table that is written out in another file. */
function spreadOf(name: string, file: string | undefined): Listed[] {
  if (file === undefined) return [];
  const text = readFileSync(file, 'utf8');
  const [, table] = new RegExp(`^export const ${name} = \\{([\\s\\S]*?)\\};`, 'm').exec(text) ?? [];
  if (table === undefined) return [];
  return entriesOf(table.includes('\n') ? table : `  ${table.trim().replaceAll(', ', ',\n  ')},`, file, '  ');
}

/** The file of each name that a file imports from another. */
function importsOf(file: string): Map<string, string> {
  const found = readFileSync(file, 'utf8').matchAll(/^import \{([^}]*)\} from '(\.[^']+)';/gm);
  return new Map(
    [...found].flatMap(([, names = '', path = '']) =>
      names.split(',').map((name): [string, string] => [name.trim(), join(dirname(file), path)]),
    ),
  );
}

/** deno.json with the environment variables that the settings name. */
function denoConfiguration(variables: string[]): string {
  const names = variables.map((name) => `          "${name}"`);
  const text = readFileSync(join(root, 'deno.json'), 'utf8');
  return text.replace(/("env": \{\s*"allow": \[)[^\]]*\]/, `$1\n${names.join(',\n')}\n        ]`);
}

if (import.meta.main) {
  for (const [file, text] of await generatedFiles()) {
    if (readFileSync(join(root, file), { encoding: 'utf8', flag: 'a+' }) === text) continue;
    writeFileSync(join(root, file), text);
    process.stdout.write(`${file} was written.\n`);
  }
}
