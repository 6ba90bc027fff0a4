import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { maxPageSize } from '../../../lib/contract/input.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import type { TemplateDocument } from '../documents.ts';
import type { TemplateKind } from '../kind.ts';

/**
 * `<service>.templates.names`, for the log of messages: the names of templates by their ids, deleted ones too, which no
 * endpoint lists.
 */
export function nameTemplates(kind: TemplateKind) {
  return defineAction({
    summary: `Name ${kind.service} templates, also deleted ones`,
    permission: 'internal',
    input: {
      body: z.strictObject({
        orgId: z.string().regex(idPattern('org')),
        templateIds: z.array(z.string()).max(maxPageSize),
      }),
    },
    output: z.strictObject({
      templates: z.array(z.strictObject({ id: z.string(), name: z.string(), isDeleted: z.boolean() })),
    }),
    async handler({ body: { orgId, templateIds } }) {
      const found = await kind.templates
        .find({ orgId, _id: { $in: templateIds } }, { name: 1, deletedAt: 1 })
        .lean<TemplateDocument[]>();
      return { templates: found.map(({ _id: id, name, deletedAt }) => ({ id, name, isDeleted: deletedAt !== null })) };
    },
  });
}
