import { Schema } from 'mongoose';
import { fromNow } from '../../lib/data/clock.ts';
import { deleteInBatches, maxBatchSize } from '../../lib/data/collection.ts';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';
import { type Category, type CompiledContent, type Content, categories, type Variable } from './content.ts';
import type { TemplateKind } from './kind.ts';

/**
 * Removes templates that were deleted more than `keptFor` milliseconds ago, with their versions; for a scheduled sweep.
 */
export async function sweepTemplates({ templates, versions }: TemplateKind, keptFor: number): Promise<void> {
  const gone = await templates
    .find({ deletedAt: { $gt: new Date(0), $lte: fromNow(-keptFor) } })
    .setOptions({ acrossTenants: true })
    .limit(maxBatchSize)
    .lean<TemplateDocument[]>();
  for (const { orgId, _id } of gone) {
    await versions.deleteMany({ orgId, templateId: _id });
    await templates.deleteOne({ orgId, _id });
  }
}

/** Removes up to `most` of an organization's templates and versions and returns their number. Repeatable. */
export async function eraseTemplates(
  { templates, versions }: TemplateKind,
  orgId: string,
  most: number,
): Promise<number> {
  const removed = await deleteInBatches(templates, { orgId }, most);
  return removed + (await deleteInBatches(versions, { orgId }, Math.max(0, most - removed)));
}

/** A template of an organization. Its content is in its versions. */
export type TemplateDocument = {
  _id: string;
  orgId: string;
  /**
   * The slot within the plan's limit, unique per organization so that concurrent inserts cannot exceed the limit; the
   * id once deleted.
   */
  place: string;
  name: string;
  /** The form of the name by which it is searched; missing in a template from before the search. */
  nameKey?: string | null;
  /** The version that new messages use; null before the first is published. */
  liveVersion: number | null;
  latestVersion: number;
  createdAt: Date;
  updatedAt: Date;
  /** Messages that were accepted before the deletion still use its versions. */
  deletedAt: Date | null;
};

/** The content for one locale; `locale` is empty for the default. */
export type LocaleContent = { locale: string; source: Content; compiled: CompiledContent };

/** An immutable version of a template. */
export type TemplateVersionDocument = {
  /** `<template>.<number>`. */
  _id: string;
  orgId: string;
  templateId: string;
  version: number;
  category: Category;
  variables: Variable[];
  contents: LocaleContent[];
  createdAt: Date;
};

export const versionId = (templateId: string, version: number): string => `${templateId}.${version}`;

/** Creates the schema of a service's templates, with its indexes. */
export function templateSchema(collection: string): Schema<TemplateDocument> {
  const schema = new Schema<TemplateDocument>(
    {
      _id: String,
      orgId: { type: String, required: true },
      place: { type: String, required: true },
      name: { type: String, required: true },
      nameKey: String,
      liveVersion: { type: Number, default: null },
      latestVersion: { type: Number, required: true },
      createdAt: { type: Date, required: true },
      updatedAt: { type: Date, required: true },
      deletedAt: { type: Date, default: null },
    },
    { collection, versionKey: false },
  );
  schema.plugin(tenantGuard);
  schema.index({ orgId: 1, place: 1 }, { unique: true });
  schema.index({ orgId: 1, _id: 1 });
  schema.index({ orgId: 1, nameKey: 1, _id: 1 });
  schema.index({ deletedAt: 1 });
  return schema;
}

/** Creates the schema of the versions of a service's templates, with its indexes. */
export function templateVersionSchema(collection: string): Schema<TemplateVersionDocument> {
  const schema = new Schema<TemplateVersionDocument>(
    {
      _id: String,
      orgId: { type: String, required: true },
      templateId: { type: String, required: true },
      version: { type: Number, required: true },
      category: { type: String, enum: categories, required: true },
      variables: { type: [{ _id: false, name: String, required: Boolean, sample: String }], default: [] },
      contents: {
        type: [{ _id: false, locale: String, source: Schema.Types.Mixed, compiled: Schema.Types.Mixed }],
        required: true,
      },
      createdAt: { type: Date, required: true },
    },
    { collection, versionKey: false },
  );
  schema.plugin(tenantGuard);
  schema.index({ orgId: 1, templateId: 1, version: 1 }, { unique: true });
  return schema;
}
