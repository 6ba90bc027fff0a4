/** A JSON number that JavaScript's numbers cannot represent, as its text. It is written as it was read. */
export type ExactNumber = { readonly rawJSON: string };

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/** ECMAScript's JSON.parse source text access, which TypeScript does not declare yet. */
const json = JSON as unknown as {
  parse: (text: string, reviver: Reviver) => unknown;
  rawJSON: (text: string) => ExactNumber;
  isRawJSON: (value: unknown) => value is ExactNumber;
};

/**
 * Numbers with fewer digits are represented exactly. Searching for a longer one is much faster than visiting every
 * value.
 */
const manyDigits = /\d[\d.]{15}/;

/**
 * Parses JSON text. A number with more digits than JavaScript can represent, such as a 64-bit id, becomes an {@link
 * ExactNumber}, so that it is stored and answered as it was sent.
 *
 * @throws SyntaxError
 */
export function parseJson<T = unknown>(text: string): T {
  return (manyDigits.test(text) ? json.parse(text, reviveExact) : JSON.parse(text)) as T;
}

const reviveExact: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && isRounded(value, source) ? json.rawJSON(source) : value;

/**
 * Whether parsing changed the number. True also for whole numbers beyond the safe range that happen to be exact;
 * trailing zeros of a fraction do not count.
 */
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

/** The text of a number that may be an identifier: a whole number of any size. Undefined for any other value. */
export function textOfWholeNumber(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return isExactNumber(value) && /^-?\d+$/.test(value.rawJSON) ? value.rawJSON : undefined;
}
