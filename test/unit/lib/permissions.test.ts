import { describe, expect, test } from '@jest/globals';
import {
  allows,
  covers,
  isPermissionKey,
  isReservedNamespace,
  isScope,
  namespaceOf,
  systemPermissions,
} from '../../../lib/contract/permissions.ts';

const all = Object.keys(systemPermissions);
const isConsole = (permission: string) => permission.startsWith('console.');
const reading = [
  'access.check',
  'billing.read',
  'storage.read',
  'context.story.read',
  'mail.read',
  'notification.read',
  'connect.read',
];

describe('the system permissions', () => {
  test('are those of the decisions', () => {
    expect(all).toEqual([
      'console.apps.read',
      'console.apps.write',
      'console.users.read',
      'console.users.write',
      'console.orgs.read',
      'console.orgs.write',
      'console.access.read',
      'console.access.write',
      'console.audit.read',
      'access.check',
      'billing.read',
      'billing.write',
      'storage.read',
      'storage.upload',
      'storage.delete',
      'storage.buckets.write',
      'context.events.write',
      'context.story.read',
      'mail.send',
      'mail.read',
      'mail.templates.write',
      'mail.settings.write',
      'notification.send',
      'notification.read',
      'notification.channels.write',
      'notification.templates.write',
      'connect.read',
      'connect.write',
      'connect.settings.write',
    ]);
  });
});

describe('allows', () => {
  test.each(all)('%s by its own name, by svc:admin, and by nothing else that names another', (permission) => {
    expect(allows([permission], permission)).toBe(true);
    expect(allows(['svc:admin'], permission)).toBe(true);
    expect(allows([], permission)).toBe(false);
    const others = all.filter((other) => other !== permission);
    expect(allows(others, permission)).toBe(false);
  });

  test.each(all)('%s by svc:write unless it is of the console', (permission) => {
    expect(allows(['svc:write'], permission)).toBe(!isConsole(permission));
  });

  test.each(all)('%s by svc:read only if it reads and is not of the console', (permission) => {
    expect(allows(['svc:read'], permission)).toBe(reading.includes(permission));
  });

  test.each(['shop.orders.refund', 'constructor', '__proto__', 'toString'])(
    'the unknown permission %s by no group, only by its own name',
    (permission) => {
      expect(allows(['svc:admin', 'svc:write', 'svc:read'], permission)).toBe(false);
      expect(allows([permission], permission)).toBe(true);
    },
  );

  test('no prefix and no pattern of a permission', () => {
    expect(allows(['context', 'context.*', 'context.story', '*'], 'context.story.read')).toBe(false);
  });
});

describe('covers: nobody grants what they do not hold', () => {
  test.each([
    [['svc:admin'], 'svc:admin', true],
    [['svc:admin'], 'svc:write', true],
    [['svc:admin'], 'console.apps.write', true],
    [['svc:admin'], 'shop.orders.refund', true],
    [['svc:write'], 'svc:write', true],
    [['svc:write'], 'svc:read', true],
    [['svc:write'], 'mail.send', true],
    [['svc:write'], 'svc:admin', false],
    [['svc:write'], 'console.apps.read', false],
    [['svc:read'], 'svc:read', true],
    [['svc:read'], 'context.story.read', true],
    [['svc:read'], 'svc:write', false],
    [['svc:read'], 'context.events.write', false],
    [['context.story.read'], 'context.story.read', true],
    [['context.story.read'], 'svc:read', false],
    [['shop.orders.refund'], 'shop.orders.refund', true],
    [['shop.orders.refund'], 'shop.orders.create', false],
    [[], 'access.check', false],
  ])('%j may grant %s: %s', (held, wanted, expected) => {
    expect(covers(held, wanted)).toBe(expected);
  });

  test('a group is held by whoever holds all of its permissions', () => {
    expect(covers(reading, 'svc:read')).toBe(true);
    expect(covers(reading.slice(1), 'svc:read')).toBe(false);
    const services = all.filter((permission) => !isConsole(permission));
    expect(covers(services, 'svc:write')).toBe(true);
    expect(covers(services.slice(1), 'svc:write')).toBe(false);
    expect(covers(all, 'svc:admin')).toBe(false);
  });

  test('whoever covers a scope is allowed everything that the scope allows', () => {
    const scopes = ['svc:read', 'svc:write', 'svc:admin', ...all];
    const pairs = scopes.flatMap((held) => scopes.map((wanted) => [held, wanted] as const));
    for (const [held, wanted] of pairs.filter(([held, wanted]) => covers([held], wanted))) {
      const more = all.filter((permission) => allows([wanted], permission) && !allows([held], permission));
      expect({ held, wanted, more }).toEqual({ held, wanted, more: [] });
    }
  });
});

describe('a scope', () => {
  test.each(['svc:read', 'svc:write', 'svc:admin', 'mail.send', 'shop.refund', 'a.b.c.d', '0-1.x'])(
    'can be %s',
    (text) => {
      expect(isScope(text)).toBe(true);
    },
  );

  test.each([
    '',
    'svc',
    'svc:all',
    'mail',
    'Mail.send',
    'mail.',
    '.send',
    'mail..send',
    'a.b.c.d.e',
    'mail send',
    'mail.send\n',
    'mail.*',
    `a.${'b'.repeat(127)}`,
    'mail.sent',
    'console.apps',
    'context.story.read.all',
  ])('cannot be %j', (text) => {
    expect(isScope(text)).toBe(false);
  });
});

describe('a permission key', () => {
  test.each(['shop.read', 'shop.orders.read', 'a.b.c.d', '1.2', '-.-', `a.${'x'.repeat(126)}`])('is %s', (text) => {
    expect(isPermissionKey(text)).toBe(true);
  });

  test.each([
    '',
    'shop',
    'shop.',
    '.shop',
    'a..b',
    'a.b.c.d.e',
    'Shop.read',
    'shop.re ad',
    'shop.*',
    'shop.read\n',
    'sh\u00f6p.read',
    'svc:read',
    `a.${'x'.repeat(127)}`,
  ])('is not %j', (text) => {
    expect(isPermissionKey(text)).toBe(false);
  });

  test('is of the namespace it begins with, and the platform’s namespaces are reserved', () => {
    expect(namespaceOf('shop.orders.read')).toBe('shop');
    expect(all.every((permission) => isReservedNamespace(namespaceOf(permission)))).toBe(true);
    expect(['shop', 'consol', 'consoles', '', 'constructor'].filter(isReservedNamespace)).toEqual([]);
  });
});
