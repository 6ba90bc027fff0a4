import { model, Schema } from 'mongoose';

/** The offset of billing's clock, for testing renewals; a single document. */
export type TestClockDocument = { _id: 'clock'; offsetMilliseconds: number };

const schema = new Schema<TestClockDocument>(
  { _id: String, offsetMilliseconds: { type: Number, required: true } } as never,
  { collection: 'billing_test_clock', versionKey: false },
);

export const TestClockModel = model('BillingTestClock', schema);
