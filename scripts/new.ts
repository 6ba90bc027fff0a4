import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type PermissionInfo, systemPermissions } from '../lib/contract/permissions.ts';
import { readService } from '../runtime/load-service.ts';
import { commandFiles, endpointFiles, type Permissions, pageFiles, serviceFiles, titleCase } from './new-files.ts';

/** `npm run new`: writes the files of a service, an endpoint, a page or an operator command, and lists them. */
const root = join(import.meta.dirname, '..');

const usage = `Usage: npm run new -- service NAME THING       npm run new -- service loyalty reward
       npm run new -- endpoint SERVICE THING   npm run new -- endpoint loyalty voucher
       npm run new -- page SERVICE NAME        npm run new -- page loyalty overview
       npm run new -- command SERVICE NAME     npm run new -- command loyalty count

A thing is singular; names are lower-case words joined by dashes.
`;

type Kind = 'service' | 'endpoint' | 'page' | 'command';

/** Creates the files of a kind, and adds its table of actions to the service. Throws an Error that says what is wrong. */
async function create(kind: Kind, service: string, name: string): Promise<string[]> {
  const serviceFile = join('services', service, `${service}.service.ts`);
  const isPresent = existsSync(join(root, serviceFile));
  if (kind === 'service' && isPresent) throw new Error(`There is a service ${service} already.`);
  if (kind !== 'service' && !isPresent) throw new Error(`There is no service ${service}.`);
  const files =
    kind === 'endpoint'
      ? endpointFiles(service, name, await permissionsOf(service, serviceFile))
      : { service: serviceFiles, page: pageFiles, command: commandFiles }[kind](service, name);
  const taken = Object.keys(files).find((file) => existsSync(join(root, file)));
  if (taken !== undefined) throw new Error(`${taken} exists already.`);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  if (kind === 'service') return Object.keys(files);
  const [source = ''] = Object.keys(files);
  const table = `${titleCase(name, false)}${{ endpoint: 'Actions', page: 'Pages', command: 'Commands' }[kind]}`;
  addToService(serviceFile, table, `./${source.slice(`services/${service}/`.length)}`);
  return [...Object.keys(files), serviceFile];
}

/** The services whose permissions do not begin with their name. */
const namespaces: Record<string, string> = { identity: 'console.orgs', access: 'console.access' };

/** Finds a permission of a service to read and one to write, among the platform's and those that it declares. */
async function permissionsOf(service: string, serviceFile: string): Promise<Permissions> {
  const schema = await readService(join(root, serviceFile));
  const declared: Record<string, PermissionInfo> = { ...systemPermissions, ...schema.metadata?.permissions };
  const namespace = namespaces[service] ?? service;
  const own = Object.entries(declared).filter(([key]) => key.startsWith(`${namespace}.`));
  const [read] = own.find(([, { reads }]) => reads) ?? [];
  const [write] = own.find(([, { reads }]) => !reads) ?? [];
  if (read && write) return { read, write };
  throw new Error(`${serviceFile} declares no permission to ${read ? 'write' : 'read'}: add one to its metadata.`);
}

/** Imports a table of actions into a service file, and spreads it at the end of its actions. */
function addToService(file: string, table: string, from: string): void {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const lastImport = text.lastIndexOf('\nimport ');
  const afterImports = text.indexOf(';\n', lastImport) + 2;
  const withImport = `${text.slice(0, afterImports)}import { ${table} } from '${from}';\n${text.slice(afterImports)}`;
  const extended = withImport.replace(/^( {2}actions: \{\n[\s\S]*?)^( {2}\},)/m, `$1    ...${table},\n$2`);
  if (extended === withImport) throw new Error(`${file} has no actions to add ${table} to.`);
  writeFileSync(path, extended);
}

/** The command that runs a test file. */
function runOf(file: string): string[] {
  if (!file.endsWith('.test.ts')) return [];
  return [`npm run ${file.startsWith('test/web/') ? 'test:browser' : 'test'} -- --testPathPatterns ${file}`];
}

const [kind, ...names] = process.argv.slice(2);
const isKind = (text: string | undefined): text is Kind =>
  ['service', 'endpoint', 'page', 'command'].includes(text ?? '');
const [service = '', name = ''] = names;
if (!isKind(kind) || names.length !== 2 || !names.every((text) => /^[a-z]+(?:-[a-z]+)*$/.test(text))) {
  process.stderr.write(usage);
  process.exit(1);
}
try {
  const files = await create(kind, service, name);
  const steps = ['npm run generate', 'npm run lint -- --write', ...files.flatMap(runOf)];
  process.stdout.write(
    `${files.join('\n')}\n\nNext: ${steps.join(', ')}\nAn action that honours an Idempotency-Key needs a row in test/faults/runtime/idempotent-actions.ts.\n`,
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
