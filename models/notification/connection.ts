import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

export const channels = ['chatapp', 'photoapp', 'socialapp', 'microblog', 'phone', 'email', 'web'] as const;
export type Channel = (typeof channels)[number];

export const providerNames = ['mailbox', 'webhook', 'telegram', 'whatsapp', 'sms', 'mail', 'web'] as const;
export type ProviderName = (typeof providerNames)[number];

/**
 * `draft`: the provider has not confirmed the credentials yet. `error`: the provider has rejected them. `disabled`:
 * turned off by the organization. Only a `connected` one sends.
 */
export const connectionStates = ['draft', 'connected', 'error', 'disabled'] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** A provider for one channel of an organization, with its credentials. */
export type ConnectionDocument = {
  _id: string;
  orgId: string;
  /** The slot among the connections that the plan allows; unique in the organization, so that the limit is exact. */
  place: string;
  channel: Channel;
  provider: ProviderName;
  name: string;
  /** As JSON, encrypted. */
  sealedCredentials: string;
  /** The connection of a channel with the lowest number is tried first. */
  priority: number;
  state: ConnectionState;
  /** Why it is not connected; without a credential. */
  lastError: string | null;
  /** When its provider last confirmed the credentials. */
  verifiedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<ConnectionDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    place: { type: String, required: true },
    channel: { type: String, enum: channels, required: true },
    provider: { type: String, enum: providerNames, required: true },
    name: { type: String, default: '' },
    sealedCredentials: { type: String, required: true },
    priority: { type: Number, required: true },
    state: { type: String, enum: connectionStates, required: true },
    lastError: { type: String, default: null },
    verifiedAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'notification_connections', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, place: 1 }, { unique: true });
schema.index({ orgId: 1, _id: 1 });
schema.index({ orgId: 1, channel: 1, priority: 1 });

export const ConnectionModel = model('NotificationConnection', schema);
