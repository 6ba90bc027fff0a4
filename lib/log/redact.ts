const maxDepth = 6;
const maxEntries = 50;
const maxValues = 500;
const maxTextLength = 8_000;
const hidden = '***';

const credentials: [RegExp, string][] = [
  [/\bsvc_(live|test)_[0-9A-Za-z]+/g, `svc_$1_${hidden}`],
  [/\b(Bearer|Basic)\s+[\w.~+/-]+=*/gi, `$1 ${hidden}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, hidden],
  // The user and password of a URL.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]+@/gi, `$1${hidden}@`],
];
/** A pattern that every credential matches. Most texts do not match it, which one test shows. */
const mayHoldCredential = /svc_|bearer|basic|eyJ|@/i;
const secretName = /(secret|token|password|passphrase|apikey|authorization|cookie|privatekey|secretkey)$/;

/** Removes credentials from a text: API keys, Authorization values, JWTs, the password of a URL. */
export function redactText(text: string): string {
  let clean = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}… (${text.length} characters)` : text;
  if (!mayHoldCredential.test(clean)) return clean;
  for (const [pattern, replacement] of credentials) clean = clean.replace(pattern, replacement);
  return clean;
}

/**
 * Converts any value to plain data that is safe to log: no credential, no cycle, no getter that throws, and a bounded
 * size.
 */
export function redact(value: unknown): unknown {
  return copy(value, { open: [], left: maxValues });
}

type Walk = { open: object[]; left: number };

function copy(value: unknown, walk: Walk): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return `[function ${value.name}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (walk.open.includes(value)) return '[circular]';
  if (walk.open.length >= maxDepth || walk.left <= 0) return '[…]';
  walk.open.push(value);
  try {
    return copyObject(value, walk);
  } catch (error) {
    return `[unreadable: ${error instanceof Error ? redactText(error.message) : 'threw'}]`;
  } finally {
    walk.open.pop();
  }
}

function copyObject(value: object, walk: Walk): unknown {
  if (value instanceof Error) return copyError(value, walk);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map || value instanceof Set) return copy([...value], walk);
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), walk);
  if (Array.isArray(value)) return copyList(value, walk);
  return copyFields(Object.keys(value), value as Record<string, unknown>, walk);
}

function copyList(list: unknown[], walk: Walk): unknown[] {
  const copied: unknown[] = [];
  for (const item of list.slice(0, maxEntries)) {
    if (walk.left <= 0) break;
    walk.left -= 1;
    copied.push(copy(item, walk));
  }
  if (copied.length < list.length) copied.push(`… ${list.length - copied.length} more`);
  return copied;
}

function copyFields(names: string[], source: Record<string, unknown>, walk: Walk): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  for (const name of names.slice(0, maxEntries)) {
    if (walk.left <= 0) break;
    walk.left -= 1;
    copied[name] = isSecret(name, source) ? hidden : copy(read(source, name), walk);
  }
  const omitted = names.length - Object.keys(copied).length;
  if (omitted > 0) copied['…'] = `${omitted} more`;
  return copied;
}

function isSecret(name: string, source: Record<string, unknown>): boolean {
  return secretName.test(name.toLowerCase().replace(/[-_]/g, '')) && typeof read(source, name) === 'string';
}

function read(source: Record<string, unknown>, name: string): unknown {
  try {
    return source[name];
  } catch {
    return '[unreadable]';
  }
}

/** Copies an error's message, fields, stack and cause. The first line of the stack repeats its name and message. */
function copyError(error: Error, walk: Walk): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const own = Object.keys(error).filter((key) => !['name', 'message', 'stack', 'cause', 'ctx'].includes(key));
  return {
    name,
    message: redactText(String(message)),
    ...copyFields(own, error as unknown as Record<string, unknown>, walk),
    ...(typeof stack === 'string' && { stack: redactText(stack) }),
    ...(cause !== undefined && { cause: copy(cause, walk) }),
  };
}
