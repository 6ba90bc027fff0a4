import { describe, expect, test } from '@jest/globals';
import {
  type DeclaredLimit,
  isInBuiltInGroup,
  mergeLimits,
  readLimits,
} from '../../../lib/contract/declared-limits.ts';
import { requireDeclarations } from '../../../lib/contract/service-declarations.ts';
import { currentPlan } from '../../../services/billing/plans/plans.ts';
import {
  builtInMeterNames,
  declaredLimitsOf,
  findMeter,
  isMeterName,
  limitIn,
  meterNames,
  registerLimit,
} from '../../../services/billing/quota/meters.ts';

const limits = { free: 100, pro: 1000, scale: null };
const meter = { kind: 'day', name: 'greetings', limits };
const count = { name: 'stored greetings', limits: { free: 1, pro: 2, scale: 3 } };

describe('the meters and limits that a service declares', () => {
  test('are read by name, also for a service that declares none', () => {
    const declared = { meters: { 'hello.greetingsPerDay': meter }, limits: { 'hello.greetings': count } };
    expect(readLimits('hello', declared)).toEqual({
      'hello.greetingsPerDay': meter,
      'hello.greetings': { kind: 'count', ...count },
    });
    expect(readLimits('mail', {})).toEqual({});
  });

  test.each([
    ['in the namespace of another service', { 'shop.sales': meter }, 'shop.sales must read hello.wordInCamelCase'],
    ['of the platform', { 'mail.sendsPerMonth': meter }, 'mail.sendsPerMonth must read hello.wordInCamelCase'],
    ['without a namespace', { greetings: meter }, 'must read hello.wordInCamelCase'],
    ['of three parts', { 'hello.a.b': meter }, 'must read hello.wordInCamelCase'],
    ['with a dollar', { 'hello.$inc': meter }, 'must read hello.wordInCamelCase'],
    ['with an underscore', { 'hello.__proto__': meter }, 'must read hello.wordInCamelCase'],
    ['with a colon', { 'hello.a:b': meter }, 'must read hello.wordInCamelCase'],
    ['of an unknown kind', { 'hello.a': { ...meter, kind: 'week' } }, '["hello.a"].kind'],
    ['without a name', { 'hello.a': { kind: 'day', limits } }, '["hello.a"].name'],
    ['whose name is markup', { 'hello.a': { ...meter, name: '<b>' } }, '["hello.a"].name'],
    ['without the limit of a plan', { 'hello.a': { ...meter, limits: { free: 1, pro: 2 } } }, 'limits.scale'],
    ['with the limit of no plan', { 'hello.a': { ...meter, limits: { ...limits, gold: 1 } } }, 'gold'],
    ['with a negative limit', { 'hello.a': { ...meter, limits: { ...limits, free: -1 } } }, 'limits.free'],
    ['with a broken limit', { 'hello.a': { ...meter, limits: { ...limits, free: 1.5 } } }, 'limits.free'],
    [
      'with an unlimited limit',
      { 'hello.a': { ...meter, limits: { ...limits, free: Number.POSITIVE_INFINITY } } },
      'limits.free',
    ],
    ['with a text as limit', { 'hello.a': { ...meter, limits: { ...limits, free: '9' } } }, 'limits.free'],
    ['with an unknown field', { 'hello.a': { ...meter, reset: 'never' } }, 'reset'],
    ['as a list', [meter], 'its declaration of meters is invalid'],
    ['33 times', Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`hello.m${at}`, meter])), 'more than 32'],
  ])('are refused %s', (_what, meters, reason) => {
    expect(() => readLimits('hello', { meters })).toThrow(reason);
  });

  test('are none where the table has a key that is no field of an object', () => {
    expect(readLimits('hello', { meters: JSON.parse(`{"__proto__": ${JSON.stringify(meter)}}`) })).toEqual({});
  });

  test('are refused where the number of a resource is not one, or a name is declared twice', () => {
    const none = { 'hello.greetings': { ...count, limits: { ...count.limits, scale: null } } };
    expect(() => readLimits('hello', { limits: none })).toThrow('limits.scale');
    const twice = { meters: { 'hello.greetings': meter }, limits: { 'hello.greetings': count } };
    expect(() => readLimits('hello', twice)).toThrow('it declares hello.greetings as a meter and as a limit');
  });

  test.each(Object.keys(currentPlan('free').entitlements))('are refused in the namespace %s of the plans', (group) => {
    expect(() => readLimits(group, { meters: { [`${group}.a`]: meter } })).toThrow('reserved for the platform');
    expect(isInBuiltInGroup(`${group}.a`)).toBe(true);
  });

  test('need the settlement of reserved units', () => {
    const schema = { name: 'hello', metadata: { meters: { 'hello.greetingsPerDay': meter } }, actions: {} };
    expect(() => requireDeclarations(schema)).toThrow(
      'it settles its meters by quota.settle, which is not an internal',
    );
    const settling = { ...schema, actions: { 'quota.settle': { contract: { permission: 'internal' } } } };
    expect(() => requireDeclarations(settling as never)).not.toThrow();
    expect(() => requireDeclarations({ name: 'hello', metadata: { limits: { 'hello.a': count } } })).not.toThrow();
  });

  test('of two versions of a service are the larger ones', () => {
    const other = { ...meter, limits: { free: 50, pro: null, scale: 7 } } as DeclaredLimit;
    const merged = { free: 100, pro: 1000, scale: 7 };
    expect(mergeLimits(meter as DeclaredLimit, other).limits).toEqual(merged);
    expect(mergeLimits(other, meter as DeclaredLimit).limits).toEqual(merged);
  });
});

describe('a declared meter in billing', () => {
  const { entitlements } = currentPlan('pro');

  test('has the limit of the plan that is granted, and none where it is not included', () => {
    registerLimit('hello.constructor', meter as DeclaredLimit);
    const limitOf = (grantedPlan: 'free' | 'pro' | 'scale') => {
      return limitIn({ grantedPlan, entitlements }, 'hello.constructor');
    };
    expect([limitOf('free'), limitOf('pro'), limitOf('scale')]).toEqual([100, 1000, null]);
    expect(findMeter('hello.constructor')).toEqual({ kind: 'day', unit: 1, name: 'greetings' });
    expect(meterNames()).toEqual([...builtInMeterNames, 'hello.constructor']);
  });

  test('is shown by its service, beside the resources that are limited', () => {
    registerLimit('hello.greetings', { kind: 'count', ...count });
    const shown = declaredLimitsOf('free');
    expect(Object.entries(shown.hello ?? {})).toEqual([
      ['constructor', 100],
      ['greetings', 1],
    ]);
    expect(findMeter('hello.greetings')).toBeNull();
  });

  test.each(['context.events', 'hello', 'hello.', '.hello', 'toString', 'hello.A', 'Hello.a', 'pulse.a'])(
    'cannot be named %s',
    (name) => {
      expect(isMeterName(name)).toBe(false);
      expect(findMeter(name)).toBeNull();
    },
  );
});
