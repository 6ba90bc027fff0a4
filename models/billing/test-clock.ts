import { model, Schema } from 'mongoose';

/** How far the clock of billing was moved, for trying renewals: one document of the platform's. */
export type TestClockDocument = { _id: 'clock'; offsetMilliseconds: number };

const schema = new Schema<TestClockDocument>(
  { _id: String, offsetMilliseconds: { type: Number, required: true } } as never,
  { collection: 'billing_test_clock', versionKey: false },
);

export const TestClockModel = model('BillingTestClock', schema);
