import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type Logger, ServiceBroker } from 'moleculer';
import { z } from 'zod';
import type { RequestMeta } from '../../../lib/contract/context.ts';
import { dataOf, streamOutput } from '../../../lib/contract/contract.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';

const caller = { type: 'application' as const, id: 'app_1', orgId: 'org_1', scopes: ['mail.send'], keyId: 'key_1' };

const sendLetter = defineAction({
  rest: 'POST /letters/:to',
  summary: 'Send a letter',
  permission: 'mail.send',
  input: {
    path: z.strictObject({ to: z.string() }),
    query: z.strictObject({ copies: z.coerce.number().int().default(1) }),
    body: z.strictObject({ text: z.string().min(1, 'Send a text.'), pages: z.array(z.number()).default([]) }),
  },
  output: z.strictObject({ told: z.unknown() }),
  status: 202,
  errors: ['NOT_FOUND'],
  idempotent: { resume: 'rerun' },
  limits: { bodyBytes: 10 },
  handler: ({ path, query, body, caller }) => Promise.resolve({ told: { path, query, body, caller } }),
});

const nothing = { summary: 'Nothing', input: {}, output: z.void() } as const;
const done = () => Promise.resolve();
const throwing = (error: unknown) =>
  defineAction({ ...nothing, permission: 'internal', handler: () => Promise.reject(error) });

const actions = {
  letter: sendLetter,
  shapeFirst: defineAction({
    ...nothing,
    permission: 'mail.read',
    shapeFirst: true,
    input: { body: z.strictObject({ text: z.string() }) },
    handler: done,
  }),
  public: defineAction({ ...nothing, permission: 'public', handler: done }),
  internal: defineAction({ ...nothing, permission: 'internal', handler: done }),
  authenticated: defineAction({ ...nothing, permission: 'authenticated', handler: done }),
  refusing: throwing(apiError('NOT_FOUND', { message: 'There is no such letter.' })),
  broken: throwing(new TypeError('secrets of the inside')),
  duplicate: throwing(Object.assign(new Error('E11000 duplicate key'), { code: 11000 })),
  unreachable: throwing(Object.assign(new Error('connect ECONNREFUSED'), { name: 'MongoNetworkError' })),
  wrongOutput: defineAction({
    ...nothing,
    permission: 'internal',
    output: z.strictObject({ id: z.string() }),
    handler: () => Promise.resolve({ id: 'x', internal: 'too much' }) as Promise<{ id: string }>,
  }),
};

const broker = new ServiceBroker({ logger: false, validator: false });
const logged = jest.spyOn(broker.logger as Logger, 'error').mockImplementation(() => undefined);

beforeAll(async () => {
  broker.createService({ name: 'test', actions });
  await broker.start();
});
afterAll(() => broker.stop());

type Refusal = { message: string; data: { details: { path: string }[] } };

/** What a call is refused with. */
function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  return call.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error: Refusal) => error,
  );
}

function run(name: keyof typeof actions, params: object = {}, meta: RequestMeta = {}): Promise<unknown> {
  return broker.call(`test.${name}`, params, { meta });
}

const letter = { path: { to: 'ada' }, query: { copies: '2' }, body: { text: 'Hello' } };

