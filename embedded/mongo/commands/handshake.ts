import { documentSizeLimitBytes } from '../bson/layout.ts';
import { messageSizeLimitBytes } from '../wire.ts';
import { type Command, writeBatchLimit } from './command.ts';

/**
 * Wire version of MongoDB 7.0. Without `logicalSessionTimeoutMinutes`, drivers send no sessions and retry no writes.
 */
const maxWireVersion = 21;

export const hello: Command = {
  kind: 'read',
  options: new Set([
    'helloOk',
    'client',
    'compression',
    'loadBalanced',
    'topologyVersion',
    'maxAwaitTimeMS',
    'saslSupportedMechs',
    'speculativeAuthenticate',
    'backpressure',
  ]),
  run: () => ({
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    maxBsonObjectSize: documentSizeLimitBytes,
    maxMessageSizeBytes: messageSizeLimitBytes,
    maxWriteBatchSize: writeBatchLimit,
    localTime: new Date(),
    minWireVersion: 0,
    maxWireVersion,
    readOnly: false,
  }),
};

export const ping: Command = { kind: 'read', options: new Set(), run: () => ({}) };

export const buildInfo: Command = {
  kind: 'read',
  options: new Set(),
  run: () => ({
    version: '7.0.0',
    versionArray: [7, 0, 0, 0],
    gitVersion: 'embedded',
    modules: [],
    bits: 64,
    maxBsonObjectSize: documentSizeLimitBytes,
    storageEngines: ['sqlite'],
    ok: 1,
  }),
};

/** Sessions have no state here, so ending them does nothing. */
export const endSessions: Command = { kind: 'read', options: new Set(), run: () => ({}) };

export const serverStatus: Command = {
  kind: 'read',
  options: new Set(),
  run: ({ startedAt, store, cursors }) => ({
    host: 'embedded',
    version: '7.0.0',
    process: 'embedded-mongo',
    pid: BigInt(process.pid),
    uptime: Math.floor((Date.now() - startedAt) / 1000),
    localTime: new Date(),
    collections: store.collections.size,
    metrics: { cursor: { open: { total: cursors.size } } },
  }),
};
