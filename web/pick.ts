import { inputError } from '../lib/contract/errors.ts';
import type { Form } from './define-page.ts';

/**
 * Reads the expected fields of a form as strings; a missing one is empty. `flow` is always allowed.
 *
 * @throws INPUT_INVALID for a field that the form does not have.
 */
export function pickFields<N extends string>(form: Form, ...names: N[]): Record<N, string> {
  const allowed: readonly string[] = [...names, 'flow'];
  const unknown = Object.keys(form).filter((name) => !allowed.includes(name));
  if (unknown.length > 0) {
    throw inputError(
      unknown.map((name) => ({ path: `body.${name.slice(0, 40)}`, message: 'There is no such field.' })),
    );
  }
  return Object.fromEntries(names.map((name) => [name, form[name] ?? ''])) as Record<N, string>;
}
