import { existsSync } from 'node:fs';
import { glob, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import mongoose, { type Model } from 'mongoose';
import { callTimeout } from '../lib/contract/context.ts';
import { requireDeclarations, requireSameKinds } from '../lib/contract/service-declarations.ts';
import { packDocument } from '../lib/contract/service-document.ts';
import { settings } from '../lib/settings/settings.ts';
import { StartError } from '../lib/settings/start-error.ts';
import { announceServices, atRegistration, awaitPool } from '../mixins/announced-services.ts';
import { loadWithMetrics } from './metrics.ts';
import { type ImportedService, importService, importServiceAgain, type Owns, root } from './service-modules.ts';

/** Longer than the maximum time for a listener and then the calls in flight to end. */
const stopTimeout = 3 * callTimeout;

/** A service may hold a resource that two instances cannot share, such as a port. */
type Instance = Service & {
  /** Takes the resource over from the previous instance, synchronously. */
  takeOver?: (previous: Service) => void;
  /** Stops input to the service from outside the broker. */
  drain?: () => Promise<void>;
};
type Handlers = ServiceSchema['started'];

/**
 * Starts a service on a running node, replaces a running one of the same name, and calls `begin` when it has started.
 * When the start fails or exceeds LOAD_TIMEOUT_SECONDS, the service is stopped, the previous instance keeps running, and
 * the error is thrown.
 */
export async function startOrReplaceService(
  broker: ServiceBroker,
  schema: ServiceSchema,
  begin: () => void,
): Promise<'added' | 'replaced'> {
  requireSameKinds(broker, schema);
  const previous = broker.getLocalService(schema.name) as Instance | undefined;
  let isAbandoned = false;
  // createService would start it in the background and only log a failure.
  const next = new broker.ServiceFactory(broker, {
    ...schema,
    started: [...asList(schema.started), () => atRegistration(broker, next.fullName, takePlace)],
  } as ServiceSchema) as Instance;
  // `broker.services` lists the serving instances: readiness, draining and jobs depend on it.
  remove(broker, next);

  /** Runs in one turn of the event loop, so that every call and connection finds the service. */
  function takePlace(register: () => void): void {
    if (isAbandoned) throw new Error(`${schema.name} started after its deadline`);
    begin();
    if (previous) {
      remove(broker, previous);
      unregister(broker, previous);
    }
    broker.services.push(next);
    register();
    if (previous) next.takeOver?.(previous);
  }

  const starting = next._start();
  try {
    await inTime(starting, 'it did not start');
  } catch (error) {
    isAbandoned = true;
    await stop(next);
    // A late start may have opened more resources since.
    starting.catch(() => stop(next));
    throw error;
  }
  await announceServices(broker);
  await Promise.all([awaitPool(broker), previous && stop(previous)]);
  return previous ? 'replaced' : 'added';
}

/**
 * Removes a service from a running node. Calls from other nodes and requests to its listener are served until the
 * senders know that the service is gone.
 */
export async function removeService(broker: ServiceBroker, service: Service): Promise<void> {
  const instance = service as Instance;
  await instance.drain?.();
  await announceServices(broker, { without: service.fullName });
  await awaitPool(broker);
  remove(broker, service);
  unregister(broker, instance);
  broker.servicesChanged(true);
  await stop(instance);
}

/**
 * The outcome of work on a loaded service, within LOAD_TIMEOUT_SECONDS. Loads run one at a time, so one that never ends
 * would block all later ones.
 *
 * @throws Error `problem within … seconds` after the timeout
 */
export async function inTime<T>(work: Promise<T>, problem: string): Promise<T> {
  const seconds = settings.LOAD_TIMEOUT_SECONDS;
  const late = await deadline(
    seconds * 1000,
    work.catch(() => {}),
  );
  if (late) throw new Error(`${problem} within ${seconds} seconds`);
  return work;
}

/** Stops an instance that is no longer registered, after its calls in flight ended. */
async function stop(service: Instance): Promise<void> {
  const { logger } = service.broker;
  const stopping = service
    ._stop()
    .catch((error: unknown) => logger.error(`${service.fullName} did not stop cleanly`, { error }));
  if (await deadline(stopTimeout, stopping)) logger.error(`${service.fullName} did not stop in time; it is abandoned.`);
}

/** Whether work is still running after the given number of milliseconds. */
async function deadline(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, true);
  });
  try {
    return await Promise.race([work.then(() => false), isLate]);
  } finally {
    clearTimeout(timer);
  }
}

