/** A JSON number that JavaScript's numbers cannot hold, as its text. It is written as it was read. */
export type ExactNumber = { readonly rawJSON: string };

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/** ECMAScript's JSON.parse source text access, which TypeScript does not know yet. */
const json = JSON as unknown as {
  parse: (text: string, reviver: Reviver) => unknown;
  rawJSON: (text: string) => ExactNumber;
  isRawJSON: (value: unknown) => value is ExactNumber;
};

/** A number of fewer digits is held exactly. Looking for one with more is much faster than visiting every value. */
const manyDigits = /\d[\d.]{15}/;

/**
 * Parses JSON text. A number with more digits than JavaScript holds, such as an id of 64 bits, becomes an
 * {@link ExactNumber}, so that it is stored and answered as it was sent.
 *
 * @throws SyntaxError
 */
export function parseJson<T = unknown>(text: string): T {
  return (manyDigits.test(text) ? json.parse(text, reviveExact) : JSON.parse(text)) as T;
}

const reviveExact: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && isRounded(value, source) ? json.rawJSON(source) : value;

/** Also for whole numbers that are held by chance: their neighbours are not. Zeros that end a fraction add nothing. */
function isRounded(value: number, source: string): boolean {
  return manyDigits.test(source) && (String(value) !== withoutEndingZeros(source) || !isSafe(value));
}

function withoutEndingZeros(source: string): string {
  if (!source.includes('.') || /e/i.test(source)) return source;
  let end = source.length;
  while (source[end - 1] === '0') end -= 1;
  return source.slice(0, source[end - 1] === '.' ? end - 1 : end);
}

const isSafe = (value: number): boolean => !Number.isInteger(value) || Number.isSafeInteger(value);

export const isExactNumber = (value: unknown): value is ExactNumber => json.isRawJSON(value);

/** The text of a number that may be an identifier: a whole one, however large. Undefined for any other value. */
export function textOfWholeNumber(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return isExactNumber(value) && /^-?\d+$/.test(value.rawJSON) ? value.rawJSON : undefined;
}
