import { type ErrorDetail, errorCatalogue, errorCode } from '../lib/contract/errors.ts';
import { errorsByField, type FieldErrors } from './fields.ts';
import { texts } from './texts.ts';
import { waitInWords } from './time.ts';

/** Why a form was rejected: errors of fields, or a general problem. */
export type Refusal = {
  status: number;
  errors: FieldErrors;
  problem: string | null;
  headers?: Record<string, string>;
};

/** Errors that do not depend on the form's input; the form is not rendered again for them. */
const passedOn = new Set(['CREDENTIAL_REQUIRED', 'CREDENTIAL_INVALID']);

/** A service's result, or its refusal. */
export type Attempt<T> = { refusal: null; answer: T } | { refusal: Refusal };

/**
 * Calls a service with the input of these fields. Returns a refusal of the input, so that the form can be rendered
 * again with it.
 *
 * @throws any other error, such as UNAVAILABLE.
 */
export async function submitForm<T>(names: readonly string[], work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { refusal: null, answer: await work() };
  } catch (error) {
    return { refusal: refusalIn(names, error) };
  }
}

/** The refusal of a call whose result is not needed; null on success. */
export async function refusalOf(names: readonly string[], work: () => Promise<unknown>): Promise<Refusal | null> {
  const { refusal } = await submitForm(names, work);
  return refusal;
}

function refusalIn(names: readonly string[], error: unknown): Refusal {
  const code = errorCode(error);
  if (code === null || passedOn.has(code) || errorCatalogue[code].status >= 500) throw error;
  const { message, data } = error as Refused;
  if (code === 'RATE_LIMITED') return rejectForNow(Number(data?.headers?.['Retry-After'] ?? 1));
  const details = data?.details ?? [];
  const others = details.filter(({ path }) => !names.includes(path.split('.')[1] ?? ''));
  const isShown = details.length > 0 && others.length === 0;
  return {
    status: errorCatalogue[code].status,
    errors: errorsByField(details, names),
    problem: isShown ? null : (others[0]?.message ?? message),
  };
}

type Refused = Error & { data?: { details?: ErrorDetail[]; headers?: Record<string, string> } };

/** The refusal after too many guesses, or too many requests for mail. */
export function rejectForNow(seconds: number): Refusal {
  const problem = texts().forms.tooManyAttempts(waitInWords(seconds));
  return { ...refuse({}, problem, 429), headers: { 'Retry-After': String(seconds) } };
}

/** The refusal of a form with empty fields, with the sentence of each field; null when all are filled. */
export function rejectMissing(typed: Readonly<Record<string, string>>, sentences: FieldErrors): Refusal | null {
  const missing = Object.entries(sentences).filter(([name]) => (typed[name] ?? '').trim() === '');
  return missing.length > 0 ? refuse(Object.fromEntries(missing)) : null;
}

/** Creates a refusal that the page itself decides. */
export function refuse(errors: FieldErrors, problem: string | null = null, status = 400): Refusal {
  return { status, errors, problem };
}
