import { describe, expect, test } from '@jest/globals';
import { send } from '../../support/http.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';

const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send((await sharedPlatform()).url, { method, path, headers });

describe.each(['/openapi.json', '/docs', '/docs/start', '/docs/api/context'])('%s', (path) => {
  test('has a tag by which whoever has it is spared another copy', async () => {
    const first = await get(path);
    expect(first).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^"[\w-]{43}"$/) } });
    const { etag = '' } = first.headers;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { 'if-none-match': known });
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
      expect(again.headers).toMatchObject({ etag, 'cache-control': 'public, no-cache' });
    }
  });

  test('is sent whole to whoever has another, and is asked for each time', async () => {
    const answer = await get(path, { 'if-none-match': '"other"' });
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('public, no-cache');
    expect(answer.text.length).toBeGreaterThan(100);
    const head = await get(path, {}, 'HEAD');
    expect(head.headers).toMatchObject({
      etag: answer.headers.etag,
      'content-length': answer.headers['content-length'],
    });
    expect(head.text).toBe('');
  });
});
