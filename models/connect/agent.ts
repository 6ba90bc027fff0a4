import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** The receipt of a quota reservation from billing. */
export type SeatReceipt = {
  orgId: string;
  counter: string;
  meter: 'connect.agentSeats';
  key: string;
  nonce: string;
  amount: number;
  remembered: boolean;
};

/** A member of the organization who answers visitors and has one of its agent seats. */
export type AgentDocument = {
  /** `<orgId>:<userId>`. */
  _id: string;
  orgId: string;
  userId: string;
  /** The name that visitors see; null: the site's name. */
  displayName: string | null;
  /** The key of the operation that added the agent. */
  operation: string;
  /** The key under which the seat is charged, and released once. */
  seat: string;
  receipt: SeatReceipt;
  /** `leaving`: no longer an agent, but the seat is not released yet. */
  state: 'active' | 'leaving';
  /** When the agent last had the inbox open. */
  seenAt: Date | null;
  createdAt: Date;
};

const receipt = {
  orgId: String,
  counter: String,
  meter: String,
  key: String,
  nonce: String,
  amount: Number,
  remembered: Boolean,
};

const schema = new Schema<AgentDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    userId: { type: String, required: true },
    displayName: { type: String, default: null },
    operation: { type: String, required: true },
    seat: { type: String, required: true },
    receipt: { _id: false, type: receipt, required: true },
    state: { type: String, enum: ['active', 'leaving'], required: true },
    seenAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
  },
  { collection: 'connect_agents', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, userId: 1 });
schema.index({ orgId: 1, seat: 1 });
// Finds the seats that a crash left unreleased, across all tenants.
schema.index({ state: 1, _id: 1 });

export const AgentModel = model('ConnectAgent', schema);

export const agentKey = (orgId: string, userId: string): string => `${orgId}:${userId}`;
