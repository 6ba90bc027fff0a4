import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../support/free-port.ts';
import { send } from '../../support/http.ts';
import { newEventRequest } from '../../support/load.ts';
import { type Platform, startNode, startPlatform } from '../../support/platform.ts';

describe('a platform that runs', () => {
  let platform: Platform;
  let metricsPort: string;

  beforeAll(async () => {
    metricsPort = String(freePort());
    platform = await startPlatform({ env: { METRICS_PORT: metricsPort } });
  });

  afterAll(async () => {
    await platform.stop();
  });

  test('shows its metrics on their own port, and nothing else there', async () => {
    const metricsUrl = `http://127.0.0.1:${metricsPort}`;
    await send(platform.url, newEventRequest(platform.firstRun));
    const { status, headers, text } = await send(metricsUrl, { path: '/metrics' });
    expect({ status, type: headers['content-type'] }).toEqual({
      status: 200,
      type: expect.stringMatching(/^text\/plain/),
    });
    for (const line of [
      /^http_request_duration_seconds_bucket\{le="0\.05",method="POST",route="\/events",status="201"\} [01]$/m,
      /^http_request_duration_seconds_count\{method="POST",route="\/events",status="201"\} 1$/m,
      /^broker_calls_total\{action="context\.events\.create",outcome="done"\} 1$/m,
      /^broker_call_seconds_total\{action="context\.events\.create"\} \d+\.\d+/m,
      /^broker_nodes 1$/m,
      /^broker_services (?:[3-9]|1\d)$/m,
      /^node_ready 1$/m,
      /^database_pool_connections [1-9]\d*$/m,
      /^database_pool_in_use \d+$/m,
      /^database_pool_waiting \d+$/m,
      /^nodejs_eventloop_lag_p99_seconds \d/m,
      /^process_resident_memory_bytes \d/m,
      /^process_cpu_seconds_total \d/m,
    ]) {
      expect(text).toMatch(line);
    }
    expect((await send(metricsUrl, { path: '/events' })).status).toBe(404);
    expect((await send(platform.url, { path: '/metrics' })).status).toBe(404);
  });

  test.each([
    [
      'port',
      () => ({ PORT: new URL(platform.url).port }),
      /Port \d+ is already in use\. .* choose another with PORT\./,
    ],
    ['port for metrics', () => ({ METRICS_PORT: metricsPort }), /Port \d+ for metrics is already in use\. /],
    [
      'folder',
      () => ({ DATA_DIR: platform.dataDir }),
      /The database folder .* is in use by another running server[.,] /,
    ],
  ])('lets no second one start on the same %s', async (_what, env, sentence) => {
    const second = startNode({ env: env() });
    expect(await second.exited).toBe(1);
    const fatal = second.log().filter(({ level }) => level === 'fatal');
    expect(fatal).toEqual([expect.objectContaining({ message: expect.stringMatching(sentence) })]);
    expect(fatal[0]).not.toHaveProperty('error');
    expect((await send(platform.url, { path: '/health/ready' })).status).toBe(200);
  });
});
