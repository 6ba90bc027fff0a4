import { model, Schema } from 'mongoose';

/**
 * The number of mails that an address got from organizations within an hour, on the whole platform; or the number that
 * an organization sent to suppressed addresses in a day.
 */
export type RecipientCountDocument = {
  /** A keyed hash of the subject and the window, so that it reveals no personal data. */
  _id: string;
  count: number;
  expiresAt: Date;
};

const schema = new Schema<RecipientCountDocument>(
  { _id: String, count: { type: Number, required: true }, expiresAt: { type: Date, required: true } },
  { collection: 'mail_recipient_counts', versionKey: false },
);
schema.index({ expiresAt: 1 });

export const RecipientCountModel = model('MailRecipientCount', schema);
