import type { mongo } from 'mongoose';

const lookEvery = 1000;

/**
 * Calls `onStuck` when the client's check of a server does not end. The driver waits for ever for the answer on a
 * connection that closed between being made and being used, and would never find the server again.
 */
export function watchMonitors(client: mongo.MongoClient, onStuck: () => void): void {
  // A check has as long to connect as for its answer; beyond this it never ends.
  const maxCheckTime = 3 * client.options.connectTimeoutMS;
  const begun = new Map<string, number>();
  const ended = ({ connectionId }: { connectionId: string }) => void begun.delete(connectionId);
  client.on('serverHeartbeatStarted', ({ connectionId }) => void begun.set(connectionId, performance.now()));
  client.on('serverHeartbeatSucceeded', ended);
  client.on('serverHeartbeatFailed', ended);
  client.on('serverClosed', ({ address }) => void begun.delete(address));
  const timer = setInterval(() => {
    const isStuck = [...begun.values()].some((at) => performance.now() - at > maxCheckTime);
    if (!isStuck) return;
    clearInterval(timer);
    onStuck();
  }, lookEvery).unref();
  client.once('topologyClosed', () => clearInterval(timer));
}
