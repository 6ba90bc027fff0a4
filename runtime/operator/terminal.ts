import { createInterface } from 'node:readline';
import type { ConsoleReply, Execute } from './execute.ts';

export type TerminalOptions = {
  execute: Execute;
  as: string | null;
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** Stops this process if it serves requests; leaving the console keeps it running. Null elsewhere. */
  stop: (() => void) | null;
};

const leaving = new Set(['exit', 'quit', 'q']);

/**
 * Reads commands from a terminal until its end, `exit` or Ctrl-D. Then resolves; the process keeps running. The lines are
 * not saved, because they may contain personal data.
 */
export function runTerminal({ execute, as, input, output, stop }: TerminalOptions): Promise<void> {
  const complete = (line: string, done: (error: null, result: [string[], string]) => void) =>
    void completions(execute, line).then((result) => done(null, result));
  const terminal = createInterface({ input, output, prompt: 'platform $ ', terminal: true, completer: complete });
  const closed = new AbortController();
  const print = (text: string) => output.write(text === '' ? '' : `${text}\n`);
  const ask = (question: string) =>
    new Promise<boolean>((resolve) => {
      closed.signal.addEventListener('abort', () => resolve(false), { once: true });
      terminal.question(`${question} [y/N] `, (answer) => resolve(/^y(es)?$/i.test(answer.trim())));
    });
  const run = async (line: string) => {
    if (stop !== null && line === 'stop') {
      if (await ask('This node serves requests. Stop it?')) stop();
      return;
    }
    const reply = await confirmed(execute, { line, as }, ask);
    print(reply === null ? 'Nothing was done.' : textOf(reply));
  };
  let work = Promise.resolve();
  terminal.on('line', (line) => {
    const typed = line.trim();
    if (leaving.has(typed)) return terminal.close();
    work = work
      .then(() => run(typed))
      .then(() => {
        if (!closed.signal.aborted) terminal.prompt();
      });
  });
  terminal.on('SIGINT', () => {
    terminal.write(null, { ctrl: true, name: 'u' });
    print(stop !== null ? '\nexit or Ctrl-D closes the console; stop ends the node.' : '\nexit or Ctrl-D ends.');
    terminal.prompt();
  });
  terminal.prompt();
  return new Promise((resolve) => {
    terminal.on('close', () => {
      closed.abort();
      print(stop !== null ? '\nThe console is closed; the node runs on. Ctrl-C or SIGTERM stops it.' : '');
      work.then(resolve, resolve);
    });
  });
}

/** Completes the names of the commands that the serving process knows. */
async function completions(execute: Execute, line: string): Promise<[string[], string]> {
  const reply = await execute({ line: 'help', as: null, isConfirmed: false });
  const known = reply.kind === 'done' ? (reply.data as { name: string }[]).map(({ name }) => name) : [];
  const names = [...known, 'help', 'exit'];
  const hits = names.filter((name) => name.startsWith(line));
  return [hits.length > 0 ? hits : names, line];
}

/** The reply to a command after the confirmation, if it is required; null when the operator declined. */
async function confirmed(
  execute: Execute,
  request: { line: string; as: string | null },
  ask: (question: string) => Promise<boolean>,
): Promise<ConsoleReply | null> {
  const reply = await execute({ ...request, isConfirmed: false });
  if (reply.kind !== 'confirm') return reply;
  return (await ask(reply.question)) ? await execute({ ...request, isConfirmed: true }) : null;
}

function textOf(reply: ConsoleReply): string {
  if (reply.kind === 'failed') return `${reply.code}: ${reply.message}`;
  return reply.kind === 'done' ? reply.text : reply.question;
}

export type OnceOptions = { line: string; as: string | null; isConfirmed: boolean; json: boolean };

/**
 * Runs one command without a terminal, and prints its text or, with `json`, one line of JSON. Returns the exit code: 0
 * on success, 1 on failure, 2 when it needs `--yes`.
 */
export async function runOnce(execute: Execute, { line, as, isConfirmed, json }: OnceOptions): Promise<number> {
  const reply = await execute({ line, as, isConfirmed });
  const code = { done: 0, failed: 1, confirm: 2 }[reply.kind];
  if (json) process.stdout.write(`${JSON.stringify(toJson(line, reply))}\n`);
  else if (reply.kind === 'done') process.stdout.write(`${reply.text}\n`);
  else process.stderr.write(`${reply.kind === 'failed' ? textOf(reply) : `${reply.question} ${confirmHint}`}\n`);
  return code;
}

const confirmHint = 'Add --yes to run it.';

function toJson(command: string, reply: ConsoleReply): object {
  if (reply.kind === 'done') return { command, ok: true, data: reply.data, lines: reply.text.split('\n') };
  if (reply.kind === 'failed') return { command, ok: false, error: { code: reply.code, message: reply.message } };
  return { command, ok: false, error: { code: 'CONFIRMATION_REQUIRED', message: `${reply.question} ${confirmHint}` } };
}
