import mongoose from 'mongoose';
import { newId } from '../../lib/data/ids.ts';
import { databaseNameOf } from '../../lib/settings/mongo-url.ts';
import type { TemplateVersionDocument } from '../../messaging/templates/documents.ts';
import type { MessageDocument } from '../../models/mail/message.ts';
import { takeJob } from './job.ts';

/** Queues `count` copies of a message that is being sent, as mails of a fictitious organization. */
export type FillJob = { url: string; messageId: string; count: number };

const eachTime = 2500;

takeJob(async ({ url, messageId, count }: FillJob): Promise<{ orgId: string }> => {
  const client = new mongoose.mongo.MongoClient(url);
  const database = client.db(databaseNameOf(url));
  const messages = database.collection<MessageDocument>('mail_messages');
  const versions = database.collection<TemplateVersionDocument>('mail_template_versions');
  const message = await messages.findOne({ _id: messageId });
  const version = await versions.findOne({ templateId: message?.templateId ?? '' });
  if (!message?.sealedBody || !version) throw new Error('The message to copy does not exist.');
  const [orgId, templateId] = [newId('org'), newId('tpl')];
  await versions.insertOne({ ...version, _id: `${templateId}.${version.version}`, orgId, templateId });
  const copy = { ...message, orgId, templateId, status: 'queued' as const, attempts: 0, leaseOwner: null };
  for (let queued = 0; queued < count; queued += eachTime) {
    const copies = Array.from({ length: Math.min(eachTime, count - queued) }, () => {
      const _id = newId('msg');
      return { ...copy, _id, key: _id };
    });
    await messages.insertMany(copies);
  }
  await client.close();
  return { orgId };
});
