import { glob } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ServiceSchema } from 'moleculer';
import { StartError } from '../lib/start-error.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const suffix = '.service.ts';

/** The folder that the platform's services live in. */
export const servicesFolder = join(root, 'services');

/** Every service this house has, by name: the gateway, and `services/<name>/<name>.service.ts`. */
export async function findServices(): Promise<Map<string, string>> {
  const files = [join(root, 'gateway', `gateway${suffix}`)];
  for await (const file of glob(`*/*${suffix}`, { cwd: servicesFolder })) files.push(join(servicesFolder, file));
  return new Map(files.sort().map((file) => [basename(file, suffix), file]));
}

/** The files of the services asked for by name; all of them when none is. */
export async function chooseServices(names: string[]): Promise<string[]> {
  const services = await findServices();
  const unknown = names.filter((name) => !services.has(name));
  if (unknown.length > 0) {
    throw new StartError(`There is no service ${unknown.join(', ')}. There are: ${[...services.keys()].join(', ')}.`);
  }
  return names.length === 0 ? [...services.values()] : names.map((name) => services.get(name) as string);
}

/**
 * Reads a service's schema from its file. With a version the file is read anew although it was read before: the
 * runtime keeps modules by their address, and the version is part of it.
 */
export async function readService(file: string, version?: number): Promise<ServiceSchema> {
  const address = pathToFileURL(file);
  if (version !== undefined) address.searchParams.set('v', String(version));
  const { default: schema } = (await import(address.href)) as { default?: ServiceSchema };
  if (typeof schema?.name === 'string') return schema;
  throw new StartError(`${relative(root, file).split(sep).join('/')} has no service as its default export.`);
}
