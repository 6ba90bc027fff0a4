import { join } from 'node:path';
import { type EmbeddedMongo, startEmbeddedMongo } from '../embedded/mongo/index.ts';

let ahead: Promise<EmbeddedMongo> | undefined;

/** The folder of the embedded database in DATA_DIR. */
export const databaseFolder = (dataDir: string): string => join(dataDir, 'mongo');

const start = (dataDir: string): Promise<EmbeddedMongo> => startEmbeddedMongo({ dir: databaseFolder(dataDir) });

/**
 * Starts the embedded server of a process before the services that need it are loaded: its thread opens the database
 * concurrently. Errors are thrown by {@link embeddedServer}.
 */
export function prestartEmbeddedServer(dataDir: string): void {
  ahead = start(dataDir);
  ahead.catch(() => undefined);
}

/** The prestarted server, otherwise a new one. */
export function embeddedServer(dataDir: string): Promise<EmbeddedMongo> {
  const server = ahead ?? start(dataDir);
  ahead = undefined;
  return server;
}
