import type { MongoClient } from 'mongodb';

const lookEvery = 1000;

/**
 * Calls `onStuck` when the driver's heartbeat of a server hangs. When a connection closes between its creation and its
 * first use, the driver waits for an answer indefinitely and would never reconnect to the server.
 */
export function watchServerMonitors(client: MongoClient, onStuck: () => void): void {
  // A heartbeat has this timeout to connect, and again for its answer. After three times that it is stuck.
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
