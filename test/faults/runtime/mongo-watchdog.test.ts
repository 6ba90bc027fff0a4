import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { mongo } from 'mongoose';
import { watchServerMonitors } from '../../../mixins/mongo-watchdog.ts';

const connectionId = '127.0.0.1:27017';

describe('the watch over the driver', () => {
  let client: EventEmitter;
  let onStuck: ReturnType<typeof jest.fn>;

  beforeEach(() => {
    jest.useFakeTimers();
    client = Object.assign(new EventEmitter(), { options: { connectTimeoutMS: 2000 } });
    onStuck = jest.fn();
    watchServerMonitors(client as unknown as mongo.MongoClient, onStuck);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('tells once of a check that never ends', () => {
    client.emit('serverHeartbeatStarted', { connectionId });
    jest.advanceTimersByTime(5000);
    expect(onStuck).not.toHaveBeenCalled();
    jest.advanceTimersByTime(60_000);
    expect(onStuck).toHaveBeenCalledTimes(1);
  });

  test.each(['serverHeartbeatSucceeded', 'serverHeartbeatFailed'])('is content with %s, again and again', (ended) => {
    for (let second = 0; second < 30; second += 1) {
      client.emit('serverHeartbeatStarted', { connectionId });
      jest.advanceTimersByTime(900);
      client.emit(ended, { connectionId });
      jest.advanceTimersByTime(100);
    }
    expect(onStuck).not.toHaveBeenCalled();
  });

  test('sees one stuck check among those that go well', () => {
    client.emit('serverHeartbeatStarted', { connectionId: 'other:27017' });
    for (let second = 0; second < 8; second += 1) {
      client.emit('serverHeartbeatStarted', { connectionId });
      jest.advanceTimersByTime(1000);
      client.emit('serverHeartbeatSucceeded', { connectionId });
    }
    expect(onStuck).toHaveBeenCalledTimes(1);
  });

  test('ends with its server and its client', () => {
    client.emit('serverHeartbeatStarted', { connectionId });
    client.emit('serverClosed', { address: connectionId });
    jest.advanceTimersByTime(10_000);
    client.emit('serverHeartbeatStarted', { connectionId });
    client.emit('topologyClosed');
    jest.advanceTimersByTime(10_000);
    expect(onStuck).not.toHaveBeenCalled();
  });
});
