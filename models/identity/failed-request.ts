import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** `website`: a visitor in the chat widget of a website. */
export const callerTypes = ['application', 'user', 'website'] as const;

/**
 * A request of an organization that was answered with an error, for the people who build its clients. It holds nothing
 * of the query, the headers or the body except the user agent.
 */
export type FailedRequestDocument = {
  _id: string;
  orgId: string;
  /** The id in the answer. A client may choose it, so several requests may have the same. */
  requestId: string;
  answeredAt: Date;
  method: string;
  /** The pattern of the path, such as `/v1/story/customers/:customerId`. */
  route: string;
  path: string;
  status: number;
  /** The code of the error. */
  error: string;
  message: string;
  details: { path: string; message: string }[];
  /** From the first byte of the request to the last of its answer. */
  milliseconds: number;
  /** The one who sent it. For a website the id is the website's, so that it holds nothing of its visitors. */
  caller: { type: (typeof callerTypes)[number]; id: string; credentialId: string | null };
  userAgent: string | null;
  /** The number of failed requests after this one, in the same minute, that were counted only. */
  omitted: number;
};

const schema = new Schema<FailedRequestDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    requestId: { type: String, required: true },
    answeredAt: { type: Date, required: true },
    method: { type: String, required: true },
    route: { type: String, required: true },
    path: { type: String, required: true },
    status: { type: Number, required: true },
    error: { type: String, required: true },
    message: { type: String, required: true },
    details: [{ _id: false, path: String, message: String }],
    milliseconds: { type: Number, required: true },
    caller: { type: { type: String }, id: String, credentialId: { type: String, default: null } },
    userAgent: { type: String, default: null },
    omitted: { type: Number, required: true },
  },
  { collection: 'identity_failed_requests', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
schema.index({ orgId: 1, requestId: 1, _id: 1 });

export const FailedRequestModel = model('IdentityFailedRequest', schema);
