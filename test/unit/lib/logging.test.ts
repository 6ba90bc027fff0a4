import { describe, expect, test } from '@jest/globals';
import { PlatformLogger } from '../../../lib/log/logging.ts';

function log(format: 'json' | 'text', ...args: unknown[]): string {
  const lines: string[] = [];
  const logger = new PlatformLogger({ level: 'info', format, write: (line) => lines.push(line) });
  logger.getLogHandler({ nodeID: 'node-1', mod: 'CONTEXT' })('info', args);
  return lines.join('');
}

describe('a log line', () => {
  test('in JSON has time, level, node, module, message and the fields given', () => {
    expect(JSON.parse(log('json', 'request', { status: 200 }))).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: 'info',
      node: 'node-1',
      module: 'CONTEXT',
      message: 'request',
      status: 200,
    });
  });

  test('in JSON keeps its own time beside a field of that name', () => {
    const { time, fieldTime } = JSON.parse(log('json', 'late', { time: 'noon' }));
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(fieldTime).toBe('noon');
  });

  test('as text is one line that a hostile path can neither break nor colour', () => {
    const line = log('text', 'request', { path: '/a\nINFO forged\u001b[31m\u2028' });
    expect(line.split('\n')).toHaveLength(2);
    expect(line).not.toContain('\u001b');
  });

  test.each(['json', 'text'] as const)('as %s holds no credential', (format) => {
    const line = log(format, 'failed', new Error('with Bearer abcdef'), { password: 'hunter2' }, 'svc_live_abc');
    expect(line).not.toMatch(/abcdef|hunter2|svc_live_a/);
    expect(line).toContain('failed');
  });

  test('less severe than the level is not written', () => {
    const lines: string[] = [];
    const logger = new PlatformLogger({ level: 'warn', format: 'json', write: (line) => lines.push(line) });
    const write = logger.getLogHandler(null);
    write('info', ['quiet']);
    write('warn', ['loud']);
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(['loud']);
  });
});
