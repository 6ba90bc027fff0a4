import { model, Schema } from 'mongoose';

/** The kinds of reserved resources, each with a separate limit. */
export const reservedKinds = ['applications', 'apiKeys', 'oauthClients', 'organizations'] as const;

/**
 * Reserves the insert of a resource whose number is limited. The reservations of a holder and kind are numbered. A
 * request counts the existing resources before it inserts the next number; of concurrent requests with the same count,
 * the unique number admits one.
 */
export type ReservationDocument = {
  /** `<holderId>:<kind>:<number>` */
  _id: string;
  /** The owner of the counted resources: an organization, or the user who creates organizations. */
  holderId: string;
  kind: (typeof reservedKinds)[number];
  number: number;
  /** The `_id` that the resource will have. */
  resourceId: string;
  /** Whether the resource may still be inserted. */
  isOpen: boolean;
  createdAt: Date;
};

const schema = new Schema<ReservationDocument>(
  {
    _id: String,
    holderId: { type: String, required: true },
    kind: { type: String, enum: reservedKinds, required: true },
    number: { type: Number, required: true },
    resourceId: { type: String, required: true },
    isOpen: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'identity_reservations', versionKey: false },
);
schema.index({ holderId: 1, kind: 1, number: 1 }, { unique: true });

export const ReservationModel = model('IdentityReservation', schema);
