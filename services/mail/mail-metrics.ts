import { Counter, Gauge } from 'prom-client';
import { MessageModel, openStatuses } from '../../models/mail/message.ts';

export const sent = new Counter({ name: 'mail_sent_total', help: 'Mails that this node sent.' });
export const failed = new Counter({ name: 'mail_failed_total', help: 'Mails that this node gave up.' });
export const retried = new Counter({
  name: 'mail_retried_total',
  help: 'Attempts of this node to send a mail that failed and are made again, by kind of failure.',
  labelNames: ['failure'],
});

new Gauge({
  name: 'mail_queued',
  help: 'Mails of the whole platform that wait to be sent.',
  async collect() {
    this.set(await countQueued());
  },
});

/** NaN while the database is unavailable, so that the other metrics are still exposed. */
async function countQueued(): Promise<number> {
  return await MessageModel.countDocuments({ status: { $in: openStatuses } })
    .setOptions({ acrossTenants: true })
    .catch(() => Number.NaN);
}
