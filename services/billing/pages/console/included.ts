import type { CallOutput } from '../../../../lib/calls.ts';
import { texts } from '../texts.ts';
import { numberInWords } from './usage.ts';

type Plan = Pick<CallOutput<'billing.plans.list'>['data'][number], 'entitlements' | 'limits'>;

/** The entitlements and limits of a plan, one per line. */
export function includedIn({ entitlements, limits }: Plan): string[] {
  const { context, intelligence, connect, notification, mail, storage, content, pulse } = entitlements;
  const t = texts().plans.included;
  const n = numberInWords;
  const lines = [
    context.enabled && t.events(n(context.eventsPerDay), n(context.contextRetentionDays)),
    intelligence.enabled && t.recommendations(n(intelligence.recommendationsPerDay)),
    connect.enabled && t.seats(seatsInWords(connect.agentSeats), connect.channels.map(channelName).join(', ')),
    notification.enabled && t.notifications(n(notification.sendsPerMonth)),
    mail.enabled && t.mails(n(mail.sendsPerMonth)),
    storage.enabled && t.storage(n(storage.storageGb), n(storage.bandwidthGbPerMonth)),
    content.enabled && t.content,
    pulse.enabled && t.pulse,
    t.people(n(limits.members), n(limits.roles)),
    t.programs(n(limits.applications), n(limits.apiKeys)),
  ];
  return lines.filter((line) => line !== false);
}

function seatsInWords(seats: number): string {
  const { oneAgent, agents } = texts().plans.included;
  return seats === 1 ? oneAgent : agents(numberInWords(seats));
}

function channelName(channel: string): string {
  const names: Record<string, string> = texts().plans.channels;
  return Object.hasOwn(names, channel) ? (names[channel] ?? channel) : channel;
}
