import type { mongo } from 'mongoose';

/**
 * The driver's collection of a model, typed by its documents: for inserts of parsed data, which Mongoose would cast and
 * validate again, and for queries by many ids, each of which it would cast.
 */
export function nativeCollection<T extends mongo.Document>(model: { collection: unknown }): mongo.Collection<T> {
  return model.collection as mongo.Collection<T>;
}