describe('what an action declares', () => {
  test('becomes its route, and plain data that another node can read', () => {
    expect(sendLetter.rest).toEqual({ method: 'POST', fullPath: '/letters/:to' });
    expect(JSON.parse(JSON.stringify(sendLetter.contract))).toMatchObject({
      summary: 'Send a letter',
      permission: 'mail.send',
      tenant: 'inferred',
      status: 202,
      errors: ['NOT_FOUND'],
      idempotent: true,
      bodyLimitBytes: 10,
      input: { path: {}, query: {}, body: {} },
    });
    expect(Object.keys(sendLetter.contract.input)).toEqual(['path', 'query', 'body']);
  });

  test('makes the schemas and the example for the API document when they are read, and once', () => {
    const output = jest.fn(() => z.string());
    const { contract } = defineAction({
      ...nothing,
      permission: 'public',
      output: z.lazy(output),
      handler: () => Promise.resolve(''),
    });
    expect(output).not.toHaveBeenCalled();
    expect(JSON.parse(JSON.stringify(contract))).toMatchObject({ output: {} });
    expect(output).not.toHaveBeenCalled();
    expect(dataOf(contract.output!)).toMatchObject({ type: 'string' });
    expect(dataOf(contract.output!)).toBe(dataOf(contract.output!));
  });

  test.each([201, 202] as const)('has to be idempotent when it is a POST that answers %i', (status) => {
    const post = { ...nothing, rest: 'POST /letters', permission: 'mail.send', status, handler: done } as const;
    expect(() => defineAction(post)).toThrow(`POST /letters answers ${status}: it must be idempotent.`);
    expect(defineAction({ ...post, idempotent: { resume: 'rerun' } }).contract.idempotent).toBe(true);
  });

  test('is answered from memory only where it is public and a stream', () => {
    const read = { ...nothing, rest: 'GET /letters', output: streamOutput, validator: () => null } as const;
    const handler = (): never => {
      throw new Error('Not called.');
    };
    for (const wrong of [
      { permission: 'public', answers: 'json' },
      { permission: 'mail.send', answers: 'stream' },
    ] as const)
      expect(() => defineAction({ ...read, ...wrong, handler })).toThrow('GET /letters must not have a validator.');
    const action = defineAction({ ...read, permission: 'public', answers: 'stream', handler });
    expect(action.validator).toBe(read.validator);
  });

  test('takes a file in a form only, and with a credential', () => {
    const post = { ...nothing, rest: 'POST /pictures', output: z.void(), limits: { fileBytes: 10 } } as const;
    const handler = (): undefined => undefined;
    for (const wrong of [
      { permission: 'public', takes: 'form' },
      { permission: 'session', takes: 'json' },
    ] as const)
      expect(() => defineAction({ ...post, ...wrong, handler })).toThrow('POST /pictures must not take a file.');
    const action = defineAction({ ...post, permission: 'session', takes: 'form', handler });
    expect(action.contract.fileBytes).toBe(10);
  });

  test('is offered over HTTP only with a route', () => {
    expect(sendLetter.visibility).toBe('published');
    expect(actions.internal).toMatchObject({ visibility: 'public' });
    expect(actions.internal.rest).toBeUndefined();
  });

  test('has the status 204 when it answers nothing, else 200, unless it says another', () => {
    const statuses = [actions.public, actions.wrongOutput, sendLetter].map(({ contract }) => contract.status);
    expect(statuses).toEqual([204, 200, 202]);
  });
});

describe('a call', () => {
  test('hands the parsed parts and the caller to the handler', async () => {
    const body = { text: 'Hello', pages: [] };
    expect(await run('letter', letter, { caller })).toEqual({
      told: { path: { to: 'ada' }, query: { copies: 2 }, body, caller },
    });
  });

  test('without a query has an empty one', async () => {
    const { query: _query, ...others } = letter;
    expect(await run('letter', others, { caller })).toMatchObject({ told: { query: { copies: 1 } } });
  });

  test('with wrong input is refused with every place of it', async () => {
    const wrong = { path: {}, query: { copies: 'many' }, body: { text: '', pages: [1, 'x'], more: 1, most: 2 } };
    const error = await refusalOf(run('letter', wrong, { caller }));
    expect(error).toMatchObject({ type: 'INPUT_INVALID', code: 400 });
    expect(error.data.details.map(({ path }) => path)).toEqual([
      'path.to',
      'query.copies',
      'body.text',
      'body.pages.1',
      'body.more',
      'body.most',
    ]);
    expect(error.message).toMatch(/^path\.to is required \(string\)\. \(and 5 more; see details\)$/);
  });

  test('with very much wrong names the first twenty places', async () => {
    const pages = Array.from({ length: 1000 }, () => 'x');
    const error = await refusalOf(run('letter', { ...letter, body: { text: 'x', pages } }, { caller }));
    expect(error.data.details).toHaveLength(20);
    expect(error.message).toContain('(and 999 more; see details)');
  });

  test('without any part is refused, not broken', async () => {
    await expect(broker.call('test.letter', undefined, { meta: { caller } })).rejects.toMatchObject({
      type: 'INPUT_INVALID',
    });
  });
});

