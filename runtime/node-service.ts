import { realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, relative } from 'node:path';
import { type Context, Errors, type Service, type ServiceBroker, type ServiceSchema } from 'moleculer';
import { settings } from '../lib/settings.ts';
import { describeJobs, type JobState, runJob } from '../mixins/cron.ts';
import { nodeLacks } from './lifecycle.ts';
import { placeService } from './replace-service.ts';
import { readService, servicesFolder } from './services.ts';

const serviceFileName = /^[a-z][a-z0-9-]*\.service\.ts$/;

/**
 * The service that every node runs about itself: whether it is ready, and which services it runs. Its actions have no
 * contract, so the gateway never serves them; they are for operators on a node's console and for other nodes.
 */
export function nodeService(): ServiceSchema {
  return {
    name: 'node',
    actions: {
      readiness: {
        handler(this: Service): string[] {
          return nodeLacks(this.broker);
        },
      },
      load: {
        handler(this: Service, ctx: Context<{ file?: unknown }>): Promise<string> {
          return load(this.broker, ctx.params.file);
        },
      },
      unload: {
        handler(this: Service, ctx: Context<{ name?: unknown }>): Promise<string> {
          return unload(this.broker, ctx.params.name);
        },
      },
      jobs: {
        handler(this: Service): Promise<JobState[]> {
          return describeJobs(this.broker);
        },
      },
      'run-job': {
        handler(this: Service, ctx: Context<{ name?: unknown }>): Promise<string> {
          return runScheduled(this.broker, ctx.params.name);
        },
      },
    },
  };
}

async function load(broker: ServiceBroker, file: unknown): Promise<string> {
  const path = await allowedFile(file);
  try {
    const schema = await readService(path, Date.now());
    if (`${schema.name}.service.ts` !== basename(path)) {
      throw new Error(`the file is named ${basename(path)} and its service ${schema.name}`);
    }
    const outcome = await placeService(broker, schema);
    broker.logger.warn(`The service ${schema.name} was ${outcome} at run time.`, { file: path });
    return `${schema.name} was ${outcome} on ${broker.nodeID}.`;
  } catch (error) {
    broker.logger.error('A service could not be loaded; what ran before runs on.', { file: path, error });
    throw refusal(`${basename(path)} could not be loaded: ${error instanceof Error ? error.message : error}.`);
  }
}

async function unload(broker: ServiceBroker, name: unknown): Promise<string> {
  if (typeof name !== 'string' || name === 'node' || name.startsWith('$') || !broker.getLocalService(name)) {
    throw refusal(`There is no service ${name} on ${broker.nodeID} that could be unloaded.`);
  }
  await broker.destroyService(name);
  broker.logger.warn(`The service ${name} was unloaded at run time.`);
  return `${name} no longer runs on ${broker.nodeID}.`;
}

async function runScheduled(broker: ServiceBroker, name: unknown): Promise<string> {
  try {
    const period = await runJob(broker, String(name));
    return `${name} was done on ${broker.nodeID}, for the period that began at ${period.toISOString()}.`;
  } catch (error) {
    throw refusal(`${name} was not done: ${error instanceof Error ? error.message : error}`);
  }
}

/** Only a service file below the platform's services or below SERVICES_DIR, links followed, may be run. */
async function allowedFile(file: unknown): Promise<string> {
  if (typeof file !== 'string' || !serviceFileName.test(basename(file))) {
    throw refusal('Name a file <name>.service.ts below the services folder or SERVICES_DIR.');
  }
  const folders = [servicesFolder, ...(settings.SERVICES_DIR ? [settings.SERVICES_DIR] : [])];
  for (const folder of folders) {
    const path = await realpath(isAbsolute(file) ? file : join(folder, file)).catch(() => null);
    if (path && isBelow(await realpath(folder), path)) return path;
  }
  throw refusal(`There is no ${file} below the services folder or SERVICES_DIR.`);
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

/** For the operator who asked; the sentence travels to their node as it is. */
function refusal(message: string): Error {
  return new Errors.MoleculerClientError(message, 400, 'CONTROL_REFUSED');
}
