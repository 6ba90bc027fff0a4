import { inputError, unknownFields } from '../lib/contract/errors.ts';
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
      unknownFields(
        'body',
        unknown.map((name) => name.slice(0, 40)),
      ),
    );
  }
  return Object.fromEntries(names.map((name) => [name, form[name] ?? ''])) as Record<N, string>;
}

/**
 * Reads the ticked boxes of a field of several values, which `renderCheckGroups` renders. `rest`: the other fields of
 * the form.
 */
export function pickTicked(form: Form, name: string): { ticked: string[]; rest: Form } {
  const prefix = `${name}.`;
  const isBox = (field: string): boolean => field.startsWith(prefix);
  const ticked = Object.keys(form).filter(isBox);
  const rest = Object.entries(form).filter(([field]) => !isBox(field));
  return { ticked: ticked.map((field) => field.slice(prefix.length)), rest: Object.fromEntries(rest) };
}