describe('permission', () => {
  const refusal = { code: 'TENANT_MISMATCH', message: 'Another organization.' };

  test.each<[string, keyof typeof actions, RequestMeta, string]>([
    ['no credential', 'letter', {}, 'CREDENTIAL_REQUIRED'],
    ['a credential without the scope', 'letter', { caller: { ...caller, scopes: ['mail.read'] } }, 'PERMISSION_DENIED'],
    ['no credential where any will do', 'authenticated', {}, 'CREDENTIAL_REQUIRED'],
    ['a credential that the gateway refused', 'shapeFirst', { refusal }, 'TENANT_MISMATCH'],
  ])('is refused to %s, even if the input is right', async (_who, name, meta, type) => {
    await expect(run(name, name === 'letter' ? letter : { body: { text: 'x' } }, meta)).rejects.toMatchObject({ type });
  });

  test('is checked before the input, so that a stranger learns nothing of it', async () => {
    await expect(run('letter', {})).rejects.toMatchObject({ type: 'CREDENTIAL_REQUIRED' });
    const weak = { caller: { ...caller, scopes: [] } };
    await expect(run('letter', {}, weak)).rejects.toMatchObject({ type: 'PERMISSION_DENIED' });
  });

  test('is checked after the input where the contract orders it so', async () => {
    await expect(run('shapeFirst', { body: {} }, { refusal })).rejects.toMatchObject({ type: 'INPUT_INVALID' });
    const allowed = { caller: { ...caller, scopes: ['svc:read'] } };
    expect(await run('shapeFirst', { body: { text: 'x' } }, allowed)).toBeUndefined();
  });

  test('is needed by none for what is public or internal, and by any caller for what is authenticated', async () => {
    expect(await run('public')).toBeUndefined();
    expect(await run('internal')).toBeUndefined();
    expect(await run('authenticated', {}, { caller: { ...caller, scopes: [] } })).toBeUndefined();
  });
});

describe('what a handler throws', () => {
  test('leaves as it is when it is of the catalogue', async () => {
    await expect(run('refusing')).rejects.toMatchObject({ type: 'NOT_FOUND', message: 'There is no such letter.' });
  });

  test.each(['broken', 'duplicate'] as const)('leaves as INTERNAL without a word of it when it is %s', async (name) => {
    logged.mockClear();
    await expect(run(name)).rejects.toMatchObject({
      type: 'INTERNAL',
      code: 500,
      message: 'Something failed on our side; the request id helps us find it.',
    });
    expect(logged).toHaveBeenCalledTimes(1);
    expect(logged.mock.calls[0]).toEqual([
      `test.${name} failed`,
      expect.objectContaining({ error: expect.anything() }),
    ]);
  });

  test('leaves as UNAVAILABLE with Retry-After when the database cannot be reached', async () => {
    await expect(run('unreachable')).rejects.toMatchObject({
      type: 'UNAVAILABLE',
      code: 503,
      data: { headers: { 'Retry-After': '1' } },
    });
  });
});

describe('an answer that breaks its contract', () => {
  test('fails, so that a test finds it', async () => {
    logged.mockClear();
    await expect(run('wrongOutput')).rejects.toMatchObject({ type: 'INTERNAL' });
    expect(String((logged.mock.calls[0] as [string, { error: { cause?: unknown } }])[1].error)).toContain(
      'test.wrongOutput returned an answer that violates its contract',
    );
  });

  test('is given in production, and logged', async () => {
    const { NODE_ENV } = process.env;
    process.env.NODE_ENV = 'production';
    jest.resetModules();
    const production = await import('../../../lib/contract/define-action.ts');
    process.env.NODE_ENV = NODE_ENV;
    const action = production.defineAction({
      ...nothing,
      permission: 'internal',
      output: z.strictObject({ id: z.string() }),
      handler: () => Promise.resolve({ id: 'x', internal: 'too much' }) as Promise<{ id: string }>,
    });
    const error = jest.fn();
    const context = { action: { name: 'test.wrong' }, meta: {}, params: {}, broker: { logger: { error } } };
    const answer = await (action.handler as (ctx: unknown) => Promise<unknown>)(context);
    expect(answer).toEqual({ id: 'x', internal: 'too much' });
    expect(error).toHaveBeenCalledWith(
      expect.stringMatching(/^test\.wrong returned an answer that violates its contract/),
    );
  });
});
