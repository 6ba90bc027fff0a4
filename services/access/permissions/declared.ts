import { isDeepStrictEqual } from 'node:util';
import type { ServiceBroker } from 'moleculer';
import { learnPermissions } from '../../../lib/declarations.ts';
import { declarePermissions, type PermissionInfo } from '../../../lib/permissions.ts';
import {
  type DeclaredPermissionDocument,
  DeclaredPermissionModel,
} from '../../../models/access/declared-permission.ts';

/** What is known to be stored, by key. */
const stored = new Map<string, PermissionInfo>();

/** Makes known what services declared that may be absent now. To be done before roles are read, which name it. */
export async function loadDeclaredPermissions(): Promise<void> {
  const documents = await DeclaredPermissionModel.find().lean<DeclaredPermissionDocument[]>();
  for (const { _id, reads, description } of documents) {
    stored.set(_id, { reads, description });
    declarePermissions({ [_id]: { reads, description } });
  }
}

/** Stores what the services of the pool declare and is not stored so. */
export async function keepDeclaredPermissions(broker: ServiceBroker): Promise<void> {
  for (const permissions of learnPermissions(broker).values()) {
    for (const [key, info] of Object.entries(permissions)) {
      if (isDeepStrictEqual(stored.get(key), info)) continue;
      await DeclaredPermissionModel.updateOne({ _id: key }, { $set: info }, { upsert: true });
      stored.set(key, info);
    }
  }
}
