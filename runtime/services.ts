import { existsSync } from 'node:fs';
import { glob, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { ServiceSchema } from 'moleculer';
import { requireDeclarations } from '../lib/declarations.ts';
import { settings } from '../lib/settings.ts';
import { StartError } from '../lib/start-error.ts';
import { inTime } from './replace-service.ts';
import { loadWithMetrics } from './service-metrics.ts';
import { loadWithModels } from './service-models.ts';
import { type ImportedService, importService, importServiceAgain, type Owns, root } from './service-modules.ts';

const suffix = '.service.ts';
const serviceName = /^[a-z][a-z0-9-]*$/;

/** The folder of the platform's services. */
const servicesFolder = join(root, 'services');
const gatewayFolder = join(root, 'gateway');

/** All services of the platform by name: the gateway, and `services/<name>/<name>.service.ts`. */
export async function findServices(): Promise<Map<string, string>> {
  const files = [join(gatewayFolder, `gateway${suffix}`)];
  for await (const file of glob(`*/*${suffix}`, { cwd: servicesFolder })) files.push(join(servicesFolder, file));
  return new Map(files.sort().map((file) => [basename(file, suffix), file]));
}

/** The files of the named services; of all services when none is named. */
export async function chooseServices(names: string[]): Promise<string[]> {
  const services = await findServices();
  const unknown = names.filter((name) => !services.has(name));
  if (unknown.length > 0) {
    throw new StartError(`There is no service ${unknown.join(', ')}. There are: ${[...services.keys()].join(', ')}.`);
  }
  return names.length === 0 ? [...services.values()] : names.map((name) => services.get(name) as string);
}

/** Reads a service's schema from its file, when a node starts. */
export async function readService(file: string): Promise<ServiceSchema> {
  const { schema, begin } = await readWith(file, importService);
  begin();
  return schema;
}

/**
 * Reads the schemas of services one after the other, in the order of their files. Models and metrics belong to the
 * service whose import defines them, which concurrent imports would hide.
 */
export async function readServices(files: string[]): Promise<ServiceSchema[]> {
  const schemas: ServiceSchema[] = [];
  for (const file of files) schemas.push(await readService(file));
  return schemas;
}

/** A loaded service that does not run yet. `begin` replaces the previous definitions; `discard` drops the new ones. */
export type ReadService = { schema: ServiceSchema; begin: () => void; discard: () => void };

/**
 * Reloads a service and all of its files from the disk, bypassing the module cache.
 *
 * @throws Error when it cannot be reloaded, or not within LOAD_TIMEOUT_SECONDS, naming the reason.
 */
export function readServiceAgain(file: string): Promise<ReadService> {
  return readWith(file, (path, owns) => inTime(importServiceAgain(path, owns), 'its import did not end'));
}

async function readWith(file: string, load: typeof importService): Promise<ReadService> {
  const name = basename(file, suffix);
  const [[schema, models], restoreMetrics] = await loadWithMetrics(name, () =>
    loadWithModels(name, async () => schemaOf(file, await load(file, ownedBy(file)))),
  );
  return {
    schema,
    begin: models.replaceFormer,
    discard() {
      models.remove();
      restoreMetrics();
    },
  };
}

/** Adds the version of its code to the schema, which other nodes get with the service. */
function schemaOf(file: string, { exports, version }: ImportedService): ServiceSchema {
  const schema = exports.default as ServiceSchema | undefined;
  if (typeof schema?.name !== 'string') {
    throw new StartError(`${relative(root, file).split(sep).join('/')} has no service as its default export.`);
  }
  const name = basename(file, suffix);
  if (schema.name !== name) {
    throw new StartError(`the file is named ${name}${suffix} and its service ${schema.name}`);
  }
  requireDeclarations(schema);
  return version === null ? schema : { ...schema, metadata: { ...schema.metadata, codeVersion: version } };
}

/**
 * Whether a file belongs to a service: its folder and, in the repository, the folder of its models. A file directly in
 * SERVICES_DIR owns all files below it.
 */
function ownedBy(file: string): Owns {
  const folder = dirname(file);
  const models = isBelow(servicesFolder, file) ? join(root, 'models', basename(folder)) : null;
  return (path) => isBelow(folder, path) || (models !== null && isBelow(models, path));
}

/**
 * Resolves an operator's argument to a service file: a path, absolute or relative to the working directory, to the
 * platform's folder or to a folder of services; the path of its folder; or the service's name. Links are followed.
 *
 * @throws Error when there is none below the platform's folders of services or SERVICES_DIR, or more than one.
 */
export async function findServiceFile(given: string): Promise<string> {
  const folders = [servicesFolder, gatewayFolder, ...(settings.SERVICES_DIR ? [resolve(settings.SERVICES_DIR)] : [])];
  const starts = isAbsolute(given) ? ['/'] : [process.cwd(), root, ...folders];
  const candidates = starts.flatMap((start) => filesMeantBy(resolve(start, given)));
  const real = await Promise.all(candidates.filter((file) => existsSync(file)).map((file) => realpath(file)));
  const allowed = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  const found = [...new Set(real)].filter((file) => allowed.some((folder) => isBelow(folder, file)));
  if (found.length > 1) throw new Error(`${given} names more than one file: ${found.join(', ')}. Name one of them.`);
  const [file] = found;
  if (file) return file;
  throw new Error(
    `There is no service file ${given} below ${folders.join(' or ')}. Name it, its folder or its service.`,
  );
}

/** The path if it is a file; for a folder or a name, the service file in it. */
function filesMeantBy(path: string): string[] {
  if (path.endsWith(suffix)) return serviceName.test(basename(path, suffix)) ? [path] : [];
  const name = basename(path);
  return serviceName.test(name) ? [join(path, `${name}${suffix}`), `${path}${suffix}`] : [];
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}
