import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { fail, failInput } from '../../lib/errors.ts';
import { readBytes } from '../read-body.ts';

/** The fields of a form by name. */
export type Form = Readonly<Record<string, string>>;

const usualLimitBytes = 64 * 1024;

/**
 * Reads the body that a browser makes of a form (application/x-www-form-urlencoded) of at most `limitBytes`. Line
 * ends are `\n`, as they were typed.
 *
 * @throws CONTENT_TYPE_UNSUPPORTED, BODY_TOO_LARGE, INPUT_INVALID for a field that is there twice and for text that is
 * not UTF-8.
 */
export async function readForm(request: IncomingMessage, limitBytes: number = usualLimitBytes): Promise<Form> {
  refuseOtherTypes(request);
  const bytes = await readBytes(request, limitBytes);
  const text = bytes.toString('latin1');
  if (!isUtf8(bytes) || !isUtf8(percentDecoded(text))) throw wrongForm('The form is not valid UTF-8.');
  const form: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (name in form) throw failInput([{ path: `body.${name.slice(0, 40)}`, message: 'Send this field once.' }]);
    form[name] = value.replace(/\r\n?/g, '\n');
  }
  return form;
}

/**
 * The expected fields of a form as strings; a missing one is empty. `flow` is always allowed.
 *
 * @throws INPUT_INVALID for a field that the form does not have.
 */
export function pick<N extends string>(form: Form, ...names: N[]): Record<N, string> {
  const known: readonly string[] = [...names, 'flow'];
  const unknown = Object.keys(form).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw failInput(unknown.map((name) => ({ path: `body.${name.slice(0, 40)}`, message: 'There is no such field.' })));
  }
  return Object.fromEntries(names.map((name) => [name, form[name] ?? ''])) as Record<N, string>;
}

function refuseOtherTypes({ headers }: IncomingMessage): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const isForm = type.trim() === 'application/x-www-form-urlencoded';
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const isOurCharset = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (isForm && isPlain && isOurCharset) return;
  throw fail('CONTENT_TYPE_UNSUPPORTED', { message: 'Send the form as browsers do, in UTF-8.' });
}

/** Decodes percent-encoding to bytes; `URLSearchParams` would replace invalid ones. */
function percentDecoded(text: string): Buffer {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, 'latin1');
}

function wrongForm(message: string): Error {
  return failInput([{ path: 'body', message }]);
}
