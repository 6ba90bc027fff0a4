import type { mongo } from 'mongoose';
import { Counter, Gauge } from 'prom-client';

const open = new Gauge({ name: 'database_pool_connections', help: 'Open connections to the database.' });
const inUse = new Gauge({ name: 'database_pool_in_use', help: 'Connections to the database with an operation.' });
const waiting = new Gauge({ name: 'database_pool_waiting', help: 'Operations that wait for a connection.' });
const refused = new Counter({
  name: 'database_pool_refused_total',
  help: 'Operations that were given no connection, by reason.',
  labelNames: ['reason'],
});

/** Counts a client's connections by the driver's pool events (CMAP specification). Call it before it connects. */
export function watchPool(client: mongo.MongoClient): void {
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
