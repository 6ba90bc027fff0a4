import { setTimeout as wait } from 'node:timers/promises';
import { type ErrorDetail, errorCatalogue, errorCode, inputError, isError } from '../lib/contract/errors.ts';
import { second } from '../lib/data/clock.ts';
import type { Visit } from './define-page.ts';
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
const passedOn = new Set(['CREDENTIAL_REQUIRED', 'CREDENTIAL_INVALID', 'SESSION_TOO_OLD']);

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

const pauseBetweenTries = second / 5;
const maxTries = 50;

/** Makes an idempotent call with a key once, however often the form of it is sent: two clicks, or a reload. */
export async function runOnce<T>({ meta }: Visit['ctx'], key: string, work: () => Promise<T>): Promise<T> {
  meta.idempotencyKey = key;
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isError(error, 'IDEMPOTENCY_IN_PROGRESS') || tries === maxTries) throw error;
        await wait(pauseBetweenTries);
      }
    }
  } finally {
    delete meta.idempotencyKey;
  }
}

/** The refusal of a call whose result is not needed; null on success. */
export async function refusalOf(names: readonly string[], work: () => Promise<unknown>): Promise<Refusal | null> {
  const { refusal } = await submitForm(names, work);
  return refusal;
}

/**
 * Calls a service whose input has other names than the fields of the form. `rename` maps each problem of the input to
 * its field, `body.<name>`.
 */
export async function withRenamedProblems<T>(
  rename: (detail: ErrorDetail) => ErrorDetail,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isError(error, 'INPUT_INVALID')) throw error;
    throw inputError(((error as Refused).data?.details ?? []).map(rename));
  }
}

function refusalIn(names: readonly string[], error: unknown): Refusal {
  const code = errorCode(error);
  if (code === null || passedOn.has(code) || errorCatalogue[code].status >= 500) throw error;
  const { message, data } = error as Refused;
  if (code === 'RATE_LIMITED') return rejectForNow(Number(data?.headers?.['Retry-After'] ?? 1));
  const details = data?.details ?? [];
  const others = details.filter(({ path }) => !names.includes(path.split('.')[1] ?? ''));
  const isShown = details.length > 0 && others.length === 0;
  const words = texts().refusals;
  return {
    status: errorCatalogue[code].status,
    errors: errorsByField(details, names),
    problem: isShown ? null : others[0] ? words.detail(others[0].message) : words.message(code, message),
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

/** The refusal of filters in the address of a list, in one text: the filters have no place for a message each. */
export function refusalOfFilters(refusal: Refusal, labels: Readonly<Record<string, string>>): Refusal {
  const { errors, problem } = refusal;
  const words = Object.entries(errors).map(([name, message]) => `${labels[name] ?? name}: ${message}`);
  return { ...refusal, errors: {}, problem: [...(problem ? [problem] : []), ...words].join(' ') };
}

/** Creates a refusal that the page itself decides. */
export function refuse(errors: FieldErrors, problem: string | null = null, status = 400): Refusal {
  return { status, errors, problem };
}
