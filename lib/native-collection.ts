import type { mongo } from 'mongoose';

/**
 * The driver's own collection of a model, typed by its documents: for inserts of what was parsed already, which
 * Mongoose would cast and validate a second time, and for queries for many ids, each of which it would cast.
 */
export function nativeCollection<T extends mongo.Document>(model: { collection: unknown }): mongo.Collection<T> {
  return model.collection as mongo.Collection<T>;
}
