import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { apiError, inputError } from '../lib/errors.ts';
import { type Form, maxFormBytes } from '../web/define-page.ts';
import { hasMediaType, readBytes } from './read-body.ts';

/**
 * Reads a form body (application/x-www-form-urlencoded) of at most `limitBytes`. Line ends are normalized to `\n`.
 *
 * @throws CONTENT_TYPE_UNSUPPORTED, BODY_TOO_LARGE, INPUT_INVALID for a repeated field and for text that is not UTF-8.
 */
export async function readForm(request: IncomingMessage, limitBytes: number = maxFormBytes): Promise<Form> {
  refuseOtherTypes(request);
  const bytes = await readBytes(request, limitBytes);
  const text = bytes.toString('latin1');
  if (!isUtf8(bytes) || !isUtf8(percentDecoded(text))) throw wrongForm('The form is not valid UTF-8.');
  const form: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (name === '__proto__') throw inputError([{ path: 'body.__proto__', message: 'There is no such field.' }]);
    if (name in form) throw inputError([{ path: `body.${name.slice(0, 40)}`, message: 'Must be sent once.' }]);
    form[name] = value.replace(/\r\n?/g, '\n');
  }
  return form;
}

function refuseOtherTypes({ headers }: IncomingMessage): void {
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
  if (isPlain && hasMediaType({ headers }, 'application/x-www-form-urlencoded')) return;
  throw apiError('CONTENT_TYPE_UNSUPPORTED', {
    message: 'The body must be a form (application/x-www-form-urlencoded) in UTF-8.',
  });
}

/** Decodes percent-encoding to bytes; `URLSearchParams` would replace invalid ones. */
function percentDecoded(text: string): Buffer {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, 'latin1');
}

function wrongForm(message: string): Error {
  return inputError([{ path: 'body', message }]);
}
