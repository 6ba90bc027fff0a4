import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { now } from '../../../lib/data/clock.ts';
import { searchForm } from '../../../lib/format/search-form.ts';
import { limits } from '../content.ts';
import type { TemplateDocument, TemplateVersionDocument } from '../documents.ts';
import { type ChangeBody, exampleTemplate, schemasOf, type TemplateKind, toTemplateResponse } from '../kind.ts';
import { type Turn, turnOf } from '../turns.ts';
import { compileDraft, type Draft, draftOf, findTemplate, findVersion, insertVersion } from '../versions.ts';
import { withParts } from './create.ts';

/**
 * PATCH of a template: creates a new version, published immediately unless `publish` is false. A change of the name
 * alone creates none.
 */
export function updateTemplate(kind: TemplateKind) {
  const { change: body, output, path } = schemasOf(kind);
  return defineAction({
    rest: `PATCH ${kind.path}/:templateId`,
    summary: `Change a ${kind.service} template`,
    description:
      'Creates a new version with the parts that the body names, and publishes it unless `publish` is false. Null ' +
      'removes a part or a language. A change of the name alone creates no version. A template has at most 500 ' +
      'versions (`LIMIT_REACHED`); a concurrent change is `CONFLICT`.',
    permission: kind.permissions.write,
    tenant: 'required',
    input: { path, body },
    output,
    errors: ['NOT_FOUND', 'CONFLICT', 'LIMIT_REACHED'],
    limits: { bodyBytes: limits.bodyBytes },
    example: {
      path: { templateId: exampleId('tpl', kind.service) },
      body: { name: 'Order received', publish: false },
      output: exampleTemplate(kind),
    },
    async handler({ path: { templateId }, body: { name, publish, ...changes }, caller: { orgId }, ctx }) {
      const before = await findTemplate(kind, orgId, templateId);
      const isChanged = Object.values(changes).some((value) => value !== undefined);
      const added = isChanged ? await addVersion(kind, await turnOf(ctx, orgId), before, { ...changes, publish }) : {};
      const set = { ...(name !== undefined && { name }), ...added };
      const key = name !== undefined && { nameKey: searchForm(name) };
      if (Object.keys(set).length > 0) await store(kind, before, { ...set, ...key });
      await recordAuditEvent(ctx, {
        action: `${kind.service}-template.updated`,
        orgId,
        target: { type: 'template', id: templateId },
        before: { name: before.name, latestVersion: before.latestVersion, liveVersion: before.liveVersion },
        after: set,
      });
      const after = await findTemplate(kind, orgId, templateId);
      return toTemplateResponse(after, await findVersion(kind, after));
    },
  });
}

function tooManyVersions(): Error {
  const message = `The template has ${limits.versions} versions, the maximum. Create another template.`;
  return apiError('LIMIT_REACHED', { message });
}

function tooManyLocales(count: number): Error {
  const message = `A template can have at most ${limits.locales} locales, not ${count}. Remove locales by sending null.`;
  return inputError([{ path: 'body.locales', message }]);
}

type Numbers = Partial<Pick<TemplateDocument, 'latestVersion' | 'liveVersion'>>;

/**
 * Stores the changed draft under the next version number. Skips a number whose version was stored without updating the
 * template, after a crash.
 */
async function addVersion(
  kind: TemplateKind,
  turn: Turn,
  template: TemplateDocument,
  changes: ChangeBody,
): Promise<Numbers> {
  if (template.latestVersion >= limits.versions) throw tooManyVersions();
  const draft = changedDraft(draftOf(await findVersion(kind, template)), changes);
  const contents = await compileDraft(kind, turn, draft);
  for (let version = template.latestVersion + 1; ; version += 1) {
    if (await insertVersion(kind, template, version, draft, contents)) {
      return { latestVersion: version, ...(changes.publish && { liveVersion: version }) };
    }
    const { latestVersion } = await findTemplate(kind, template.orgId, template._id);
    if (latestVersion !== template.latestVersion) throw apiError('CONFLICT');
  }
}

function changedDraft(
  draft: Draft,
  { category, variables, locales = {}, publish: _publish, ...parts }: ChangeBody,
): Draft {
  const merged = Object.entries({ ...draft.locales, ...locales }).flatMap(([locale, content]) =>
    content === null ? [] : [[locale, content] as const],
  );
  if (merged.length > limits.locales) throw tooManyLocales(merged.length);
  return {
    category: category ?? draft.category,
    variables: variables ?? draft.variables,
    content: withParts(draft.content, parts),
    locales: Object.fromEntries(merged),
  };
}

/** Throws CONFLICT when another request has changed the template since it was read. */
async function store(kind: TemplateKind, before: TemplateDocument, set: Partial<TemplateDocument>): Promise<void> {
  const { orgId, _id, latestVersion } = before;
  const unchanged = { orgId, _id, latestVersion, deletedAt: null };
  const { matchedCount } = await kind.templates.updateOne(unchanged, { $set: { ...set, updatedAt: now() } });
  if (matchedCount === 0) throw apiError('CONFLICT');
}

const publishInput = z
  .strictObject({
    version: z.int().min(1).optional().describe('The number of the version; by default the latest one.'),
  })
  .meta({ id: 'TemplatePublicationInput' });

/** POST of …/publish: publishes a version, the latest one by default. */
export function publishTemplate(kind: TemplateKind) {
  const { output, path } = schemasOf(kind);
  return defineAction({
    rest: `POST ${kind.path}/:templateId/publish`,
    summary: `Publish a version of a ${kind.service} template`,
    description:
      'Makes a version the one that new messages use: the latest one, or an earlier one to return to it. Messages ' +
      'that were accepted before keep their version.',
    permission: kind.permissions.write,
    tenant: 'required',
    input: { path, body: publishInput },
    output,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { path: { templateId: exampleId('tpl', kind.service) }, body: {}, output: exampleTemplate(kind) },
    async handler({ path: { templateId }, body, caller: { orgId }, ctx }) {
      const before = await findTemplate(kind, orgId, templateId);
      const version: TemplateVersionDocument = await findVersion(kind, before, body.version);
      await store(kind, before, { liveVersion: version.version });
      await recordAuditEvent(ctx, {
        action: `${kind.service}-template.published`,
        orgId,
        target: { type: 'template', id: templateId },
        before: { liveVersion: before.liveVersion },
        after: { liveVersion: version.version },
      });
      return toTemplateResponse({ ...before, liveVersion: version.version }, version);
    },
  });
}

/** DELETE of a template. Messages accepted before are still sent with its versions. */
export function deleteTemplate(kind: TemplateKind) {
  const { path } = schemasOf(kind);
  return defineAction({
    rest: `DELETE ${kind.path}/:templateId`,
    summary: `Delete a ${kind.service} template`,
    description:
      'Deletes a template; new messages can no longer use it. Messages that were accepted before are still sent. ' +
      'This cannot be undone.',
    permission: kind.permissions.write,
    tenant: 'required',
    input: { path },
    output: z.void(),
    errors: ['NOT_FOUND'],
    example: { path: { templateId: exampleId('tpl', kind.service) } },
    async handler({ path: { templateId }, caller: { orgId }, ctx }) {
      const { _id, name } = await findTemplate(kind, orgId, templateId);
      const set = { deletedAt: now(), updatedAt: now(), place: _id };
      await kind.templates.updateOne({ orgId, _id, deletedAt: null }, { $set: set });
      await recordAuditEvent(ctx, {
        action: `${kind.service}-template.deleted`,
        orgId,
        target: { type: 'template', id: _id },
        before: { name },
      });
    },
  });
}
