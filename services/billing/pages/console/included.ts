import type { CallOutput } from '../../../../lib/calls.ts';
import { numberInWords } from './usage.ts';

type Plan = Pick<CallOutput<'billing.plans.list'>['data'][number], 'entitlements' | 'limits'>;

const channelNames: Record<string, string> = {
  chatapp: 'chat apps',
  photoapp: 'photo apps',
  socialapp: 'social networks',
  microblog: 'microblogs',
  phone: 'telephone',
  email: 'email',
  web: 'the website',
};

/** The entitlements and limits of a plan, one per line. */
export function includedIn({ entitlements, limits }: Plan): string[] {
  const { context, intelligence, connect, notification, mail, storage, content, pulse } = entitlements;
  const n = numberInWords;
  const lines = [
    context.enabled && `${n(context.eventsPerDay)} events a day, kept for ${n(context.contextRetentionDays)} days`,
    intelligence.enabled && `${n(intelligence.recommendationsPerDay)} recommendations a day`,
    connect.enabled && `${seatsInWords(connect.agentSeats)} on ${connect.channels.map(channelName).join(', ')}`,
    notification.enabled && `${n(notification.sendsPerMonth)} notifications a month`,
    mail.enabled && `${n(mail.sendsPerMonth)} mails a month`,
    storage.enabled && `${n(storage.storageGb)} GB stored, ${n(storage.bandwidthGbPerMonth)} GB delivered a month`,
    content.enabled && 'Content service',
    pulse.enabled && 'Pulse service',
    `Up to ${n(limits.members)} members and ${n(limits.roles)} roles`,
    `Up to ${n(limits.applications)} applications and ${n(limits.apiKeys)} API keys`,
  ];
  return lines.filter((line) => line !== false);
}

function seatsInWords(seats: number): string {
  return seats === 1 ? '1 agent' : `${numberInWords(seats)} agents`;
}

function channelName(channel: string): string {
  return Object.hasOwn(channelNames, channel) ? (channelNames[channel] ?? channel) : channel;
}
