import { describe, expect, test } from '@jest/globals';
import { mailQuery, notificationQuery, sourcesOf } from '../../../services/mail/pages/console/message-log.ts';
import { areas, isVisible } from '../../../web/navigation.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';

const visitWith = (...scopes: string[]) => ({ scopes }) as unknown as OrganizationVisit;

describe('the log of messages', () => {
  test.each([
    [
      ['mail.read', 'notification.read'],
      ['mail', 'notification'],
    ],
    [['mail.read'], ['mail']],
    [['notification.read'], ['notification']],
    [['connect.read'], []],
  ])('with the permissions %j has %j', (scopes, sources) => {
    expect(sourcesOf(visitWith(...scopes), {})).toEqual(sources);
    expect(isVisible(areas.messages, scopes)).toBe(sources.length > 0);
  });

  test('of one kind is not read from the other, nor is a state that only mail has', () => {
    const visit = visitWith('svc:read');
    expect(sourcesOf(visit, { kind: 'mail' })).toEqual(['mail']);
    expect(sourcesOf(visit, { kind: 'notification' })).toEqual(['notification']);
    expect(sourcesOf(visit, { kind: 'phone' })).toEqual(['notification']);
    expect(sourcesOf(visit, { outcome: 'bounced' })).toEqual(['mail']);
    expect(sourcesOf(visit, { outcome: 'failed' })).toEqual(['mail', 'notification']);
    expect(sourcesOf(visitWith('notification.read'), { outcome: 'bounced' })).toEqual([]);
  });

  test('has the filters of each list, the last day included', () => {
    const filtered = { who: 'ada', outcome: 'sent', text: 'x', kind: 'phone', from: '2026-01-01', to: '2026-01-31' };
    const time = { since: '2026-01-01T00:00:00.000Z', before: '2026-02-01T00:00:00.000Z' };
    expect(mailQuery(filtered)).toEqual({ to: 'ada', status: 'sent', messageId: 'x', ...time });
    expect(notificationQuery(filtered)).toEqual({
      recipientId: 'ada',
      status: 'sent',
      notificationId: 'x',
      channel: 'phone',
      ...time,
    });
    expect(notificationQuery({ kind: 'notification' })).toEqual({});
  });
});
