import { existsSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commandFiles, endpointFiles, pageFiles, serviceFiles } from '../../scripts/new-files.ts';

const root = join(import.meta.dirname, '..', '..');

const permissions = { read: 'loyalty.read', write: 'loyalty.write' };

describe('npm run new', () => {
  test.each([
    ['service', serviceFiles('loyalty', 'gift-card'), 'giftCardActions'],
    ['endpoint', endpointFiles('loyalty', 'gift-card', permissions), 'giftCardActions'],
    ['page', pageFiles('loyalty', 'overview'), 'overviewPages'],
    ['command', commandFiles('loyalty', 'count-cards'), 'countCardsCommands'],
  ])('%s writes files that parse and import what there is', (_kind, files, table) => {
    const sources = Object.entries(files).filter(([file]) => file.endsWith('.ts'));
    for (const [file, text] of sources) {
      expect(() => stripTypeScriptTypes(text)).not.toThrow();
      const imported = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path));
      expect(imported.filter((path) => !(path in files) && !existsSync(join(root, path)))).toEqual([]);
    }
    expect(Object.values(files).join('')).toContain(`export const ${table} = {`);
  });

  test('a service with its resource is five files, an endpoint three, a page two and a command one', () => {
    const counts = [
      serviceFiles('loyalty', 'reward'),
      endpointFiles('loyalty', 'reward', permissions),
      pageFiles('loyalty', 'overview'),
      commandFiles('loyalty', 'count'),
    ].map((files) => Object.keys(files).length);
    expect(counts).toEqual([5, 3, 2, 1]);
  });
});
