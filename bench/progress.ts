import { styleText } from 'node:util';

/** Says on the error stream what is being done, so that the report alone can be piped away. */
export function say(text: string): void {
  process.stderr.write(`${styleText('dim', new Date().toISOString().slice(11, 19))} ${text}\n`);
}
