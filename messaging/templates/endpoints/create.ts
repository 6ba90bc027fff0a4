import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { type LimitsNow, limitsOf, requireRoom } from '../../../lib/clients/plan-limits.ts';
import { type Ctx, call } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { now } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { searchForm } from '../../../lib/format/search-form.ts';
import { type Content, limits } from '../content.ts';
import type { TemplateDocument } from '../documents.ts';
import { type CreateBody, exampleTemplate, schemasOf, type TemplateKind, toTemplateResponse } from '../kind.ts';
import { turnOf } from '../turns.ts';
import { compileDraft, type Draft, findVersion, insertVersion } from '../versions.ts';

/** POST of a template: its first version is published immediately unless `publish` is false. */
export function createTemplate(kind: TemplateKind) {
  const { create: body, output } = schemasOf(kind);
  return defineAction({
    rest: `POST ${kind.path}`,
    summary: `Create a ${kind.service} template`,
    description:
      'Creates a template with its first version, which is published unless `publish` is false. Name a `starter` to ' +
      'begin with a ready-made template. Every part is compiled and rendered with the samples first: a part that ' +
      'fails is refused with `INPUT_INVALID`, whose details name it. The plan limits the number of templates.',
    permission: kind.permissions.write,
    tenant: 'required',
    input: { body },
    output,
    status: 201,
    errors: ['PLAN_LIMIT_EXCEEDED'],
    limits: { bodyBytes: limits.bodyBytes },
    idempotent: {
      async resume({ caller: { orgId }, operation, ctx }) {
        const made = await kind.templates.findOne({ orgId, _id: operation.newId('tpl') }).lean<TemplateDocument>();
        return made && (await complete(kind, ctx, operation, made));
      },
    },
    example: { body: { name: 'Order received', ...kind.example }, output: exampleTemplate(kind) },
    async handler({ body: given, caller: { orgId }, operation, ctx }) {
      const { name, draft } = draftFrom(kind, given);
      const contents = await compileDraft(kind, await turnOf(ctx, orgId), draft);
      const template = newTemplate({ orgId, id: operation.newId('tpl'), name, isLive: given.publish });
      const plan = await limitsOf(ctx, orgId);
      await insertVersion(kind, template, 1, draft, contents);
      return await complete(kind, ctx, operation, await insertTemplate(kind, template, plan));
    },
  });
}

/** The draft of a request; missing fields come from the named starter. */
function draftFrom(kind: TemplateKind, body: CreateBody): { name: string; draft: Draft } {
  const { starter: starterName, name, category, variables, locales, publish: _publish, ...parts } = body;
  const starter = starterName === undefined ? undefined : kind.starters[starterName];
  const title = name ?? starter?.name;
  if (title === undefined) throw inputError([{ path: 'body.name', message: 'Required.' }]);
  const {
    name: _name,
    description: _description,
    category: _category,
    variables: _variables,
    ...said
  } = starter ?? {
    name: '',
    description: '',
    category: undefined,
    variables: undefined,
  };
  const draft: Draft = {
    category: category ?? starter?.category ?? 'transactional',
    variables: variables ?? starter?.variables ?? [],
    content: withParts(said as Content, parts),
    locales: locales ?? {},
  };
  return { name: title, draft };
}

/**
 * Returns a content with parts replaced, or removed by null. HTML is either `html` or `mjml`, so one replaces the
 * other.
 */
export function withParts(content: Content, parts: { [K in keyof Content]?: Content[K] | null | undefined }): Content {
  const changedParts = Object.entries(parts).filter(([, part]) => part !== undefined);
  const replaced = parts.html ? { mjml: null } : parts.mjml ? { html: null } : {};
  const merged = { ...content, ...replaced, ...Object.fromEntries(changedParts) };
  return Object.fromEntries(Object.entries(merged).filter(([, part]) => part !== null && part !== undefined));
}

type New = { orgId: string; id: string; name: string; isLive: boolean };

function newTemplate({ orgId, id, name, isLive }: New): TemplateDocument {
  const at = now();
  const versions = { liveVersion: isLive ? 1 : null, latestVersion: 1 };
  const times = { createdAt: at, updatedAt: at, deletedAt: null };
  return { _id: id, orgId, place: '', name, nameKey: searchForm(name), ...versions, ...times };
}

/** Inserts the template in a free slot of the plan's limit. Concurrent requests cannot take the same slot. */
async function insertTemplate(
  kind: TemplateKind,
  template: TemplateDocument,
  plan: LimitsNow,
): Promise<TemplateDocument> {
  const { orgId, _id } = template;
  for (;;) {
    const taken = await kind.templates.find({ orgId, deletedAt: null }, { place: 1 }).lean<TemplateDocument[]>();
    requireRoom(plan, { orgId, name: kind.limit, present: taken.length });
    const placed = { ...template, place: freePlace(taken) };
    if (await insertIfAbsent<TemplateDocument>(kind.templates, placed)) return placed;
    const same = await kind.templates.findOne({ orgId, _id }).lean<TemplateDocument>();
    if (same) return same;
  }
}

function freePlace(taken: Pick<TemplateDocument, 'place'>[]): string {
  const places = new Set(taken.map(({ place }) => place));
  let free = 0;
  while (places.has(String(free))) free += 1;
  return String(free);
}

/** Completes the operation after the insert. Idempotent. */
async function complete(
  kind: TemplateKind,
  ctx: Ctx,
  operation: Operation,
  template: TemplateDocument,
): Promise<ReturnType<typeof toTemplateResponse>> {
  const { _id, orgId, name } = template;
  const { organization } = await call(ctx, 'identity.organizations.describe', { body: { orgId } });
  if (!organization) {
    // The organization's deletion may have begun before the insert and may have missed the template.
    await kind.templates.deleteOne({ orgId, _id });
    await kind.versions.deleteMany({ orgId, templateId: _id });
    throw apiError('CREDENTIAL_INVALID');
  }
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: `${kind.service}-template.created`,
    orgId,
    target: { type: 'template', id: _id },
    after: { name },
  });
  return toTemplateResponse(template, await findVersion(kind, template));
}
