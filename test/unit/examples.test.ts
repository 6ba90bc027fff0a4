import { describe, expect, test } from '@jest/globals';
import { type ZodType, z } from 'zod';
import { dataOf } from '../../lib/contract/contract.ts';
import type { Action } from '../../lib/contract/define-action.ts';
import { findServices, readService } from '../../runtime/load-service.ts';

async function publishedActions(): Promise<[string, Action][]> {
  const schemas = await Promise.all([...(await findServices()).values()].map((file) => readService(file)));
  return schemas.flatMap(({ name, actions }) =>
    Object.entries((actions ?? {}) as Record<string, Action>)
      // Pages are not in the API document.
      .filter(([, { rest, contract }]) => rest !== undefined && contract.answers !== 'html')
      .map(([key, action]): [string, Action] => [
        `${action.rest?.method} ${action.rest?.fullPath} (${name}.${key})`,
        action,
      ]),
  );
}

function problemsOf({ schemas, contract }: Action): string[] {
  const { input, output } = schemas();
  const example = dataOf(contract.example);
  if (!example) return ['has no example'];
  const parts = Object.entries(input).map(([part, schema]) => [part, schema as ZodType, example[part]] as const);
  const all = [...parts, ['output', output, example.output] as const];
  // Content that is streamed has no example.
  const streamed = [contract.takes === 'stream' && 'body', contract.answers === 'stream' && 'output'];
  return all
    .filter(([part]) => !streamed.includes(part))
    .flatMap(([part, schema, value]) => {
      const { error } = (schema as ZodType).safeParse(value);
      return error ? [`${part}: ${z.prettifyError(error)}`] : [];
    });
}

describe('the examples of the API document', () => {
  test('every action with a route has one, which its schemas accept', async () => {
    const actions = await publishedActions();
    expect(actions.length).toBeGreaterThan(70);
    const wrong = actions.flatMap(([name, action]) => problemsOf(action).map((problem) => `${name}: ${problem}`));
    expect(wrong).toEqual([]);
  });
});
