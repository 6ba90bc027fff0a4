import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Logger } from 'moleculer';
import { StartError } from '../../../lib/settings/start-error.ts';
import { explainFailedStart } from '../../../runtime/lifecycle.ts';

describe('a start that failed', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  function explain(error: unknown): string {
    jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const logged: unknown[] = [];
    explainFailedStart({ fatal: (...parts: unknown[]) => logged.push(...parts) } as unknown as Logger, error);
    return logged.join(' ');
  }

  test('on a full disk says what to do, in whatever words the system says it', () => {
    const noSpace = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const errors = [
      noSpace,
      new StartError('database or disk is full'),
      new StartError('It failed.', { cause: noSpace }),
    ];
    for (const error of errors)
      expect(explain(error)).toMatch(/^The disk of DATA_DIR \(.+\) is full\. Free some space/);
  });

  test('for another known reason says that alone', () => {
    expect(explain(new StartError('The port 3000 is in use.'))).toBe('The port 3000 is in use.');
  });
});