function asList(handlers: Handlers): NonNullable<Handlers>[] {
  return handlers === undefined ? [] : [handlers].flat();
}

function remove({ services }: ServiceBroker, service: Service): void {
  const index = services.indexOf(service);
  if (index >= 0) services.splice(index, 1);
}

function unregister(broker: ServiceBroker, { fullName }: Service): void {
  broker.registry.unregisterService(fullName, broker.nodeID);
}

type Models = Record<string, Model<unknown>>;

/**
 * The models that a load of a service defined. They replace the previous models of the same names, or are removed
 * again.
 */
export type DefinedModels = { replaceFormer: () => void; remove: () => void };

/** The service that defined a model, by the model's name. */
const owners = new Map<string, string>();

/**
 * Loads the code of a service, and returns the result with the models that it defined. The connection keeps the models
 * of an earlier load of the service until `replaceFormer`; requests in flight always keep theirs.
 *
 * @throws Error when it defines a model of another service. Then, and when loading fails, all models are as before.
 */
export async function loadWithModels<T>(service: string, load: () => Promise<T>): Promise<[T, DefinedModels]> {
  const previous = { ...mongoose.models } as Models;
  // Otherwise Mongoose rejects a second model of the same name.
  mongoose.set('overwriteModels', true);
  try {
    const result = await load();
    const defined = changesSince(previous);
    const foreign = Object.keys(defined).find((name) => previous[name] && owners.get(name) !== service);
    if (foreign)
      throw new Error(`it defines the model ${foreign}, which belongs to ${owners.get(foreign) ?? 'the platform'}`);
    const replaced = Object.keys(defined).filter((name) => previous[name]);
    for (const name of replaced) register(name, previous[name]);
    return [
      result,
      {
        replaceFormer: () => own(service, defined),
        remove: () => restore(defined, previous),
      },
    ];
  } catch (error) {
    restore(changesSince(previous), previous);
    throw error;
  } finally {
    mongoose.set('overwriteModels', false);
  }
}

function changesSince(previous: Models): Models {
  return Object.fromEntries(
    Object.entries(mongoose.models as Models).filter(([name, model]) => previous[name] !== model),
  );
}

function own(service: string, defined: Models): void {
  for (const [name, model] of Object.entries(defined)) {
    owners.set(name, service);
    register(name, model);
  }
}

function restore(defined: Models, previous: Models): void {
  for (const name of Object.keys(defined)) register(name, previous[name]);
}

/** Registers a model; Mongoose keeps a model of its default connection in two maps. */
function register(name: string, model: Model<unknown> | undefined): void {
  for (const models of [mongoose.models, mongoose.connection.models] as Models[]) {
    if (model) models[name] = model;
    else delete models[name];
  }
}

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

/** Adds its document and the version of its code to the schema, which other nodes get with the service. */
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
  const document = packDocument(name, (schema.actions ?? {}) as Parameters<typeof packDocument>[1]);
  return {
    ...schema,
    metadata: { ...schema.metadata, document, ...(version !== null && { codeVersion: version }) },
  };
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
export async function findServiceFile(fileOrName: string): Promise<string> {
  const folders = [servicesFolder, gatewayFolder, ...(settings.SERVICES_DIR ? [resolve(settings.SERVICES_DIR)] : [])];
  const starts = isAbsolute(fileOrName) ? ['/'] : [process.cwd(), root, ...folders];
  const candidates = starts.flatMap((start) => filesMeantBy(resolve(start, fileOrName)));
  const real = await Promise.all(candidates.filter((file) => existsSync(file)).map((file) => realpath(file)));
  const allowed = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  const found = [...new Set(real)].filter((file) => allowed.some((folder) => isBelow(folder, file)));
  if (found.length > 1)
    throw new Error(`${fileOrName} names more than one file: ${found.join(', ')}. Name one of them.`);
  const [file] = found;
  if (file) return file;
  throw new Error(
    `There is no service file ${fileOrName} below ${folders.join(' or ')}. Name it, its folder or its service.`,
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
