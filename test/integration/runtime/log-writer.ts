import { PlatformLogger } from '../../../lib/log/logging.ts';

/** A process that logs so many lines of 500 characters and ends as it is told to; it says on the standard error that it has. */
const [lines = '0', end = 'exit'] = process.argv.slice(2);
const log = new PlatformLogger({ level: 'info', format: 'json' }).getLogHandler({ mod: 'WRITER' });
for (let line = 0; line < Number(lines); line += 1) log('info', ['line', { line, rest: 'x'.repeat(400) }]);
process.stderr.write('logged\n');
if (end === 'exit') process.exit(0);
if (end === 'throw') throw new Error('nothing catches this');
// It goes on, and says so at each byte it is sent.
process.stdin.on('data', () => process.stderr.write('alive\n'));
process.stdin.on('end', () => process.exit(0));
