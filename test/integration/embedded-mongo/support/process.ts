import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const node = join(root, 'node_modules', '.bin', 'node');
const tether = join(root, 'test', 'support', 'exit-with-parent.js');

export type Program = {
  pid: number;
  lines: string[];
  /** Waits until it has printed a line that fits. Throws when it ends before. */
  printed(fits: (line: string, count: number) => boolean): Promise<string>;
  kill(signal: NodeJS.Signals): Promise<void>;
};

const running = new Set<ChildProcess>();

afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs a program of this folder in a process of its own, with at most `fileKibibytes` a file when given. */
export function runProgram(name: string, commandLine: string[], fileKibibytes?: number): Program {
  const command = [node, '--import', tether, join(import.meta.dirname, name), ...commandLine];
  const child = fileKibibytes
    ? spawn('bash', ['-c', `ulimit -S -f ${fileKibibytes} && exec "$@"`, 'bash', ...command])
    : spawn(command[0]!, command.slice(1));
  running.add(child);
  const ended = once(child, 'close').then(() => running.delete(child));
  return {
    pid: child.pid!,
    ...observed(child, ended),
    kill: async (signal) => void (child.kill(signal) && (await ended)),
  };
}

function observed(child: ChildProcess, ended: Promise<unknown>): Pick<Program, 'lines' | 'printed'> {
  const lines: string[] = [];
  const errors: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout! }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  createInterface({ input: child.stderr! }).on('line', (line) => errors.push(line));
  const printed: Program['printed'] = (fits) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = lines.find((line, index) => fits(line, index + 1));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      void ended.then(() => reject(new Error(`The program ended:\n${[...lines.slice(-5), ...errors].join('\n')}`)));
      look();
    });
  return { lines, printed };
}
