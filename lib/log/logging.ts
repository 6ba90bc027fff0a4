import { stripVTControlCharacters } from 'node:util';
import { Loggers } from 'moleculer';
import { now } from '../data/clock.ts';
import { StartError } from '../settings/start-error.ts';
import { createLogDestination, type LogDestination } from './destination.ts';
import { redact, redactText } from './redact.ts';

export type LogFormat = 'json' | 'text';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** A log entry that is ready to be written: without credentials and cycles. */
type Entry = { level: LogLevel; source: Source; message: string; fields: Record<string, unknown> };
type Source = { nodeID?: string; mod?: string; svc?: string };

type Options = { level: LogLevel; format: LogFormat; write?: LogDestination['write'] };

/** Parts of Moleculer whose info lines are logged only at the levels debug and trace. */
const internals = new Set(['broker', 'registry', 'transit', 'transporter', 'discovery', 'circuit-breaker', '$node']);
const levels: LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'];
const urgent = levels.indexOf('warn');

/** Whether an entry of `entryLevel` is logged at a level. */
export function isLogged(entryLevel: LogLevel, level: LogLevel): boolean {
  return levels.indexOf(entryLevel) <= levels.indexOf(level);
}

/**
 * The fields of a line that is logged for every request: plain values, of which only the fields named in `paths` can
 * hold a credential. Any other object is copied and searched entirely, which costs several times as much.
 */
export class DeclaredFields {
  readonly fields: Record<string, unknown>;

  constructor(fields: Record<string, unknown>, paths: readonly string[]) {
    this.fields = fields;
    for (const path of paths) {
      if (typeof fields[path] === 'string') fields[path] = redactText(fields[path]);
    }
  }
}

/**
 * Moleculer's logger in the platform's format: JSON lines for machines or formatted text for people, always whole lines
 * and never a credential. `logger.info('request', { status: 200 })` logs a message with fields.
 */
export class PlatformLogger extends Loggers.Base<{ level: LogLevel }> {
  readonly #log: (source: Source, level: LogLevel, args: unknown[]) => void;

  constructor({ level, format, write = writeToStandardOutput }: Options) {
    super({ level });
    const render = format === 'json' ? renderJson : renderText;
    this.#log = (source, entryLevel, args) =>
      write(`${render(entryOf(source, entryLevel, args))}\n`, levels.indexOf(entryLevel) <= urgent);
  }

  override getLogHandler(bindings: Source | null): (level: LogLevel, args: unknown[]) => void {
    const source = bindings ?? {};
    const least = levels.indexOf(this.opts.level);
    const isInternal = internals.has(source.mod?.toLowerCase() ?? '');
    return (level, args) => {
      const severity = levels.indexOf(level);
      if (severity > least || (isInternal && level === 'info' && least < levels.indexOf('debug'))) return;
      // The runtime logs the reason once, as fatal.
      if (level === 'error' && args.some((arg) => arg instanceof StartError)) return;
      this.#log(source, level, args);
    };
  }
}

let standardOutput: LogDestination | null = null;

function writeToStandardOutput(line: string, isUrgent: boolean): void {
  standardOutput ??= openDestination(process.stdout.fd);
  standardOutput.write(line, isUrgent);
}

/** Prints a text for a person between the lines of the log, after those that were logged before. */
export function printInLog(text: string): void {
  writeToStandardOutput(text, true);
}

/** Writes the log to the standard error, in a process whose standard output is the result of a command. */
export function logToStandardError(): void {
  standardOutput = openDestination(process.stderr.fd);
}

/** All log lines are flushed before the process exits, also after an uncaught error. */
function openDestination(descriptor: number): LogDestination {
  const destination = createLogDestination(descriptor, describeLoss);
  process.on('exit', destination.flushSync);
  return destination;
}

function describeLoss(droppedLines: number): string {
  const message = 'Log lines were dropped because they were not read.';
  const fields = { droppedLines };
  return `${renderJson({ level: 'warn', source: { mod: 'LOG' }, message, fields })}\n`;
}

/** Joins the plain values into the message; errors and objects become fields, at any position. */
function entryOf(source: Source, level: LogLevel, args: unknown[]): Entry {
  const words: string[] = [];
  const fields: Record<string, unknown> = {};
  for (const arg of args) {
    if (arg instanceof DeclaredFields) Object.assign(fields, arg.fields);
    else if (arg instanceof Error) Object.assign(fields, { error: redact(arg) });
    else if (typeof arg === 'object' && arg !== null)
      Object.assign(fields, Array.isArray(arg) ? { list: redact(arg) } : redact(arg));
    else words.push(redactText(String(arg)));
  }
  const { error } = fields as { error?: { message?: string } };
  return { level, source, message: words.join(' ') || (error?.message ?? ''), fields };
}

function renderJson({ level, source, message, fields }: Entry): string {
  const time = now().toISOString();
  const line = { time, level, node: source.nodeID, module: source.mod, message, ...fields };
  if ('time' in fields) Object.assign(line, { time, fieldTime: fields.time });
  return JSON.stringify(line);
}

function renderText({ level, source, message, fields }: Entry): string {
  const { error, ...rest } = fields;
  const time = now().toISOString().slice(11, 23);
  const head = `${time} ${level.toUpperCase().padEnd(5)} ${source.mod ?? ''}: ${printable(textOf(message, rest))}`;
  return error === undefined ? head : `${head}\n${indent(describeError(error))}`;
}

type RequestFields = { method: string; path: string; status: number; milliseconds: number; requestId: string };

function textOf(message: string, fields: Record<string, unknown>): string {
  if (message === 'request' && 'milliseconds' in fields) {
    const { method, path, status, milliseconds, requestId } = fields as RequestFields;
    return `${method} ${path} ${status} ${milliseconds} ms ${requestId}`;
  }
  const named = Object.entries(fields).map(([name, value]) => `${name}=${inline(value)}`);
  return [message, ...named].join(' ');
}

function inline(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : (JSON.stringify(value) ?? 'undefined');
}

function describeError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { stack, message, cause } = error as { stack?: string; message?: string; cause?: unknown };
  const own = stack ?? message ?? JSON.stringify(error);
  return cause === undefined ? own : `${own}\ncaused by ${describeError(cause)}`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${printable(line.trimEnd())}`)
    .join('\n');
}

/** Escapes control characters, so that data of a request cannot break a line or control a terminal. */
function printable(text: string): string {
  return stripVTControlCharacters(text).replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
