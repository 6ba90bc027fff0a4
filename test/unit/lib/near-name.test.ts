import { describe, expect, test } from '@jest/globals';
import { nearName } from '../../../lib/contract/near-name.ts';

const fields = ['to', 'templateId', 'variables', 'locale', 'replyTo', 'attachments'];

describe('the name that is meant', () => {
  test.each([
    ['template', 'templateId'],
    ['template_id', 'templateId'],
    ['TemplateID', 'templateId'],
    ['tempalteId', 'templateId'],
    ['variable', 'variables'],
    ['local', 'locale'],
    ['reply-to', 'replyTo'],
    ['attachment', 'attachments'],
  ])('by %s is %s', (name, meant) => {
    expect(nearName(name, fields)).toBe(meant);
  });

  test.each(['', 'x', 'at', 'subject', 'html', 'constructor', '__proto__', 'templateId'.repeat(7)])(
    'by %j is none of them',
    (name) => {
      expect(nearName(name, fields)).toBeNull();
    },
  );

  test('is the nearest of several', () => {
    expect(nearName('mails', ['emails', 'mail', 'mailbox'])).toBe('emails');
    expect(nearName('name', ['displayName', 'names'])).toBe('names');
    expect(nearName('id', ['userId', 'orgId'])).toBeNull();
  });
});
