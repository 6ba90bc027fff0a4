import { model, Schema } from 'mongoose';

/** A permission that a service declared. It is kept while the service is absent, and belongs to no organization. */
export type DeclaredPermissionDocument = { _id: string; reads: boolean; description: string };

const schema = new Schema<DeclaredPermissionDocument>(
  { _id: String, reads: { type: Boolean, required: true }, description: { type: String, required: true } },
  { collection: 'access_declared_permissions', versionKey: false },
);

export const DeclaredPermissionModel = model('AccessDeclaredPermission', schema);
