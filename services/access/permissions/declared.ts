import { isDeepStrictEqual } from 'node:util';
import type { ServiceBroker } from 'moleculer';
import { registerDeclaredPermissions } from '../../../lib/declarations.ts';
import { declarePermissions, type PermissionInfo } from '../../../lib/permissions.ts';
import {
  type DeclaredPermissionDocument,
  DeclaredPermissionModel,
} from '../../../models/access/declared-permission.ts';

/** The declarations that are stored, by key. */
const stored = new Map<string, PermissionInfo>();

/** Loads the stored declarations of services that may be absent now. Call it before roles are read, which name them. */
export async function loadDeclaredPermissions(): Promise<void> {
  const documents = await DeclaredPermissionModel.find().lean<DeclaredPermissionDocument[]>();
  for (const { _id, reads, description } of documents) {
    stored.set(_id, { reads, description });
    declarePermissions({ [_id]: { reads, description } });
  }
}

/** Stores new and changed declarations of the services in the pool. */
export async function keepDeclaredPermissions(broker: ServiceBroker): Promise<void> {
  for (const permissions of registerDeclaredPermissions(broker).values()) {
    for (const [key, info] of Object.entries(permissions)) {
      if (isDeepStrictEqual(stored.get(key), info)) continue;
      await DeclaredPermissionModel.updateOne({ _id: key }, { $set: info }, { upsert: true });
      stored.set(key, info);
    }
  }
}
