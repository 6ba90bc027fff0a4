import mongoose, { type Model } from 'mongoose';

type Models = Record<string, Model<unknown>>;

/**
 * The models that a load of a service defined. They replace the previous models of the same names, or are removed
 * again.
 */
export type DefinedModels = { replaceFormer: () => void; remove: () => void };

/** The service that defined a model, by the model's name. */
const owners = new Map<string, string>();

/**
 * Loads the code of a service, and returns the result with the models that it defined. The connection keeps the models
 * of an earlier load of the service until `replaceFormer`; requests in flight always keep theirs.
 *
 * @throws Error when it defines a model of another service. Then, and when loading fails, all models are as before.
 */
export async function loadWithModels<T>(service: string, load: () => Promise<T>): Promise<[T, DefinedModels]> {
  const former = { ...mongoose.models } as Models;
  // Otherwise Mongoose rejects a second model of the same name.
  mongoose.set('overwriteModels', true);
  try {
    const result = await load();
    const defined = changesSince(former);
    const foreign = Object.keys(defined).find((name) => former[name] && owners.get(name) !== service);
    if (foreign)
      throw new Error(`it defines the model ${foreign}, which belongs to ${owners.get(foreign) ?? 'the platform'}`);
    const replaced = Object.keys(defined).filter((name) => former[name]);
    for (const name of replaced) register(name, former[name]);
    return [
      result,
      {
        replaceFormer: () => own(service, defined),
        remove: () => restore(defined, former),
      },
    ];
  } catch (error) {
    restore(changesSince(former), former);
    throw error;
  } finally {
    mongoose.set('overwriteModels', false);
  }
}

function changesSince(former: Models): Models {
  return Object.fromEntries(
    Object.entries(mongoose.models as Models).filter(([name, model]) => former[name] !== model),
  );
}

function own(service: string, defined: Models): void {
  for (const [name, model] of Object.entries(defined)) {
    owners.set(name, service);
    register(name, model);
  }
}

function restore(defined: Models, former: Models): void {
  for (const name of Object.keys(defined)) register(name, former[name]);
}

/** Registers a model; Mongoose keeps a model of its default connection in two maps. */
function register(name: string, model: Model<unknown> | undefined): void {
  for (const models of [mongoose.models, mongoose.connection.models] as Models[]) {
    if (model) models[name] = model;
    else delete models[name];
  }
}
