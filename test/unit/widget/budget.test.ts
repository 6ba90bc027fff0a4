import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { frameAssets, loader } from '../../../widget/assets.ts';

const compressed = (bytes: Buffer): number => gzipSync(bytes, { level: 9 }).length;

describe('the widget', () => {
  test('has a loader of at most 5 KB, compressed', () => {
    expect(compressed(loader.read())).toBeLessThanOrEqual(5 * 1024);
  });

  test('has a frame of at most 30 KB, compressed, all files together', () => {
    const sizes = frameAssets.map(({ read }) => compressed(read()));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(30 * 1024);
  });

  test('has a loader that a page can load as a classic script, without its types', () => {
    const source = loader.read().toString();
    expect(source).not.toMatch(/^(?:import|export) /m);
    expect(() => new Function(source)).not.toThrow();
  });

  test('has modules whose addresses change with what they import', () => {
    const main = frameAssets.find(({ path }) => path === '/widget/frame.js');
    const imported = [
      ...main!
        .read()
        .toString()
        .matchAll(/from '([^']+)'/g),
    ].map(([, href]) => href!);
    expect(imported.length).toBeGreaterThan(5);
    expect(frameAssets.map(({ href }) => href)).toEqual(expect.arrayContaining(imported));
  });
});
