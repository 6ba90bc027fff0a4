import type { MongoClient } from 'mongodb';
import mongoose from 'mongoose';
import { Counter, Gauge } from 'prom-client';
import { apiError } from '../lib/contract/errors.ts';

const open = new Gauge({ name: 'database_pool_connections', help: 'Open connections to the database.' });
const inUse = new Gauge({ name: 'database_pool_in_use', help: 'Connections to the database with an operation.' });
const waiting = new Gauge({ name: 'database_pool_waiting', help: 'Operations that wait for a connection.' });
const refused = new Counter({
  name: 'database_pool_refused_total',
  help: 'Operations that were given no connection, by reason.',
  labelNames: ['reason'],
});

/** Counts a client's connections by the driver's pool events (CMAP specification). Call it before it connects. */
export function watchPool(client: MongoClient): void {
  client.on('connectionCreated', () => open.inc());
  client.on('connectionClosed', () => open.dec());
  client.on('connectionCheckOutStarted', () => waiting.inc());
  client.on('connectionCheckedOut', () => {
    waiting.dec();
    inUse.inc();
  });
  client.on('connectionCheckedIn', () => inUse.dec());
  client.on('connectionCheckOutFailed', ({ reason }) => {
    waiting.dec();
    refused.inc({ reason });
  });
}

type Listed = { opid?: unknown; op?: string; ns?: string; secs_running?: unknown; command?: Record<string, unknown> };

/** An operation in progress in the database; `options` are the names of the command's fields. */
export type DatabaseOperation = {
  operation: string;
  seconds: number;
  kind: string;
  namespace: string;
  command: string;
  options: string[];
};

/** The operations in progress in the database, except for this query. */
export async function databaseOperations(): Promise<DatabaseOperation[]> {
  const { inprog } = (await admin().command({ currentOp: 1 })) as unknown as { inprog: Listed[] };
  const others = inprog.filter(({ command }) => !command || !('currentOp' in command));
  return others.map(({ opid, secs_running: seconds, op, ns, command }) => {
    const [name = '', ...options] = Object.keys(command ?? {});
    const times = { operation: String(opid), seconds: Number(seconds ?? 0) };
    return { ...times, kind: String(op), namespace: String(ns), command: name, options };
  });
}

/**
 * Requests the database to end an operation. MongoDB accepts the number of any operation, so the operation is also
 * looked up.
 *
 * @throws NOT_FOUND for an unknown operation.
 * @throws UNAVAILABLE this process has no connection.
 */
export async function killDatabaseOperation(id: string): Promise<string> {
  const op = Number(id);
  if (!Number.isSafeInteger(op))
    throw apiError('NOT_FOUND', { message: `"${id}" is not a number; db:ops lists operations.` });
  // Concurrently, so that the operation has no time to end between the two.
  const looking = databaseOperations();
  const killing = admin().command({ killOp: 1, op });
  // Prevents an unhandled rejection until it is awaited.
  killing.catch(() => undefined);
  if (!(await looking).some(({ operation }) => operation === id)) {
    throw apiError('NOT_FOUND', { message: `There is no operation ${id}: it has ended, or db:ops lists others.` });
  }
  return String((await killing).info);
}

export function hasDatabaseConnection(): boolean {
  return mongoose.connection.readyState === mongoose.ConnectionStates.connected;
}

function admin() {
  // Mongoose's types omit that it is null before it connects.
  const client: MongoClient | null = mongoose.connection.getClient();
  if (client === null) throw apiError('UNAVAILABLE');
  return client.db('admin');
}
